//! Names that tags carry: the tool's, or a parameter's.

use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::Action;
use crate::markers::matcher::Marker;
use crate::markers::tag::TagPattern;
use crate::text::slice::slice;

/// Where a tag carries a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameIn {
    /// In this attribute.
    Attribute(String),
    /// It is the tag's own name.
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
        match self {
            Self::Tag => Some(slice(input, tag.name.0, tag.name.1).trim()),
            Self::Attribute(name) => {
                let text = slice(input, tag.attributes.0, tag.attributes.1);
                let attributes = pattern.attributes(text);
                let named =
                    |(key, value): &(_, Option<&'a str>)| (key == name).then_some(*value)?;
                attributes.iter().rev().find_map(named).map(str::trim)
            }
        }
    }
}
