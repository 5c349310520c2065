//! Where a JSON value ends, found by its own structure while it arrives.
//!
//! `Structure` follows strings, brackets and separators in O(1) per byte. It is lenient where
//! models are sloppy but the structure is still certain (bare words, trailing commas, raw
//! newlines in strings) and says `Broken` at the first byte that no JSON-like text can hold
//! there. As long as a value is not broken its strings can be trusted, so that a marker inside
//! one is data; once it is broken nothing inside it protects a marker any more.
//!
//! `Unescape` turns the inside of a JSON string into its text, piece by piece.

use crate::text::search::find_two;

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It goes on.
    Open,
    /// It ended right before the returned position.
    Closed,
    /// The byte at the returned position cannot stand there.
    Broken,
    /// The bracket at the returned position is nested deeper than allowed.
    TooDeep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lex {
    Between,
    String,
    Escape,
    Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// A value, a key or a closing bracket.
    Value,
    /// A separator or a closing bracket.
    Separator,
}

/// One JSON value being followed.
#[derive(Debug, Clone)]
pub struct Structure {
    lex: Lex,
    expect: Expect,
    brackets: Vec<u8>,
    max_depth: usize,
    /// How many bytes have been read.
    length: usize,
    /// Where the last string begins, counted from the value's first byte.
    string: usize,
    /// Whether the last separator was a colon.
    after_colon: bool,
    /// Whether what was read last is a key.
    behind_key: bool,
}

fn belongs_to_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_' | b'$') || byte >= 0x80
}

impl Structure {
    /// A value that has not begun; it may nest `max_depth` brackets.
    #[must_use]
    pub fn new(max_depth: usize) -> Self {
        Self {
            lex: Lex::Between,
            expect: Expect::Value,
            brackets: Vec::new(),
            max_depth,
            length: 0,
            string: 0,
            after_colon: false,
            behind_key: false,
        }
    }

    /// Whether the last byte read ended a value inside the brackets.
    #[must_use]
    pub fn behind_value(&self) -> bool {
        self.lex == Lex::Between && self.expect == Expect::Separator && !self.behind_key
    }

    /// Where the string begins that is still open, in bytes from the value's beginning.
    #[must_use]
    pub fn open_string(&self) -> Option<usize> {
        matches!(self.lex, Lex::String | Lex::Escape).then_some(self.string)
    }

    /// Reads on from `at`; answers how far it read and why it stopped.
    pub fn read(&mut self, bytes: &[u8], at: usize) -> (usize, Progress) {
        let before = self.length;
        let (end, progress) = self.read_from(bytes, at, before);
        self.length = before + (end - at);
        (end, progress)
    }

    fn read_from(&mut self, bytes: &[u8], from: usize, before: usize) -> (usize, Progress) {
        let mut at = from;
        while at < bytes.len() {
            match self.lex {
                Lex::String => match find_two(b'"', b'\\', &bytes[at..]) {
                    None => return (bytes.len(), Progress::Open),
                    Some(offset) => {
                        at += offset + 1;
                        if bytes[at - 1] == b'\\' {
                            self.lex = Lex::Escape;
                        } else if self.end_value() {
                            return (at, Progress::Closed);
                        }
                    }
                },
                Lex::Escape => {
                    self.lex = Lex::String;
                    at += 1;
                }
                Lex::Word if belongs_to_word(bytes[at]) => at += 1,
                Lex::Word => {
                    if self.end_value() {
                        return (at, Progress::Closed);
                    }
                }
                Lex::Between => match self.read_between(bytes[at]) {
                    Progress::Open => {
                        self.string = before + (at - from);
                        at += 1;
                    }
                    Progress::Closed => return (at + 1, Progress::Closed),
                    stopped => return (at, stopped),
                },
            }
        }
        (at, Progress::Open)
    }

    /// A string or word ended; answers whether the whole value did.
    fn end_value(&mut self) -> bool {
        self.lex = Lex::Between;
        self.expect = Expect::Separator;
        self.behind_key = self.brackets.last() == Some(&b'{') && !self.after_colon;
        self.brackets.is_empty()
    }

