//! Numbers as JSON writes them.

/// What kind of number a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    /// Digits alone, perhaps behind a minus.
    Integer,
    /// One with a fraction or an exponent.
    Float,
}

/// The kind of number that all of `text` is; `None` if it is none.
pub(crate) fn number(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (integer, rest) = unsigned.split_at(digits(unsigned));
    if integer.is_empty() || (integer.len() > 1 && integer.starts_with('0')) {
        return None;
    }
    if rest.is_empty() {
        return Some(Number::Integer);
    }
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            fraction.get(digits(fraction)..).filter(|rest| rest.len() < fraction.len())?
        }
        None => rest,
    };
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || digits(exponent) < exponent.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    Some(Number::Float)
}

/// How many digits `text` begins with.
fn digits(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
}
