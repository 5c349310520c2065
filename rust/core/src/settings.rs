//! How a scanner treats its stream.

/// Bounds on what one stream may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest call, in bytes of its raw text.
    pub max_call_bytes: usize,
    /// The most calls of one stream.
    pub max_calls: usize,
    /// The deepest nesting of brackets in a call's arguments.
    pub max_depth: usize,
}

/// Where a stream begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// In text.
    #[default]
    Text,
    /// In a thinking block that the prompt has opened.
    Thinking,
}

/// What to do with layout whitespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Whitespace {
    /// It is text.
    #[default]
    Keep,
    /// It is dropped.
    Trim,
}

/// How a scanner treats its stream.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the stream begins.
    pub start: Start,
    /// What whitespace beside calls and thinking is.
    pub whitespace: Whitespace,
    /// Whether calls and sections inside a Markdown code fence are text.
    pub fenced_text: bool,
    /// Whether a call that the end of the input cut behind a complete argument counts.
    pub recover: bool,
    /// Bounds.
    pub limits: Limits,
}
