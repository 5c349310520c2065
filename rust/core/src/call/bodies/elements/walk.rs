//! Which elements of a body are open, from left to right: the one structure that tells both what is
//! streamed and what is read.
//!
//! An element holds one of three things. A text goes up to the first closer of the element. Elements
//! are those that its schema declares, or any where it declares none; something else between them
//! is passed over, or shows, where nothing is declared, that it is no elements. Anything else is
//! *mixed*: up to its closer, with elements of the same name inside.

use crate::call::bodies::elements::tag::{
    ElementTag, Seen, closer, ends_name, is_blank, opening_tag, tag_name, window,
};
use crate::tool_shape::{NodeId, Shape, ToolShape, Types};

/// What an open element holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Elements or something mixed: nothing but blanks has come.
    Unknown,
    Elements,
    /// So many elements of the same name are open inside.
    Mixed(usize),
    Text,
}

/// An open element.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Open<Name> {
    name: Name,
    shape: NodeId,
    holds: Holds,
}

/// What stands at a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stands<'a> {
    /// More text decides.
    Unfinished,
    /// Nothing that counts; the length of what was looked at.
    Nothing(usize),
    /// An element begins. It is open now, unless its tag closes itself.
    Opener(ElementTag<'a>, NodeId),
    /// The innermost element ends with a closer of this length; it held elements, or not.
    Closer(usize, Holds),
    /// An element begins that is one too many in the others.
    TooDeep,
}

/// The open elements, outermost first. Their names are kept as a stream must (`String`) or borrowed
/// from a whole body (`&str`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Walk<Name> {
    open: Vec<Open<Name>>,
    /// Whether something was passed over.
    pub passed_over: bool,
}

/// Whether a body or an element that begins so holds elements: it begins with the tag of one that
/// is declared, or of any if none is.
fn begins_elements(text: &str, last: bool, shape: &Shape) -> Seen<()> {
    let text = text.trim_start_matches([' ', '\t', '\r', '\n']);
    match tag_name(text, last) {
        Seen::Unfinished => Seen::Unfinished,
        Seen::Yes(name) if shape.has_properties() => {
            if shape.declares(name) {
                Seen::Yes(())
            } else {
                Seen::No
            }
        }
        Seen::Yes(name) if name.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            Seen::Yes(())
        }
        _ => Seen::No,
    }
}

/// Whether the body of a call holds elements; otherwise it is one text. So much of it decides,
/// however much more has come.
pub(crate) fn body_is_elements(body: &str, last: bool, shape: &ToolShape) -> Seen<()> {
    let (beginning, full) = window(body);
    begins_elements(beginning, last || full, shape.node(ToolShape::ROOT))
}

/// The parameter that a body which is one text fills, where the call's tag does not give it: the
/// first text of a tool whose first parameter is one, else `otherwise`.
pub(crate) fn body_parameter<'a>(
    shape: &'a ToolShape,
    is_given: impl Fn(&str) -> bool,
    otherwise: &'a str,
) -> &'a str {
    shape.texts().find(|name| !is_given(name)).unwrap_or(otherwise)
}

impl<Name> Default for Walk<Name> {
    fn default() -> Self {
        Self { open: Vec::new(), passed_over: false }
    }
}

impl<'a, Name: AsRef<str> + From<&'a str>> Walk<Name> {
    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether what is open here must be elements: the call's body, or what declares some.
    fn insists(&self, shape: &ToolShape) -> bool {
        self.open.last().is_none_or(|open| shape.node(open.shape).has_properties())
    }

    /// Reads on over `text`, in which no `<` stands.
    pub fn text(&mut self, text: &str, shape: &ToolShape) {
        let holds = self.open.last().map_or(Holds::Elements, |open| open.holds);
        let counts = match holds {
            Holds::Unknown => text.contains(|next| !matches!(next, ' ' | '\t' | '\r' | '\n')),
            Holds::Elements => text.contains(|next| !is_blank(next)),
            Holds::Mixed(_) | Holds::Text => false,
        };
        if counts {
            self.pass_over(holds, shape);
        }
    }

    /// Something that is no element stands where elements may.
    fn pass_over(&mut self, holds: Holds, shape: &ToolShape) {
        if holds == Holds::Elements && self.insists(shape) {
            self.passed_over = true;
        } else {
            self.hold(Holds::Mixed(0));
        }
    }

