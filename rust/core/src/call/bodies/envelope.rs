//! Calls written as one JSON object that holds the tool's name and the arguments.
//!
//! The object's own keys are followed one by one, in any order; values are followed by their
//! structure only. The name is told as soon as its string is closed; the arguments' text is told
//! while it arrives, or, where it comes before the name, together with it. Arguments that are
//! themselves a JSON string (encoded twice) are told without that layer. Where the object breaks,
//! it is searched for the call's closer and left to the caller as a whole. Another object behind it, or
//! in a list with it, is another call.

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Step};
use crate::call::record::{Call, Fit};
use crate::call::shape::{Meaning, Reader, Shape};
use crate::call::telling::Telling;
use crate::fields::{GrammarError, Object, Placed};
use crate::sink::Sink;
use crate::text::json::{Progress, Structure, Unescape};
use crate::text::slice::{count, slice};

/// A JSON object with the tool's name under one of `names` and the arguments under one of
/// `arguments`, in any order.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// Keys that hold the name.
    pub names: Vec<String>,
    /// Keys that hold the arguments.
    pub arguments: Vec<String>,
}

impl Shape for Envelope {
    const NAME: &'static str = "envelope";
    const ENCODING: Encoding = Encoding::Json;
    const NAMES_TOOL: bool = true;
    type Markers = ();
    type Reader = EnvelopeReader;

    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self { names: record.texts("names")?, arguments: record.texts("arguments")? })
    }

    fn check(&self, place: &str) -> Result<(), GrammarError> {
        for (name, keys) in [("names", &self.names), ("arguments", &self.arguments)] {
            if keys.is_empty() {
                let place = format!("{place}.{name}");
                return Err(GrammarError::new(&place, "give at least one JSON key"));
            }
        }
        Ok(())
    }

    fn markers(&self, _places: &Places<'_>) {}

    fn arguments<'a>(&'a self, call: &'a Call, _meaning: &Meaning<'_>) -> Arguments<'a> {
        match call.carrier {
            Some(carrier) => Arguments::Json(call.text(carrier)),
            None => Arguments::Envelope {
                text: call.body(),
                names: &self.names,
                arguments: &self.arguments,
            },
        }
    }
}

/// What a value of the object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    Name,
    Arguments,
    Other,
}

#[derive(Debug, Clone)]
enum Phase {
    /// Before the object.
    Begin,
    /// Before a key or the object's end.
    BeforeKey,
    /// Between a key and its value.
    BeforeColon(Role),
    /// Before a value.
    BeforeValue(Role),
    /// Inside a key or a value that begins at this position of the raw text.
    Inside { role: Role, structure: Structure, start: usize },
    /// Behind a value.
    AfterValue,
    /// Behind the object, which ended at this position of the raw text.
    Done(usize),
    /// Behind the object and what is no other call.
    Rest(usize),
    /// In what is no JSON.
    Broken,
}

/// The reader of such a call.
#[derive(Debug, Clone)]
pub(crate) struct EnvelopeReader {
    phase: Phase,
    /// Where the arguments stand in the raw text, once they have begun.
    arguments: Option<(usize, usize)>,
    telling: Telling,
    /// The arguments appear more than once: only the whole body tells which count.
    repeated: bool,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

impl Envelope {
    fn role_of(&self, key: &str) -> Role {
        if self.names.iter().any(|name| name == key) {
            Role::Name
        } else if self.arguments.iter().any(|name| name == key) {
            Role::Arguments
        } else {
            Role::Other
        }
    }
}

impl Reader<Envelope> for EnvelopeReader {
    fn new(_body: (&Envelope, &()), _call: &Call) -> Self {
        Self { phase: Phase::Begin, arguments: None, telling: Telling::new(b'{'), repeated: false }
    }

    fn step<S: Sink>(
        &mut self,
        (keys, ()): (&Envelope, &()),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        match self.phase {
            Phase::Done(end) => self.behind(cx, (input, at), end),
            Phase::Rest(_) | Phase::Broken => cx.skip(input, at),
            Phase::Inside { .. } => self.inside(keys, cx, input, at),
            _ => {
                let bytes = input.as_bytes();
                let behind = at + count(&bytes[at..], is_blank);
                match bytes.get(behind) {
                    Some(byte) if behind == at => self.between(cx, *byte, at),
                    _ => Step::Go(behind),
                }
            }
        }
    }

    fn end(&self) -> Option<usize> {
        match self.phase {
            Phase::Done(end) | Phase::Rest(end) => Some(end),
            _ => None,
        }
    }

    fn at_end(&self) -> AtEnd {
        match &self.phase {
            Phase::Done(end) | Phase::Rest(end) => AtEnd::Complete(*end),
            Phase::Inside { structure, start, .. } => match structure.open_string() {
                Some(string) => AtEnd::Unclosed(start + string),
                None => AtEnd::Cut,
            },
            _ => AtEnd::Cut,
        }
    }

