//! Finding markers: one `Matcher` per scanner state holds the markers that mean something there.
//!
//! Most bytes cannot begin a marker, so a search jumps from one possible first byte to the next
//! (`memchr`) and tries the patterns only there. A verdict depends on the bytes alone, never on
//! where the input was cut: where a pattern could still match, the answer is `Partial` and the
//! scanner holds the bytes back. The lexer of a long tag resumes where it stopped, so that a tag
//! which arrives byte by byte is read once.

use crate::markers::candidates::{Beginning, Beginnings, Candidates};
use crate::markers::pattern::{Pattern, Reading};
use crate::markers::tag::{Lex, Tag, TagPattern};
use crate::text::search::{find_one, find_three, find_two};

/// A marker in the input: `start..end`, what it means, and its tag if it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker<A> {
    /// Where the marker begins, in bytes of the input.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it means in this state.
    pub action: A,
    /// Which pattern of the matcher it is.
    pub pattern: usize,
    /// The parts of the tag, as ranges of the input; `None` for a literal.
    pub tag: Option<Tag>,
}

/// What a search found first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<A> {
    /// No marker and no beginning of one.
    Nothing,
    /// From here on the bytes may be a marker; more input decides.
    Partial(usize),
    /// A marker.
    Marker(Marker<A>),
}

/// Where the lexer of an unfinished tag stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume {
    pattern: usize,
    lex: Lex,
}

/// The set of bytes that can begin a marker.
#[derive(Debug, Clone)]
enum FirstBytes {
    None,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many(Box<[bool; 256]>),
}

impl FirstBytes {
    fn new(bytes: &[u8]) -> Self {
        match *bytes {
            [] => Self::None,
            [a] => Self::One(a),
            [a, b] => Self::Two(a, b),
            [a, b, c] => Self::Three(a, b, c),
            _ => {
                let mut table = Box::new([false; 256]);
                for byte in bytes {
                    table[usize::from(*byte)] = true;
                }
                Self::Many(table)
            }
        }
    }

    #[inline]
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One(a) => find_one(*a, bytes),
            Self::Two(a, b) => find_two(*a, *b, bytes),
            Self::Three(a, b, c) => find_three(*a, *b, *c, bytes),
            Self::Many(table) => bytes.iter().position(|byte| table[usize::from(*byte)]),
        }
    }
}

/// What the patterns say about one place.
enum Verdict<A> {
    No,
    Partial(Option<Resume>),
    Yes(Marker<A>),
}

/// The markers of one state.
#[derive(Debug, Clone)]
pub struct Matcher<A> {
    patterns: Vec<(Pattern, A)>,
    first: FirstBytes,
    /// Which patterns can stand where such a byte stands; most look-alikes fail here.
    beginnings: Beginnings,
    /// The longest tag, in bytes: what is longer is no tag.
    tag_limit: usize,
}

impl<A: Clone> Matcher<A> {
    /// A matcher for these patterns. Of two that match at one place the longer wins, then the
    /// earlier in the list.
    #[must_use]
    pub fn new(patterns: Vec<(Pattern, A)>, tag_limit: usize) -> Self {
        let beginning_of = |(pattern, _): &(Pattern, A)| {
            let mut beginning = Beginning::default();
            pattern.begin(&mut beginning);
            beginning
        };
        let each: Vec<Beginning> = patterns.iter().map(beginning_of).collect();
        let first = FirstBytes::new(&Beginnings::first_bytes(&each));
        Self { patterns, first, beginnings: Beginnings::new(&each), tag_limit }
    }

    /// Whether blanks before the marker of this pattern belong to it.
    #[must_use]
    pub fn trims(&self, index: usize) -> bool {
        matches!(self.patterns.get(index), Some((Pattern::Sequence(sequence), _)) if sequence.trim)
    }

    /// The tag pattern with this index; `None` if that pattern is no tag.
    #[must_use]
    pub fn tag_pattern(&self, index: usize) -> Option<&TagPattern> {
        match self.patterns.get(index) {
            Some((Pattern::Tag(tag), _)) => Some(tag),
            _ => None,
        }
    }

