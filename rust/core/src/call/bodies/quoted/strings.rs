//! Strings between ASCII quotes: those of JSON, and else those of Python.

use std::borrow::Cow;

use crate::text::python_string::unescape;

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
    let (string, mended) = unescape(inside, false, character);
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
    let (text, lone) = written.finish();
    Some((text.into(), lone))
}

fn hex(digits: &str) -> Option<u32> {
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| all)
}

/// Text that is written by code points, halves of surrogate pairs among them.
#[derive(Default)]
struct Units {
    text: String,
    /// The first half of a pair, as long as the second may follow.
    high: Option<u32>,
    /// Whether a half stood without the other one.
    lone: bool,
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
                return;
            }
            (Some(_), _) => self.push_lone(),
            (None, _) => {}
        }
        match code {
            0xD800..=0xDBFF => self.high = Some(code),
            _ => match char::from_u32(code) {
                Some(character) => self.text.push(character),
                None => self.push_lone(),
            },
        }
    }

    fn push_lone(&mut self) {
        self.text.push(char::REPLACEMENT_CHARACTER);
        self.lone = true;
    }

    fn end_pair(&mut self) {
        if self.high.take().is_some() {
            self.push_lone();
        }
    }

    fn finish(mut self) -> (String, bool) {
        self.end_pair();
        (self.text, self.lone)
    }
}
