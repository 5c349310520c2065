//! Where a scanner's events go.

use crate::call::record::Call;

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

/// Takes the events of one stream, in order.
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
}
