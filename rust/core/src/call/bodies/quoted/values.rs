//! Reading an object of literals whose strings stand between quote tokens: `{k:<|"|>v<|"|>,n:3}`.
//!
//! The object is read from left to right with a stack of open containers. What makes it forgiving is
//! a look at the quote tokens ahead, each told apart by what stands beside it (`tokens`):
//!
//! - A token with structure behind it (a comma and the next member, or closing brackets) closes.
//! - A token behind `,key:` opens: a string that is still open there lost its closing token.
//! - Any other token inside a string stands for a quote, if a closing one follows.

use std::borrow::Cow;

use memchr::memchr3;

use crate::call::bodies::quoted::spelling::{
    bare_value, byte_at, ends_value, is_space, name, slice, space,
};
use crate::call::bodies::quoted::strings;
use crate::call::bodies::quoted::tokens::Tokens;
use crate::value::{Node, Read, Tape, Unreadable};

/// How an object is to be read.
pub struct Options<'o> {
    /// The token around strings.
    pub quote: &'o str,
    /// Whether a parameter of this name is declared, which tells where a string that lost a token
    /// ends; where none is declared, any name counts as declared.
    pub declares: &'o dyn Fn(&str) -> bool,
    /// The character that Unicode gives this name.
    pub character: &'o dyn Fn(&str) -> Option<char>,
    /// The most brackets that may be open at one place.
    pub max_depth: usize,
    /// Whether the text ends anywhere: then only the members that something follows are read.
    pub cut: bool,
}

/// The object of literals that `text` begins with. Text behind the object counts for nothing.
/// Missing closing brackets are mended.
///
/// # Errors
///
/// If `text` begins with no object, if a string is never closed (unless the text is cut), and for
/// more than `max_depth` brackets open at one place.
pub fn read_object<'a>(text: &'a str, options: &Options<'_>) -> Result<Read<'a>, Unreadable> {
    let start = space(text, 0);
    if byte_at(text, start) != Some(b'{') || options.quote.is_empty() || options.max_depth == 0 {
        return Err(Unreadable);
    }
    let mut reader = Reader {
        text,
        options,
        tokens: Tokens::new(text, options.quote, options.declares),
        tape: vec![Node::Object],
        frames: vec![Frame { is_object: true, start: 0, other: 0 }],
        repaired: false,
        unclosed: Vec::new(),
        next_key: None,
    };
    reader.object(start + 1)?;
    Ok(Read { tape: reader.tape, repaired: reader.repaired })
}

/// An open container.
struct Frame {
    is_object: bool,
    /// Where its key, or itself, begins on the tape.
    start: usize,
    /// The depth of the innermost container around it that is of the other kind; 0 for none.
    other: usize,
}

/// Why reading stopped.
enum Stop {
    /// The text ends before what is read does.
    EndOfText,
    Unreadable,
}

/// What a string between ASCII quotes is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    Value,
}

/// A key, or `None` in a list.
type Key<'a> = Option<Cow<'a, str>>;

/// One text on its way to an object. Positions are those of the text.
struct Reader<'a, 'o> {
    text: &'a str,
    options: &'o Options<'o>,
    tokens: Tokens<'a, 'o>,
    tape: Tape<'a>,
    frames: Vec<Frame>,
    repaired: bool,
    /// ASCII quotes that nothing closes any more.
    unclosed: Vec<(u8, Role)>,
    /// Where the next known member begins, once it was looked for.
    next_key: Option<usize>,
}