    fn lacks_closers(&self, (): &(), _tail: &str, _rest_closes: &dyn Fn(&str) -> bool) -> bool {
        match &self.phase {
            Phase::AfterValue => self.arguments.is_some(),
            Phase::Inside { role: Role::Arguments, structure, .. } => structure.behind_value(),
            _ => false,
        }
    }
}

impl EnvelopeReader {
    /// One byte between the parts of the object.
    fn between<S: Sink>(&mut self, cx: &mut Context<'_, S>, byte: u8, at: usize) -> Step {
        let here = cx.call.raw.len();
        let next = match (&self.phase, byte) {
            (Phase::Begin, b'{') | (Phase::BeforeKey | Phase::AfterValue, b',') => Phase::BeforeKey,
            (Phase::BeforeKey | Phase::AfterValue, b'}') => {
                self.finish(cx);
                self.phase = Phase::Done(here + 1);
                return cx.ended(at + 1);
            }
            (Phase::BeforeColon(role), b':') => Phase::BeforeValue(*role),
            (Phase::Begin, b'[') => {
                cx.call.fits(Fit::Healed);
                Phase::Begin
            }
            (Phase::BeforeKey, _) => {
                self.phase = Self::begin(Role::Key, cx.limits.max_depth, here);
                return Step::Go(at);
            }
            (Phase::BeforeValue(role), _) => {
                let role = self.role_of_value(*role, byte, here);
                if role == Role::Arguments {
                    cx.argument_start(None);
                }
                self.phase = Self::begin(role, cx.limits.max_depth, here);
                return Step::Go(at);
            }
            _ => {
                self.phase = Phase::Broken;
                return Step::Go(at);
            }
        };
        self.phase = next;
        Step::Go(at + 1)
    }

    /// Behind the object: perhaps another one.
    fn behind<S: Sink>(
        &mut self,
        cx: &Context<'_, S>,
        (input, at): (&str, usize),
        end: usize,
    ) -> Step {
        let separates = |byte| is_blank(byte) || matches!(byte, b',' | b']');
        let behind = at + count(&input.as_bytes()[at..], separates);
        match input.as_bytes().get(behind) {
            Some(b'{') if !cx.call.muted => return Step::Next(behind),
            Some(_) => self.phase = Phase::Rest(end),
            None => {}
        }
        Step::Go(behind)
    }

    fn begin(role: Role, max_depth: usize, start: usize) -> Phase {
        Phase::Inside { role, structure: Structure::new(max_depth.saturating_sub(1)), start }
    }

    /// Arguments count once; a second time they only say that the body must be read as a whole.
    fn role_of_value(&mut self, role: Role, first: u8, here: usize) -> Role {
        if role != Role::Arguments {
            return role;
        }
        if self.arguments.is_some() {
            self.repeated = true;
            return Role::Other;
        }
        self.arguments = Some((here, here));
        self.telling = Telling::new(first);
        role
    }

    fn inside<S: Sink>(
        &mut self,
        keys: &Envelope,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        let Phase::Inside { role, structure, start } = &mut self.phase else {
            return Step::Go(at);
        };
        let (role, start) = (*role, *start);
        let (end, progress) = structure.read(input.as_bytes(), at);
        let here = cx.call.raw.len() + (end - at);
        if role == Role::Arguments {
            self.telling.tell(cx, slice(input, at, end), progress == Progress::Closed);
        }
        match progress {
            Progress::Open => return Step::Go(end),
            Progress::Broken => self.phase = Phase::Broken,
            Progress::TooDeep => {
                self.phase = Phase::Broken;
                return Step::OverLimit(end);
            }
            Progress::Closed => {
                let value = Value { start, piece: slice(input, at, end) };
                self.phase = self.closed(keys, cx, role, &value, here);
            }
        }
        Step::Go(end)
    }

    /// A key or a value ended at `here` in the raw text.
    fn closed<S: Sink>(
        &mut self,
        keys: &Envelope,
        cx: &mut Context<'_, S>,
        role: Role,
        value: &Value<'_>,
        here: usize,
    ) -> Phase {
        match role {
            Role::Key => return Phase::BeforeColon(keys.role_of(&value.text(cx))),
            Role::Name if cx.call.name.is_none() => {
                if let Some(name) = value.string(cx) {
                    self.named(cx, name);
                }
            }
            Role::Arguments => self.arguments = Some((value.start, here)),
            Role::Name | Role::Other => {}
        }
        Phase::AfterValue
    }

    /// The name is known: arguments that came before it are told now.
    fn named<S: Sink>(&mut self, cx: &mut Context<'_, S>, name: String) {
        cx.start(name);
        let Some(range) = self.arguments else {
            return;
        };
        let text = cx.call.text(range).to_owned();
        cx.argument_start(None);
        self.telling.tell(cx, &text, true);
    }

    /// The object is closed: its arguments can be told from the rest, unless they are ambiguous.
    fn finish<S>(&self, cx: &mut Context<'_, S>) {
        if let (Some((start, end)), false, Some(_)) = (self.arguments, self.repeated, &cx.call.name)
        {
            cx.call.carrier = Some((start, end));
        }
    }
}

/// A value that just ended: it began at `start` in the raw text, and `piece` is its last part.
struct Value<'a> {
    start: usize,
    piece: &'a str,
}

impl Value<'_> {
    fn written<S>(&self, cx: &Context<'_, S>) -> String {
        let mut text = cx.call.raw.get(self.start..).unwrap_or_default().to_owned();
        text.push_str(self.piece);
        text
    }

    /// The string's text; `None` for a value that is no string.
    fn string<S>(&self, cx: &Context<'_, S>) -> Option<String> {
        let written = self.written(cx);
        let inside = written.strip_prefix('"')?.strip_suffix('"')?;
        let mut text = String::new();
        let mut unescape = Unescape::default();
        unescape.push(inside, &mut text);
        unescape.finish(&mut text);
        Some(text)
    }

    /// A key's text: a string's, or the bare word itself.
    fn text<S>(&self, cx: &Context<'_, S>) -> String {
        self.string(cx).unwrap_or_else(|| self.written(cx))
    }
}