    fn read_between(&mut self, byte: u8) -> Progress {
        match (byte, self.expect) {
            (b' ' | b'\t' | b'\n' | b'\r', _) => Progress::Open,
            (b'"', Expect::Value) => {
                self.lex = Lex::String;
                Progress::Open
            }
            (b'{' | b'[', Expect::Value) => {
                if self.brackets.len() >= self.max_depth {
                    return Progress::TooDeep;
                }
                self.brackets.push(byte);
                self.after_colon = false;
                Progress::Open
            }
            (b'}' | b']', _) => self.close_bracket(byte),
            (b',' | b':', Expect::Separator) if !self.brackets.is_empty() => {
                self.expect = Expect::Value;
                self.after_colon = byte == b':';
                Progress::Open
            }
            (byte, Expect::Value) if belongs_to_word(byte) => {
                self.lex = Lex::Word;
                Progress::Open
            }
            _ => Progress::Broken,
        }
    }

    fn close_bracket(&mut self, byte: u8) -> Progress {
        let opening = if byte == b'}' { b'{' } else { b'[' };
        if self.brackets.last() != Some(&opening) {
            return Progress::Broken;
        }
        self.brackets.pop();
        self.expect = Expect::Separator;
        self.behind_key = false;
        if self.brackets.is_empty() { Progress::Closed } else { Progress::Open }
    }
}

/// The text of a JSON string whose inside arrives in pieces.
///
/// A surrogate pair is one character and is never given in halves; half a pair becomes U+FFFD,
/// an unknown escape the character itself.
#[derive(Debug, Clone, Default)]
pub struct Unescape {
    /// The unfinished escape, from its backslash on; at most a pair's twelve bytes.
    pending: String,
}

impl Unescape {
    /// Appends the text of `piece` to `out` as far as it is certain.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        if self.pending.is_empty() {
            self.decode(piece, out);
        } else {
            let joined = std::mem::take(&mut self.pending) + piece;
            self.decode(&joined, out);
        }
    }

    /// The string ended: what is left of an escape is written as well as it can be.
    pub fn finish(&mut self, out: &mut String) {
        if !self.pending.is_empty() {
            self.pending.clear();
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn decode(&mut self, mut text: &str, out: &mut String) {
        while let Some((plain, _)) = text.split_once('\\') {
            out.push_str(plain);
            text = text.get(plain.len()..).unwrap_or_default();
            let Some((character, length)) = escape(text) else {
                self.pending.push_str(text);
                return;
            };
            out.push(character);
            text = text.get(length..).unwrap_or_default();
        }
        out.push_str(text);
    }
}

/// The character of the escape at the beginning of `text` and its length in bytes; `None` while
/// it is unfinished.
fn escape(text: &str) -> Option<(char, usize)> {
    let letter = text.chars().nth(1)?;
    let plain = match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return unicode_escape(text),
        other => other,
    };
    Some((plain, 1 + letter.len_utf8()))
}

fn unicode_escape(text: &str) -> Option<(char, usize)> {
    const REPLACED: char = char::REPLACEMENT_CHARACTER;
    let unit = match hex_unit(text) {
        Unit::Unfinished => return None,
        Unit::Unreadable => return Some((REPLACED, 2)),
        Unit::Read(unit) => unit,
    };
    if let Some(character) = char::from_u32(unit) {
        return Some((character, 6));
    }
    if unit >= 0xDC00 {
        return Some((REPLACED, 6));
    }
    let rest = text.get(6..)?;
    let begins_pair = b"\\u".starts_with(&rest.as_bytes()[..rest.len().min(2)]);
    if !begins_pair {
        return Some((REPLACED, 6));
    }
    match hex_unit(rest) {
        Unit::Unfinished => None,
        Unit::Read(low @ 0xDC00..=0xDFFF) => {
            let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            Some((char::from_u32(code).unwrap_or(REPLACED), 12))
        }
        _ => Some((REPLACED, 6)),
    }
}

/// The four digits of a `\uXXXX` escape.
enum Unit {
    Unfinished,
    Unreadable,
    Read(u32),
}

/// The unit of `\uXXXX` at the beginning of `text`.
fn hex_unit(text: &str) -> Unit {
    let digits = &text.as_bytes()[2.min(text.len())..text.len().min(6)];
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Unit::Unreadable;
    }
    if digits.len() < 4 {
        return Unit::Unfinished;
    }
    Unit::Read(
        digits
            .iter()
            .fold(0, |unit, digit| unit * 16 + char::from(*digit).to_digit(16).unwrap_or(0)),
    )
}
