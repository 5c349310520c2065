//! Telling the text of arguments that stand in one JSON value.
//!
//! The text is told as the model wrote it, while it arrives. Arguments that are themselves a JSON
//! string, encoded twice, are told without that layer.

use crate::call::reader::Context;
use crate::sink::Sink;
use crate::text::json::Unescape;
use crate::text::slice::slice;

/// The arguments' text on its way to the sink.
#[derive(Debug, Clone)]
pub(crate) struct Telling {
    /// Takes off the outer layer of arguments that are encoded twice.
    unescape: Option<Unescape>,
    begun: bool,
}

impl Telling {
    /// For arguments whose text begins with this byte.
    pub fn new(first: u8) -> Self {
        Self { unescape: (first == b'"').then(Unescape::default), begun: false }
    }

    /// Tells the next piece; with `last` the value ends with it.
    pub fn tell<S: Sink>(&mut self, cx: &mut Context<'_, S>, piece: &str, last: bool) {
        if piece.is_empty() || !cx.started() {
            return;
        }
        let first = !std::mem::replace(&mut self.begun, true);
        let Some(unescape) = &mut self.unescape else {
            cx.argument_delta(piece);
            return;
        };
        let start = usize::from(first);
        let end = piece.len() - usize::from(last && piece.len() > start);
        let mut text = String::new();
        unescape.push(slice(piece, start, end), &mut text);
        if last {
            unescape.finish(&mut text);
        }
        cx.argument_delta(&text);
    }
}