impl<'a> Reader<'a, '_> {
    // --- containers ---

    fn object(&mut self, mut at: usize) -> Result<(), Unreadable> {
        while !self.frames.is_empty() {
            match self.step(at) {
                Ok(next) => at = next,
                Err(Stop::EndOfText) => {
                    self.finish();
                    return Ok(());
                }
                Err(Stop::Unreadable) => return Err(Unreadable),
            }
        }
        self.repaired |= space(self.text, at) < self.text.len();
        Ok(())
    }

    /// Leaves the containers that the text's end left open.
    fn finish(&mut self) {
        self.repaired = true;
        if self.options.cut
            && let Some(nested) = self.frames.get(1)
        {
            self.tape.truncate(nested.start); // it counts only when it has been closed
            self.frames.truncate(1);
        }
        self.close_down_to(1);
    }

    /// Closes the containers from this depth on.
    fn close_down_to(&mut self, depth: usize) {
        while self.frames.len() >= depth && self.frames.pop().is_some() {
            self.tape.push(Node::End);
        }
    }

    fn in_object(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_object)
    }

    /// Reads a member, an item or a bracket; the position behind it.
    fn step(&mut self, at: usize) -> Result<usize, Stop> {
        let at = self.stray(at);
        match byte_at(self.text, at) {
            None => Err(Stop::EndOfText),
            Some(bracket @ (b'}' | b']')) => Ok(self.close(at, bracket == b'}')),
            Some(_) if self.in_object() => self.member(at),
            Some(_) => self.value(at, None),
        }
    }

    /// The position behind white space and commas.
    fn stray(&self, at: usize) -> usize {
        let rest = slice(self.text, at, self.text.len());
        self.text.len() - rest.trim_start_matches(|c| c == ',' || is_space(c)).len()
    }

    /// Closes the innermost container of the bracket's kind, and what is open inside it.
    ///
    /// Where that would be the root with text behind it, the bracket is the wrong one for the
    /// innermost container.
    fn close(&mut self, at: usize, is_object: bool) -> usize {
        let open = self.frames.len();
        let mut depth = match self.frames.last() {
            Some(frame) if frame.is_object != is_object => frame.other,
            _ => open,
        };
        if depth < open {
            self.repaired = true;
            if depth <= 1 && space(self.text, at + 1) < self.text.len() {
                depth = if open > 1 { open } else { 0 };
            }
        }
        if depth > 0 {
            self.close_down_to(depth);
        }
        at + 1
    }

    fn member(&mut self, at: usize) -> Result<usize, Stop> {
        match self.key(at) {
            Ok((key, end)) => self.value(space(self.text, end), Some(key)),
            Err(_) => self.after_value(at),
        }
    }

    /// The key at `at`, and the position behind its `:`; if there is none, how far was read.
    fn key(&mut self, at: usize) -> Result<(Cow<'a, str>, usize), usize> {
        let quote = self.options.quote;
        if self.begins_with_quote(at) {
            let start = at + quote.len();
            let index = self.tokens.from(start);
            let Some(end) = self.tokens.start(index) else {
                return Err(at);
            };
            return self.separated(slice(self.text, start, end).into(), end + quote.len());
        }
        if let Some((key, end)) = self.ascii_string(at, Role::Key) {
            return self.separated(key, end);
        }
        let rest = slice(self.text, at, self.text.len());
        let ends = |byte: u8| matches!(byte, b',' | b':' | b'=' | b'{' | b'}' | b'[' | b']');
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        if length == 0 {
            return Err(at);
        }
        self.separated(slice(rest, 0, length).trim_matches(is_space).into(), at + length)
            .map_err(|_| at)
    }

    fn separated(&mut self, key: Cow<'a, str>, at: usize) -> Result<(Cow<'a, str>, usize), usize> {
        let at = space(self.text, at);
        match byte_at(self.text, at) {
            Some(b':') => {}
            Some(b'=') => self.repaired = true,
            _ => return Err(at),
        }
        Ok((key, at + 1))
    }

    // --- values ---

    /// Reads the value at `at` into the innermost container; the position behind it.
    fn value(&mut self, at: usize, key: Key<'a>) -> Result<usize, Stop> {
        match byte_at(self.text, at) {
            Some(b'{') => return self.open(at, key, true),
            Some(b'[') => return self.open(at, key, false),
            _ => {}
        }
        if self.begins_with_quote(at) {
            let (string, end) = self.token_string(at + self.options.quote.len())?;
            let end = self.after_value(end)?;
            return self.put(key, Node::Text(string), end);
        }
        if let Some((string, end)) = self.ascii_string(at, Role::Value) {
            let end = self.after_value(end)?;
            return self.put(key, Node::Text(string), end);
        }
        self.bare(at, key)
    }

    fn open(&mut self, at: usize, key: Key<'a>, is_object: bool) -> Result<usize, Stop> {
        let depth = self.frames.len();
        if depth >= self.options.max_depth {
            return Err(Stop::Unreadable);
        }
        let other = match self.frames.last() {
            Some(around) if around.is_object == is_object => around.other,
            _ => depth,
        };
        self.frames.push(Frame { is_object, start: self.tape.len(), other });
        self.put_key(key);
        self.tape.push(if is_object { Node::Object } else { Node::List });
        Ok(at + 1)
    }

    fn put(&mut self, key: Key<'a>, value: Node<'a>, end: usize) -> Result<usize, Stop> {
        if end >= self.text.len() && self.options.cut {
            return Err(Stop::EndOfText);
        }
        self.put_key(key);
        self.tape.push(value);
        Ok(end)
    }

    fn put_key(&mut self, key: Key<'a>) {
        if let Some(key) = key {
            self.tape.push(Node::Key(key));
        }
    }

    /// Where the `,` or bracket behind a value stands; marks before it are dropped, but no words.
    fn after_value(&mut self, at: usize) -> Result<usize, Stop> {
        let end = self.value_end(at);
        let dropped = slice(self.text, at, end);
        self.repaired |= !dropped.trim_matches(is_space).is_empty();
        if dropped.contains(char::is_alphanumeric) {
            return Err(if self.options.cut { Stop::EndOfText } else { Stop::Unreadable });
        }
        Ok(end)
    }

    /// Where the next `,` or closing bracket stands.
    fn value_end(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + memchr3(b',', b'}', b']', rest).unwrap_or(rest.len())
    }

    fn begins_with_quote(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        rest.starts_with(self.options.quote.as_bytes())
    }

    /// The string whose characters begin at `start`, and the position behind it.
    fn token_string(&mut self, start: usize) -> Result<(Cow<'a, str>, usize), Stop> {
        let first = self.tokens.from(start);
        let Some(first_at) = self.tokens.start(first) else {
            return Err(if self.options.cut { Stop::EndOfText } else { Stop::Unreadable });
        };
        let closer = self.tokens.next_closer(first, self.in_object());
        if closer == Some(first) {
            return Ok(self.closed_by(first, start, first));
        }
        // Members of nested objects are declared nowhere.
        let member = self.tokens.next_member(first, self.frames.len() == 1);
        if let Some(closer) = closer
            && member.is_none_or(|member| closer <= member)
        {
            return Ok(self.closed_by(closer, start, first));
        }
        if member.is_none() && self.options.cut {
            return Err(Stop::EndOfText);
        }
        self.repaired = true;
        if member == Some(first)
            && let Some(comma) = self.tokens.comma_before(first_at)
        {
            return Ok(self.unclosed_string(start, comma.max(start)));
        }
        let closer = if member.is_none() { self.tokens.next_plain_closer(first) } else { None };
        Ok(self.closed_by(closer.unwrap_or(first), start, first))
    }

    /// The string at `start` up to a token; those from `first` on before it are quotes.
    fn closed_by(&mut self, closer: usize, start: usize, first: usize) -> (Cow<'a, str>, usize) {
        let quote = self.options.quote;
        let end = self.tokens.start(closer).unwrap_or(self.text.len());
        let string = slice(self.text, start, end);
        if closer == first {
            return (string.into(), end + quote.len());
        }
        self.repaired = true;
        (string.replace(quote, "\"").into(), end + quote.len())
    }

    /// The string before a member, without the brackets that close what it stands in.
    fn unclosed_string(&self, start: usize, comma: usize) -> (Cow<'a, str>, usize) {
        let mut string = slice(self.text, start, comma);
        for frame in self.frames.iter().skip(1).rev() {
            let bracket = if frame.is_object { '}' } else { ']' };
            match string.trim_end_matches(is_space).strip_suffix(bracket) {
                Some(inner) => string = inner,
                None => break,
            }
        }
        (string.into(), start + string.len())
    }

    /// The string in ASCII quotes at `start`, and the position behind it; `None` if it is none.
    fn ascii_string(&mut self, start: usize, role: Role) -> Option<(Cow<'a, str>, usize)> {
        let mark = byte_at(self.text, start).filter(|byte| matches!(byte, b'"' | b'\''))?;
        if self.unclosed.contains(&(mark, role)) {
            return None;
        }
        let inside = slice(self.text, start + 1, self.text.len());
        let is_end = |end: usize| {
            let behind = start + 1 + end + 1;
            match role {
                Role::Key => {
                    matches!(byte_at(self.text, space(self.text, behind)), Some(b':' | b'='))
                }
                Role::Value => ends_value(self.text, behind),
            }
        };
        let closer = memchr::memchr_iter(mark, inside.as_bytes())
            .find(|end| is_end(*end) && !strings::is_escaped(inside, *end));
        let Some(end) = closer else {
            self.unclosed.push((mark, role)); // nor does it close what begins later
            return None;
        };
        let inside = slice(inside, 0, end);
        let (string, mended) = strings::unquoted(mark, inside, self.options.character);
        self.repaired |= mended;
        Some((string, start + 1 + end + 1))
    }

    fn bare(&mut self, at: usize, key: Key<'a>) -> Result<usize, Stop> {
        let quote = self.options.quote;
        if let Some(token) = self.lone_closer(at) {
            self.repaired = true;
            let end = self.after_value(token + quote.len())?;
            return self.put(key, Node::Text(slice(self.text, at, token).into()), end);
        }
        let end = self.value_end(at);
        let bare = slice(self.text, at, end).trim_matches(is_space);
        if bare.matches('(').count() > bare.matches(')').count() {
            return Err(Stop::Unreadable); // a comma in parentheses cut it
        }
        let string = bare.strip_suffix(quote);
        if string.unwrap_or(bare).contains(quote) {
            return Err(Stop::Unreadable); // a string stands behind words
        }
        if let Some(string) = string {
            self.repaired = true;
            return self.put(key, Node::Text(string.into()), end);
        }
        self.put(key, bare_value(bare), end)
    }

    /// The token that closes a string which lost its opening one and begins at `at`.
    ///
    /// It has structure behind it, and before it neither what can open a string nor another member.
    fn lone_closer(&mut self, at: usize) -> Option<usize> {
        if !self.in_object() || matches!(byte_at(self.text, at), None | Some(b',' | b'}' | b']')) {
            return None;
        }
        let index = self.tokens.from(at);
        let token = self.tokens.start(index)?;
        (self.tokens.only_closes(index) && self.next_key(at) > token).then_some(token)
    }

    /// Where the next member begins from `at` on, a declared one if any is declared.
    fn next_key(&mut self, at: usize) -> usize {
        if let Some(known) = self.next_key.filter(|known| *known >= at) {
            return known;
        }
        let text = self.text;
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let is_member = |start: &usize| {
            name(text, space(text, start + 1)).is_some_and(|(name, end)| {
                byte_at(text, end) == Some(b':') && (self.options.declares)(name)
            })
        };
        let found =
            memchr::memchr2_iter(b',', b'{', rest).map(|offset| at + offset).find(is_member);
        *self.next_key.insert(found.unwrap_or(text.len()))
    }
}
