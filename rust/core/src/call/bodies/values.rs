//! Calls whose arguments are tagged values: between values everything but a marker is noise,
//! inside one everything but its closer is data; `nesting` says what is a closer.

use std::borrow::Cow;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::bodies::nesting::{Depth, Here, Meaning, Nesting};
use crate::call::name::NameIn;
use crate::call::places::{Places, ValueEnd};
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Argument, Call, Fit, Hint};
use crate::call::shape::{self, Reader, Shape, behind_value};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, Entries, Spellings, TEXT_TAG_LIMIT, add};
use crate::markers::matcher::{Found, Matcher};
use crate::markers::pattern::{Part, Pattern};
use crate::markers::read::{check_marker, marker};
use crate::sink::Sink;
use crate::text::slice::slice;

/// One tagged value for each argument.
#[derive(Debug, Clone)]
pub struct Values {
    /// What opens a value.
    pub open: Spellings,
    /// What closes a value.
    pub close: Spellings,
    /// Where the parameter's name stands in the value's opener.
    pub key: NameIn,
    /// The attribute that says of what type the value is.
    pub hint: Option<String>,
    /// What is meant where that attribute is missing.
    pub hint_default: Option<String>,
    /// Whether the end of a line behind the opener is layout.
    pub newline: bool,
    /// Whether what is neither text by its schema nor JSON is text.
    pub strict: bool,
    /// Texts that mean null where a parameter may be null or text.
    pub null: Vec<String>,
}

/// What counts inside a value.
#[derive(Debug)]
pub(crate) struct ValueMarkers {
    ends: ValueEnd,
    closers: Matcher<Action>,
    /// Where values stand between tags.
    nesting: Option<Nesting>,
}

impl ValueMarkers {
    /// Whether a closer stands in a name, because what ended the name is missing.
    fn closes_in(&self, name: &str) -> bool {
        matches!(self.closers.find(name, 0, true, &mut None), Found::Marker(_))
    }

    /// Whether text between values ends one whose opener is missing.
    fn closes_a_value(&self, between: &str) -> bool {
        let mut at = 0;
        while let Found::Marker(marker) = self.closers.find(between, at, true, &mut None) {
            // A marker that is nothing but the end of a line closes nothing alone.
            if !slice(between, marker.start, marker.end).trim().is_empty() {
                return !slice(between, 0, marker.start).trim().is_empty();
            }
            at = marker.end;
        }
        false
    }
}

/// What closes a value, whatever follows it.
fn closers(close: &Spellings) -> Matcher<Action> {
    let plain = close.iter().flat_map(|pattern| match pattern {
        Pattern::Sequence(sequence) => match sequence.parts.first() {
            Some(Part::Marker(patterns)) if sequence.consumed > 0 => patterns.clone(),
            _ => Vec::new(),
        },
        pattern => vec![pattern.clone()],
    });
    Matcher::new(plain.map(|pattern| (pattern, Action::CloseValue)).collect(), TEXT_TAG_LIMIT)
}

impl Shape for Values {
    const NAME: &'static str = "values";
    const ENCODING: Encoding = Encoding::Text;
    type Markers = ValueMarkers;
    type Reader = ValuesReader;

    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self {
            open: marker(record, "open")?,
            close: marker(record, "close")?,
            key: NameIn::read(&record.object("key", "a NameIn")?)?,
            hint: record.optional_text("hint")?,
            hint_default: record.optional_text("hint_default")?,
            newline: record.flag("newline")?,
            strict: record.flag("strict")?,
            null: record.texts("null")?,
        })
    }

    fn check(&self, place: &str) -> Result<(), GrammarError> {
        check_marker(&self.open, &format!("{place}.open"))?;
        check_marker(&self.close, &format!("{place}.close"))
    }

    fn openers(&self) -> Entries {
        let mut entries = Entries::new();
        add(&mut entries, &self.open, Action::OpenValue);
        entries
    }

    fn delimiters(&self) -> Spellings {
        [self.open.as_slice(), &self.close].concat()
    }

    fn markers(&self, places: &Places<'_>) -> ValueMarkers {
        ValueMarkers {
            ends: places.value(&self.close),
            closers: closers(&self.close),
            nesting: Nesting::new(places, &self.open, &self.close),
        }
    }

    fn arguments<'a>(&'a self, call: &'a Call, _meaning: &shape::Meaning<'_>) -> Arguments<'a> {
        Arguments::each(call, self.strict, &self.null)
    }
}

/// Where the reader of a call with tagged values stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValuesReader {
    /// Between values, from this position of the raw text on.
    Between(usize),
    /// Right behind the opener of a value, where it may stand a second time, and a newline is layout.
    Opened { start: usize, named: bool },
    /// Inside the value that begins at this position of the raw text; `named` if it counts.
    Value { start: usize, named: bool, depth: Depth },
}

/// What a hint beside a value says.
fn says(hint: &str) -> Hint {
    let hint = hint.trim();
    let no = ["false", "0", "no"].iter().any(|no| hint.eq_ignore_ascii_case(no));
    if no { Hint::Data } else { Hint::Text }
}

impl Reader<Values> for ValuesReader {
    fn new(_body: (&Values, &ValueMarkers), call: &Call) -> Self {
        Self::Between(call.raw.len())
    }

    fn step<S: Sink>(
        &mut self,
        (body, markers): (&Values, &ValueMarkers),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        match *self {
            Self::Between(since) => self.between((body, markers), cx, (input, at), since),
            Self::Value { start, named, depth } => {
                self.value(markers, cx, (input, at), (start, named, depth))
            }
            Self::Opened { start, named } => self.opened(body, cx, (input, at), (start, named)),
        }
    }

