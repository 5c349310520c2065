//! The scanning core of toolspeak: model output in, one token at a time; events out.
//!
//! The core knows *shapes* (sections, tagged calls, JSON bodies, thinking pairs), not dialects: a
//! [`Grammar`] is data that says which shapes with which markers make up a dialect. A compiled
//! grammar is shared by all scanners of a dialect; a [`Scanner`] is one stream's state. Events go
//! to a [`Sink`]; the values of arguments are left as text, for the caller to give them meaning.
//!
//! No I/O, no unsafe code, no panics on any input.

#![forbid(unsafe_code)]

pub mod call;
pub mod grammar;
pub mod json;
pub mod matcher;
pub mod scanner;
pub mod sink;
pub mod tag;
pub mod utf8;
pub mod value;

mod arguments;
mod beginnings;
mod body;
mod compiled;
mod elements;
mod envelope;
mod fence;
mod header;
mod json_body;
mod layout;
mod lead;
mod markdown;
mod open_call;
mod pairs;
mod python;
mod quoted;
mod search;
mod stream;
mod values;

pub use call::{Argument, Call, Payload};
pub use grammar::{Compiled, Grammar, GrammarError, Recognise};
pub use scanner::{Limits, Scanner, Settings, Start, Whitespace};
pub use sink::{ElementBody, Heading, Reason, Sink};
