//! Broken JSON made strict: its structure is mended, its content stays.
//!
//! `mend` copies keys, strings, numbers and words in their order and writes the structure around
//! them anew: quotes of another kind, raw control characters and unknown escapes in strings, bare
//! keys, Python's `True`, `False` and `None`, and brackets and commas that are missing, doubled or
//! mismatched. What could only be read by leaving something out, or by guessing where a string
//! ends, is not mended. One pass over the text, and a stack of brackets.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::text::number::number;
use crate::text::slice::slice;

/// The text as strict JSON; `None` if more than its structure would have to change, or if more than
/// `max_depth` brackets are open somewhere.
#[must_use]
pub fn mend(text: &str, max_depth: usize) -> Option<String> {
    let bare = without_fence(text.trim());
    let mut mender = Mender {
        text: bare,
        rest: bare.char_indices().peekable(),
        out: String::with_capacity(bare.len() + 8),
        open: Vec::new(),
        max_depth,
    };
    mender.value()?;
    while !mender.open.is_empty() {
        mender.next()?;
    }
    mender.end()
}

/// What stands in a Markdown fence that is all of the text.
fn without_fence(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    inner.strip_prefix("json").unwrap_or(inner).trim()
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Object,
    Array,
}

impl Bracket {
    fn close(self) -> char {
        match self {
            Self::Object => '}',
            Self::Array => ']',
        }
    }
}

struct Mender<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
    out: String,
    open: Vec<Bracket>,
    max_depth: usize,
}