    fn at_end(&self) -> AtEnd {
        match *self {
            Self::Between(_) => AtEnd::Cut,
            Self::Value { start, .. } | Self::Opened { start, .. } => AtEnd::Unclosed(start),
        }
    }

    fn inside(&self) -> Inside {
        match *self {
            Self::Between(_) => Inside::Nothing,
            Self::Value { named, .. } | Self::Opened { named, .. } => {
                Inside::Value { noted: named }
            }
        }
    }

    fn lacks_closers(
        &self,
        markers: &ValueMarkers,
        tail: &str,
        rest_closes: &dyn Fn(&str) -> bool,
    ) -> bool {
        matches!(self, Self::Between(_))
            && behind_value(markers.ends.matcher(false), tail, rest_closes)
    }
}

impl ValuesReader {
    fn between<S: Sink>(
        &mut self,
        (body, markers): (&Values, &ValueMarkers),
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
        since: usize,
    ) -> Step {
        let found = cx.seek(input, at);
        let end = match &found {
            Ok(marker) => marker.start,
            Err(Step::Close(start, _) | Step::Leave(start)) => *start,
            Err(step) => return *step,
        };
        let kept = cx.call.raw.get(since..).unwrap_or_default();
        let between = Cow::Borrowed(slice(input, at, end));
        let between = if kept.is_empty() { between } else { Cow::Borrowed(kept) + between };
        if markers.closes_a_value(&between) {
            cx.call.fits(Fit::Lost);
        }
        let marker = match found {
            Ok(marker) => marker,
            Err(step) => return step,
        };
        let pattern = cx.inside.tag_pattern(marker.pattern);
        let name = body.key.of(input, &marker, pattern);
        let hint = body.hint.as_ref();
        let hint =
            hint.and_then(|hint| NameIn::Attribute(hint.clone()).of(input, &marker, pattern));
        let hint = hint.or(body.hint_default.as_deref());
        let start = cx.call.raw.len() + (marker.end - at);
        *self = Self::Between(start);
        if let Some(name) = name {
            if markers.closes_in(name) {
                cx.call.fits(Fit::Lost);
            }
            let argument =
                Argument { key: name.to_owned(), value: (start, start), hint: hint.map(says) };
            if !cx.call.muted {
                cx.call.arguments.push(argument);
            }
            cx.argument_start(Some(name));
        }
        if !marker.tag.as_ref().is_some_and(|tag| tag.empty) {
            let named = name.is_some();
            *self = Self::Opened { start, named };
        }
        Step::Go(marker.end)
    }

    fn opened<S: Sink>(
        &mut self,
        body: &Values,
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
        (start, named): (usize, bool),
    ) -> Step {
        let newline = match &input.as_bytes()[at..] {
            [] if !cx.last => return Step::Wait(at),
            [b'\n', ..] if body.newline => 1,
            [b'\r', b'\n', ..] if body.newline => 2,
            [b'\r'] if body.newline && !cx.last => return Step::Wait(at),
            _ => 0,
        };
        let again = match cx.inside.find_at(input, at + newline, cx.last, &mut None) {
            Found::Partial(_) if !cx.last => return Step::Wait(at),
            Found::Marker(marker) if marker.action == Action::OpenValue => {
                let name = body.key.of(input, &marker, cx.inside.tag_pattern(marker.pattern));
                let key = cx.call.arguments.last().filter(|_| named);
                (name.is_some() && name == key.map(|argument| argument.key.as_str()))
                    .then_some(marker.end - at)
            }
            _ => None,
        };
        if let Some(length) = again {
            cx.call.fits(Fit::Healed);
            *self = Self::Opened { start: start + length, named };
            return Step::Go(at + length);
        }
        *self = Self::Value { start: start + newline, named, depth: Depth::default() };
        Step::Go(at + newline)
    }

    fn value<S: Sink>(
        &mut self,
        markers: &ValueMarkers,
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
        (start, named, mut depth): (usize, bool, Depth),
    ) -> Step {
        let nesting = markers.nesting.as_ref().filter(|_| !cx.unclosed);
        let matcher = match nesting {
            Some(nesting) => nesting.inside(cx.outer),
            None => markers.ends.matcher(cx.unclosed),
        };
        let (end, step) = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => (input.len(), Step::Go(input.len())),
            Found::Partial(end) => (end, Step::Wait(end)),
            Found::Marker(marker) => {
                let key = cx.call.arguments.last().filter(|_| named);
                let key = key.map_or("", |argument| argument.key.as_str());
                let here = Here { input, last: cx.last, outer: cx.outer, key };
                let meaning = match (nesting, marker.action) {
                    (Some(nesting), _) => nesting.meaning(&mut depth, &here, &marker),
                    (None, Action::CloseCall) => Meaning::ClosesCall,
                    (None, _) => Meaning::Closes { wrong: false },
                };
                *self = match meaning {
                    Meaning::Closes { wrong } => {
                        if wrong {
                            cx.call.fits(Fit::Healed);
                        }
                        Self::Between(cx.call.raw.len() + (marker.end - at))
                    }
                    _ => Self::Value { start, named, depth },
                };
                let step = meaning.step(&marker);
                let is_data = matches!(meaning, Meaning::Data | Meaning::NoTag);
                (if is_data { step.end() } else { marker.start }, step)
            }
        };
        if named {
            cx.argument_delta(slice(input, at, end));
        }
        if named && matches!(self, Self::Between(_)) && !cx.call.muted {
            let end = cx.call.raw.len() + (end - at);
            if let Some(argument) = cx.call.arguments.last_mut() {
                argument.value = (start, end);
            }
        }
        step
    }
}
