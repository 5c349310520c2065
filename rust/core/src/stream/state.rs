//! The states of a stream, and the table of the transitions between them.
//!
//! A stream is outside (in text or in a section), inside thinking, inside a message of another
//! kind, or inside a call. Whatever changes the state does so by `Stream::enter`, which holds it
//! against `TRANSITIONS`. Each row belongs to one file of this folder: `scan` reads what stands
//! outside, `section` what stands in sections, `code` in sections of code, `thinking` thinking and
//! messages, `call` calls. The diagram in ARCHITECTURE.md is made of the table (`make diagram`).

use std::fmt::Write;

use crate::call::outlook::{Expects, Outlook};
use crate::call::reader::Step;
use crate::stream::fence::Fence;
use crate::text::code::Lexer;

/// Where a stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Before the first byte of a stream whose prompt opened thinking.
    Prompted,
    /// In text, or in a section between calls.
    Outside,
    /// In a section of code, between calls.
    Code(InCode),
    /// In what is dropped, up to the closer of the noise with this index.
    Noise(usize),
    /// Inside a thinking block.
    Thinking(Until),
    /// Inside a message that is no call, of the form with this index.
    Message(Kind, usize),
    /// Behind the opener of a call that may turn out to be text.
    Opened(Expects, Outlook),
    /// Inside a call.
    Call,
    /// After a fabricated result: nothing counts any more.
    Stopped,
}

/// What stands open where a stream begins behind a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// Nothing that will not be told when it begins.
    Nothing,
    /// Thinking, whose beginning will not be told.
    Thinking,
    /// A call, whose beginning may have been told.
    Call,
}

/// How the open thinking block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// At the closer of this pair.
    Pair(usize),
    /// At any closer: the prompt opened the block.
    Prompted,
    /// At a closing fence.
    Fence(Fence),
}

/// What a message is that is no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Thinking,
    Skipped,
}

/// Code between calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct InCode {
    pub lexer: Lexer,
    /// Whether the last name was `def` or `class`: the next one is no call.
    pub definition: bool,
}

/// What code goes on with.
pub(crate) enum Next {
    /// More of it, from here.
    Code(usize),
    /// Nothing before more input comes.
    Wait,
    /// A marker, or a call: the state has changed.
    Left(Step),
}

/// A state without what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Prompted,
    Outside,
    Code,
    Noise,
    Thinking,
    Message,
    Opened,
    Call,
    Stopped,
}

impl State {
    pub fn place(self) -> Place {
        match self {
            Self::Prompted => Place::Prompted,
            Self::Outside => Place::Outside,
            Self::Code(_) => Place::Code,
            Self::Noise(_) => Place::Noise,
            Self::Thinking(_) => Place::Thinking,
            Self::Message(..) => Place::Message,
            Self::Opened(..) => Place::Opened,
            Self::Call => Place::Call,
            Self::Stopped => Place::Stopped,
        }
    }
}

/// From where to where a stream can go, and when. A state may always go on as it is.
pub(crate) const TRANSITIONS: &[(Place, Place, &str)] = &[
    (Place::Prompted, Place::Thinking, "the first byte, or an opener of thinking"),
    (Place::Prompted, Place::Outside, "thinking that is empty"),
    (Place::Outside, Place::Code, "a section of code; what is no marker, in one"),
    (Place::Outside, Place::Noise, "an opener of noise"),
    (Place::Outside, Place::Thinking, "an opener of thinking"),
    (Place::Outside, Place::Opened, "an opener of a call"),
    (Place::Outside, Place::Call, "an opener that names the tool"),
    (Place::Outside, Place::Stopped, "the opener of a result"),
    (Place::Opened, Place::Call, "what begins a call"),
    (Place::Opened, Place::Outside, "what shows that the opener was text; the end"),
    (Place::Opened, Place::Message, "a header that is no call's"),
    (Place::Code, Place::Call, "a tool is called"),
    (Place::Code, Place::Outside, "a marker, or what shows that it was no section"),
    (Place::Noise, Place::Outside, "its closer"),
    (Place::Thinking, Place::Outside, "its closer, a call's opener, the end"),
    (Place::Thinking, Place::Code, "the same, in a section of code"),
    (Place::Message, Place::Outside, "its closer, or another opener"),
    (Place::Message, Place::Code, "the same, in a section of code"),
    (Place::Call, Place::Outside, "its closer, or what cannot be part of it"),
    (Place::Call, Place::Code, "the same, in a section of code"),
    (Place::Call, Place::Message, "a header that is no call's"),
];

/// Whether the table has this transition.
pub(crate) fn is_allowed(from: Place, to: Place) -> bool {
    from == to || TRANSITIONS.iter().any(|(a, b, _)| (*a, *b) == (from, to))
}

/// The table as a diagram, in Mermaid's language.
#[must_use]
pub fn diagram() -> String {
    let mut text = String::from("stateDiagram-v2\n    [*] --> Outside\n    [*] --> Prompted\n");
    for (from, to, when) in TRANSITIONS {
        let _ = writeln!(text, "    {from:?} --> {to:?}: {when}");
    }
    text
}
