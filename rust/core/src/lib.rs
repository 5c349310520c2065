//! The scanning core of toolspeak: model output in, one token at a time; events out.
//!
//! The core knows *shapes* (sections, tagged calls, JSON bodies, thinking pairs), not dialects: a
//! [`Grammar`] is data that says which shapes with which markers make up a dialect. A compiled
//! grammar is shared by all scanners of a dialect; a [`Scanner`] is one stream's state. Events go
//! to a [`Sink`], questions that only the caller can answer to an [`Oracle`].
//!
//! The layers, from bottom to top; each uses those before it only:
//! `text` (bytes, characters, the structure of JSON) and `value`; `fields` (grammars as their owner
//! keeps them); `markers` (finding them); `settings`; `call` (a call's record, its header and the
//! shapes of its body); `grammar`; `stream` (the states of one stream); `scanner`.
//!
//! No I/O, no unsafe code, no panics on any input.

#![forbid(unsafe_code)]

pub mod call;
pub mod fields;
pub mod grammar;
pub mod markers;
pub mod oracle;
pub mod scanner;
pub mod settings;
pub mod sink;
pub mod text;
pub mod tool_shape;
pub mod value;

mod stream;

pub use stream::state::diagram as state_diagram;

pub use call::arguments::{Arguments, Encoding};
pub use call::heading::Heading;
pub use call::record::{Argument, Call, Hint};
pub use fields::GrammarError;
pub use grammar::compiled::{Compiled, Recognise};
pub use grammar::data::Grammar;
pub use grammar::guard::Guard;
pub use oracle::Oracle;
pub use scanner::Scanner;
pub use settings::{Limits, Settings, Start, Whitespace};
pub use sink::{Reason, Sink};
pub use stream::state::Begun;
