//! The wire syntax of a dialect as data: which shapes, with which markers and policies.
//!
//! Nothing here runs; `compiled` turns a [`Grammar`] into the matchers that scanners use.

use crate::matcher::Pattern;

pub use crate::compiled::{Compiled, GrammarError, Recognise};

/// All spellings of one marker.
pub type Spellings = Vec<Pattern>;

/// Where a tag carries a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameIn {
    /// In this attribute.
    Attribute(String),
    /// It is the tag's own name.
    Tag,
}

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

/// Text between a call's opener and its body, which names the tool. What it says is read by the
/// caller: see `Sink::heading`.
#[derive(Debug, Clone)]
pub struct Header {
    /// What ends the header.
    pub ends: Spellings,
    /// What ends the header and belongs to what follows.
    pub stops: Spellings,
    /// Markers that are part of the header.
    pub through: Spellings,
    /// A character with which the body begins, even where no marker ended the header.
    pub body_start: Option<char>,
    /// Whether a call that ends inside its header is complete, without arguments.
    pub bare: bool,
    /// A header that is just this word is followed by another one, which names the tool.
    pub then: Option<(String, Box<Header>)>,
}

/// How the arguments of a call are written.
#[derive(Debug, Clone)]
pub enum Body {
    /// A JSON object with the tool's name under one of `names` and the arguments under one of
    /// `arguments`, in any order.
    Envelope {
        /// Keys that hold the name.
        names: Vec<String>,
        /// Keys that hold the arguments.
        arguments: Vec<String>,
    },
    /// One JSON value.
    Json,
    /// One tagged value for each argument.
    Values {
        /// What opens a value.
        open: Spellings,
        /// What closes a value.
        close: Spellings,
        /// Where the parameter's name stands in the value's opener.
        key: NameIn,
        /// The attribute that says of what type the value is.
        hint: Option<String>,
        /// What is meant where that attribute is missing.
        hint_default: Option<String>,
        /// Whether one newline behind the opener is layout.
        newline: bool,
    },
    /// Keys and values, each between its own markers.
    Pairs {
        /// What opens a key.
        key_open: Spellings,
        /// What closes it.
        key_close: Spellings,
        /// What opens a value.
        value_open: Spellings,
        /// What closes it.
        value_close: Spellings,
    },
    /// An object of literals whose strings stand between quote tokens.
    Quoted {
        /// The quote token.
        quote: String,
    },
    /// The arguments of a Python call.
    Code,
    /// Attributes of the call's own tag, then child elements or verbatim text.
    Elements,
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
}

/// What a section holds beside calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Content {
    /// Anything; it means nothing.
    #[default]
    Noise,
    /// Blanks before the first call: an opener that anything else follows was text.
    Blanks,
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
    /// Markers that are dropped wherever they stand in text.
    pub stray: Spellings,
    /// Markers that are dropped together with the blanks behind them.
    pub control: Spellings,
    /// Pairs of markers that are dropped together with what they enclose.
    pub dropped: Vec<(Spellings, Spellings)>,
}
