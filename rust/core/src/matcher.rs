//! Finding markers: one `Matcher` per scanner state holds the markers that mean something there.
//!
//! Most bytes cannot begin a marker, so a search jumps from one possible first byte to the next
//! (`memchr`) and tries the patterns only there. A verdict depends on the bytes alone, never on
//! where the input was cut: where a pattern could still match, the answer is `Partial` and the
//! scanner holds the bytes back. The lexer of a long tag resumes where it stopped, so that a tag
//! which arrives byte by byte is read once.

use crate::tag::{Lex, LexStep, Tag, TagPattern};
use memchr::{memchr, memchr2, memchr3};

/// How a marker is spelled.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Exactly these bytes.
    Literal(Box<str>),
    /// A tag with a name and perhaps attributes.
    Tag(TagPattern),
}

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
    fn new(mut bytes: Vec<u8>) -> Self {
        bytes.sort_unstable();
        bytes.dedup();
        match bytes[..] {
            [] => Self::None,
            [a] => Self::One(a),
            [a, b] => Self::Two(a, b),
            [a, b, c] => Self::Three(a, b, c),
            _ => {
                let mut table = Box::new([false; 256]);
                for byte in bytes {
                    table[usize::from(byte)] = true;
                }
                Self::Many(table)
            }
        }
    }

    #[inline]
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One(a) => memchr(*a, bytes),
            Self::Two(a, b) => memchr2(*a, *b, bytes),
            Self::Three(a, b, c) => memchr3(*a, *b, *c, bytes),
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
    /// Which bytes can follow the first one; most look-alikes fail here.
    second: Box<[bool; 256]>,
    /// The longest tag, in bytes: what is longer is no tag.
    tag_limit: usize,
}

impl<A: Clone> Matcher<A> {
    /// A matcher for these patterns. Of two that match at one place the longer wins, then the
    /// earlier in the list.
    #[must_use]
    pub fn new(patterns: Vec<(Pattern, A)>, tag_limit: usize) -> Self {
        let mut first = Vec::new();
        let mut second = Box::new([false; 256]);
        for (pattern, _) in &patterns {
            match pattern {
                Pattern::Literal(text) => {
                    first.extend(text.as_bytes().first());
                    match text.as_bytes().get(1) {
                        Some(byte) => second[usize::from(*byte)] = true,
                        None => second.fill(true),
                    }
                }
                Pattern::Tag(tag) => tag.beginnings(&mut first, &mut second),
            }
        }
        Self { patterns, first: FirstBytes::new(first), second, tag_limit }
    }

    /// The tag pattern with this index; `None` if that pattern is a literal.
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
            let verdict = match resumed.take() {
                Some(resume) if offset == 0 => self.read_on(bytes, at, resume),
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

    fn read_on(&self, bytes: &[u8], at: usize, resume: Resume) -> Verdict<A> {
        let index = resume.pattern;
        match self.patterns.get(index) {
            Some((Pattern::Tag(tag), action)) => {
                let step = tag.read_on(&bytes[at..], resume.lex, self.tag_limit);
                Self::verdict(step, at, index, action)
            }
            _ => Verdict::No,
        }
    }

    fn verdict(step: LexStep, at: usize, pattern: usize, action: &A) -> Verdict<A> {
        match step {
            LexStep::No => Verdict::No,
            LexStep::Partial(lex) => Verdict::Partial(lex.map(|lex| Resume { pattern, lex })),
            LexStep::Yes(length, tag) => {
                let shift = |(start, end): (usize, usize)| (at + start, at + end);
                let tag = Tag {
                    name: shift(tag.name),
                    attributes: shift(tag.attributes),
                    empty: tag.empty,
                };
                let action = action.clone();
                Verdict::Yes(Marker {
                    start: at,
                    end: at + length,
                    action,
                    pattern,
                    tag: Some(tag),
                })
            }
        }
    }

    /// Tries all patterns at `at`; with `last`, an unfinished pattern is none.
    fn read(&self, bytes: &[u8], at: usize, last: bool) -> Verdict<A> {
        if bytes.get(at + 1).is_some_and(|byte| !self.second[usize::from(*byte)]) {
            return Verdict::No;
        }
        let mut best = Verdict::No;
        for index in 0..self.patterns.len() {
            match self.read_pattern(bytes, at, index) {
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

    fn read_pattern(&self, bytes: &[u8], at: usize, index: usize) -> Verdict<A> {
        let rest = &bytes[at..];
        match &self.patterns[index] {
            (Pattern::Literal(text), action) if rest.starts_with(text.as_bytes()) => {
                let (end, action) = (at + text.len(), action.clone());
                Verdict::Yes(Marker { start: at, end, action, pattern: index, tag: None })
            }
            (Pattern::Literal(text), _) if text.as_bytes().starts_with(rest) => {
                Verdict::Partial(None)
            }
            (Pattern::Literal(_), _) => Verdict::No,
            (Pattern::Tag(tag), action) => {
                Self::verdict(tag.read(rest, self.tag_limit), at, index, action)
            }
        }
    }
}
