//! What a call's arguments are, as far as the wire tells: for the caller to give them meaning.

use crate::call::record::{Argument, Call};
use crate::value::{Read, Unreadable};

/// How the text of arguments is told while it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// One JSON text.
    Json,
    /// Raw text for each parameter.
    Text,
    /// The arguments of a Python call.
    Python,
    /// An object of literals with quote tokens.
    Literals,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments<'a> {
    /// In one JSON text, which carries the arguments only.
    Json(&'a str),
    /// In a JSON text that holds the tool's name as well, under one of these keys each.
    Envelope {
        /// The text.
        text: &'a str,
        /// Keys that hold the name.
        names: &'a [String],
        /// Keys that hold the arguments.
        arguments: &'a [String],
    },
    /// One by one, as text. With `strict`, what is neither text by its schema nor JSON is text;
    /// a text of `null` is none where the schema allows text and null.
    Each {
        /// The arguments.
        arguments: &'a [Argument],
        /// Whether neither Python's words nor broken JSON count.
        strict: bool,
        /// Texts that mean null where the schema allows it.
        null: &'a [String],
    },
    /// In a text that is not written as the grammar says.
    Carried(&'a str),
    /// Read to values.
    Read(Read<'a>),
    /// Not readable.
    Unreadable,
}

impl<'a> Arguments<'a> {
    /// Arguments that stand one by one; where there is something else instead, that.
    pub(crate) fn each(call: &'a Call, strict: bool, null: &'a [String]) -> Self {
        match call.body() {
            body if call.arguments().is_empty() && !body.trim().is_empty() => Self::Carried(body),
            _ => Self::Each { arguments: call.arguments(), strict, null },
        }
    }
}

impl<'a> From<Result<Read<'a>, Unreadable>> for Arguments<'a> {
    fn from(read: Result<Read<'a>, Unreadable>) -> Self {
        read.map_or(Self::Unreadable, Self::Read)
    }
}
