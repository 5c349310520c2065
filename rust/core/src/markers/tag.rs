//! Tags: `<name attr="value">`, `</name>`, and everything spelled on that plan.
//!
//! A tag is an opener (`<`, or `<` and more), a name from a list or free, then
//! attributes up to an end. Its lexer is a small state machine over the attribute bytes, so that
//! a `>` inside quotes need not end the tag, and a `<` outside quotes shows that it was none.

use crate::markers::candidates::Beginning;
use crate::markers::name::{Namespace, begins_identifier, identifier, namespace};

/// What names a tag may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// One of these.
    Listed(Vec<Box<str>>),
    /// An identifier: a letter or `_`, then letters, digits, `_`, `-` and `.`.
    Identifier,
    /// Any text of one line up to the end of the tag; such a tag has no attributes.
    Line,
}

/// How attribute values are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// Double quotes, single quotes or none.
    Any,
    /// Only double quotes; an attribute quoted otherwise does not count.
    Double,
}

/// A family of tags with one spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent properties of a spelling
pub struct TagPattern {
    /// What stands before the name, in all its spellings; for a closing tag as well.
    pub heads: Vec<Box<str>>,
    /// The names that count.
    pub names: Names,
    /// What ends the tag, usually `>`.
    pub end: Box<str>,
    /// Whether this is a closing tag, which has no attributes.
    pub closing: bool,
    /// Whether a namespace (`x:`) may stand before the name.
    pub any_namespace: bool,
    /// Whether the case of the name does not matter.
    pub ignore_case: bool,
    /// How attributes are quoted.
    pub quotes: Quotes,
    /// Whether quotes protect the end: `name="a>b"` is one tag.
    pub quotes_protect: bool,
}

/// The parts of a tag that was read, as byte ranges of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name's start and end, without the namespace.
    pub name: (usize, usize),
    /// The attributes' start and end.
    pub attributes: (usize, usize),
    /// Whether the tag closes itself (`<name/>`).
    pub empty: bool,
}

/// Where the lexer stands; positions are relative to the beginning of the tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lex {
    name: (usize, usize),
    at: usize,
    value: Value,
}

impl Lex {
    /// Where the name ends, if the tag goes on as a tag does; the part of it that has come, if it
    /// is a line.
    pub(crate) fn name_end(&self) -> usize {
        self.name.1
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// Right behind the name: what shows that it ends here has not come.
    Unbounded,
    /// Not where a quoted value can begin.
    Outside,
    /// Right after `=`.
    Expected,
    /// Inside this quote.
    Quoted(u8),
}

/// What the lexer found out about the bytes at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LexStep {
    /// They are no such tag.
    No,
    /// They may be one; `None` while even the beginning of a name is unfinished.
    Partial(Option<Lex>),
    /// They are; the tag's length, and its parts relative to its beginning.
    Yes(usize, Tag),
}

/// What a comparison with the beginning of some bytes can tell.
enum Prefix {
    No,
    Unfinished,
    Whole,
}

fn prefix(bytes: &[u8], of: &str, ignore_case: bool) -> Prefix {
    let of = of.as_bytes();
    let length = bytes.len().min(of.len());
    let equal = if ignore_case {
        bytes[..length].eq_ignore_ascii_case(&of[..length])
    } else {
        bytes[..length] == of[..length]
    };
    match (equal, length == of.len()) {
        (false, _) => Prefix::No,
        (true, false) => Prefix::Unfinished,
        (true, true) => Prefix::Whole,
    }
}

impl TagPattern {
    /// Adds the bytes with which this tag can begin.
    pub(crate) fn begin(&self, beginning: &mut Beginning) {
        for head in &self.heads {
            match &self.names {
                Names::Line => beginning.text(head.as_bytes()),
                Names::Identifier => beginning.text_then(head.as_bytes(), begins_identifier),
                Names::Listed(names) => self.begin_listed(head, names, beginning),
            }
        }
    }

    fn begin_listed(&self, head: &str, names: &[Box<str>], beginning: &mut Beginning) {
        for name in names {
            let whole = [head.as_bytes(), name.as_bytes()].concat();
            if self.ignore_case {
                beginning.caseless_text(&whole);
            } else {
                beginning.text(&whole);
            }
        }
        if self.any_namespace {
            beginning.spaced(head.len());
        }
    }

    /// Whether it has one of certain names.
    pub(crate) fn has_fixed_name(&self) -> bool {
        matches!(self.names, Names::Listed(_))
    }

