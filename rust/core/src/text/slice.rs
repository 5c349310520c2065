//! Parts of texts and of bytes, counted in bytes.

/// The part of `input` between two positions.
pub(crate) fn slice(input: &str, start: usize, end: usize) -> &str {
    input.get(start..end).unwrap_or_default()
}

/// How many bytes at the beginning of `bytes` belong together.
pub(crate) fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

/// How many bytes at the end of `bytes` may begin `token`.
pub(crate) fn unfinished(bytes: &[u8], token: &[u8]) -> usize {
    let longest = bytes.len().min(token.len().saturating_sub(1));
    (1..=longest)
        .rev()
        .find(|length| token.starts_with(&bytes[bytes.len() - length..]))
        .unwrap_or(0)
}

/// The greatest character boundary of `text` that is not behind `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How many blanks stand at the beginning of `bytes`.
pub(crate) fn blanks(bytes: &[u8]) -> usize {
    count(bytes, |byte| byte.is_ascii_whitespace())
}
