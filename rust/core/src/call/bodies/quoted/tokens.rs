//! The quote tokens of a text: where they stand, and what each can be by what stands beside it.
//!
//! A reader asks for the next token of a kind from a token on, and goes from left to right. So each
//! token is looked at once for each kind, and only where the tokens before it did not answer.

use crate::call::bodies::quoted::spelling::{
    byte_at, ends_value, is_name, is_space, name, name_end, slice, space,
};

/// The longest key between quote tokens that tells a closing token, in characters.
const LONGEST_KEY: usize = 256;

pub struct Tokens<'a, 'o> {
    text: &'a str,
    quote: &'o str,
    declares: &'o dyn Fn(&str) -> bool,
    starts: Vec<usize>,
    /// The first token at or behind the position that was asked for last.
    current: usize,
    closes_in_object: Ahead,
    closes_in_list: Ahead,
    closes: Ahead,
    opens_member: Ahead,
    opens_declared: Ahead,
    can_open: Ahead,
}

/// What is known of one kind of token: none from `from` on is of it, up to `at`, which is if `is`.
#[derive(Default)]
struct Ahead {
    known: bool,
    from: usize,
    at: usize,
    is: bool,
}

impl Ahead {
    /// Whether the token with this index, at this position, is of the kind.
    fn is(&mut self, index: usize, start: usize, test: impl Fn(usize) -> bool) -> bool {
        if !self.known || index < self.from || index > self.at {
            *self = Self { known: true, from: index, at: index, is: test(start) };
        }
        index == self.at && self.is
    }

    /// The first token of the kind from this index on.
    fn next(
        &mut self,
        index: usize,
        starts: &[usize],
        test: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        self.is(index, *starts.get(index)?, &test);
        while !self.is {
            let start = starts.get(self.at + 1)?;
            self.at += 1;
            self.is = test(*start);
        }
        Some(self.at)
    }
}

impl<'a, 'o> Tokens<'a, 'o> {
    pub fn new(text: &'a str, quote: &'o str, declares: &'o dyn Fn(&str) -> bool) -> Self {
        Self {
            text,
            quote,
            declares,
            starts: memchr::memmem::find_iter(text.as_bytes(), quote).collect(),
            current: 0,
            closes_in_object: Ahead::default(),
            closes_in_list: Ahead::default(),
            closes: Ahead::default(),
            opens_member: Ahead::default(),
            opens_declared: Ahead::default(),
            can_open: Ahead::default(),
        }
    }

    /// The index of the first token from `at` on; positions that are asked for go ahead only.
    pub fn from(&mut self, at: usize) -> usize {
        while self.starts.get(self.current).is_some_and(|start| *start < at) {
            self.current += 1;
        }
        self.current
    }

    /// Where the token with this index begins.
    pub fn start(&self, index: usize) -> Option<usize> {
        self.starts.get(index).copied()
    }

    /// The next token that closes a string of an object, or of a list.
    pub fn next_closer(&mut self, index: usize, in_object: bool) -> Option<usize> {
        let (text, quote) = (self.text, self.quote);
        if in_object {
            let is = |start| closes_in_object(text, quote, start + quote.len());
            self.closes_in_object.next(index, &self.starts, is)
        } else {
            let is = |start| closes_in_list(text, start + quote.len());
            self.closes_in_list.next(index, &self.starts, is)
        }
    }

    /// The next token with a comma or a bracket behind it.
    pub fn next_plain_closer(&mut self, index: usize) -> Option<usize> {
        let (text, length) = (self.text, self.quote.len());
        self.closes.next(index, &self.starts, |start| ends_value(text, start + length))
    }

    /// The next token that opens the string of a member, or of a declared one.
    pub fn next_member(&mut self, index: usize, known: bool) -> Option<usize> {
        let (text, declares) = (self.text, self.declares);
        if known {
            let is = |start| member_before(text, start).is_some_and(|(_, name)| declares(name));
            self.opens_declared.next(index, &self.starts, is)
        } else {
            let is = |start| member_before(text, start).is_some();
            self.opens_member.next(index, &self.starts, is)
        }
    }

    /// Where the comma stands before the key whose string the token at `start` opens.
    pub fn comma_before(&self, start: usize) -> Option<usize> {
        member_before(self.text, start).map(|(comma, _)| comma)
    }

    /// Whether a token closes a string of an object and stands where none can begin.
    pub fn only_closes(&mut self, index: usize) -> bool {
        let Some(start) = self.start(index) else {
            return false;
        };
        let (text, quote) = (self.text, self.quote);
        let closes = |start| closes_in_object(text, quote, start + quote.len());
        self.closes_in_object.is(index, start, closes)
            && !self.can_open.is(index, start, |start| can_open(text, start))
    }
}

/// Whether at `at` stands what may follow a string of an object.
fn closes_in_object(text: &str, quote: &str, at: usize) -> bool {
    let at = space(text, at);
    match byte_at(text, at) {
        None => true,
        Some(b'}' | b']') => ends_value(text, at + 1),
        Some(b',') => {
            let at = space(text, at + 1);
            ends_value(text, at) || begins_member(text, quote, at)
        }
        Some(_) => false,
    }
}

/// Whether at `at` stands what may follow a string of a list.
fn closes_in_list(text: &str, at: usize) -> bool {
    let at = space(text, at);
    match byte_at(text, at) {
        None | Some(b',') => true,
        Some(b'}' | b']') => ends_value(text, at + 1),
        Some(_) => false,
    }
}

/// Whether at `at` stands a key with its separator, or a name that the text's end cut.
fn begins_member(text: &str, quote: &str, at: usize) -> bool {
    let separates = |at| matches!(byte_at(text, at), Some(b':' | b'='));
    if name(text, at).is_some_and(|(_, end)| separates(end)) {
        return true;
    }
    if at < text.len() && name_end(text, at) == text.len() {
        return true;
    }
    quoted_key_end(text, quote, at).is_some_and(|end| separates(space(text, end)))
}

/// The position behind the key between quote tokens at `at`.
fn quoted_key_end(text: &str, quote: &str, at: usize) -> Option<usize> {
    let inside = slice(text, at, text.len()).strip_prefix(quote)?;
    for (count, (offset, c)) in inside.char_indices().take(LONGEST_KEY + 1).enumerate() {
        if slice(inside, offset, inside.len()).starts_with(quote) {
            return (count > 0).then(|| at + quote.len() + offset + quote.len());
        }
        if matches!(c, ',' | ':' | '{' | '}' | '[' | ']') {
            return None;
        }
    }
    None
}

/// Where the comma before `,key:` stands, and the key, if that stands right before `start`.
fn member_before(text: &str, start: usize) -> Option<(usize, &str)> {
    let before = slice(text, 0, start).trim_end_matches(is_space).strip_suffix(':')?;
    let before = before.trim_end_matches(is_space);
    let before = before.strip_suffix(['"', '\'']).unwrap_or(before);
    let rest = before.trim_end_matches(is_name);
    let name = slice(before, rest.len(), before.len());
    let rest = rest.strip_suffix(['"', '\'']).unwrap_or(rest);
    let rest = rest.trim_end_matches(is_space).strip_suffix(',')?;
    (!name.is_empty()).then_some((rest.len(), name))
}

/// Whether `start` is where a string can begin.
fn can_open(text: &str, start: usize) -> bool {
    slice(text, 0, start).trim_end_matches(is_space).ends_with([':', '=', '[', '{', ','])
}
