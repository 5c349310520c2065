//! Reading the arguments of a Python call: keyword arguments with literals, as JSON-like data.
//!
//! Nothing is evaluated. The text is read once from left to right, with the brackets that are open
//! on a stack of their own. What turns out to be no literal is kept as its source text: what was
//! read of its first literal is taken back, and the rest is looked through for its end, over whole
//! strings and brackets; so each character is read a bounded number of times.

use std::borrow::Cow;

use crate::call::bodies::code::numbers;
use crate::call::bodies::code::source::{Opening, Source, is_blank};
use crate::text::python_string::unescape;
use crate::text::slice::count;
use crate::value::{Node, Read, Tape, Unreadable};

/// The keyword arguments in `text`, what stands between a call's parentheses, as Python has it.
///
/// Tuples and sets become lists, dict keys the text of their value. Mended are broken literals,
/// which are read as what they most likely mean. With `cut`, `text` ends anywhere, and only the
/// arguments that something follows are answered. `character` knows the names of `\N{NAME}`.
///
/// # Errors
///
/// A value is code that had to be evaluated, or an argument has no name; a string or bracket is
/// never closed (unless `cut`); or more than `max_depth` brackets are open at one place, the call's
/// own among them.
pub fn read_keywords<'a>(
    text: &'a str,
    max_depth: usize,
    cut: bool,
    character: &dyn Fn(&str) -> Option<char>,
) -> Result<Read<'a>, Unreadable> {
    Reader {
        source: Source { text },
        max_depth,
        cut,
        character,
        tape: vec![Node::Object],
        groups: Vec::new(),
        inner: Bracket::new(Kind::Arguments, 0, Place { tape: 1, groups: 0 }),
        outer: Vec::new(),
        unreadable: false,
        repaired: false,
    }
    .read()
}

/// The words that stay operators behind a string.
const OPERATORS: [&str; 8] = ["and", "else", "for", "if", "in", "is", "not", "or"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The call's own.
    Arguments,
    /// A tuple, or just a value in parentheses.
    Round,
    /// A list.
    Square,
    /// A dict or a set.
    Curly,
}

impl Kind {
    fn of(opener: u8) -> Option<Self> {
        match opener {
            b'(' => Some(Self::Round),
            b'[' => Some(Self::Square),
            b'{' => Some(Self::Curly),
            _ => None,
        }
    }

    fn is_closed_by(self, closer: u8) -> bool {
        match self {
            Self::Arguments => false,
            Self::Round => closer == b')',
            Self::Square => closer == b']',
            Self::Curly => closer == b'}',
        }
    }
}

fn is_closer(byte: u8) -> bool {
    matches!(byte, b')' | b']' | b'}')
}

/// A place to go back to: what has been written before it.
#[derive(Debug, Clone, Copy)]
struct Place {
    tape: usize,
    groups: usize,
}

/// A bracket that is open.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    kind: Kind,
    /// Where it begins.
    start: usize,
    /// Before all that is written of it.
    place: Place,
    items: usize,
    /// How many of the items have a key.
    keys: usize,
    commas: usize,
    /// Whether it is something like a comprehension, so no literal.
    is_text: bool,
    /// Whether something was mended between its brackets,
    repaired: bool,
    /// and in the literals nested in it.
    repaired_inside: bool,
    item: Item,
}

/// The item of a bracket that is being read.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// Where it begins,
    start: usize,
    /// and its value.
    value: usize,
    /// Before all that is written of it.
    place: Place,
    /// Whether it has a key.
    keyed: bool,
}

impl Bracket {
    fn new(kind: Kind, start: usize, place: Place) -> Self {
        Self {
            kind,
            start,
            place,
            items: 0,
            keys: 0,
            commas: 0,
            is_text: false,
            repaired: false,
            repaired_inside: false,
            item: Item { start, value: start, place, keyed: false },
        }
    }
}

/// What was read.
enum Value<'a> {
    /// A value without parts, not yet written.
    Leaf(Node<'a>),
    /// A bracket, written; whether something in it was mended.
    Bracket(bool),
}

