//! Python source text: where blanks, names and strings in it begin and end.

use memchr::{memchr, memchr2, memchr3};

use crate::text::code::{begins_name, continues_name};
use crate::text::slice::slice;

/// Source text, up to where it can be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub text: &'a str,
}

/// The beginning of a string literal: its prefix and its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    pub raw: bool,
    pub bytes: bool,
    /// Whether what stands in braces in it is to be evaluated.
    pub formatted: bool,
    quote: u8,
    /// Where its quotes begin.
    pub quotes: usize,
    /// Where its characters begin.
    pub inside: usize,
}

impl Opening {
    /// How many quotes bound the string on each side.
    pub fn width(self) -> usize {
        self.inside - self.quotes
    }
}

/// Whether Python takes this character for white space.
pub(super) fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\x1c'..='\x1f')
}

impl<'a> Source<'a> {
    pub fn len(self) -> usize {
        self.text.len()
    }

    pub fn byte(self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub fn slice(self, start: usize, end: usize) -> &'a str {
        slice(self.text, start, end)
    }

    /// The bytes from `at` on.
    pub fn rest(self, at: usize) -> &'a [u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    /// Where white space from `at` on ends.
    pub fn blank(self, mut at: usize) -> usize {
        loop {
            at += match self.byte(at) {
                Some(b'\t'..=b'\r' | b'\x1c'..=b' ') => 1,
                Some(0x80..) => match self.wide(at) {
                    (true, length) => length,
                    _ => return at,
                },
                _ => return at,
            }
        }
    }

    /// Where white space, comments and line continuations from `at` on end.
    pub fn space(self, mut at: usize) -> usize {
        loop {
            at = self.blank(at);
            at = match self.byte(at) {
                Some(b'#') => self.line_end(at),
                Some(b'\\') if self.byte(at + 1) == Some(b'\n') => at + 2,
                Some(b'\\') if self.rest(at + 1).starts_with(b"\r\n") => at + 3,
                _ => return at,
            }
        }
    }

    /// Where the line that `at` is in ends.
    pub fn line_end(self, at: usize) -> usize {
        memchr(b'\n', self.rest(at)).map_or(self.len(), |offset| at + offset)
    }

    /// Where the name that begins at `at` ends; `at` if none begins there.
    pub fn name(self, at: usize) -> usize {
        match self.byte(at) {
            Some(byte) if begins_name(byte) => self.word(at),
            _ => at,
        }
    }

    /// The same for the name of a parameter, which may have `-` and `.` in it.
    pub fn parameter(self, at: usize) -> usize {
        match self.byte(at) {
            Some(byte) if begins_name(byte) => self.run(at, continues_name),
            _ => at,
        }
    }

    /// Where the letters and digits from `at` on end.
    pub fn word(self, at: usize) -> usize {
        self.run(at, |byte| begins_name(byte) || byte.is_ascii_digit())
    }

    fn run(self, mut at: usize, belongs: impl Fn(u8) -> bool) -> usize {
        loop {
            at += match self.byte(at) {
                Some(0x80..) => match self.wide(at) {
                    (false, length) => length,
                    _ => return at,
                },
                Some(byte) if belongs(byte) => 1,
                _ => return at,
            }
        }
    }

    /// Whether the character at `at` is white space, and how many bytes it has.
    fn wide(self, at: usize) -> (bool, usize) {
        let character = self.text.get(at..).and_then(|rest| rest.chars().next());
        character.map_or((true, 1), |found| (is_blank(found), found.len_utf8()))
    }

    /// The beginning of the string literal at `at`.
    pub fn opening(self, at: usize) -> Option<Opening> {
        let rest = self.rest(at);
        let (prefix, raw, bytes) = match *rest {
            [b'"' | b'\'', ..] => (0, false, false),
            [b'u' | b'U' | b'f' | b'F', b'"' | b'\'', ..] => (1, false, false),
            [b'b' | b'B', b'"' | b'\'', ..] => (1, false, true),
            [b'r' | b'R', b'"' | b'\'', ..] => (1, true, false),
            [b'r' | b'R', b'f' | b'F', b'"' | b'\'', ..]
            | [b'f' | b'F', b'r' | b'R', b'"' | b'\'', ..] => (2, true, false),
            [b'r' | b'R', b'b' | b'B', b'"' | b'\'', ..]
            | [b'b' | b'B', b'r' | b'R', b'"' | b'\'', ..] => (2, true, true),
            _ => return None,
        };
        let formatted = rest.iter().take(prefix).any(|byte| matches!(byte, b'f' | b'F'));
        let quotes = at + prefix;
        let quote = self.byte(quotes)?;
        let width = if self.has_three(quote, quotes) { 3 } else { 1 };
        Some(Opening { raw, bytes, formatted, quote, quotes, inside: quotes + width })
    }

    /// Whether this quote stands at `at` three times.
    fn has_three(self, quote: u8, at: usize) -> bool {
        matches!(*self.rest(at), [a, b, c, ..] if [a, b, c] == [quote; 3])
    }

    /// Where the quotes begin that close the string literal that begins so; `None` if it is never
    /// closed. `broken` is told of line breaks where Python has none.
    pub fn closing(self, opening: Opening, broken: &mut bool) -> Option<usize> {
        let Opening { quote, inside, .. } = opening;
        let is_triple = opening.width() == 3;
        let mut at = inside;
        loop {
            let rest = self.rest(at);
            at += if is_triple {
                memchr2(quote, b'\\', rest)?
            } else {
                memchr3(quote, b'\\', b'\n', rest)?
            };
            match self.byte(at)? {
                b'\\' if self.rest(at + 1).starts_with(b"\r\n") => at += 3,
                b'\\' => at += 2,
                b'\n' => {
                    *broken = true;
                    at += 1;
                }
                _ if is_triple && !self.has_three(quote, at) => at += 1,
                _ => return Some(at),
            }
        }
    }

    /// Where the quotes begin that close the string literal at the end of the text.
    pub fn last_quotes(self, opening: Opening) -> Option<usize> {
        let at = self.len().checked_sub(opening.width())?;
        let closes =
            at >= opening.inside && self.rest(at).iter().all(|byte| *byte == opening.quote);
        closes.then_some(at)
    }
}
