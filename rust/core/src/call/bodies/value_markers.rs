//! What delimits a tagged value: the markers that count in it and around it, and what its opener says.

use crate::call::bodies::nesting::Nesting;
use crate::call::name::NameIn;
use crate::call::places::{Places, ValueEnd};
use crate::call::record::{Argument, Fit, Hint};
use crate::markers::action::{Action, Entries, Spellings, TEXT_TAG_LIMIT, add};
use crate::markers::matcher::{Found, Marker, Matcher};
use crate::markers::pattern::{Part, Pattern, Sequence};
use crate::markers::tag::TagPattern;
use crate::text::slice::slice;

/// What a value's opener says of the argument.
#[derive(Debug, Clone)]
pub struct OpenerSays {
    /// Where the parameter's name stands.
    pub key: NameIn,
    /// The attribute that says of what type the value is.
    pub hint: Option<String>,
    /// What is meant where that attribute is missing.
    pub hint_default: Option<String>,
}

impl OpenerSays {
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

/// What a hint beside a value says.
fn says(hint: &str) -> Hint {
    let hint = hint.trim();
    let no = ["false", "0", "no"].iter().any(|no| hint.eq_ignore_ascii_case(no));
    if no { Hint::Data } else { Hint::Text }
}

/// How a body spells what is around its values.
pub(crate) struct Delimiters<'a> {
    pub(super) open: &'a Spellings,
    pub(super) close: &'a Spellings,
    /// What closes a value where its closer is missing, wrong or there twice.
    pub(super) healed_close: &'a Spellings,
    /// Whether the end of a line behind an opener is layout.
    pub(super) newline: bool,
}

/// What counts inside a value.
#[derive(Debug)]
pub(crate) struct ValueMarkers {
    pub(super) ends: ValueEnd,
    closers: Matcher<Action>,
    /// Openers and closers of values, whatever follows them.
    pub(super) borders: Matcher<Action>,
    /// Where values stand between tags.
    pub(super) nesting: Option<Box<Nesting>>,
    /// Whether the end of a line behind an opener, and before a closer, is layout.
    newline: bool,
    pub(super) says: OpenerSays,
}

impl ValueMarkers {
    pub fn new(places: &Places<'_>, spelt: &Delimiters<'_>, says: &OpenerSays) -> Self {
        let Delimiters { open, close, healed_close, newline } = *spelt;
        let closers = closers(close);
        let mut borders = closers.clone();
        add(&mut borders, open, Action::OpenValue);
        let mut ends = Entries::new();
        add(&mut ends, close, Action::CloseValue);
        add(&mut ends, healed_close, Action::HealValue);
        add(&mut ends, open, Action::OpenValue);
        if newline {
            ends.push((behind_newline(open), Action::OpenValue));
        }
        let nests = healed_close.is_empty();
        Self {
            ends: places.value(ends),
            closers: Matcher::new(closers, TEXT_TAG_LIMIT),
            borders: Matcher::new(borders, TEXT_TAG_LIMIT),
            nesting: Nesting::new(places, open, close).filter(|_| nests).map(Box::new),
            newline,
            says: says.clone(),
        }
    }

    /// Whether a closer stands in a name, because what ended the name is missing.
    pub(super) fn closes_in(&self, name: &str) -> bool {
        matches!(self.closers.find(name, 0, true, &mut None), Found::Marker(_))
    }

    /// The closer that stands there.
    pub(super) fn closer_at(&self, text: &str, at: usize) -> Found<Action> {
        self.closers.find_at(text, at, true, &mut None)
    }

    /// The opener of a value that stands at `at` or behind the end of the line there.
    pub(super) fn opener_from(&self, text: &str, at: usize) -> Option<Marker<Action>> {
        match self.borders.find(text, at, true, &mut None) {
            Found::Marker(marker) if marker.action == Action::OpenValue => Some(marker),
            _ => None,
        }
    }

    /// Of the openers of values in this text those without a closer, where they stand.
    pub(super) fn unclosed(&self, value: &str) -> Vec<Marker<Action>> {
        let (mut at, mut open) = (0, Vec::new());
        while let Found::Marker(marker) = self.borders.find(value, at, true, &mut None) {
            at = marker.end;
            if marker.action == Action::OpenValue {
                open.push(marker);
            } else {
                open.pop();
            }
        }
        open
    }

    /// The key and the argument of a value that this opener opens, which begins at `start`.
    pub(super) fn argument(
        &self,
        text: &str,
        opener: &Marker<Action>,
        start: usize,
    ) -> Option<Argument> {
        self.says.argument(text, opener, self.borders.tag_pattern(opener.pattern), start)
    }

    /// How long the layout behind an opener is.
    pub(super) fn layout_behind(&self, text: &str) -> usize {
        match text.as_bytes() {
            [b'\n', ..] if self.newline => 1,
            [b'\r', b'\n', ..] if self.newline => 2,
            _ => 0,
        }
    }

    /// The text of a value without the layout before what follows it.
    pub(super) fn without_layout<'a>(&self, value: &'a str) -> &'a str {
        let line = value.strip_suffix('\n').filter(|_| self.newline);
        line.map_or(value, |line| line.strip_suffix('\r').unwrap_or(line))
    }

    /// How text between values fits: a closer in it may be there twice, or end a value whose opener
    /// is missing.
    pub(super) fn fit(&self, between: &str) -> Fit {
        match self.closers.find(between, 0, true, &mut None) {
            Found::Marker(closer) if slice(between, 0, closer.start).trim().is_empty() => {
                Fit::Healed
            }
            Found::Marker(_) => Fit::Lost,
            _ => Fit::Exact,
        }
    }
}

/// An opener with the end of the line before it.
fn behind_newline(open: &Spellings) -> Pattern {
    let newline = ["\n", "\r\n"].map(|text| Pattern::Literal(text.into())).to_vec();
    let parts = vec![Part::Marker(newline), Part::Marker(open.clone())];
    Pattern::Sequence(Sequence { parts, consumed: 2, at_end: false, trim: false })
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
