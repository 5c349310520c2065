//! What a tool's schema says of its arguments, as far as it decides how their text is read.
//!
//! Whoever knows JSON Schema writes it down as an arena of nodes that name each other by index, so
//! that a schema which refers to itself is finite here. Node 0 is that of all arguments.

/// The JSON types that a schema names; those that nobody asks for are `OTHER`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    /// Text.
    pub const STRING: Self = Self(1);
    /// An object.
    pub const OBJECT: Self = Self(2);
    /// A list.
    pub const ARRAY: Self = Self(4);
    /// Nothing.
    pub const NULL: Self = Self(8);
    /// A whole number.
    pub const INTEGER: Self = Self(16);
    /// Any number.
    pub const NUMBER: Self = Self(32);
    /// Another type.
    pub const OTHER: Self = Self(64);

    /// The types of these names.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let types = names.into_iter().map(|name| match name {
            "string" => Self::STRING,
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            "null" => Self::NULL,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            _ => Self::OTHER,
        });
        types.fold(Self::default(), |all, one| Self(all.0 | one.0))
    }

    /// Whether this type is named.
    #[must_use]
    pub fn has(self, one: Self) -> bool {
        self.0 & one.0 != 0
    }

    /// Whether this type alone is named, apart from null.
    #[must_use]
    pub fn is_only(self, one: Self) -> bool {
        self.0 & !Self::NULL.0 == one.0
    }

    /// Whether no type is named, apart from null.
    #[must_use]
    pub fn is_open(self) -> bool {
        self.is_only(Self(0))
    }
}

/// One node of a schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    types: Types,
    items: Option<usize>,
    properties: Vec<(Box<str>, Option<usize>)>,
    /// The indices of `properties`, by name.
    sorted: Vec<usize>,
}

impl Shape {
    /// A node: its types, the node of its items, and its properties in their order. A node that
    /// says nothing is `None`.
    #[must_use]
    pub fn new(
        types: Types,
        items: Option<usize>,
        properties: Vec<(Box<str>, Option<usize>)>,
    ) -> Self {
        let mut sorted: Vec<usize> = (0..properties.len()).collect();
        let name = |index: &usize| properties.get(*index).map(|(name, _)| name);
        sorted.sort_by(|left, right| name(left).cmp(&name(right)));
        Self { types, items, properties, sorted }
    }

    /// The types that it names.
    #[must_use]
    pub fn types(&self) -> Types {
        self.types
    }

    /// Whether its text is its value.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.types.is_only(Types::STRING)
    }

    /// Whether it may be text.
    #[must_use]
    pub fn may_be_text(&self) -> bool {
        self.types.has(Types::STRING)
    }

    /// Whether it is text or null.
    #[must_use]
    pub fn is_nullable_text(&self) -> bool {
        self.is_text() && self.types.has(Types::NULL)
    }

    /// Whether it may be an object.
    #[must_use]
    pub fn may_be_object(&self) -> bool {
        self.types.has(Types::OBJECT)
    }

    /// Whether it may be a list.
    #[must_use]
    pub fn may_be_list(&self) -> bool {
        self.types.has(Types::ARRAY)
    }

    /// Whether a number in its place is a whole one.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.types.has(Types::INTEGER) && !self.types.has(Types::NUMBER)
    }

    /// Whether it is a list and nothing else.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.types.is_only(Types::ARRAY)
    }

    /// Whether it declares properties.
    #[must_use]
    pub fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    /// Whether it declares this property.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The index of a property.
    fn place(&self, name: &str) -> Option<usize> {
        let key = |index: &usize| self.properties.get(*index).map(|(key, _)| key.as_ref());
        let found = self.sorted.binary_search_by(|index| key(index).cmp(&Some(name))).ok()?;
        self.sorted.get(found).copied()
    }
}

/// What nothing is said of.
static UNDECLARED: Shape =
    Shape { types: Types(0), items: None, properties: Vec::new(), sorted: Vec::new() };

/// A tool's arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolShape {
    nodes: Vec<Shape>,
}

/// A node of a `ToolShape`; `None` where the schema says nothing.
pub type NodeId = Option<usize>;

impl ToolShape {
    /// The node of all arguments.
    pub const ROOT: NodeId = Some(0);

    /// The shape with these nodes; without any, of a tool of which nothing is known.
    #[must_use]
    pub fn new(nodes: Vec<Shape>) -> Self {
        Self { nodes }
    }

    /// Whether the tool has a parameter of this name.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        self.node(Self::ROOT).declares(name)
    }

    /// Whether any of its nodes is an integer.
    #[must_use]
    pub fn has_integers(&self) -> bool {
        self.nodes.iter().any(Shape::is_integer)
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Shape {
        id.and_then(|id| self.nodes.get(id)).unwrap_or(&UNDECLARED)
    }

    /// The node of one property.
    #[must_use]
    pub fn property(&self, id: NodeId, name: &str) -> NodeId {
        let node = self.node(id);
        node.place(name).and_then(|place| node.properties.get(place)).and_then(|(_, node)| *node)
    }

    /// The node of a list's items.
    #[must_use]
    pub fn items(&self, id: NodeId) -> NodeId {
        self.node(id).items
    }

    /// The parameters whose text is their value, in their order, if the first parameter is one.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let properties = &self.node(Self::ROOT).properties;
        let is_text = |node: NodeId| self.node(node).is_text();
        let begins = properties.first().is_some_and(|(_, node)| is_text(*node));
        let texts = properties.iter().filter(move |(_, node)| begins && is_text(*node));
        texts.map(|(name, _)| name.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_whole_where_no_other_is_allowed() {
        for (types, is_integer) in [
            (vec!["integer"], true),
            (vec!["integer", "null", "string"], true),
            (vec!["integer", "number"], false),
            (vec!["number"], false),
            (vec![], false),
        ] {
            let shape = ToolShape::new(vec![Shape::new(Types::named(types), None, Vec::new())]);
            assert_eq!(shape.has_integers(), is_integer);
        }
    }

    #[test]
    fn nodes_are_found_by_name_and_index() {
        let text = Shape::new(Types::named(["string", "null"]), None, Vec::new());
        let root = Shape::new(
            Types::OBJECT,
            None,
            vec![("z".into(), Some(1)), ("a".into(), Some(0)), ("b".into(), None)],
        );
        let shape = ToolShape::new(vec![root, text]);
        assert_eq!(shape.property(ToolShape::ROOT, "z"), Some(1));
        assert_eq!(shape.property(ToolShape::ROOT, "a"), Some(0));
        assert!(shape.node(ToolShape::ROOT).declares("b"));
        assert!(!shape.node(ToolShape::ROOT).declares("c"));
        assert!(shape.node(Some(1)).is_text());
        assert!(shape.node(Some(7)).types().is_open());
        assert_eq!(shape.texts().collect::<Vec<_>>(), ["z"]);
        assert_eq!(ToolShape::default().texts().count(), 0);
    }
}
