//! A section before its first call: kept, since its opener may turn out to have been text.

use crate::text::slice::floor_boundary;

/// The text of the open section, as long as no call has come.
#[derive(Debug, Clone)]
pub(crate) struct SectionLead {
    text: Option<String>,
    /// How long the opener is.
    opener: usize,
    /// What goes on for longer was text.
    limit: usize,
}

impl SectionLead {
    pub fn new(limit: usize) -> Self {
        Self { text: None, opener: 0, limit }
    }

    /// A section opens.
    pub fn begin(&mut self, opener: &str) {
        self.text = Some(opener.to_owned());
        self.opener = opener.len();
    }

    /// What stands in the section. Answers how many bytes of it were taken; all, unless it goes
    /// over the limit.
    pub fn push(&mut self, text: &str) -> usize {
        let Some(kept) = &mut self.text else {
            return text.len();
        };
        let taken = floor_boundary(text, self.limit.saturating_sub(kept.len()));
        kept.push_str(text.get(..taken).unwrap_or_default());
        taken
    }

    /// A call has come: it was a section.
    pub fn settle(&mut self) {
        self.text = None;
    }

    pub fn is_kept(&self) -> bool {
        self.text.is_some()
    }

    pub fn take(&mut self) -> String {
        self.text.take().unwrap_or_default()
    }

    /// Whether more than blanks stood behind the opener in what was taken.
    pub fn said_something(&self, taken: &str) -> bool {
        taken.get(self.opener..).is_some_and(|text| !text.trim().is_empty())
    }
}
