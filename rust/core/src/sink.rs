//! Where a scanner's events go.

use crate::call::Call;

/// Why a call will not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The input ended inside the call.
    Truncated,
    /// The call was closed, but has no readable name or arguments.
    Malformed,
    /// A limit was reached.
    Limit,
}

/// What a header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heading {
    /// A call of this tool; the id is the wire's own, where it has one.
    Call {
        /// The tool's name.
        name: String,
        /// The call's id.
        id: Option<String>,
    },
    /// Not a call but a message to read as text.
    Text,
    /// Not a call but thinking.
    Thinking,
    /// Something that is not for the reader.
    Skip,
    /// A call without a readable name.
    Unreadable,
}

/// What the body of a call with elements holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementBody {
    /// Child elements.
    Elements,
    /// Text that is the value of this parameter.
    Verbatim(String),
}

/// Takes the events of one stream, in order, and answers what only the caller can know.
///
/// Text, thinking and argument text may come in several pieces where one event is due; a sink
/// that promises joined events joins them.
pub trait Sink {
    /// Visible text.
    fn text(&mut self, text: &str);
    /// A thinking block begins.
    fn thinking_start(&mut self);
    /// Part of a thinking block.
    fn thinking_delta(&mut self, delta: &str);
    /// The thinking block ends; `block` is all of it.
    fn thinking_end(&mut self, block: &str);
    /// The name of a call is known.
    fn tool_start(&mut self, call: &Call);
    /// The argument `key` of the started call begins; `None` where one text carries all arguments.
    fn argument_start(&mut self, key: Option<&str>);
    /// Raw text of the argument that began last.
    fn argument_delta(&mut self, delta: &str);
    /// A call was closed.
    fn tool_end(&mut self, call: Call);
    /// A call will not be closed.
    fn tool_abort(&mut self, call: Call, reason: Reason);
    /// The model began to write a tool result itself; nothing else will come.
    fn stopped(&mut self, marker: &str);

    /// What the header of a call of the form with this index says.
    fn heading(&mut self, _form: usize, header: &str) -> Heading {
        match header.trim() {
            "" => Heading::Unreadable,
            name => Heading::Call { name: name.to_owned(), id: None },
        }
    }

    /// What the body of this call holds, which begins with `first` behind its blanks.
    fn element_body(&mut self, _call: &Call, first: &str) -> ElementBody {
        match first.as_bytes() {
            [b'<', letter, ..] if letter.is_ascii_alphabetic() => ElementBody::Elements,
            _ => ElementBody::Verbatim("input".to_owned()),
        }
    }

    /// Whether the element of this parameter holds plain text.
    fn holds_text(&mut self, _call: &Call, _key: &str) -> bool {
        false
    }
}
