//! What a header says: which call follows, or what else.

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
