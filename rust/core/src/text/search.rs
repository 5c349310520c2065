//! Searching for bytes. A chunk of one token is shorter than a vector: there a plain loop is
//! faster than choosing the best vectorised search.

/// Shorter input is searched byte by byte.
const SHORT: usize = 16;

#[inline]
pub(crate) fn find_one(a: u8, bytes: &[u8]) -> Option<usize> {
    if bytes.len() < SHORT {
        return bytes.iter().position(|byte| *byte == a);
    }
    memchr::memchr(a, bytes)
}

#[inline]
pub(crate) fn find_two(a: u8, b: u8, bytes: &[u8]) -> Option<usize> {
    if bytes.len() < SHORT {
        return bytes.iter().position(|byte| *byte == a || *byte == b);
    }
    memchr::memchr2(a, b, bytes)
}

#[inline]
pub(crate) fn find_three(a: u8, b: u8, c: u8, bytes: &[u8]) -> Option<usize> {
    if bytes.len() < SHORT {
        return bytes.iter().position(|byte| *byte == a || *byte == b || *byte == c);
    }
    memchr::memchr3(a, b, c, bytes)
}