    fn hold(&mut self, holds: Holds) {
        if let Some(open) = self.open.last_mut() {
            open.holds = holds;
        }
    }

    /// Reads what stands at the beginning of `text`, which is a `<`. With `last`, no more text will
    /// come; no more than `max_depth` elements may hold elements at one place.
    pub fn read(
        &mut self,
        text: &'a str,
        last: bool,
        shape: &ToolShape,
        max_depth: usize,
    ) -> Stands<'a> {
        let Some(open) = self.open.last() else {
            return self.between(text, last, shape);
        };
        let depth = self.open.len();
        if open.holds == Holds::Unknown {
            let (beginning, full) = window(text);
            match begins_elements(beginning, last || full, shape.node(open.shape)) {
                Seen::Unfinished => return Stands::Unfinished,
                Seen::Yes(()) if depth > max_depth => return Stands::TooDeep,
                Seen::Yes(()) => self.hold(Holds::Elements),
                Seen::No => self.hold(Holds::Mixed(0)),
            }
        }
        let Some(Open { name, holds, .. }) = self.open.last() else {
            return Stands::Nothing(1);
        };
        let (name, holds) = (name.as_ref(), *holds);
        match closer(text, name, last) {
            Seen::Unfinished => return Stands::Unfinished,
            Seen::Yes(()) => {
                let length = "</>".len() + name.len();
                if let Holds::Mixed(inside @ 1..) = holds {
                    self.hold(Holds::Mixed(inside - 1));
                    return Stands::Nothing(length);
                }
                self.open.pop();
                return Stands::Closer(length, holds);
            }
            Seen::No => {}
        }
        match holds {
            Holds::Elements => self.between(text, last, shape),
            Holds::Mixed(inside) => self.inside(text, last, inside),
            Holds::Unknown | Holds::Text => Stands::Nothing(1),
        }
    }

    /// Between elements.
    fn between(&mut self, text: &'a str, last: bool, shape: &ToolShape) -> Stands<'a> {
        let tag = match opening_tag(text, last) {
            Seen::Unfinished => return Stands::Unfinished,
            Seen::No => {
                self.pass_over(Holds::Elements, shape);
                return Stands::Nothing(1);
            }
            Seen::Yes(tag) => tag,
        };
        let parent = self.open.last().map_or(ToolShape::ROOT, |open| open.shape);
        let declared = shape.property(parent, tag.name);
        // The elements of a list are its items.
        let is_list = shape.node(declared).is_list();
        let own = if is_list { shape.items(declared) } else { declared };
        if !tag.empty {
            let types = shape.node(own).types();
            let holds = if shape.node(own).is_text() {
                Holds::Text
            } else if types.is_open() || types.has(Types::OBJECT) {
                Holds::Unknown
            } else {
                Holds::Mixed(0)
            };
            self.open.push(Open { name: tag.name.into(), shape: own, holds });
        }
        Stands::Opener(tag, own)
    }

    /// Inside something mixed: elements of the same name count.
    fn inside(&mut self, text: &str, last: bool, inside: usize) -> Stands<'static> {
        let Some(Open { name, .. }) = self.open.last() else {
            return Stands::Nothing(1);
        };
        let name = name.as_ref();
        match tag_name_is(text, name, last) {
            Seen::Unfinished => return Stands::Unfinished,
            Seen::No => return Stands::Nothing(1),
            Seen::Yes(()) => {}
        }
        let length = "<".len() + name.len();
        match opening_tag(text, last) {
            Seen::Unfinished => return Stands::Unfinished,
            Seen::Yes(tag) if !tag.empty => self.hold(Holds::Mixed(inside + 1)),
            _ => {}
        }
        Stands::Nothing(length)
    }

    /// Takes what is open for something mixed: nothing in it can be told apart any more.
    pub fn give_up(&mut self) {
        self.hold(Holds::Mixed(0));
    }
}

/// Whether `text` begins a tag of this name.
fn tag_name_is(text: &str, name: &str, last: bool) -> Seen<()> {
    let rest = text.strip_prefix('<').unwrap_or_default();
    match rest.strip_prefix(name).map(|rest| rest.chars().next()) {
        Some(Some(next)) if ends_name(next) => Seen::Yes(()),
        Some(None) if !last => Seen::Unfinished,
        None if name.starts_with(rest) && !last => Seen::Unfinished,
        _ => Seen::No,
    }
}