    /// The first marker in `input` at or after `from`. With `last`, no more input will come, and
    /// what is unfinished is no marker. `resume` belongs to the bytes at `from` that the last
    /// search held back; it is taken, and set again with the answer `Partial`.
    pub fn find(
        &self,
        input: &str,
        from: usize,
        last: bool,
        resume: &mut Option<Resume>,
    ) -> Found<A> {
        let bytes = input.as_bytes();
        let mut at = from;
        let mut resumed = resume.take();
        while let Some(offset) = self.first.find(bytes.get(at..).unwrap_or_default()) {
            at += offset;
            if !self.beginnings.can_be_second(bytes.get(at + 1)) {
                resumed = None; // it belonged to the first place
                at += 1;
                continue;
            }
            let verdict = match resumed.take() {
                Some(resume) if offset == 0 => self.resumed(bytes, at, resume, last),
                _ => self.read(bytes, at, last),
            };
            match verdict {
                Verdict::Yes(marker) => return Found::Marker(marker),
                Verdict::Partial(stopped) if !last => {
                    *resume = stopped;
                    return Found::Partial(at);
                }
                Verdict::Partial(_) | Verdict::No => at += 1,
            }
        }
        Found::Nothing
    }

    /// The first place at or after `from` where a marker shows, whatever follows it (see
    /// [`Pattern::shown`]): where it begins, where the longest that shows there ends, and what
    /// that one means.
    pub(crate) fn shown(&self, input: &str, from: usize) -> Option<(usize, usize, A)> {
        let bytes = input.as_bytes();
        let mut at = from;
        while let Some(offset) = self.first.find(bytes.get(at..).unwrap_or_default()) {
            at += offset;
            if self.beginnings.can_be_second(bytes.get(at + 1))
                && let Some((length, action)) = self.shown_at(&bytes[at..])
            {
                return Some((at, at + length, action));
            }
            at += 1;
        }
        None
    }

    fn shown_at(&self, bytes: &[u8]) -> Option<(usize, A)> {
        let candidates = self.beginnings.candidates(bytes);
        let mut best: Option<(usize, &A)> = None;
        for (index, (pattern, action)) in self.patterns.iter().enumerate() {
            if candidates.contain(index)
                && let Some(length) = pattern.shown(bytes, self.tag_limit)
                && best.is_none_or(|(longest, _)| length > longest)
            {
                best = Some((length, action));
            }
        }
        best.map(|(length, action)| (length, action.clone()))
    }

    /// The marker that stands right at `at`, or `Partial(at)`, or nothing; `resume` as in `find`.
    pub fn find_at(
        &self,
        input: &str,
        at: usize,
        last: bool,
        resume: &mut Option<Resume>,
    ) -> Found<A> {
        let bytes = input.as_bytes();
        let verdict = match resume.take() {
            Some(stopped) => self.resumed(bytes, at, stopped, last),
            None => self.read(bytes, at, last),
        };
        match verdict {
            Verdict::Yes(marker) => Found::Marker(marker),
            Verdict::Partial(stopped) if !last => {
                *resume = stopped;
                Found::Partial(at)
            }
            Verdict::Partial(_) | Verdict::No => Found::Nothing,
        }
    }

    /// Reads on in the tag where the last search stopped. If that is none, or is one now, the other
    /// patterns have their say as well.
    fn resumed(&self, bytes: &[u8], at: usize, resume: Resume, last: bool) -> Verdict<A> {
        match self.read_on(bytes, at, resume) {
            Verdict::Partial(stopped) if !last => Verdict::Partial(stopped),
            _ => self.read(bytes, at, last),
        }
    }

    fn read_on(&self, bytes: &[u8], at: usize, resume: Resume) -> Verdict<A> {
        let index = resume.pattern;
        match self.patterns.get(index) {
            Some((Pattern::Tag(tag), action)) => {
                let step = tag.read_on(&bytes[at..], resume.lex, self.tag_limit);
                self.verdict(step.into(), at, index, action)
            }
            _ => Verdict::No,
        }
    }

    #[allow(clippy::unused_self)] // fixes the type of the action
    fn verdict(&self, reading: Reading, at: usize, pattern: usize, action: &A) -> Verdict<A> {
        match reading {
            Reading::No => Verdict::No,
            Reading::Partial(lex) => Verdict::Partial(lex.map(|lex| Resume { pattern, lex })),
            Reading::Yes(length, tag) => {
                let shift = |(start, end): (usize, usize)| (at + start, at + end);
                let tag = tag.map(|tag| Tag {
                    name: shift(tag.name),
                    attributes: shift(tag.attributes),
                    empty: tag.empty,
                });
                let action = action.clone();
                Verdict::Yes(Marker { start: at, end: at + length, action, pattern, tag })
            }
        }
    }

    /// Tries all patterns at `at`; with `last`, an unfinished pattern is none.
    fn read(&self, bytes: &[u8], at: usize, last: bool) -> Verdict<A> {
        let candidates = self.beginnings.candidates(&bytes[at..]);
        if candidates.is_empty() {
            return Verdict::No;
        }
        self.read_candidates(candidates, bytes, at, last)
    }

