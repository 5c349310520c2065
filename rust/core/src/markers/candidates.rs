//! Which patterns can stand at a place, told by its first few bytes.
//!
//! Text is full of bytes that begin markers and do not: `a < b`, `vector<T>`, `</p>`. Each byte
//! position has for each byte the set of patterns that can have it there; what is in all of the
//! sets is worth a closer look, and mostly that is nothing.

use crate::markers::name::{Namespace, begins_identifier, namespace};

/// How many bytes are looked at.
const DEPTH: usize = 4;

/// A set of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Bytes([u64; 4]);

impl Bytes {
    const ALL: Self = Self([u64::MAX; 4]);

    fn add(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |byte| self.0[usize::from(byte / 64)] & (1 << (byte % 64)) != 0)
    }
}

/// The bytes with which a pattern can begin, position by position.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beginning {
    positions: [Bytes; DEPTH],
    /// How long the heads are behind which a namespace may stand instead.
    spaced: Vec<usize>,
}

impl Beginning {
    /// The pattern can begin with `text` and go on with anything.
    pub fn text(&mut self, text: &[u8]) {
        for (at, set) in self.positions.iter_mut().enumerate() {
            match text.get(at) {
                Some(byte) => set.add(*byte),
                None => *set = Bytes::ALL,
            }
        }
    }

    /// The same, and it can begin with `text` in upper or lower case.
    pub fn caseless_text(&mut self, text: &[u8]) {
        self.text(text);
        self.text(&text.to_ascii_lowercase());
        self.text(&text.to_ascii_uppercase());
    }

    /// The pattern can begin with `text`, then one of these bytes, and go on with anything.
    pub fn text_then(&mut self, text: &[u8], next: impl Fn(u8) -> bool) {
        for byte in (0..=u8::MAX).filter(|byte| next(*byte)) {
            self.text(&[text, &[byte]].concat());
        }
    }

    /// Behind a head of this length a namespace may stand: an identifier and `:`.
    pub fn spaced(&mut self, head: usize) {
        self.spaced.push(head);
    }

    fn first(&self) -> impl Iterator<Item = u8> {
        self.positions[0].iter()
    }
}

/// One bit for a pattern; with more than 64, some share theirs.
type Set = u64;

fn bit(pattern: usize) -> Set {
    1 << (pattern % 64)
}

/// The patterns that may stand at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidates(Set);

impl Candidates {
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contain(self, pattern: usize) -> bool {
        self.0 & bit(pattern) != 0
    }
}

/// The beginnings of all patterns of a matcher.
#[derive(Debug, Clone)]
pub(crate) struct Beginnings {
    /// Which bytes can come second at all; most look-alikes fail here.
    second: Box<[bool; 256]>,
    /// The kind of each byte: bytes of one kind belong to the same sets.
    kinds: Box<[u8; 256]>,
    /// For each kind of byte and each position, the patterns that can have it there.
    sets: Vec<[Set; DEPTH]>,
    /// The patterns that may have a namespace, by the length of the head before it.
    spaced: Vec<(usize, Set)>,
}

impl Beginnings {
    pub fn new(patterns: &[Beginning]) -> Self {
        let rows = rows(patterns);
        let mut kinds = Box::new([0; 256]);
        let mut sets: Vec<[Set; DEPTH]> = Vec::new();
        for (kind, row) in kinds.iter_mut().zip(rows.iter()) {
            let known = sets.iter().position(|known| known == row);
            let index = known.unwrap_or_else(|| {
                sets.push(*row);
                sets.len() - 1
            });
            *kind = u8::try_from(index).unwrap_or(u8::MAX); // of 256 rows at most
        }
        let mut spaced: Vec<(usize, Set)> = Vec::new();
        for (index, pattern) in patterns.iter().enumerate() {
            for head in &pattern.spaced {
                match spaced.iter_mut().find(|(length, _)| length == head) {
                    Some((_, set)) => *set |= bit(index),
                    None => spaced.push((*head, bit(index))),
                }
            }
        }
        let mut second = Box::new([false; 256]);
        for (byte, (can, row)) in (0..=u8::MAX).zip(second.iter_mut().zip(rows.iter())) {
            let in_namespace = || spaced.iter().any(|(head, _)| *head == 1);
            *can = row[1] != 0 || (begins_identifier(byte) && in_namespace());
        }
        Self { second, kinds, sets, spaced }
    }

    /// The bytes that can begin a pattern.
    pub fn first_bytes(patterns: &[Beginning]) -> Vec<u8> {
        let mut bytes: Vec<u8> = patterns.iter().flat_map(Beginning::first).collect();
        bytes.sort_unstable();
        bytes.dedup();
        bytes
    }

    /// Whether a pattern can have this byte second; `None` if more input will tell.
    #[inline]
    pub fn can_be_second(&self, byte: Option<&u8>) -> bool {
        byte.is_none_or(|byte| self.second[usize::from(*byte)])
    }

    /// The patterns that may stand at the beginning of `bytes`; what is missing may be anything.
    #[inline]
    pub fn candidates(&self, bytes: &[u8]) -> Candidates {
        let mut found = self.having(bytes, 0);
        for (head, patterns) in &self.spaced {
            if found & patterns == *patterns {
                continue;
            }
            let Some((before, name)) = bytes.split_at_checked(*head) else {
                continue; // the head is unfinished
            };
            let behind = match namespace(name) {
                Namespace::None => continue,
                Namespace::Unfinished => &[],
                Namespace::Ended(length) => &name[length..],
            };
            found |= patterns & self.having(before, 0) & self.having(behind, *head);
        }
        Candidates(found)
    }

    /// The patterns that can have these bytes from this position on.
    #[inline]
    fn having(&self, bytes: &[u8], from: usize) -> Set {
        let mut found = Set::MAX;
        for (position, byte) in (from..DEPTH).zip(bytes) {
            found &= self.sets[usize::from(self.kinds[usize::from(*byte)])][position];
            if found == 0 {
                break;
            }
        }
        found
    }
}

/// For each byte and each position, the patterns that can have it there.
fn rows(patterns: &[Beginning]) -> Box<[[Set; DEPTH]; 256]> {
    let mut rows = Box::new([[0; DEPTH]; 256]);
    let mut anything = [0; DEPTH];
    for (index, pattern) in patterns.iter().enumerate() {
        for (position, bytes) in pattern.positions.iter().enumerate() {
            if *bytes == Bytes::ALL {
                anything[position] |= bit(index);
                continue;
            }
            for byte in bytes.iter() {
                rows[usize::from(byte)][position] |= bit(index);
            }
        }
    }
    for row in rows.iter_mut() {
        for (set, anything) in row.iter_mut().zip(anything) {
            *set |= anything;
        }
    }
    rows
}
