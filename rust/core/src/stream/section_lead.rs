//! What stands in a section beside its calls.
//!
//! Before the first call everything is kept, since the section's opener may turn out to have been
//! text, or a call to stand there without its own opener. Behind a call blanks are layout, and
//! anything else is text.

use crate::call::outlook::{Expects, Outlook, Verdict};
use crate::text::slice::{floor_boundary, slice};

/// What stands in the open section beside its calls.
#[derive(Debug, Clone, Default)]
pub(crate) enum Beside {
    /// No section is open, or what stands in it means nothing.
    #[default]
    Nothing,
    /// No call has come yet.
    Lead(Lead),
    /// Behind a call, where only these blanks have come.
    Blanks(String),
    /// Behind a call, in text.
    Text,
}

impl Beside {
    /// What would be told if it were text.
    pub fn untold(&self) -> &str {
        match self {
            Self::Lead(lead) => lead.text(),
            Self::Blanks(blanks) => blanks,
            Self::Nothing | Self::Text => "",
        }
    }
}

/// A section before its first call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lead {
    text: String,
    /// How long the opener is.
    opener: usize,
    /// Where it begins in the stream, in bytes.
    pub start: usize,
    /// Whether it can still be a section, where its content tells.
    outlook: Option<(Expects, Outlook)>,
    /// The closer, as far as it has come where the input ended in it.
    cut_closer: String,
}

impl Lead {
    /// A section opens; with `expects`, what follows shows whether it can be one.
    pub fn new(opener: &str, start: usize, expects: Option<Expects>) -> Self {
        let outlook = expects.map(|expects| (expects, Outlook::default()));
        Self { text: opener.to_owned(), opener: opener.len(), start, outlook, ..Self::default() }
    }

    /// What stands in the section at `start` of the stream. Answers how many bytes of it were taken:
    /// all, unless they show that it was none, or it gets longer than `limit`.
    pub fn push(&mut self, text: &str, start: usize, limit: usize) -> usize {
        if self.text.is_empty() {
            self.start = start;
        }
        let verdict = match &mut self.outlook {
            Some((expects, outlook)) => outlook.read(*expects, text),
            None => Verdict::Open,
        };
        let possible = match verdict {
            Verdict::Text(at) => slice(text, 0, at),
            Verdict::Open => text,
        };
        let taken = floor_boundary(possible, limit.saturating_sub(self.text.len()));
        self.text.push_str(slice(text, 0, taken));
        taken
    }

    /// The opener with all that was kept.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The opener.
    pub fn opener(&self) -> &str {
        slice(&self.text, 0, self.opener)
    }

    /// What stands behind the opener.
    pub fn content(&self) -> &str {
        slice(&self.text, self.opener, self.text.len())
    }

    /// The input ended in the closer, of which this much has come.
    pub fn cut(&mut self, closer: &str) {
        closer.clone_into(&mut self.cut_closer);
    }

    /// What has come of the closer.
    pub fn cut_closer(&self) -> &str {
        &self.cut_closer
    }

    /// Whether the content is more than blanks.
    pub fn said_something(&self) -> bool {
        !self.content().trim().is_empty()
    }
}
