//! Calls whose arguments are tagged values: between values everything but a marker is noise,
//! inside one everything but its closer is data; `nesting` says what is a closer.

use std::borrow::Cow;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::bodies::nesting::Nesting;
use crate::call::bodies::open_value::OpenValue;
use crate::call::name::NameIn;
use crate::call::places::{Places, ValueEnd};
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Argument, Call, Fit, Hint};
use crate::call::shape::{self, Reader, Shape, behind_value};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, Entries, Spellings, TEXT_TAG_LIMIT, add};
use crate::markers::matcher::{Found, Marker, Matcher};
use crate::markers::pattern::{Part, Pattern};
use crate::markers::read::{check_marker, marker};
use crate::markers::tag::TagPattern;
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

impl Values {
    /// The argument whose value this opener opens at `start` of the raw text, if it says of which.
    pub(super) fn argument(
        &self,
        input: &str,
        opener: &Marker<Action>,
        pattern: Option<&TagPattern>,
        start: usize,
    ) -> Option<Argument> {
        let key = self.key.of(input, opener, pattern)?.to_owned();
        let attribute = self.hint.clone().map(NameIn::Attribute);
        let hint = attribute.as_ref().and_then(|hint| hint.of(input, opener, pattern));
        let hint = hint.or(self.hint_default.as_deref()).map(says);
        Some(Argument { key, value: (start, start), hint })
    }
}

/// What counts inside a value.
#[derive(Debug)]
pub(crate) struct ValueMarkers {
    pub(super) ends: ValueEnd,
    closers: Matcher<Action>,
    /// Openers and closers of values, whatever follows them.
    pub(super) borders: Matcher<Action>,
    /// Where values stand between tags.
    pub(super) nesting: Option<Nesting>,
}

/// A value of this argument begins.
pub(super) fn open<S: Sink>(cx: &mut Context<'_, S>, argument: Argument) {
    cx.argument_start(Some(&argument.key));
    if !cx.call.muted {
        cx.call.arguments.push(argument);
    }
}

impl ValueMarkers {
    /// Whether a closer stands in a name, because what ended the name is missing.
    fn closes_in(&self, name: &str) -> bool {
        matches!(self.closers.find(name, 0, true, &mut None), Found::Marker(_))
    }

    /// The closer that stands there.
    pub(super) fn closer_at(&self, text: &str, at: usize) -> Found<Action> {
        self.closers.find_at(text, at, true, &mut None)
    }

    /// How text between values fits: a closer in it may be there twice, or end a value whose opener
    /// is missing.
    fn fit(&self, between: &str) -> Fit {
        match self.closers.find(between, 0, true, &mut None) {
            Found::Marker(closer) if slice(between, 0, closer.start).trim().is_empty() => {
                Fit::Healed
            }
            Found::Marker(_) => Fit::Lost,
            _ => Fit::Exact,
        }
    }
}

/// What closes a value, whatever follows it; not what is nothing but the end of a line.
fn closers(close: &Spellings) -> Entries {
    let plain = close.iter().flat_map(|pattern| match pattern {
        Pattern::Sequence(sequence) => match sequence.parts.first() {
            Some(Part::Marker(patterns)) if sequence.consumed > 0 => patterns.clone(),
            _ => Vec::new(),
        },
        pattern => vec![pattern.clone()],
    });
    let says_more = |it: &Pattern| !matches!(it, Pattern::Literal(text) if text.trim().is_empty());
    plain.filter(says_more).map(|pattern| (pattern, Action::CloseValue)).collect()
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
        let closers = closers(&self.close);
        let mut borders = closers.clone();
        add(&mut borders, &self.open, Action::OpenValue);
        ValueMarkers {
            ends: places.value(&self.close),
            closers: Matcher::new(closers, TEXT_TAG_LIMIT),
            borders: Matcher::new(borders, TEXT_TAG_LIMIT),
            nesting: Nesting::new(places, &self.open, &self.close),
        }
    }

    fn arguments<'a>(&'a self, call: &'a Call, _meaning: &shape::Meaning<'_>) -> Arguments<'a> {
        Arguments::each(call, self.strict, &self.null)
    }
}

/// Where the reader of a call with tagged values stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValuesReader {
    /// Between values, from this position of the raw text on.
    Between(usize),
    /// Right behind the opener of a value, where it may stand a second time, and a newline is layout.
    Opened { start: usize, named: bool },
    /// Inside a value.
    Value(OpenValue),
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
        match self {
            Self::Between(since) => {
                let since = *since;
                self.between((body, markers), cx, (input, at), since)
            }
            Self::Opened { start, named } => {
                let opened = (*start, *named);
                self.opened(body, cx, (input, at), opened)
            }
            Self::Value(value) => {
                let (step, closed) = value.step((body, markers), cx, (input, at));
                if closed {
                    *self = Self::Between(cx.call.raw.len() + (step.end() - at));
                }
                step
            }
        }
    }

    fn at_end(&self) -> AtEnd {
        match self {
            Self::Between(_) => AtEnd::Cut,
            Self::Opened { start, .. } => AtEnd::Unclosed(*start),
            Self::Value(value) => AtEnd::Unclosed(value.start()),
        }
    }

    fn inside(&self) -> Inside {
        match self {
            Self::Between(_) => Inside::Nothing,
            Self::Opened { named, .. } => Inside::Value { noted: *named },
            Self::Value(value) => Inside::Value { noted: value.named() },
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
        cx.call.fits(markers.fit(&between));
        let marker = match found {
            Ok(marker) => marker,
            Err(step) => return step,
        };
        let pattern = cx.inside.tag_pattern(marker.pattern);
        let start = cx.call.raw.len() + (marker.end - at);
        let argument = body.argument(input, &marker, pattern, start);
        let named = argument.is_some();
        if let Some(argument) = argument {
            if markers.closes_in(&argument.key) {
                cx.call.fits(Fit::Lost);
            }
            open(cx, argument);
        }
        let empty = marker.tag.as_ref().is_some_and(|tag| tag.empty);
        *self = if empty { Self::Between(start) } else { Self::Opened { start, named } };
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
        *self = Self::Value(OpenValue::new(start + newline, named));
        Step::Go(at + newline)
    }
}
