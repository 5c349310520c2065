//! Calls whose arguments are keys and values, each between its own markers.
//!
//! Between them everything is noise. A value whose opener is missing is still bounded by its
//! closer; a key that no value follows counts for nothing.

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::{Places, ValueEnd};
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Argument, Call, Fit};
use crate::call::shape::{Meaning, Reader, Shape, behind_value};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, CALL_TAG_LIMIT, Entries, PerOuter, Spellings, add};
use crate::markers::matcher::{Found, Marker, Matcher};
use crate::markers::read::{check_marker, check_spellings, marker, optional_marker};
use crate::sink::Sink;
use crate::text::slice::slice;

/// Keys and values, each between its own markers.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// What opens a key.
    pub key_open: Spellings,
    /// What closes it.
    pub key_close: Spellings,
    /// What opens a value.
    pub value_open: Spellings,
    /// What closes it.
    pub value_close: Spellings,
    /// What closes it where that is missing, wrong or there twice.
    pub healed_close: Spellings,
    /// Whether what is neither text by its schema nor JSON is text.
    pub strict: bool,
    /// Texts that mean null where a parameter may be null or text.
    pub null: Vec<String>,
}

/// What counts in the places of such a body.
#[derive(Debug)]
pub(crate) struct PairMarkers {
    /// Inside a key.
    key: PerOuter,
    /// Between a key and its value.
    gap: PerOuter,
    value: ValueEnd,
    /// What opens a key or a value.
    openers: Matcher<Action>,
}

impl Shape for Pairs {
    const NAME: &'static str = "pairs";
    const ENCODING: Encoding = Encoding::Text;
    type Markers = PairMarkers;
    type Reader = PairsReader;

    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self {
            key_open: marker(record, "key_open")?,
            key_close: marker(record, "key_close")?,
            value_open: marker(record, "value_open")?,
            value_close: marker(record, "value_close")?,
            healed_close: optional_marker(record, "healed_close")?,
            strict: record.flag("strict")?,
            null: record.texts("null")?,
        })
    }

    fn check(&self, place: &str) -> Result<(), GrammarError> {
        check_marker(&self.key_open, &format!("{place}.key_open"))?;
        check_marker(&self.key_close, &format!("{place}.key_close"))?;
        check_marker(&self.value_open, &format!("{place}.value_open"))?;
        check_marker(&self.value_close, &format!("{place}.value_close"))?;
        check_spellings(&self.healed_close, &format!("{place}.healed_close"))
    }

    fn openers(&self) -> Entries {
        let mut entries = Entries::new();
        add(&mut entries, &self.key_open, Action::OpenKey);
        // These show that what stands before them is missing.
        add(&mut entries, &self.key_close, Action::CloseKey);
        add(&mut entries, &self.value_open, Action::OpenValue);
        add(&mut entries, &self.value_close, Action::CloseValue);
        entries
    }

    fn delimiters(&self) -> Spellings {
        let keys = [self.key_open.as_slice(), &self.key_close];
        [&keys[..], &[&self.value_open, &self.value_close, &self.healed_close]].concat().concat()
    }

    fn markers(&self, places: &Places<'_>) -> PairMarkers {
        let mut openers = Entries::new();
        add(&mut openers, &self.key_open, Action::OpenKey);
        add(&mut openers, &self.value_open, Action::OpenValue);
        let mut value = Entries::new();
        add(&mut value, &self.value_close, Action::CloseValue);
        add(&mut value, &self.healed_close, Action::HealValue);
        PairMarkers {
            openers: Matcher::new(openers, CALL_TAG_LIMIT),
            key: places.with(&[(&self.key_close, Action::CloseKey)]),
            gap: places.with(&[
                (&self.key_open, Action::OpenKey),
                (&self.value_open, Action::OpenValue),
                (&self.value_close, Action::CloseValue),
            ]),
            value: places.value(value),
        }
    }

    fn arguments<'a>(&'a self, call: &'a Call, _meaning: &Meaning<'_>) -> Arguments<'a> {
        Arguments::each(call, self.strict, &self.null)
    }
}

/// Where the reader of such a call stands; positions are those of the raw text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PairsReader {
    /// Before a key, from this position of the raw text on.
    Between(usize),
    /// Inside the key that begins here.
    Key { start: usize },
    /// Behind a key, before its value.
    Gap { key: String, start: usize },
    /// Right behind the opener of a value, where it may stand a second time.
    Opened { start: usize },
    /// Inside the value that begins here.
    Value { start: usize },
}

impl Reader<Pairs> for PairsReader {
    fn new(_body: (&Pairs, &PairMarkers), call: &Call) -> Self {
        Self::Between(call.raw.len())
    }

