//! Bytes to text, cut anywhere.
//!
//! A character that is cut by the end of a chunk waits for the next one. Bytes that are no UTF-8
//! become U+FFFD, one for each maximal part of a character, wherever the chunks were cut.

use std::borrow::Cow;

/// The state of one stream of bytes: at most three bytes of an unfinished character.
#[derive(Debug, Clone, Default)]
pub struct Decoder {
    pending: Vec<u8>,
}

impl Decoder {
    /// The text of the next chunk.
    pub fn decode<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, str> {
        if self.pending.is_empty() {
            if let Ok(text) = std::str::from_utf8(chunk) {
                return Cow::Borrowed(text);
            }
            return Cow::Owned(self.replace(chunk));
        }
        let mut joined = std::mem::take(&mut self.pending);
        joined.extend_from_slice(chunk);
        Cow::Owned(self.replace(&joined))
    }

    /// The text of what is left at the end of the stream.
    pub fn finish(&mut self) -> &'static str {
        if self.pending.is_empty() {
            return "";
        }
        self.pending.clear();
        "\u{FFFD}"
    }

    fn replace(&mut self, mut bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(valid) => {
                    text.push_str(valid);
                    return text;
                }
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            text.push_str(std::str::from_utf8(valid).unwrap_or_default());
            let Some(length) = error.error_len() else {
                self.pending.extend_from_slice(rest);
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            bytes = &rest[length..];
        }
    }
}