struct Reader<'a, 'c> {
    source: Source<'a>,
    max_depth: usize,
    cut: bool,
    character: &'c dyn Fn(&str) -> Option<char>,
    tape: Tape<'a>,
    /// Where lists begin on the tape that turned out to be just values in parentheses; they have no
    /// end. Those that stand within others come first.
    groups: Vec<usize>,
    /// The innermost open bracket,
    inner: Bracket,
    /// and the others.
    outer: Vec<Bracket>,
    /// Whether a string or bracket is never closed (the source ends before such a string), a value is
    /// code that had to be evaluated, or an argument has no name.
    unreadable: bool,
    /// Whether a string has a line break in it, anywhere.
    repaired: bool,
}

impl<'a> Reader<'a, '_> {
    fn read(mut self) -> Result<Read<'a>, Unreadable> {
        let mut at = self.source.space(0);
        while at < self.source.len() {
            at = match self.source.byte(at) {
                Some(closer) if is_closer(closer) && !self.outer.is_empty() => {
                    self.close(at, closer)?
                }
                _ => self.item(at)?,
            };
        }
        if let Some(arguments) = self.outer.first() {
            self.unreadable = true;
            self.inner = *arguments;
            self.go_back(self.inner.item.place);
        }
        if self.unreadable && !self.cut {
            return Err(Unreadable);
        }
        self.tape.push(Node::End);
        self.drop_groups();
        let repaired = self.repaired || self.inner.repaired || self.inner.repaired_inside;
        Ok(Read { tape: self.tape, repaired })
    }

    // --- items: each of these answers where to go on ---

    /// Reads the item at `at`, or its beginning.
    fn item(&mut self, at: usize) -> Result<usize, Unreadable> {
        self.inner.item = Item { start: at, value: at, place: self.place(), keyed: false };
        let value = match self.inner.kind {
            Kind::Arguments => self.keyword(at),
            _ => at,
        };
        self.value(value)
    }

    /// Where the value of the argument at `at` begins, behind its keyword.
    fn keyword(&mut self, at: usize) -> usize {
        let source = self.source;
        let end = source.parameter(at);
        if end == at {
            return at;
        }
        let equals = source.space(end);
        if source.byte(equals) != Some(b'=') || source.byte(equals + 1) == Some(b'=') {
            return at;
        }
        self.inner.item.keyed = true;
        self.tape.push(Node::Key(Cow::Borrowed(source.slice(at, end))));
        source.space(equals + 1)
    }

    /// Reads the value at `at`, or, of a bracket, its beginning.
    fn value(&mut self, at: usize) -> Result<usize, Unreadable> {
        self.inner.item.value = at;
        if let Some(kind) = self.source.byte(at).and_then(Kind::of) {
            self.open(kind, at)?;
            return Ok(self.source.space(at + 1));
        }
        let (literal, end) = self.literal(at);
        let stop = self.source.space(end);
        let is_text = matches!(literal, Some(Node::Text(_)));
        match literal {
            Some(literal) if self.stops(stop) => self.ended(Value::Leaf(literal), stop),
            _ => self.expression(at, if is_text { stop } else { at }),
        }
    }

    /// Whether a value may end before `at`.
    fn stops(&self, at: usize) -> bool {
        match self.source.byte(at) {
            None | Some(b',') => true,
            Some(b':') => self.awaits_key(),
            Some(byte) => is_closer(byte) && self.inner.kind != Kind::Arguments,
        }
    }

    /// Whether what is being read may be a key.
    fn awaits_key(&self) -> bool {
        self.inner.kind == Kind::Curly && !self.inner.item.keyed
    }

    /// A value ended, and at `stop` stands what separates it from others, or ends its bracket.
    fn ended(&mut self, value: Value<'a>, stop: usize) -> Result<usize, Unreadable> {
        let follower = self.source.byte(stop);
        if follower == Some(b':') && self.awaits_key() {
            self.key(value, stop);
            return self.value(self.source.space(stop + 1));
        }
        let unpacked = self.source.byte(self.inner.item.value) == Some(b'*');
        let separated = follower == Some(b',');
        let in_bracket = self.inner.kind != Kind::Arguments;
        if self.cut && !in_bracket && !separated {
            self.go_back(self.inner.item.place);
            return Ok(stop);
        }
        if in_bracket && (unpacked || !(separated || follower.is_none_or(is_closer))) {
            self.inner.is_text = true;
            return self.closer(stop, 0);
        }
        let is_kept = if in_bracket { stop > self.inner.item.start } else { self.inner.item.keyed };
        if is_kept {
            self.inner.items += 1;
            self.write(value);
        } else {
            // A positional argument, or a comma with nothing before it.
            self.unreadable |= stop > self.inner.item.start;
            self.inner.repaired = true;
            self.go_back(self.inner.item.place);
        }
        if !separated {
            return Ok(stop);
        }
        self.inner.commas += 1;
        Ok(self.source.space(stop + 1))
    }

    // --- brackets ---

    fn open(&mut self, kind: Kind, at: usize) -> Result<(), Unreadable> {
        self.require_depth(1)?;
        let bracket = Bracket::new(kind, at, self.place());
        self.tape.push(Node::List);
        self.outer.push(std::mem::replace(&mut self.inner, bracket));
        Ok(())
    }

    /// Whether `more` brackets may be opened here; counted as `python::Code` counts them.
    fn require_depth(&self, more: usize) -> Result<(), Unreadable> {
        if self.outer.len() + more < self.max_depth { Ok(()) } else { Err(Unreadable) }
    }

    /// The innermost bracket closes at `at`; answers where to go on.
    fn close(&mut self, at: usize, closer: u8) -> Result<usize, Unreadable> {
        let Some(outer) = self.outer.pop() else {
            return Ok(at);
        };
        let bracket = std::mem::replace(&mut self.inner, outer);
        let end = at + 1;
        let stop = self.source.space(end);
        let matches = bracket.kind.is_closed_by(closer);
        if matches && self.stops(stop) {
            let mended = self.finish(bracket, end);
            return self.ended(Value::Bracket(mended), stop);
        }
        self.inner.repaired |= !matches;
        self.go_back(bracket.place);
        self.expression(end, self.inner.item.value)
    }

    /// Writes the end of a bracket, or what it is instead of a list; answers whether it was mended.
    fn finish(&mut self, bracket: Bracket, end: usize) -> bool {
        let is_mixed = bracket.keys > 0 && bracket.keys < bracket.items; // neither dict nor set
        if bracket.is_text || is_mixed {
            self.unreadable = true;
            self.go_back(bracket.place);
            let text = self.source.slice(bracket.start, end);
            self.tape.push(Node::Text(Cow::Borrowed(text)));
            return bracket.repaired || !bracket.is_text;
        }
        let is_dict = bracket.keys > 0 || bracket.items == 0;
        if bracket.kind == Kind::Round && bracket.items == 1 && bracket.commas == 0 {
            self.groups.push(bracket.place.tape);
        } else {
            if let Some(node) = self.tape.get_mut(bracket.place.tape)
                && bracket.kind == Kind::Curly
                && is_dict
            {
                *node = Node::Object;
            }
            self.tape.push(Node::End);
        }
        bracket.repaired || bracket.repaired_inside
    }

    /// Where, from `at` on, the innermost bracket closes, with `hopped` brackets opened beyond
    /// those that are being read; or the end of the source.
    fn closer(&mut self, mut at: usize, hopped: usize) -> Result<usize, Unreadable> {
        let mut depth = hopped;
        loop {
            at += count(self.source.rest(at), |byte| !is_structure(byte));
            match self.source.byte(at) {
                None => {
                    self.unreadable = true;
                    return Ok(at);
                }
                Some(b'#') => at = self.source.line_end(at),
                Some(b'"' | b'\'') => at = self.string_end(at),
                Some(byte) if is_closer(byte) => {
                    if depth == hopped {
                        return Ok(at);
                    }
                    depth -= 1;
                    at += 1;
                }
                Some(_) => {
                    depth += 1;
                    self.require_depth(depth)?;
                    at += 1;
                }
            }
        }
    }

    // --- expressions ---

    /// Reads on at `at`, in a value that is no literal. A string may have ended at `literal_end`.
    fn expression(&mut self, at: usize, literal_end: usize) -> Result<usize, Unreadable> {
        let (stop, end) = self.expression_end(at)?;
        let text = self.source.slice(self.inner.item.value, end).trim_end_matches(is_blank);
        // A string that is never closed is nothing, neither an item nor a missing one.
        if text.is_empty() && self.inner.item.start < self.source.len() {
            self.inner.repaired = true;
        }
        let is_key = self.source.byte(stop) == Some(b':') && self.awaits_key();
        let string = self.mended(text, literal_end);
        let is_text = string.is_some() || is_key || text.is_empty() || is_digits(text);
        self.unreadable |= !is_text;
        let text = string.unwrap_or(Cow::Borrowed(text));
        self.ended(Value::Leaf(Node::Text(text)), stop)
    }

    /// Where the expression that goes on at `at` is followed by what may stop it, and where its
    /// text ends: the two differ by a comment between them.
    fn expression_end(&mut self, mut at: usize) -> Result<(usize, usize), Unreadable> {
        let in_bracket = self.inner.kind != Kind::Arguments;
        let mut lambdas = 0_usize;
        let mut comments: Option<(usize, usize)> = None;
        let stop = loop {
            let Some(byte) = self.source.byte(at) else {
                break at;
            };
            match byte {
                b'#' => {
                    let before = comments.filter(|(_, end)| self.source.blank(*end) == at);
                    let end = self.source.line_end(at);
                    comments = Some((before.map_or(at, |(start, _)| start), end));
                    at = end;
                }
                b'"' | b'\'' => at = self.string_end(at),
                b',' if lambdas == 0 => break at,
                b':' if self.source.byte(at + 1) == Some(b'=') => at += 2,
                b':' if lambdas > 0 => {
                    lambdas -= 1;
                    at += 1;
                }
                b':' if self.awaits_key() => break at,
                _ if is_closer(byte) => {
                    if in_bracket {
                        break at;
                    }
                    self.inner.repaired = true;
                    at += 1;
                }
                _ => match Kind::of(byte) {
                    Some(kind) => match self.hop(kind, at)? {
                        Some(end) => at = end,
                        None => return Ok((self.source.len(), self.source.len())),
                    },
                    None => match self.word(at) {
                        ("for", _) if in_bracket => break at,
                        ("lambda", end) => {
                            lambdas += 1;
                            at = end;
                        }
                        (_, end) => at = end,
                    },
                },
            }
        };
        let is_last = |(_, end)| self.source.space(end) >= stop;
        Ok((stop, comments.filter(|found| is_last(*found)).map_or(stop, |(start, _)| start)))
    }

    /// Where the bracket that opens at `at` has ended; `None` if it is never closed.
    fn hop(&mut self, kind: Kind, at: usize) -> Result<Option<usize>, Unreadable> {
        self.require_depth(1)?;
        let end = self.closer(at + 1, 1)?;
        let closer = self.source.byte(end);
        self.inner.repaired |= closer.is_some_and(|closer| !kind.is_closed_by(closer));
        Ok(closer.map(|_| end + 1))
    }

    /// The word at `at`, empty if it is an attribute or none, and where it ends; else one character
    /// is hopped over.
    fn word(&self, at: usize) -> (&'a str, usize) {
        let source = self.source;
        let end = source.word(at);
        if end == at {
            let character = source.slice(at, source.len()).chars().next();
            return ("", at + character.map_or(1, char::len_utf8));
        }
        let is_attribute = at > 0 && source.byte(at - 1) == Some(b'.');
        (if is_attribute { "" } else { source.slice(at, end) }, end)
    }

    /// The string that source text is if it has quotes inside.
    fn mended(&mut self, text: &'a str, literal_end: usize) -> Option<Cow<'a, str>> {
        let follower = self.source.slice(literal_end, self.source.name(literal_end));
        let begins_literal = literal_end > self.inner.item.value;
        if !begins_literal || follower.is_empty() || OPERATORS.contains(&follower) {
            return None;
        }
        let source = Source { text };
        let opening = source.opening(0)?;
        let end = source.last_quotes(opening)?;
        self.inner.repaired = true;
        Some(self.decoded(opening, source.slice(opening.inside, end)))
    }

    // --- literals without parts ---

    /// The literal at `at` and where it has ended; `None`, and where it might have, if it is none.
    fn literal(&mut self, at: usize) -> (Option<Node<'a>>, usize) {
        if let Some((text, end)) = self.strings(at) {
            return (Some(Node::Text(text)), end);
        }
        let end = self.source.name(at);
        if end > at {
            let word = match self.source.slice(at, end) {
                "True" | "true" => Some(Node::Bool(true)),
                "False" | "false" => Some(Node::Bool(false)),
                "None" | "null" => Some(Node::Null),
                _ => None,
            };
            return (word, end);
        }
        match numbers::number(self.source, at) {
            Some((number, end)) => (Some(number), end),
            None => (None, at),
        }
    }

    /// The adjacent strings at `at` as one, and where the last has ended.
    fn strings(&mut self, mut at: usize) -> Option<(Cow<'a, str>, usize)> {
        let mut whole: Option<(Cow<'a, str>, usize)> = None;
        while let Some(opening) = self.source.opening(at) {
            let Some((inside, end)) = self.string(opening) else {
                break;
            };
            let part = self.decoded(opening, inside);
            let text = match whole {
                None => part,
                Some((mut before, _)) => {
                    before.to_mut().push_str(&part);
                    before
                }
            };
            whole = Some((text, end));
            at = self.source.space(end);
        }
        whole
    }

    /// What stands between a string's quotes, and where it has ended. If it is never closed, there
    /// is nothing to be read from its quotes on.
    fn string(&mut self, opening: Opening) -> Option<(&'a str, usize)> {
        let Some(quotes) = self.source.closing(opening, &mut self.repaired) else {
            self.unreadable = true;
            self.source.text = self.source.slice(0, opening.quotes);
            return None;
        };
        Some((self.source.slice(opening.inside, quotes), quotes + opening.width()))
    }

    /// Where the string whose quotes are at `at` has ended, or the source.
    fn string_end(&mut self, at: usize) -> usize {
        let string = self.source.opening(at).and_then(|opening| self.string(opening));
        string.map_or(self.source.len(), |(_, end)| end)
    }

    fn decoded(&mut self, opening: Opening, inside: &'a str) -> Cow<'a, str> {
        self.unreadable |= opening.formatted && inside.contains('{');
        if opening.raw {
            return Cow::Borrowed(inside);
        }
        let (text, mended) = unescape(inside, opening.bytes, self.character);
        self.inner.repaired |= mended;
        text
    }

    // --- writing ---

    fn place(&self) -> Place {
        Place { tape: self.tape.len(), groups: self.groups.len() }
    }

    /// Takes back what was written behind `place`.
    fn go_back(&mut self, place: Place) {
        self.tape.truncate(place.tape);
        self.groups.truncate(place.groups);
    }

    fn write(&mut self, value: Value<'a>) {
        match value {
            Value::Leaf(node) => self.tape.push(node),
            Value::Bracket(mended) => self.inner.repaired_inside |= mended,
        }
    }

    /// Writes a key, which has ended before `stop`: the text of its value.
    fn key(&mut self, value: Value<'a>, stop: usize) {
        self.go_back(self.inner.item.place);
        let key = match value {
            Value::Leaf(Node::Text(text)) => text,
            Value::Leaf(Node::Int(number)) => Cow::Owned(number.to_string()),
            Value::Leaf(Node::BigInt(number)) => Cow::Owned(numbers::decimal(&number)),
            Value::Leaf(Node::Float(number)) => Cow::Owned(numbers::float(number)),
            _ => {
                Cow::Borrowed(self.source.slice(self.inner.item.start, stop).trim_matches(is_blank))
            }
        };
        self.tape.push(Node::Key(key));
        self.inner.item.keyed = true;
        self.inner.keys += 1;
    }

    /// Takes the beginnings of groups off the tape.
    fn drop_groups(&mut self) {
        if self.groups.is_empty() {
            return;
        }
        self.groups.sort_unstable();
        let mut groups = self.groups.iter().peekable();
        let mut place = 0..;
        self.tape.retain(|_| {
            let here = place.next();
            let is_group = groups.peek().copied() == here.as_ref();
            if is_group {
                groups.next();
            }
            !is_group
        });
    }
}

/// Whether text is one word that begins with a digit: no number, such as `007`, but no code either.
fn is_digits(text: &str) -> bool {
    let word = text.strip_prefix(['-', '+']).unwrap_or(text);
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
}

/// Whether this byte begins what can hide a closing bracket, or is one.
fn is_structure(byte: u8) -> bool {
    matches!(byte, b'#' | b'"' | b'\'' | b'(' | b'[' | b'{') || is_closer(byte)
}