    fn step<S: Sink>(
        &mut self,
        (_, markers): (&Pairs, &PairMarkers),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        if let Self::Opened { start } = *self {
            return self.opened(markers, cx, (input, at), start);
        }
        let matcher = match self {
            Self::Between(_) => cx.inside,
            Self::Key { .. } => markers.key.at(cx.outer),
            Self::Gap { .. } => markers.gap.at(cx.outer),
            Self::Opened { .. } | Self::Value { .. } => markers.value.matcher(cx.unclosed),
        };
        let (end, marker) = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => (input.len(), Err(Step::Go(input.len()))),
            Found::Partial(start) => (start, Err(Step::Wait(start))),
            Found::Marker(marker) => (marker.start, Ok(marker)),
        };
        if matches!(self, Self::Value { .. }) {
            cx.argument_delta(slice(input, at, end));
        }
        match marker {
            Err(step) => step,
            Ok(marker) => self.act(cx, markers, (input, at), &marker, matcher),
        }
    }

    fn at_end(&self) -> AtEnd {
        match self {
            Self::Opened { start } | Self::Value { start } => AtEnd::Unclosed(*start),
            _ => AtEnd::Cut,
        }
    }

    fn inside(&self) -> Inside {
        match self {
            Self::Between(_) => Inside::Nothing,
            Self::Key { .. } | Self::Gap { .. } => Inside::Key,
            Self::Opened { .. } | Self::Value { .. } => Inside::Value { noted: true },
        }
    }

    fn lacks_closers(
        &self,
        markers: &PairMarkers,
        tail: &str,
        rest_closes: &dyn Fn(&str) -> bool,
    ) -> bool {
        matches!(self, Self::Between(_))
            && behind_value(markers.value.matcher(false), tail, rest_closes)
    }
}

impl PairsReader {
    fn opened<S: Sink>(
        &mut self,
        markers: &PairMarkers,
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
        start: usize,
    ) -> Step {
        match markers.openers.find_at(input, at, cx.last, &mut None) {
            Found::Partial(_) => Step::Wait(at),
            Found::Marker(marker) if marker.action == Action::OpenValue => {
                cx.call.fits(Fit::Healed);
                *self = Self::Opened { start: start + (marker.end - at) };
                Step::Go(marker.end)
            }
            _ => {
                *self = Self::Value { start };
                Step::Go(at)
            }
        }
    }

    fn act<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        markers: &PairMarkers,
        (input, at): (&str, usize),
        marker: &Marker<Action>,
        matcher: &Matcher<Action>,
    ) -> Step {
        let position = |at_input: usize| cx.call.raw.len() + (at_input - at);
        let (before, behind) = (position(marker.start), position(marker.end));
        let written = |start: usize| {
            let kept = cx.call.raw.get(start..).unwrap_or_default();
            kept.to_owned() + slice(input, at, marker.start)
        };
        match (marker.action, &*self) {
            (Action::OpenKey, _) => *self = Self::Key { start: behind },
            (Action::CloseKey, Self::Key { start }) => {
                let text = written(*start);
                let key = key_in(text.trim(), &markers.openers, cx);
                *self = Self::Gap { key, start: behind };
            }
            (Action::CloseKey | Action::OpenValue, Self::Between(_)) => cx.call.fits(Fit::Lost),
            (Action::CloseValue, Self::Between(since)) => {
                let twice = written(*since).trim().is_empty();
                cx.call.fits(if twice { Fit::Healed } else { Fit::Lost });
                *self = Self::Between(behind);
            }
            (Action::OpenValue, Self::Gap { key, .. }) => {
                let key = key.clone();
                open_value(cx, key, behind);
                *self = Self::Opened { start: behind };
            }

            (Action::CloseValue, Self::Gap { key, start }) => {
                let (key, start, text) = (key.clone(), *start, written(*start));
                let blanks = text.len() - text.trim_start().len();
                open_value(cx, key, start + blanks);
                cx.argument_delta(text.trim_start());
                close_value(cx, start + blanks, before);
                cx.call.fits(Fit::Healed);
                *self = Self::Between(behind);
            }
            (Action::CloseValue | Action::HealValue, Self::Value { start }) => {
                let start = *start;
                let end = if matcher.trims(marker.pattern) {
                    let text = written(start);
                    before - (text.len() - text.trim_end().len())
                } else {
                    before
                };
                close_value(cx, start, end);
                if marker.action == Action::HealValue {
                    cx.call.fits(Fit::Healed);
                }
                *self = Self::Between(behind);
            }
            (Action::CloseCall, _) => return Step::Close(marker.start, marker.end),
            _ => return Step::Leave(marker.start, marker.action),
        }
        Step::Go(marker.end)
    }
}

/// The key in this text, where its opener may stand a second time, and nothing else may.
fn key_in<S>(text: &str, openers: &Matcher<Action>, cx: &mut Context<'_, S>) -> String {
    let mut key = text;
    while let Found::Marker(marker) = openers.find(key, 0, true, &mut None) {
        if marker.start > 0 || marker.action != Action::OpenKey {
            cx.call.fits(Fit::Lost);
            break;
        }
        cx.call.fits(Fit::Healed);
        key = slice(key, marker.end, key.len()).trim_start();
    }
    key.to_owned()
}

fn open_value<S: Sink>(cx: &mut Context<'_, S>, key: String, start: usize) {
    cx.argument_start(Some(&key));
    if !cx.call.muted {
        cx.call.arguments.push(Argument { key, value: (start, start), hint: None });
    }
}

fn close_value<S>(cx: &mut Context<'_, S>, start: usize, end: usize) {
    if let (Some(argument), false) = (cx.call.arguments.last_mut(), cx.call.muted) {
        argument.value = (start, end);
    }
}
