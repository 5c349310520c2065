//! What the smallest pieces of an object of literals look like: white space, names, bare values.

use crate::text::number::{self, Number};
use crate::value::Node;

/// White space, as Python counts it: Unicode's, and the four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Whether a name may hold this character.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

pub fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

pub fn byte_at(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

/// The position behind the white space at `at`.
pub fn space(text: &str, at: usize) -> usize {
    if byte_at(text, at).is_some_and(|byte| byte.is_ascii_graphic()) {
        return at;
    }
    let rest = slice(text, at, text.len());
    at + (rest.len() - rest.trim_start_matches(is_space).len())
}

/// The position behind the name at `at`.
pub fn name_end(text: &str, at: usize) -> usize {
    let rest = slice(text, at, text.len());
    at + (rest.len() - rest.trim_start_matches(is_name).len())
}

/// The name at `at`, perhaps in ASCII quotes, and the position behind it and white space.
pub fn name(text: &str, at: usize) -> Option<(&str, usize)> {
    let start = at + usize::from(is_mark(byte_at(text, at)));
    let end = name_end(text, start);
    let behind = end + usize::from(is_mark(byte_at(text, end)));
    (end > start).then(|| (slice(text, start, end), space(text, behind)))
}

fn is_mark(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'"' | b'\''))
}

/// Whether behind `at`, and white space, a value has ended: by a comma, a bracket or the text's end.
pub fn ends_value(text: &str, at: usize) -> bool {
    matches!(byte_at(text, space(text, at)), None | Some(b',' | b'}' | b']'))
}

/// What text without quotes means, which is neither a list nor an object.
pub fn bare_value(text: &str) -> Node<'_> {
    match text {
        "null" | "None" => Node::Null,
        "true" | "True" => Node::Bool(true),
        "false" | "False" => Node::Bool(false),
        _ => number(text).unwrap_or(Node::Text(text.into())),
    }
}

/// The number of JSON that `text` is. How long an integer may be is the caller's to say.
fn number(text: &str) -> Option<Node<'_>> {
    match number::number(text)? {
        Number::Integer => Some(text.parse().map_or(Node::Untyped(text.into()), Node::Int)),
        Number::Float => text.parse().ok().map(Node::Float),
    }
}
