//! Names in tags: identifiers, and the namespaces before them.

/// The longest namespace before a name, in bytes.
const NAMESPACE_LIMIT: usize = 32;

pub(crate) fn begins_identifier(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether a namespace stands before a name: an identifier and `:`.
pub(crate) enum Namespace {
    None,
    /// More input may complete it.
    Unfinished,
    /// It has this length, with its `:`.
    Ended(usize),
}

/// The namespace at the beginning of `bytes`.
pub(crate) fn namespace(bytes: &[u8]) -> Namespace {
    // No longer one counts, and what is behind its limit need not be looked at.
    let length = identifier(&bytes[..bytes.len().min(NAMESPACE_LIMIT + 1)]);
    match bytes.get(length) {
        _ if length > NAMESPACE_LIMIT => Namespace::None,
        None => Namespace::Unfinished,
        Some(b':') if length > 0 => Namespace::Ended(length + 1),
        Some(_) => Namespace::None,
    }
}

/// The length of the identifier at the beginning of `bytes`, 0 if there is none.
pub(crate) fn identifier(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(byte) if begins_identifier(*byte) => {
            bytes.iter().position(|byte| !continues_identifier(*byte)).unwrap_or(bytes.len())
        }
        _ => 0,
    }
}
