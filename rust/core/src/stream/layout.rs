//! Layout whitespace: what stands beside calls and thinking need not be text.
//!
//! With `Keep` text passes as it is. With `Trim` whitespace before a boundary (a call, a section,
//! thinking) and after one is layout and dropped; elsewhere it is text. A run of whitespace waits
//! until it is known what follows it, up to a limit.

use crate::settings::Whitespace;
use crate::sink::Sink;

/// The longest run of whitespace that waits, in bytes.
const RUN_LIMIT: usize = 256;

const LAYOUT: [char; 4] = [' ', '\t', '\n', '\r'];

/// The whitespace of one stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    policy: Whitespace,
    waiting: String,
    /// The length of the run of whitespace that the text ends in, in bytes.
    run: usize,
    /// Right after a boundary.
    after_boundary: bool,
}

impl Layout {
    pub fn new(policy: Whitespace) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Passes text on.
    #[inline]
    pub fn text(&mut self, text: &str, sink: &mut impl Sink) {
        if text.is_empty() {
            return;
        }
        match self.policy {
            Whitespace::Keep => sink.text(text),
            Whitespace::Trim => self.trimmed(text, sink),
        }
    }

    fn trimmed(&mut self, mut text: &str, sink: &mut impl Sink) {
        if self.after_boundary {
            text = text.trim_start_matches(LAYOUT);
            if text.is_empty() {
                return;
            }
            self.after_boundary = false;
        }
        let solid = text.trim_end_matches(LAYOUT);
        if !solid.is_empty() {
            self.release(sink);
            sink.text(solid);
            self.run = 0;
        }
        self.run += text.len() - solid.len();
        self.waiting.push_str(text.get(solid.len()..).unwrap_or_default());
        // A longer run is text as a whole, wherever the input was cut.
        if self.run > RUN_LIMIT {
            self.release(sink);
        }
    }

    fn release(&mut self, sink: &mut impl Sink) {
        if !self.waiting.is_empty() {
            sink.text(&self.waiting);
            self.waiting.clear();
        }
    }

    /// Whitespace that waits is none of this stream's.
    pub fn forget(&mut self) {
        self.waiting.clear();
        self.run = 0;
    }

    /// A call, a section or thinking begins or ends here.
    pub fn boundary(&mut self) {
        self.waiting.clear();
        self.run = 0;
        self.after_boundary = true;
    }

    /// The stream ends: waiting whitespace is text after all.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.release(sink);
    }
}
