//! What the bytes of a fuzzer mean: policies, sizes of pieces, and a text.

use crate::shapes::{PIECES, Policies};
use toolspeak::grammar::data::CallInThinking;

/// An input for a scanner.
pub struct Input {
    pub policies: Policies,
    /// Characters in each piece.
    pub size: usize,
    pub text: String,
}

impl Input {
    /// Two bytes choose, the rest is the text: bytes up to the number of markers stand for
    /// markers, unless the text is to be taken as it is, and others for themselves.
    pub fn new(data: &[u8]) -> Option<Self> {
        let (&[choices, more], text) = data.split_first_chunk::<2>()?;
        let policies = Policies {
            no_thinking: choices & 1 != 0,
            prompted: choices & 2 != 0,
            trim: choices & 4 != 0,
            fenced_text: choices & 8 != 0,
            recover: choices & 16 != 0,
            results: choices & 32 != 0,
            small: choices & 64 != 0,
            call_in_thinking: match more & 3 {
                0 => None,
                1 => Some(CallInThinking::Quoted),
                2 => Some(CallInThinking::EndsPrompted),
                _ => Some(CallInThinking::Ends),
            },
        };
        let text = if choices & 128 == 0 {
            text.iter().map(|&byte| spelled(byte)).collect()
        } else {
            String::from_utf8_lossy(text).into_owned()
        };
        Some(Self { policies, size: 1 + usize::from(more >> 2 & 15), text })
    }
}

fn spelled(byte: u8) -> String {
    PIECES.get(usize::from(byte)).map_or_else(|| char::from(byte).into(), |&piece| piece.into())
}
