//! How markers are spelled, and whether one stands at the beginning of some bytes.

use crate::markers::candidates::Beginning;
use crate::markers::tag::{Lex, LexStep, Tag, TagPattern};

/// How a marker is spelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Exactly these bytes.
    Literal(Box<str>),
    /// A tag with a name and perhaps attributes.
    Tag(TagPattern),
    /// A marker that counts only with what follows it.
    Sequence(Sequence),
}

/// A marker with what must follow it to make it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The parts, in order; the first is a marker.
    pub parts: Vec<Part>,
    /// How many of the parts belong to the marker; the others are only looked at.
    pub consumed: usize,
    /// Whether the end of the input can stand for the parts that are only looked at.
    pub at_end: bool,
    /// Whether blanks before the marker belong to it rather than to the value.
    pub trim: bool,
}

/// A part of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Any of these markers.
    Marker(Vec<Pattern>),
    /// Up to this many blanks, in bytes.
    Blanks(usize),
    /// Text of one line without `<`, from one character up to this many.
    Word(usize),
}

/// What a pattern says about the bytes at one place; positions are relative to it.
pub(crate) enum Reading {
    No,
    Partial(Option<Lex>),
    Yes(usize, Option<Tag>),
}

impl From<LexStep> for Reading {
    fn from(step: LexStep) -> Self {
        match step {
            LexStep::No => Self::No,
            LexStep::Partial(lex) => Self::Partial(lex),
            LexStep::Yes(length, tag) => Self::Yes(length, Some(tag)),
        }
    }
}

impl Pattern {
    /// Whether the marker only shows where something begins, and takes no bytes itself.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Sequence(sequence) if sequence.consumed == 0)
    }

    /// Adds the bytes with which the pattern can begin.
    pub(crate) fn begin(&self, beginning: &mut Beginning) {
        match self {
            Self::Literal(text) => beginning.text(text.as_bytes()),
            Self::Tag(tag) => tag.begin(beginning),
            Self::Sequence(sequence) => {
                if let Some(Part::Marker(patterns)) = sequence.parts.first() {
                    for pattern in patterns {
                        pattern.begin(beginning);
                    }
                }
            }
        }
    }

    pub(crate) fn read(&self, bytes: &[u8], tag_limit: usize, last: bool) -> Reading {
        match self {
            Self::Literal(text) if bytes.starts_with(text.as_bytes()) => {
                Reading::Yes(text.len(), None)
            }
            Self::Literal(text) if text.as_bytes().starts_with(bytes) => Reading::Partial(None),
            Self::Literal(_) => Reading::No,
            Self::Tag(tag) => tag.read(bytes, tag_limit).into(),
            Self::Sequence(sequence) => sequence.read(bytes, tag_limit, last),
        }
    }

    /// The marker as it should be where `text` begins with all of it but its end, and how long what
    /// stands there is: a literal without its last character, a tag without what ends it.
    pub(crate) fn mended(&self, text: &str) -> Option<(String, usize)> {
        match self {
            Self::Literal(marker) => {
                let (last, _) = marker.char_indices().next_back()?;
                let written = marker.get(..last).filter(|written| !written.is_empty())?;
                text.starts_with(written).then(|| (marker.to_string(), last))
            }
            Self::Tag(tag) => {
                let behind = text.get(1..)?.find(['<', '\n']).map_or(text.len(), |at| at + 1);
                let written = text.get(..behind)?.trim_end();
                let whole = format!("{written}{}", tag.end);
                match tag.read(whole.as_bytes(), whole.len()) {
                    LexStep::Yes(length, _) if length == whole.len() => {
                        Some((whole, written.len()))
                    }
                    _ => None,
                }
            }
            Self::Sequence(_) => None,
        }
    }

    /// How long what shows this marker is, whatever follows it: a literal as a whole, a tag that
    /// can still become one as far as its name.
    pub(crate) fn shown(&self, bytes: &[u8], tag_limit: usize) -> Option<usize> {
        match self.read(bytes, tag_limit, true) {
            Reading::No | Reading::Partial(None) => None,
            Reading::Partial(Some(lex)) => Some(lex.name_end()),
            Reading::Yes(length, _) => Some(length),
        }
    }
}

impl Sequence {
    fn read(&self, bytes: &[u8], tag_limit: usize, last: bool) -> Reading {
        let (mut at, mut end) = (0, 0);
        for (index, part) in self.parts.iter().enumerate() {
            match part.read(&bytes[at..], tag_limit, last) {
                Reading::No => return Reading::No,
                Reading::Partial(_) if last && self.at_end && index >= self.consumed.max(1) => {
                    break;
                }
                Reading::Partial(_) => return Reading::Partial(None),
                Reading::Yes(length, _) => at += length,
            }
            if index + 1 == self.consumed {
                end = at;
            }
        }
        Reading::Yes(end, None)
    }
}

impl Part {
    fn read(&self, bytes: &[u8], tag_limit: usize, last: bool) -> Reading {
        let (length, most) = match self {
            Self::Marker(patterns) => return read_any(patterns, bytes, tag_limit, last),
            Self::Blanks(most) => {
                let blank = |byte: &&u8| byte.is_ascii_whitespace();
                (bytes.iter().take(most + 1).take_while(blank).count(), *most)
            }
            Self::Word(most) => {
                let ends = |byte: &u8| matches!(byte, b'<' | b'\n');
                // A character has four bytes at most; one more shows that there are too many.
                let length = bytes.iter().take(4 * most + 4).take_while(|byte| !ends(byte)).count();
                let continues = |byte: &&u8| **byte & 0xC0 == 0x80;
                let characters = length - bytes[..length].iter().filter(continues).count();
                if characters > *most || (length == 0 && !bytes.is_empty()) {
                    return Reading::No;
                }
                (length, length)
            }
        };
        match (length > most, length == bytes.len()) {
            (true, _) => Reading::No,
            (false, true) => Reading::Partial(None),
            (false, false) => Reading::Yes(length, None),
        }
    }
}

/// The longest of several patterns; unfinished if one that could be longer is.
fn read_any(patterns: &[Pattern], bytes: &[u8], tag_limit: usize, last: bool) -> Reading {
    let mut best = Reading::No;
    for pattern in patterns {
        match (pattern.read(bytes, tag_limit, last), &best) {
            (Reading::Partial(_), _) if !last => return Reading::Partial(None),
            (Reading::Partial(_), Reading::No) => best = Reading::Partial(None),
            (Reading::Yes(length, tag), Reading::Yes(longest, _)) if length > *longest => {
                best = Reading::Yes(length, tag);
            }
            (yes @ Reading::Yes(..), Reading::No | Reading::Partial(_)) => best = yes,
            _ => {}
        }
    }
    best
}