    fn read_candidates(
        &self,
        candidates: Candidates,
        bytes: &[u8],
        at: usize,
        last: bool,
    ) -> Verdict<A> {
        let mut best = Verdict::No;
        for (index, (pattern, action)) in self.patterns.iter().enumerate() {
            if !candidates.contain(index) {
                continue;
            }
            let reading = pattern.read(&bytes[at..], self.tag_limit, last);
            match self.verdict(reading, at, index, action) {
                Verdict::No => {}
                Verdict::Partial(_) if last => {}
                partial @ Verdict::Partial(_) => return partial,
                Verdict::Yes(marker) => {
                    if !matches!(&best, Verdict::Yes(other) if other.end >= marker.end) {
                        best = Verdict::Yes(marker);
                    }
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::markers::pattern::{Part, Sequence};
    use crate::markers::tag::{Names, Quotes};

    const TEXTS: [&str; 9] = ["<", "</", "<a", "a", "<|", "｜", "`", "<a b=", "x:"];
    const NAMES: [&str; 5] = ["a", "A", "ab", "invoke", "｜x"];
    const PIECES: [&str; 15] =
        ["<", "/", "a", "A", "b", "x", ":", "invoke", "INVOKE", ">", " ", "=", "｜", "`", "\n"];

    fn tag() -> impl Strategy<Value = Pattern> {
        let listed = prop::collection::vec(prop::sample::select(&NAMES[..]), 1..3)
            .prop_map(|names| Names::Listed(names.into_iter().map(Into::into).collect()));
        let names = prop_oneof![2 => listed, 1 => Just(Names::Identifier), 1 => Just(Names::Line)];
        let heads = prop::collection::vec(prop::sample::select(&TEXTS[..]), 1..3);
        (heads, names, any::<[bool; 3]>()).prop_map(|(heads, names, flags)| {
            Pattern::Tag(TagPattern {
                heads: heads.into_iter().map(Into::into).collect(),
                names,
                end: ">".into(),
                closing: flags[0],
                any_namespace: flags[1],
                ignore_case: flags[2],
                quotes: Quotes::Any,
                quotes_protect: true,
            })
        })
    }

    fn pattern() -> impl Strategy<Value = Pattern> {
        let literal =
            || prop::sample::select(&TEXTS[..]).prop_map(|text| Pattern::Literal(text.into()));
        let marker = prop_oneof![literal(), tag()];
        let sequence = (marker, 0..2_usize).prop_map(|(marker, consumed)| {
            let parts = vec![Part::Marker(vec![marker]), Part::Blanks(3)];
            Pattern::Sequence(Sequence { parts, consumed, at_end: true, trim: false })
        });
        prop_oneof![literal(), tag(), sequence]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The look at the first bytes never rejects what a pattern would take.
        #[test]
        fn what_a_pattern_takes_is_a_candidate(
            patterns in prop::collection::vec(pattern(), 1..80),
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12),
        ) {
            let text = pieces.concat();
            let matcher = Matcher::new(patterns.into_iter().map(|it| (it, ())).collect(), 64);
            for at in 0..text.len() {
                let bytes = &text.as_bytes()[at..];
                let candidates = matcher.beginnings.candidates(bytes);
                for (index, (pattern, ())) in matcher.patterns.iter().enumerate() {
                    if !matches!(pattern.read(bytes, 64, false), Reading::No) {
                        prop_assert!(candidates.contain(index), "{pattern:?} at {bytes:?}");
                        prop_assert_eq!(matcher.first.find(bytes), Some(0));
                    }
                }
            }
        }

        /// What may become a tag shows from its complete name on, wherever the text is cut; and
        /// what a scanner takes shows.
        #[test]
        fn what_can_become_a_marker_shows(
            pattern in prop_oneof![prop::sample::select(&TEXTS[..])
                .prop_map(|text| Pattern::Literal(text.into())), tag()],
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12),
        ) {
            let text = pieces.concat();
            let matcher = Matcher::new(vec![(pattern, ())], 64);
            let Found::Marker(marker) = matcher.find(&text, 0, true, &mut None) else {
                return Ok(());
            };
            let shown = |cut: usize| matcher.shown(text.get(..cut).unwrap(), marker.start);
            prop_assert_eq!(shown(marker.end), Some((marker.start, marker.end, ())));
            let name_end = marker.tag.map_or(marker.end, |tag| tag.name.1);
            for cut in (name_end..=marker.end).filter(|cut| text.is_char_boundary(*cut)) {
                let (start, end, ()) = shown(cut).unwrap();
                prop_assert_eq!(start, marker.start);
                prop_assert!(end == name_end || end == marker.end);
            }
        }
    }
}
