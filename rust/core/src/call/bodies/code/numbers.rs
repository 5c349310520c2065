//! Python's number literals, and how Python writes the numbers.

use std::borrow::Cow;

use crate::call::bodies::code::source::Source;
use crate::text::slice::count;
use crate::value::Node;

// Python does not convert longer integers to text and back; they stay text.
const MAX_DIGITS: usize = 4_300;
const MAX_BITS: usize = 14_284;

/// The number at `at`, perhaps behind signs, and where it ends; `None` if Python reads none, or one
/// that is too long.
pub(super) fn number(source: Source<'_>, at: usize) -> Option<(Node<'static>, usize)> {
    let (mut start, mut negative) = (at, false);
    while let Some(sign @ (b'+' | b'-')) = source.byte(start) {
        negative ^= sign == b'-';
        start = source.blank(start + 1);
    }
    if !source.byte(start).is_some_and(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let end = number_end(source, start);
    let digits = source.slice(start, end);
    if digits.len() > MAX_DIGITS {
        return None;
    }
    Some((value(digits, negative)?, end))
}

/// Where the characters that can belong to the number at `at` end.
fn number_end(source: Source<'_>, at: usize) -> usize {
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let end = at + count(source.rest(at), belongs);
    if !matches!(source.byte(end - 1), Some(b'e' | b'E')) {
        return end;
    }
    if !matches!(source.byte(end), Some(b'+' | b'-')) {
        return end;
    }
    let exponent = source.rest(end + 1);
    match count(exponent, |byte| byte.is_ascii_digit() || byte == b'_') {
        0 => end,
        length => end + 1 + length,
    }
}

fn value(digits: &str, negative: bool) -> Option<Node<'static>> {
    if !digits.starts_with('0')
        && let Ok(number) = digits.parse::<i64>()
    {
        return Some(Node::Int(if negative { -number } else { number }));
    }
    let base = base(digits);
    if base == 10 && digits.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        let number: f64 = joined(digits, |byte| byte.is_ascii_digit())?.parse().ok()?;
        return Some(Node::Float(if negative { -number } else { number }));
    }
    integer(digits, base, negative)
}

fn integer(digits: &str, base: u32, negative: bool) -> Option<Node<'static>> {
    let is_digit = |byte: u8| char::from(byte).is_digit(base);
    let written = match base {
        10 => digits,
        // Behind the base there may be an underscore.
        _ => digits.get(2..).map(|rest| rest.strip_prefix('_').unwrap_or(rest))?,
    };
    let plain = joined(written, is_digit)?;
    if plain.is_empty() || !plain.bytes().all(is_digit) {
        return None;
    }
    let significant = plain.trim_start_matches('0');
    if significant.is_empty() {
        return Some(Node::Int(0));
    }
    let refused = match base {
        10 => significant.len() < plain.len(), // no decimal begins with 0
        _ => bits(significant, base) > MAX_BITS,
    };
    if refused {
        return None;
    }
    let sign = if negative { "-" } else { "" };
    let signed = format!("{sign}{significant}");
    Some(match i64::from_str_radix(&signed, base) {
        Ok(number) => Node::Int(number),
        Err(_) => Node::BigInt(Cow::Owned(format!("{sign}{}{significant}", prefix(base)))),
    })
}

fn base(digits: &str) -> u32 {
    match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => 10,
    }
}

fn prefix(base: u32) -> &'static str {
    match base {
        16 => "0x",
        8 => "0o",
        2 => "0b",
        _ => "",
    }
}

/// `digits` without the underscores between digits; `None` if there are others.
fn joined(digits: &str, is_digit: impl Fn(u8) -> bool) -> Option<Cow<'_, str>> {
    if !digits.contains('_') {
        return Some(Cow::Borrowed(digits));
    }
    let bytes = digits.as_bytes();
    let between = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_some_and(|byte| is_digit(*byte))
            && bytes.get(at + 1).is_some_and(|byte| is_digit(*byte))
    };
    let placed = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || between(at));
    placed.then(|| Cow::Owned(digits.replace('_', "")))
}

/// How many bits the number has; its first digit is not 0, and its base is a power of two.
fn bits(significant: &str, base: u32) -> usize {
    let width = base.trailing_zeros() as usize;
    let Some(first) = significant.chars().next().and_then(|digit| digit.to_digit(base)) else {
        return 0;
    };
    (significant.len() - 1) * width + (u32::BITS - first.leading_zeros()) as usize
}

/// The decimal digits of a `Node::BigInt`.
pub(super) fn decimal(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    let base = base(digits);
    if base == 10 {
        return number.to_owned();
    }
    let digits = digits.get(2..).unwrap_or_default().as_bytes();
    // Nine decimal digits a limb, the least first; as many digits at a time as leave room in u64.
    let mut limbs: Vec<u64> = vec![0];
    for part in digits.chunks(7) {
        let (mut factor, mut carry) = (1, 0);
        for digit in part {
            factor *= u64::from(base);
            let digit = char::from(*digit).to_digit(base).unwrap_or(0);
            carry = carry * u64::from(base) + u64::from(digit);
        }
        for limb in &mut limbs {
            let product = *limb * factor + carry;
            *limb = product % 1_000_000_000;
            carry = product / 1_000_000_000;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let written: Vec<String> = limbs.iter().rev().map(|limb| format!("{limb:09}")).collect();
    format!("{sign}{}", written.concat().trim_start_matches('0'))
}

/// A number as Python writes it: the shortest digits that read back as the same number.
pub(super) fn float(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..16).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => {
            let plain = number.to_string();
            if plain.contains('.') { plain } else { plain + ".0" }
        }
    }
}
