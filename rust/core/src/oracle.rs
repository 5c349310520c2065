//! What only the caller can know: its tools, and headers that no rule of the grammar reads.
//!
//! A scan asks seldom, and never for what the grammar says; answers do not change within a stream.

use std::sync::Arc;

use crate::call::heading::Heading;
use crate::tool_shape::ToolShape;

/// Answers a scan's questions.
pub trait Oracle {
    /// Whether the caller has given a list of tools.
    fn has_tools(&self) -> bool {
        false
    }

    /// Whether a tool of this name is in the list.
    fn is_tool(&self, _name: &str) -> bool {
        false
    }

    /// What the schema of a tool says of how its arguments are written; `None` if nothing is known.
    fn shape(&self, _tool: &str) -> Option<Arc<ToolShape>> {
        None
    }

    /// The character that Unicode gives this name.
    fn character(&self, _name: &str) -> Option<char> {
        None
    }

    /// What the header of a call of the form with this index says, where the grammar leaves that to
    /// the caller.
    fn heading(&self, _form: usize, _header: &str) -> Heading {
        Heading::Unreadable
    }
}

/// Knows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Oracle for Nobody {}
