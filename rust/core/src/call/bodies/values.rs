//! Calls whose arguments are tagged values: between values everything but a marker is noise,
//! inside one everything but its closer is data; `nesting` says what is a closer.

use std::borrow::Cow;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::bodies::open_value::{OpenValue, begin};
use crate::call::bodies::value_markers::{Delimiters, OpenerSays, ValueMarkers};
use crate::call::name::NameIn;
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Call, Fit};
use crate::call::shape::{self, Reader, Shape, behind_value};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, Entries, Spellings, add};
use crate::markers::matcher::Found;
use crate::markers::read::{check_marker, check_spellings, marker, optional_marker};
use crate::sink::Sink;
use crate::text::slice::slice;

/// One tagged value for each argument.
#[derive(Debug, Clone)]
pub struct Values {
    /// What opens a value.
    pub open: Spellings,
    /// What closes a value.
    pub close: Spellings,
    /// What closes a value where that is missing, wrong or there twice.
    pub healed_close: Spellings,
    /// What the value's opener says of the argument.
    pub says: OpenerSays,
    /// Whether the end of a line behind the opener is layout.
    pub newline: bool,
    /// Whether what is neither text by its schema nor JSON is text.
    pub strict: bool,
    /// Texts that mean null where a parameter may be null or text.
    pub null: Vec<String>,
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
            healed_close: optional_marker(record, "healed_close")?,
            says: OpenerSays {
                key: NameIn::read(&record.object("key", "a NameIn")?)?,
                hint: record.optional_text("hint")?,
                hint_default: record.optional_text("hint_default")?,
            },
            newline: record.flag("newline")?,
            strict: record.flag("strict")?,
            null: record.texts("null")?,
        })
    }

    fn check(&self, place: &str) -> Result<(), GrammarError> {
        check_marker(&self.open, &format!("{place}.open"))?;
        check_marker(&self.close, &format!("{place}.close"))?;
        check_spellings(&self.healed_close, &format!("{place}.healed_close"))
    }

    fn openers(&self) -> Entries {
        let mut entries = Entries::new();
        add(&mut entries, &self.open, Action::OpenValue);
        entries
    }

    fn delimiters(&self) -> Spellings {
        [self.open.as_slice(), &self.close, &self.healed_close].concat()
    }

    fn markers(&self, places: &Places<'_>) -> ValueMarkers {
        let spelt = Delimiters {
            open: &self.open,
            close: &self.close,
            healed_close: &self.healed_close,
            newline: self.newline,
        };
        ValueMarkers::new(places, &spelt, &self.says)
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
                self.between(markers, cx, (input, at), since)
            }
            Self::Opened { start, named } => {
                let opened = (*start, *named);
                self.opened(body, cx, (input, at), opened)
            }
            Self::Value(value) => {
                let (step, closed) = value.step(markers, cx, (input, at));
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
        markers: &ValueMarkers,
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
        since: usize,
    ) -> Step {
        let found = cx.seek(input, at);
        let end = match &found {
            Ok(marker) => marker.start,
            Err(Step::Close(start, _) | Step::Leave(start, _)) => *start,
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
        let argument = markers.says.argument(input, &marker, pattern, start);
        let named = argument.is_some();
        if let Some(argument) = argument {
            if markers.closes_in(&argument.key) {
                cx.call.fits(Fit::Lost);
            }
            begin(cx, argument);
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
                let name = body.says.key.of(input, &marker, cx.inside.tag_pattern(marker.pattern));
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
