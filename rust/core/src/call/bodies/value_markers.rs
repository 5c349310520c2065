//! What delimits a tagged value: the markers that count in it and around it, and what its opener says.

use crate::call::bodies::nesting::Nesting;
use crate::call::name::NameIn;
use crate::call::places::{Places, ValueEnd};
use crate::call::record::{Argument, Fit, Hint};
use crate::markers::action::{Action, Entries, Spellings, TEXT_TAG_LIMIT, add};
use crate::markers::matcher::{Found, Marker, Matcher};
use crate::markers::pattern::{Part, Pattern};
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

/// What counts inside a value.
#[derive(Debug)]
pub(crate) struct ValueMarkers {
    pub(super) ends: ValueEnd,
    closers: Matcher<Action>,
    /// Openers and closers of values, whatever follows them.
    pub(super) borders: Matcher<Action>,
    /// Where values stand between tags.
    pub(super) nesting: Option<Box<Nesting>>,
    pub(super) says: OpenerSays,
}

impl ValueMarkers {
    pub fn new(
        places: &Places<'_>,
        (open, close): (&Spellings, &Spellings),
        says: &OpenerSays,
    ) -> Self {
        let closers = closers(close);
        let mut borders = closers.clone();
        add(&mut borders, open, Action::OpenValue);
        Self {
            ends: places.value(close),
            closers: Matcher::new(closers, TEXT_TAG_LIMIT),
            borders: Matcher::new(borders, TEXT_TAG_LIMIT),
            nesting: Nesting::new(places, open, close).map(Box::new),
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
