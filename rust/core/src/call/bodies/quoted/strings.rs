//! Strings between ASCII quotes: those of JSON, and else those of Python.

use std::borrow::Cow;

/// Whether the character at `at` has a backslash before it that counts.
pub fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The text of the string with these characters between two marks, and whether it was mended.
pub fn unquoted<'a>(
    mark: u8,
    inside: &'a str,
    character: &dyn Fn(&str) -> Option<char>,
) -> (Cow<'a, str>, bool) {
    if mark == b'"'
        && let Some(read) = json_string(inside)
    {
        return read;
    }
    let (string, mended) = unescape(inside, character);
    (string, mended || holds_unescaped(inside, mark))
}

/// Whether a mark without a backslash before it stands in `text`.
fn holds_unescaped(text: &str, mark: u8) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(mark, bytes)
        .any(|at| at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\\'))
}

/// The text of the JSON string with these characters, and whether half of a surrogate pair had to be
/// replaced; `None` if it is none. Control characters may stand in it as they are.
fn json_string(inside: &str) -> Option<(Cow<'_, str>, bool)> {
    if memchr::memchr2(b'"', b'\\', inside.as_bytes()).is_none() {
        return Some((inside.into(), false));
    }
    let mut written = Units::default();
    let mut rest = inside;
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
        written.push_str(rest.get(..at)?);
        let escape = rest.get(at..)?.strip_prefix('\\')?;
        let letter = escape.chars().next()?;
        let (code, length) = match letter {
            '"' | '\\' | '/' => (u32::from(letter), 1),
            'b' => (0x8, 1),
            'f' => (0xc, 1),
            'n' => (0xa, 1),
            'r' => (0xd, 1),
            't' => (0x9, 1),
            'u' => (hex(escape.get(1..5)?)?, 5),
            _ => return None,
        };
        written.push(code);
        rest = escape.get(length..)?;
    }
    written.push_str(rest);
    let (text, halves) = written.finish();
    Some((text.into(), halves == Halves::Lone))
}

/// The text that a Python string literal with these characters stands for, and whether it was mended.
///
/// Unknown escapes keep their backslash, as in Python. Mended are escapes that Python refuses, which
/// stay as they are, and halves of surrogate pairs: a pair is one character, a lone half U+FFFD.
fn unescape<'a>(inside: &'a str, character: &dyn Fn(&str) -> Option<char>) -> (Cow<'a, str>, bool) {
    if !inside.contains('\\') {
        return (inside.into(), false);
    }
    let (mut written, mut refused) = (Units::default(), false);
    let mut rest = inside;
    while let Some((plain, escape)) = rest.split_once('\\') {
        written.push_str(plain);
        let (meaning, length) = python_escape(escape, character);
        let source = rest.get(plain.len()..=plain.len() + length).unwrap_or_default();
        match meaning {
            Meaning::Nothing => {}
            Meaning::Code(code) => written.push(code),
            Meaning::Unknown => written.push_str(source),
            Meaning::Refused => {
                refused = true;
                written.push_str(source);
            }
        }
        rest = escape.get(length..).unwrap_or_default();
    }
    written.push_str(rest);
    let (text, halves) = written.finish();
    (text.into(), refused || halves != Halves::None)
}

/// What an escape of Python means.
enum Meaning {
    /// Nothing: the line goes on.
    Nothing,
    Code(u32),
    /// It is no escape.
    Unknown,
    /// Python refuses it.
    Refused,
}

/// What stands behind a backslash, and its length.
fn python_escape(escape: &str, character: &dyn Fn(&str) -> Option<char>) -> (Meaning, usize) {
    let Some(letter) = escape.chars().next() else {
        return (Meaning::Unknown, 0);
    };
    let code = match letter {
        '\n' => return (Meaning::Nothing, 1),
        '\r' if escape.starts_with("\r\n") => return (Meaning::Nothing, 2),
        '\\' | '\'' | '"' => u32::from(letter),
        'a' => 0x7,
        'b' => 0x8,
        'f' => 0xc,
        'n' => 0xa,
        'r' => 0xd,
        't' => 0x9,
        'v' => 0xb,
        '0'..='7' => {
            let digits = escape.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            return digits.fold((Meaning::Code(0), 0), |(code, length), digit| match code {
                Meaning::Code(code) => {
                    (Meaning::Code(code * 8 + u32::from(digit - b'0')), length + 1)
                }
                other => (other, length),
            });
        }
        'x' => return numbered(escape, 2),
        'u' => return numbered(escape, 4),
        'U' => return numbered(escape, 8),
        'N' => return named(escape, character),
        _ => return (Meaning::Unknown, letter.len_utf8()),
    };
    (Meaning::Code(code), 1)
}

/// A letter and so many digits.
fn numbered(escape: &str, count: usize) -> (Meaning, usize) {
    match escape.get(1..=count).and_then(hex) {
        Some(code) if code <= u32::from(char::MAX) => (Meaning::Code(code), count + 1),
        Some(_) => (Meaning::Refused, count + 1),
        None => (Meaning::Refused, 1),
    }
}

/// `N{…}`; a name has at most 128 characters.
fn named(escape: &str, character: &dyn Fn(&str) -> Option<char>) -> (Meaning, usize) {
    let Some(inside) = escape.strip_prefix("N{") else {
        return (Meaning::Refused, 1);
    };
    let end = inside.char_indices().take(129).find(|(_, c)| matches!(c, '{' | '}'));
    match end {
        Some((end @ 1.., '}')) => {
            let name = inside.get(..end).unwrap_or_default();
            let meaning = character(name).map_or(Meaning::Refused, |c| Meaning::Code(c.into()));
            (meaning, "N{".len() + end + "}".len())
        }
        _ => (Meaning::Refused, 1),
    }
}

fn hex(digits: &str) -> Option<u32> {
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| all)
}

/// Which halves of surrogate pairs were written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Halves {
    #[default]
    None,
    /// Pairs only.
    Paired,
    /// A half without the other one.
    Lone,
}

/// Text that is written by code points, halves of surrogate pairs among them.
#[derive(Default)]
struct Units {
    text: String,
    /// The first half of a pair, as long as the second may follow.
    high: Option<u32>,
    halves: Halves,
}

impl Units {
    fn push_str(&mut self, text: &str) {
        if !text.is_empty() {
            self.end_pair();
            self.text.push_str(text);
        }
    }

    fn push(&mut self, code: u32) {
        match (self.high.take(), code) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let pair = 0x1_0000 + ((high - 0xD800) << 10) + (code - 0xDC00);
                self.text.extend(char::from_u32(pair));
                self.halves = self.halves.max(Halves::Paired);
                return;
            }
            (Some(_), _) => self.lone(),
            (None, _) => {}
        }
        match code {
            0xD800..=0xDBFF => self.high = Some(code),
            _ => match char::from_u32(code) {
                Some(character) => self.text.push(character),
                None => self.lone(),
            },
        }
    }

    fn lone(&mut self) {
        self.text.push(char::REPLACEMENT_CHARACTER);
        self.halves = Halves::Lone;
    }

    fn end_pair(&mut self) {
        if self.high.take().is_some() {
            self.lone();
        }
    }

    fn finish(mut self) -> (String, Halves) {
        self.end_pair();
        (self.text, self.halves)
    }
}
