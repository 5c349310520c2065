//! The places inside a call of one form, and the matchers for what means something there.

use crate::markers::action::{
    Action, CALL_TAG_LIMIT, Entries, PerOuter, Spellings, TEXT_TAG_LIMIT, add,
};
use crate::markers::matcher::Matcher;

/// What ends a call of one form: in text, and in each section.
pub(crate) struct Places<'a> {
    /// For text, then for each section, what ends the call there.
    pub ends: &'a [Entries],
    /// The call's own closer.
    pub close: &'a Spellings,
}

impl Places<'_> {
    /// Where these markers count beside what ends the call.
    pub fn with(&self, also: &[(&Spellings, Action)]) -> PerOuter {
        let mut entries = Entries::new();
        for (spellings, action) in also {
            add(&mut entries, spellings, *action);
        }
        self.with_entries(&entries)
    }

    /// The same.
    pub fn with_entries(&self, also: &Entries) -> PerOuter {
        PerOuter::new(self.ends.len().saturating_sub(1), CALL_TAG_LIMIT, |outer| {
            let ends = self.ends.get(outer.map_or(0, |section| section + 1));
            [ends.map_or(&[][..], Vec::as_slice), also].concat()
        })
    }

    /// Where only some of what ends the call counts, beside these markers.
    pub fn some(&self, counts: impl Fn(Action) -> bool, also: &Entries) -> PerOuter {
        PerOuter::new(self.ends.len().saturating_sub(1), TEXT_TAG_LIMIT, |outer| {
            let ends = self.ends.get(outer.map_or(0, |section| section + 1));
            let ends = ends.map_or(&[][..], Vec::as_slice).iter();
            let counted = ends.filter(|(_, action)| counts(*action)).cloned();
            counted.chain(also.iter().cloned()).collect()
        })
    }

    /// Inside a value where these markers count, one of which closes it.
    pub fn value(&self, mut entries: Entries) -> ValueEnd {
        let closed = Matcher::new(entries.clone(), TEXT_TAG_LIMIT);
        add(&mut entries, self.close, Action::CloseCall);
        ValueEnd { closed, unclosed: Matcher::new(entries, TEXT_TAG_LIMIT) }
    }
}

/// What ends a value.
#[derive(Debug)]
pub(crate) struct ValueEnd {
    closed: Matcher<Action>,
    unclosed: Matcher<Action>,
}

impl ValueEnd {
    /// Its closer; and the call's as well if it is `known_unclosed`.
    pub fn matcher(&self, known_unclosed: bool) -> &Matcher<Action> {
        if known_unclosed { &self.unclosed } else { &self.closed }
    }
}
