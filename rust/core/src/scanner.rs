//! A scanner: a grammar, settings, and one stream being read with them.

use std::sync::Arc;

use crate::compiled::Compiled;
use crate::sink::Sink;
use crate::stream::Stream;

pub use crate::layout::Whitespace;

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

/// One stream being scanned.
#[derive(Debug)]
pub struct Scanner {
    grammar: Arc<Compiled>,
    settings: Settings,
    stream: Stream,
}

impl Scanner {
    /// A scanner at the beginning of a stream.
    #[must_use]
    pub fn new(grammar: Arc<Compiled>, settings: Settings) -> Self {
        let stream = Stream::new(&grammar, &settings);
        Self { grammar, settings, stream }
    }

    /// Another scanner like this one, at the beginning of its own stream.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::new(self.grammar.clone(), self.settings.clone())
    }

    /// Forgets the stream: the scanner is as new.
    pub fn reset(&mut self) {
        self.stream = Stream::new(&self.grammar, &self.settings);
    }

    /// Reads the next chunk.
    pub fn feed(&mut self, chunk: &str, sink: &mut impl Sink) {
        self.stream.feed(&self.grammar, chunk, sink);
    }

    /// The stream ends: what is held back is decided, what is open is closed.
    pub fn flush(&mut self, sink: &mut impl Sink) {
        self.stream.flush(&self.grammar, sink);
    }
}
