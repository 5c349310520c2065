//! The text that Python's string literals stand for.

use std::borrow::Cow;

use crate::text::search::find_one;
use crate::text::slice::{count, slice};

/// What a backslash and the characters behind it stand for.
enum Escape {
    /// No character: a line continuation.
    Nothing,
    /// The character with this number, or half of a surrogate pair.
    Character(u32),
    /// Themselves, as Python has it.
    Plain,
    /// Python refuses them; they stay as they are.
    Refused,
}

/// The text that a string literal with these characters stands for, and whether it was mended.
///
/// Unknown escapes keep their backslash, as in Python. Mended are escapes that Python refuses,
/// which stay as they are, and halves of surrogate pairs: a pair is one character, a lone half
/// U+FFFD. `character` knows the names of `\N{NAME}`.
#[must_use]
pub fn unescape<'a>(
    text: &'a str,
    is_bytes: bool,
    character: &dyn Fn(&str) -> Option<char>,
) -> (Cow<'a, str>, bool) {
    let mut backslash = find_one(b'\\', text.as_bytes());
    if backslash.is_none() {
        return (Cow::Borrowed(text), false);
    }
    let mut out = Unescaped::new(text.len());
    let mut at = 0;
    while let Some(offset) = backslash {
        let start = at + offset;
        out.text(slice(text, at, start));
        let code = slice(text, start + 1, text.len());
        let (escape, length) = escape(code, is_bytes, character);
        at = start + 1 + length;
        match escape {
            Escape::Nothing => {}
            Escape::Character(number) => out.character(number),
            Escape::Plain => out.text(slice(text, start, at)),
            Escape::Refused => {
                out.text(slice(text, start, at));
                out.mended = true;
            }
        }
        backslash = find_one(b'\\', text.as_bytes().get(at..).unwrap_or_default());
    }
    out.text(slice(text, at, text.len()));
    out.flush();
    (Cow::Owned(out.text), out.mended)
}

/// Text that is put together from pieces, among them halves of surrogate pairs.
struct Unescaped {
    text: String,
    /// The first half of a pair, which may be without its second one.
    high: Option<u32>,
    mended: bool,
}

impl Unescaped {
    fn new(capacity: usize) -> Self {
        Self { text: String::with_capacity(capacity), high: None, mended: false }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.flush();
            self.text.push_str(text);
        }
    }

    fn character(&mut self, number: u32) {
        match (self.high, number) {
            (Some(high), 0xDC00..=0xDFFF) => {
                self.high = None;
                let number = 0x1_0000 + ((high - 0xD800) << 10) + (number - 0xDC00);
                self.text.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (_, 0xD800..=0xDBFF) => {
                self.flush();
                self.high = Some(number);
                self.mended = true;
            }
            _ => {
                self.flush();
                let character = char::from_u32(number);
                self.mended |= character.is_none();
                self.text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    /// What comes next is no second half of a pair.
    fn flush(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// The meaning of `code`, which stands behind a backslash, and how many of its bytes belong to it.
fn escape(code: &str, is_bytes: bool, character: &dyn Fn(&str) -> Option<char>) -> (Escape, usize) {
    let simple = |character: char| (Escape::Character(character.into()), 1);
    let Some(kind) = code.chars().next() else {
        return (Escape::Plain, 0);
    };
    match kind {
        '\n' => (Escape::Nothing, 1),
        '\r' if code.starts_with("\r\n") => (Escape::Nothing, 2),
        '\\' | '\'' | '"' => simple(kind),
        'a' => simple('\x07'),
        'b' => simple('\x08'),
        'f' => simple('\x0c'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\x0b'),
        '0'..='7' => octal(code, is_bytes),
        'x' => numbered(code, 2),
        'u' if !is_bytes => numbered(code, 4),
        'U' if !is_bytes => numbered(code, 8),
        'N' if !is_bytes => named(code, character),
        _ => (Escape::Plain, kind.len_utf8()),
    }
}

fn octal(code: &str, is_bytes: bool) -> (Escape, usize) {
    let digits = code.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
    let (number, length) = digits
        .fold((0, 0), |(number, length), digit| (number * 8 + u32::from(digit - b'0'), length + 1));
    (Escape::Character(if is_bytes { number & 0xFF } else { number }), length)
}

/// `code` is a letter and `length` hexadecimal digits.
fn numbered(code: &str, length: usize) -> (Escape, usize) {
    let digits = slice(code, 1, 1 + length);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return (Escape::Refused, 1);
    }
    match u32::from_str_radix(digits, 16) {
        Ok(number @ ..=0x10_FFFF) => (Escape::Character(number), 1 + length),
        _ => (Escape::Refused, 1 + length),
    }
}

/// The longest name of a character that is looked up, in characters.
const LONGEST_NAME: usize = 128;

/// `code` is `N{NAME}`.
fn named(code: &str, character: &dyn Fn(&str) -> Option<char>) -> (Escape, usize) {
    let Some(rest) = code.strip_prefix("N{") else {
        return (Escape::Refused, 1);
    };
    let length = count(rest.as_bytes(), |byte| !matches!(byte, b'{' | b'}'));
    let name = slice(rest, 0, length);
    let is_name = rest.as_bytes().get(length) == Some(&b'}')
        && !name.is_empty()
        && name.chars().nth(LONGEST_NAME).is_none();
    if !is_name {
        return (Escape::Refused, 1);
    }
    let meaning = character(name).map_or(Escape::Refused, |found| Escape::Character(found.into()));
    (meaning, "N{}".len() + length)
}