impl<'a> Mender<'a> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|&(_, next)| next)
    }

    /// The next character behind blanks.
    fn visible(&mut self) -> Option<char> {
        while self.rest.next_if(|(_, next)| next.is_whitespace()).is_some() {}
        self.peek()
    }

    fn at(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |&(at, _)| at)
    }

    /// What follows in the innermost bracket: a member or an item, or its end.
    fn next(&mut self) -> Option<()> {
        let inner = *self.open.last()?;
        let is_first = self.out.ends_with(['{', '[']);
        let mut is_separated = is_first;
        loop {
            match self.visible() {
                Some(',') => {
                    self.rest.next();
                    is_separated = true;
                }
                None => return self.close(inner),
                Some(next @ ('}' | ']')) => return self.close_by(next),
                Some(next) => {
                    // Only what shows by itself that it begins something needs no comma.
                    if !is_separated && !matches!(next, '"' | '\'' | '{' | '[') {
                        return None;
                    }
                    break;
                }
            }
        }
        if !is_first {
            self.out.push(',');
        }
        if inner == Bracket::Object {
            self.key()?;
        }
        self.value()
    }

    /// A closing bracket: of the innermost one, or of one further out, which closes all within it.
    /// One that closes nothing is left out.
    fn close_by(&mut self, bracket: char) -> Option<()> {
        self.rest.next();
        let closed = self.open.iter().rposition(|open| open.close() == bracket);
        let Some(closed) = closed else { return Some(()) };
        while self.open.len() > closed {
            let inner = *self.open.last()?;
            self.close(inner)?;
        }
        Some(())
    }

    fn close(&mut self, inner: Bracket) -> Option<()> {
        self.open.pop()?;
        self.out.push(inner.close());
        Some(())
    }

    /// A member's key and the colon.
    fn key(&mut self) -> Option<()> {
        match self.visible()? {
            quote @ ('"' | '\'') => self.string(quote, true)?,
            first if first.is_alphabetic() || matches!(first, '_' | '$') => {
                let word = self.word();
                self.out.push('"');
                self.out.push_str(word);
                self.out.push('"');
            }
            _ => return None,
        }
        if self.visible() != Some(':') {
            return None;
        }
        self.rest.next();
        self.out.push(':');
        Some(())
    }

    fn value(&mut self) -> Option<()> {
        match self.visible()? {
            '{' => self.opened(Bracket::Object, '{'),
            '[' => self.opened(Bracket::Array, '['),
            quote @ ('"' | '\'') => self.string(quote, false),
            _ => {
                let word = self.word();
                self.out.push_str(json_word(word)?);
                Some(())
            }
        }
    }

    fn opened(&mut self, bracket: Bracket, written: char) -> Option<()> {
        if self.open.len() == self.max_depth {
            return None;
        }
        self.rest.next();
        self.open.push(bracket);
        self.out.push(written);
        Some(())
    }

    /// A run of what stands in words and numbers.
    fn word(&mut self) -> &'a str {
        let of_word =
            |next: char| next.is_alphanumeric() || matches!(next, '+' | '-' | '.' | '_' | '$');
        let start = self.at();
        while self.rest.next_if(|&(_, next)| of_word(next)).is_some() {}
        let end = self.at();
        slice(self.text, start, end)
    }

    /// A string up to the quote that ends it: the first one behind which a string can have ended.
    fn string(&mut self, quote: char, is_key: bool) -> Option<()> {
        self.rest.next();
        self.out.push('"');
        loop {
            let (at, next) = self.rest.next()?;
            match next {
                '\\' => self.escape(quote)?,
                _ if next == quote => {
                    if self.may_end(at + 1, is_key) {
                        self.out.push('"');
                        return Some(());
                    }
                    self.literal(next);
                }
                _ => self.literal(next),
            }
        }
    }

    /// Whether a string may have ended right before this place.
    fn may_end(&self, at: usize, is_key: bool) -> bool {
        let behind = slice(self.text, at, self.text.len());
        let next = behind.trim_start();
        let has_gap = next.len() < behind.len();
        match next.chars().next() {
            Some(':') => is_key,
            _ if is_key => false,
            Some(',') => self.open.last() != Some(&Bracket::Object) || begins_member(next),
            None | Some('}' | ']') => true,
            // Perhaps a comma is missing.
            Some('"' | '\'') => has_gap,
            Some(_) => false,
        }
    }

    fn escape(&mut self, quote: char) -> Option<()> {
        let (at, next) = self.rest.next()?;
        match next {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
                self.out.push('\\');
                self.out.push(next);
            }
            'u' if is_hex(self.text, at + 1, 4) => self.out.push_str("\\u"),
            'x' if quote == '\'' && is_hex(self.text, at + 1, 2) => self.out.push_str("\\u00"),
            '\'' => self.out.push('\''),
            // No escape: the backslash is meant.
            _ => {
                self.out.push_str("\\\\");
                self.literal(next);
            }
        }
        Some(())
    }

    /// A character of a string.
    fn literal(&mut self, next: char) {
        match next {
            '"' => self.out.push_str("\\\""),
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            '\0'..='\x1f' => {
                let code = u32::from(next);
                let hex = |digit: u32| char::from_digit(digit, 16).unwrap_or('0');
                self.out.push_str("\\u00");
                self.out.extend([hex(code / 16), hex(code % 16)]);
            }
            _ => self.out.push(next),
        }
    }

    /// Behind the value there are only brackets and commas that belong to nothing.
    fn end(mut self) -> Option<String> {
        while matches!(self.visible(), Some('}' | ']' | ',')) {
            self.rest.next();
        }
        self.peek().is_none().then_some(self.out)
    }
}

/// Whether another member, or the end of all, is behind the commas at the beginning of the text.
fn begins_member(text: &str) -> bool {
    let behind = text.trim_start_matches(|next: char| next == ',' || next.is_whitespace());
    let of_key = |next: char| next.is_alphanumeric() || next == '_';
    match behind.chars().next() {
        None | Some('"' | '\'' | '}' | ']') => true,
        Some(first) if first.is_alphabetic() || first == '_' => {
            behind.trim_start_matches(of_key).trim_start().starts_with(':')
        }
        Some(_) => false,
    }
}

fn is_hex(text: &str, start: usize, digits: usize) -> bool {
    let found = text.as_bytes().get(start..start + digits);
    found.is_some_and(|found| found.iter().all(u8::is_ascii_hexdigit))
}

/// A word as JSON has it; `None` for what is neither a number nor a known word.
fn json_word(word: &str) -> Option<&str> {
    match word {
        "true" | "True" => Some("true"),
        "false" | "False" => Some("false"),
        "null" | "None" => Some("null"),
        _ => number(word).map(|_| word),
    }
}
