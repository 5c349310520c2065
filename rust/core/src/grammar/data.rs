//! The wire syntax of a dialect as data: which shapes, with which markers and policies.
//!
//! Nothing here runs; `compiled` turns a [`Grammar`] into the matchers that scanners use.

use crate::call::bodies::{Body, Envelope};
use crate::call::header::Header;
use crate::call::name::NameIn;
use crate::markers::action::Spellings;

/// Where the tool's name stands.
#[derive(Debug, Clone)]
pub enum Name {
    /// In the tag that opens the call.
    Opener(NameIn),
    /// In a header behind the call's opener.
    Header(Header),
    /// In the body.
    Body,
}

/// One way to write a call.
#[derive(Debug, Clone)]
pub struct Form {
    /// What opens a call; nothing where a call shows itself, as in code.
    pub open: Spellings,
    /// What closes it; nothing where its own structure does.
    pub close: Spellings,
    /// Where the tool's name stands.
    pub name: Name,
    /// How the arguments are written.
    pub body: Body,
}

/// Markers around several calls.
#[derive(Debug, Clone)]
pub struct Section {
    /// What opens the section.
    pub open: Spellings,
    /// What closes it.
    pub close: Spellings,
    /// The forms of call inside, by index.
    pub forms: Vec<usize>,
    /// What the section holds beside calls.
    pub content: Content,
    /// Markers that mean nothing between its calls.
    pub noise: Spellings,
}

/// What a section holds beside calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Content {
    /// Blanks before the first call, or what may be a call without its opener: an opener that
    /// prose follows was text. Behind a call, text.
    #[default]
    Text,
    /// Anything; it means nothing.
    Noise,
    /// Python code, whose calls are the calls.
    Code,
}

/// A pair of markers around thinking.
#[derive(Debug, Clone)]
pub struct Thinking {
    /// What opens the block.
    pub open: Spellings,
    /// What closes it.
    pub close: ThinkingClose,
}

/// How a thinking block ends.
#[derive(Debug, Clone)]
pub enum ThinkingClose {
    /// At the first of these markers.
    Marker(Spellings),
    /// At a line that begins with three or more backticks and is bare or goes on as prose; one
    /// word after the backticks opens a nested fence.
    Fence,
}

/// What a call's opener inside thinking means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallInThinking {
    /// It is thinking.
    #[default]
    Quoted,
    /// It ends thinking that the prompt opened; inside the model's own markers it is thinking.
    EndsPrompted,
    /// It ends thinking.
    Ends,
}

/// The syntax of a dialect.
#[derive(Debug, Clone, Default)]
pub struct Grammar {
    /// All forms of call.
    pub forms: Vec<Form>,
    /// The forms that need no section, by index.
    pub bare: Vec<usize>,
    /// Sections around calls.
    pub sections: Vec<Section>,
    /// Thinking pairs; the first is the one that a prompt may have opened.
    pub thinking: Vec<Thinking>,
    /// What a call's opener inside thinking means.
    pub call_in_thinking: CallInThinking,
    /// Markers that only the server may write: they open a tool result.
    pub results: Spellings,
    /// What is dropped from text.
    pub noise: Vec<Noise>,
    /// What JSON is that stands in a section without a call's opener.
    pub json: Option<Envelope>,
}

/// What is dropped from text: a marker, and perhaps more.
#[derive(Debug, Clone, Default)]
pub struct Noise {
    /// The marker.
    pub open: Spellings,
    /// Up to and with this marker everything is dropped, if there is one.
    pub close: Spellings,
}
