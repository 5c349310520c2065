//! Python code: where names, brackets and strings begin and end.
//!
//! A small lexer that knows just enough of Python: strings with any prefix, of one line or
//! triple-quoted, with escapes; comments; names with dots; brackets. Nothing is evaluated.

use crate::text::slice::count;

/// The longest name, and the longest run of blanks behind one, that is waited for, in bytes.
const WAIT_LIMIT: usize = 256;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Code,
    Comment,
    /// In a name that is too long to be a tool's.
    LongName,
    /// In a number.
    Number,
    Text {
        quote: u8,
        triple: bool,
    },
    Escape {
        quote: u8,
        triple: bool,
    },
}

/// What stands at one place of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lexed {
    /// Nothing of interest up to this position.
    Plain(usize),
    /// A name that ends here.
    Name(usize),
    /// A bracket, one byte.
    Open,
    /// A closing bracket, one byte.
    Close,
    /// A byte outside strings that may begin a marker.
    Mark,
    /// What stands here is unfinished.
    Wait,
}

/// The lexer of one stretch of code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lexer {
    mode: Mode,
}

/// Whether a name can begin with this byte. All that is not ASCII counts as letters.
pub(crate) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Whether a name can go on with this byte: that of a tool or parameter, which has more than Python's.
pub(crate) fn continues_name(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit() || matches!(byte, b'.' | b'-')
}

fn is_string_prefix(name: &[u8]) -> bool {
    name.len() <= 2
        && name.iter().all(|byte| matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'u' | b'f'))
}

impl Lexer {
    pub fn in_string(self) -> bool {
        matches!(self.mode, Mode::Text { .. } | Mode::Escape { .. })
    }

    /// Reads what stands at `at`, which is inside `bytes`.
    pub fn read(&mut self, bytes: &[u8], at: usize, last: bool) -> Lexed {
        let rest = &bytes[at..];
        match self.mode {
            Mode::Code => self.code(rest, at, last),
            Mode::Comment => match memchr::memchr3(b'\n', b'`', b'<', rest) {
                Some(0) if rest[0] != b'\n' => Lexed::Mark,
                Some(0) => {
                    self.mode = Mode::Code;
                    Lexed::Plain(at + 1)
                }
                Some(offset) => Lexed::Plain(at + offset),
                None => Lexed::Plain(bytes.len()),
            },
            Mode::LongName => {
                let length = count(rest, continues_name);
                if length < rest.len() {
                    self.mode = Mode::Code;
                }
                Lexed::Plain(at + length)
            }
            Mode::Number => {
                let length = count(rest, |byte| byte.is_ascii_alphanumeric());
                if length < rest.len() {
                    self.mode = Mode::Code;
                }
                Lexed::Plain(at + length)
            }
            Mode::Escape { quote, triple } => {
                self.mode = Mode::Text { quote, triple };
                Lexed::Plain(at + 1)
            }
            Mode::Text { quote, triple } => self.text(rest, at, last, (quote, triple)),
        }
    }

    fn code(&mut self, rest: &[u8], at: usize, last: bool) -> Lexed {
        let byte = rest[0];
        match byte {
            b'"' | b'\'' => {
                let quotes = count(&rest[..rest.len().min(3)], |other| other == byte);
                if quotes == rest.len() && quotes < 3 && !last {
                    return Lexed::Wait;
                }
                self.mode = Mode::Text { quote: byte, triple: quotes == 3 };
                Lexed::Plain(at + if quotes == 3 { 3 } else { 1 })
            }
            b'#' => {
                self.mode = Mode::Comment;
                Lexed::Plain(at + 1)
            }
            b'(' | b'[' | b'{' => Lexed::Open,
            b')' | b']' | b'}' => Lexed::Close,
            b'`' | b'<' => Lexed::Mark,
            _ if begins_name(byte) => {
                let length = count(rest, continues_name);
                if length > WAIT_LIMIT {
                    self.mode = Mode::LongName;
                    return Lexed::Plain(at + length);
                }
                if length == rest.len() && !last {
                    return Lexed::Wait;
                }
                let quoted = matches!(rest.get(length), Some(b'"' | b'\''));
                if quoted && is_string_prefix(&rest[..length]) {
                    return Lexed::Plain(at + length);
                }
                Lexed::Name(at + length)
            }
            _ if byte.is_ascii_digit() => {
                self.mode = Mode::Number;
                Lexed::Plain(at + 1)
            }
            _ => Lexed::Plain(at + 1),
        }
    }

    fn text(&mut self, rest: &[u8], at: usize, last: bool, (quote, triple): (u8, bool)) -> Lexed {
        let Some(offset) = memchr::memchr2(quote, b'\\', rest) else {
            return Lexed::Plain(at + rest.len());
        };
        if rest[offset] == b'\\' {
            self.mode = Mode::Escape { quote, triple };
            return Lexed::Plain(at + offset + 1);
        }
        if !triple {
            self.mode = Mode::Code;
            return Lexed::Plain(at + offset + 1);
        }
        let quotes = count(&rest[offset..rest.len().min(offset + 3)], |byte| byte == quote);
        match quotes {
            3 => {
                self.mode = Mode::Code;
                Lexed::Plain(at + offset + 3)
            }
            _ if offset + quotes == rest.len() && !last => {
                if offset > 0 {
                    Lexed::Plain(at + offset)
                } else {
                    Lexed::Wait
                }
            }
            _ => Lexed::Plain(at + offset + quotes),
        }
    }
}

/// Where the name that ends at `end` is called: the position behind its `(`. `None`: it is not.
pub(crate) enum Called {
    Yes(usize),
    No,
    Wait,
}

pub(crate) fn called(bytes: &[u8], end: usize, last: bool) -> Called {
    let blanks = count(&bytes[end..], |byte| matches!(byte, b' ' | b'\t'));
    match bytes.get(end + blanks) {
        _ if blanks > WAIT_LIMIT => Called::No,
        Some(b'(') => Called::Yes(end + blanks + 1),
        None if !last => Called::Wait,
        _ => Called::No,
    }
}
