//! Names: those that tags carry, the tool's or a parameter's, and tools' names in the wire's dress.

use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::Action;
use crate::markers::matcher::Marker;
use crate::markers::tag::TagPattern;
use crate::oracle::Oracle;
use crate::text::slice::slice;

/// Where a tag carries a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameIn {
    /// In this attribute.
    Attribute(String),
    /// It is the tag's own name, perhaps in quotes; of a tag with a fixed name, its attribute `name`.
    Tag,
}

impl NameIn {
    pub(crate) fn read<O: Object>(place: &Placed<O>) -> Result<Self, GrammarError> {
        let attribute = place.optional_text("attribute")?;
        Ok(attribute.map_or(Self::Tag, Self::Attribute))
    }

    /// The name that a tag carries, as written but trimmed.
    pub(crate) fn of<'a>(
        &self,
        input: &'a str,
        marker: &Marker<Action>,
        pattern: Option<&TagPattern>,
    ) -> Option<&'a str> {
        let (tag, pattern) = (marker.tag.as_ref()?, pattern?);
        let name = match self {
            Self::Tag if !pattern.has_fixed_name() => {
                return Some(unquoted(slice(input, tag.name.0, tag.name.1).trim()));
            }
            Self::Tag => "name",
            Self::Attribute(name) => name,
        };
        let text = slice(input, tag.attributes.0, tag.attributes.1);
        let attributes = pattern.attributes(text);
        let named = |(key, value): &(_, Option<&'a str>)| (key == name).then_some(*value)?;
        attributes.iter().rev().find_map(named).map(str::trim)
    }
}

/// A name without the quotes around it.
fn unquoted(name: &str) -> &str {
    let inside = |quote| name.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\''].into_iter().find_map(inside).unwrap_or(name)
}

/// What models put before a name that they know from other formats.
const PREFIXES: [&str; 9] = [
    "to=",
    "functions.",
    "functions_",
    "functions",
    "function.",
    "tools.",
    "tool.",
    "default_api.",
    "call:",
];

/// What they put behind one, beside a counter.
const SUFFIXES: [&str; 2] = ["json", "()"];

/// The longest name that is looked into, in bytes.
const LONGEST: usize = 256;

/// The listed tool that is meant by a name which no tool has: the name without the dress of a wire.
/// `None` where nothing is listed, or no tool is found so.
#[must_use]
pub fn undressed<'a>(name: &'a str, oracle: &dyn Oracle) -> Option<&'a str> {
    if !oracle.has_tools() || name.len() > LONGEST {
        return None;
    }
    let marks = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ':' | '=');
    let mut bare = Some(name.trim_matches(marks));
    while let Some(text) = bare {
        let ends = SUFFIXES.iter().filter_map(|suffix| text.strip_suffix(suffix));
        let mut found = [text, without_counter(text)].into_iter().chain(ends);
        if let Some(tool) = found.find(|name| oracle.is_tool(name)) {
            return Some(tool);
        }
        bare = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix));
    }
    None
}

/// The name without a number at its end and what sets that apart.
fn without_counter(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if bare.len() == name.len() { name } else { bare.trim_end_matches([':', '_', '.', '#', '!']) }
}

#[cfg(test)]
mod tests {
    use super::undressed;
    use crate::oracle::Oracle;

    struct Tools;

    impl Oracle for Tools {
        fn has_tools(&self) -> bool {
            true
        }

        fn is_tool(&self, name: &str) -> bool {
            matches!(name, "exec" | "shell" | "v2")
        }
    }

    #[test]
    fn dress_is_taken_off_until_a_tool_is_found() {
        for (name, tool) in [
            ("functionsexec5", Some("exec")),
            ("functions.exec", Some("exec")),
            ("to=functions.exec:0", Some("exec")),
            ("shelljson", Some("shell")),
            ("\"shell\"", Some("shell")),
            ("shell:", Some("shell")),
            ("exec()", Some("exec")),
            ("functions.v2", Some("v2")),
            ("executor", None),
            ("my_exec", None),
            ("", None),
        ] {
            assert_eq!(undressed(name, &Tools), tool, "{name}");
        }
    }
}