    /// The same tag with any name.
    pub(crate) fn with_any_name(&self) -> Self {
        Self { names: Names::Identifier, ..self.clone() }
    }

    /// Reads the tag at the beginning of `bytes`. `limit` is the longest tag in bytes.
    pub(crate) fn read(&self, bytes: &[u8], limit: usize) -> LexStep {
        let mut unfinished = false;
        for head in &self.heads {
            match prefix(bytes, head, false) {
                Prefix::No => {}
                Prefix::Unfinished => unfinished = true,
                Prefix::Whole => match self.read_name(bytes, head.len(), limit) {
                    LexStep::No => {}
                    LexStep::Partial(None) => unfinished = true,
                    found => return found,
                },
            }
        }
        if unfinished { LexStep::Partial(None) } else { LexStep::No }
    }

    /// Reads on where an earlier `read` of the same bytes stopped.
    pub(crate) fn read_on(&self, bytes: &[u8], mut lex: Lex, limit: usize) -> LexStep {
        if self.names == Names::Line {
            return self.read_line(bytes, lex, limit);
        }
        if lex.value == Value::Unbounded {
            match bytes.get(lex.at) {
                None => return LexStep::Partial(Some(lex)),
                Some(next) if self.bounds_name(*next) => lex.value = Value::Outside,
                Some(_) => return LexStep::No,
            }
        }
        if self.closing {
            self.read_closing(bytes, lex, limit)
        } else {
            self.read_attributes(bytes, lex, limit)
        }
    }

    fn read_name(&self, bytes: &[u8], at: usize, limit: usize) -> LexStep {
        match &self.names {
            Names::Listed(names) => self.read_listed(bytes, at, names, limit),
            Names::Identifier => {
                // No longer one counts, and what is behind the limit need not be looked at.
                let within = bytes.len().min(limit.saturating_add(1));
                let end = at + identifier(bytes.get(at..within).unwrap_or_default());
                self.read_after_name(bytes, at, end, limit)
            }
            Names::Line => {
                self.read_line(bytes, Lex { name: (at, at), at, value: Value::Outside }, limit)
            }
        }
    }

    fn read_listed(&self, bytes: &[u8], at: usize, names: &[Box<str>], limit: usize) -> LexStep {
        let mut unfinished = false;
        let namespace = if self.any_namespace { namespace(&bytes[at..]) } else { Namespace::None };
        let behind = match namespace {
            Namespace::None => None,
            Namespace::Unfinished => {
                unfinished = true;
                None
            }
            Namespace::Ended(length) => Some(at + length),
        };
        for start in [Some(at), behind].into_iter().flatten() {
            for name in names {
                match prefix(&bytes[start..], name, self.ignore_case) {
                    Prefix::No => {}
                    Prefix::Unfinished => unfinished = true,
                    Prefix::Whole => {
                        match self.read_after_name(bytes, start, start + name.len(), limit) {
                            LexStep::No => {}
                            LexStep::Partial(None) => unfinished = true,
                            found => return found,
                        }
                    }
                }
            }
        }
        if unfinished { LexStep::Partial(None) } else { LexStep::No }
    }

    /// The name is `start..end`; it must be followed by something that cannot belong to it.
    fn read_after_name(&self, bytes: &[u8], start: usize, end: usize, limit: usize) -> LexStep {
        if end > limit {
            return LexStep::No;
        }
        if end == start {
            return if end == bytes.len() { LexStep::Partial(None) } else { LexStep::No };
        }
        self.read_on(bytes, Lex { name: (start, end), at: end, value: Value::Unbounded }, limit)
    }

    /// Whether a name ends where this byte follows.
    fn bounds_name(&self, next: u8) -> bool {
        next.is_ascii_whitespace() || next == b'/' || self.end.as_bytes().first() == Some(&next)
    }

    fn read_line(&self, bytes: &[u8], mut lex: Lex, limit: usize) -> LexStep {
        while lex.at < limit {
            let rest = bytes.get(lex.at..).unwrap_or_default();
            let (start, at) = (lex.name.0, lex.at);
            match prefix(rest, &self.end, false) {
                Prefix::Whole if at > start => {
                    let tag = Tag { name: (start, at), attributes: (at, at), empty: false };
                    return LexStep::Yes(at + self.end.len(), tag);
                }
                Prefix::Unfinished => return LexStep::Partial((at > start).then_some(lex)),
                Prefix::Whole => return LexStep::No,
                Prefix::No if matches!(rest.first(), Some(b'\n' | b'<')) => return LexStep::No,
                Prefix::No => lex.at += 1,
            }
            lex.name.1 = lex.at;
        }
        LexStep::No
    }

    fn read_closing(&self, bytes: &[u8], mut lex: Lex, limit: usize) -> LexStep {
        while lex.at < limit {
            let rest = bytes.get(lex.at..).unwrap_or_default();
            match prefix(rest, &self.end, false) {
                Prefix::Whole => {
                    let tag = Tag { name: lex.name, attributes: (lex.at, lex.at), empty: false };
                    return LexStep::Yes(lex.at + self.end.len(), tag);
                }
                Prefix::Unfinished => return LexStep::Partial(Some(lex)),
                Prefix::No if rest[0].is_ascii_whitespace() => lex.at += 1,
                Prefix::No => return LexStep::No,
            }
        }
        LexStep::No
    }

    fn read_attributes(&self, bytes: &[u8], mut lex: Lex, limit: usize) -> LexStep {
        while lex.at < limit {
            let rest = bytes.get(lex.at..).unwrap_or_default();
            let quoted = matches!(lex.value, Value::Quoted(_));
            if !quoted || !self.quotes_protect {
                match prefix(rest, &self.end, false) {
                    Prefix::Whole => return self.whole(bytes, &lex),
                    Prefix::Unfinished => return LexStep::Partial(Some(lex)),
                    Prefix::No => {}
                }
            }
            let Some(byte) = rest.first() else {
                return LexStep::Partial(Some(lex));
            };
            lex.value = match (lex.value, *byte) {
                (Value::Quoted(quote), byte) if byte == quote => Value::Outside,
                (value @ Value::Quoted(_), _) => value,
                (_, b'<') => return LexStep::No,
                (Value::Expected, quote @ (b'"' | b'\'')) => Value::Quoted(quote),
                (_, b'=') => Value::Expected,
                (value, blank) if blank.is_ascii_whitespace() => value,
                _ => Value::Outside,
            };
            lex.at += 1;
        }
        LexStep::No
    }

    fn whole(&self, bytes: &[u8], lex: &Lex) -> LexStep {
        let end = lex.at + self.end.len();
        let empty = lex.at > lex.name.1 && bytes[lex.at - 1] == b'/';
        let attributes = (lex.name.1, lex.at - usize::from(empty));
        LexStep::Yes(end, Tag { name: lex.name, attributes, empty })
    }

    /// The attributes of a tag: names without namespace (in lower case where case does not
    /// matter), and values as written; `None` for a bare attribute.
    #[must_use]
    pub fn attributes<'a>(
        &self,
        text: &'a str,
    ) -> Vec<(std::borrow::Cow<'a, str>, Option<&'a str>)> {
        let mut reader = AttributeReader { text, at: 0 };
        let mut attributes = Vec::new();
        while let Some((name, value, quote)) = reader.next_attribute() {
            let value_counts = value.is_none() || quote == Some(b'"') || self.quotes == Quotes::Any;
            if !value_counts {
                continue;
            }
            let name = match name.rsplit_once(':') {
                Some((_, local)) if self.any_namespace => local,
                _ => name,
            };
            let name = if self.ignore_case && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                name.to_ascii_lowercase().into()
            } else {
                name.into()
            };
            attributes.push((name, value));
        }
        attributes
    }
}

struct AttributeReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> AttributeReader<'a> {
    fn next_attribute(&mut self) -> Option<(&'a str, Option<&'a str>, Option<u8>)> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
        let name = self.take(|byte| !byte.is_ascii_whitespace() && byte != b'=');
        let after_name = self.at;
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.peek() != Some(b'=') {
            self.at = after_name;
            return if name.is_empty() { None } else { Some((name, None, None)) };
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let (value, quote) = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let value = self.take(|byte| byte != quote);
                self.peek()?; // a quote that is never closed is no attribute
                self.at += 1;
                (value, Some(quote))
            }
            _ => (self.take(|byte| !byte.is_ascii_whitespace()), None),
        };
        Some((name, Some(value), quote))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, belongs: impl Fn(u8) -> bool) {
        self.take(belongs);
    }

    fn take(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        self.at += rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
        self.text.get(start..self.at).unwrap_or_default()
    }
}
