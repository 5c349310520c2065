//! Reading a call written as a tag, with attributes and child elements or one verbatim text.
//!
//! `Walk` says which elements there are, as it does for the stream; here they become values. A text
//! is everything up to its own closer, and nothing in it is unescaped: one newline behind the opener
//! and one before the closer are layout. Elements that turn out to be text leave no value, so values
//! are written only once all elements are known.

use std::collections::HashMap;

use crate::call::bodies::elements::tag::{Seen, is_blank};
use crate::call::bodies::elements::walk::{Holds, Stands, Walk, body_is_elements, body_parameter};
use crate::text::slice::slice;
use crate::tool_shape::{NodeId, ToolShape, Types};
use crate::value::{Node, Read, Tape, Unreadable};

/// An attribute of a tag: name and text, `None` for one without a value.
pub type Attribute<'a> = (&'a str, Option<&'a str>);

/// The arguments of a call.
///
/// `body` is the text between the call's tags, `None` where the tag closes itself; `text` is the
/// parameter that it fills if it holds no elements and the schema names none. An attribute without
/// a value is true. Elements come before attributes of their name; a repeated element is a list.
/// With `cut`, `body` ends anywhere, and only what was complete is answered: elements that are
/// closed, unless another of their name was just being written.
///
/// # Errors
/// For an element that is never closed (unless `cut`), and for more than `max_depth` elements that
/// hold elements at one place.
pub fn read_elements<'a>(
    attributes: &[Attribute<'a>],
    body: Option<&'a str>,
    shape: &ToolShape,
    text: &str,
    max_depth: usize,
    cut: bool,
) -> Result<Read<'a>, Unreadable> {
    let mut writer = Writer { shape, elements: Vec::new(), tape: Tape::new(), repaired: false };
    writer.tape.push(Node::Object);
    writer.attributes(attributes, ToolShape::ROOT);
    let body = body.unwrap_or_default();
    if is_blank_text(body) {
        writer.tape.push(Node::End);
    } else if body_is_elements(body, true, shape) == Seen::Yes(()) {
        let found = Reader::new(body).read(shape, max_depth, cut)?;
        writer.repaired = found.passed_over;
        writer.elements = found.elements;
        writer.members(found.top, ToolShape::ROOT);
    } else {
        if !cut {
            let given = |key: &str| attributes.iter().any(|(given, _)| *given == key);
            let key = body_parameter(shape, given, text).to_owned();
            writer.tape.push(Node::Key(key.into()));
            writer.tape.push(Node::Text(without_layout(body).into()));
        }
        writer.tape.push(Node::End);
    }
    Ok(Read { tape: writer.tape, repaired: writer.repaired })
}

fn is_blank_text(text: &str) -> bool {
    text.chars().all(is_blank)
}

fn without_layout(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// The elements in one place; those of one name together.
#[derive(Default)]
struct Children<'a> {
    named: Vec<Named<'a>>,
    /// Where the names stand, once there are more than a `FEW`.
    places: Option<HashMap<&'a str, usize>>,
}

/// The elements of one name in one place, by their index; each knows the one that follows it.
struct Named<'a> {
    name: &'a str,
    first: usize,
    last: usize,
}

/// So many names are found faster one by one than in a table.
const FEW: usize = 8;

impl<'a> Children<'a> {
    /// Adds an element; answers the one of its name that it follows.
    fn add(&mut self, name: &'a str, element: usize) -> Option<usize> {
        let place = match &self.places {
            None => self.named.iter().position(|other| other.name == name),
            Some(places) => places.get(name).copied(),
        };
        let Some(known) = place.and_then(|place| self.named.get_mut(place)) else {
            self.add_name(name, element);
            return None;
        };
        Some(std::mem::replace(&mut known.last, element))
    }

    fn add_name(&mut self, name: &'a str, element: usize) {
        self.named.push(Named { name, first: element, last: element });
        let count = self.named.len();
        if let Some(places) = &mut self.places {
            places.insert(name, count - 1);
        } else if count > FEW {
            let names = self.named.iter().enumerate();
            self.places = Some(names.map(|(place, known)| (known.name, place)).collect());
        }
    }

    /// Forgets the elements of a name.
    fn drop(&mut self, name: &str) {
        self.named.retain(|known| known.name != name);
    }
}

enum Content<'a> {
    Text(&'a str),
    Elements(Box<Children<'a>>),
}

/// An element that was closed.
struct Element<'a> {
    shape: NodeId,
    attributes: Vec<Attribute<'a>>,
    content: Content<'a>,
    /// The next element of the same name in the same place.
    next: Option<usize>,
}

/// An element that is open; its content begins at `start`.
struct Open<'a> {
    name: &'a str,
    shape: NodeId,
    attributes: Vec<Attribute<'a>>,
    start: usize,
    children: Children<'a>,
}

/// All elements of a body.
struct Found<'a> {
    elements: Vec<Element<'a>>,
    top: Children<'a>,
    passed_over: bool,
}

/// Finds the elements of a body.
struct Reader<'a> {
    body: &'a str,
    elements: Vec<Element<'a>>,
    top: Children<'a>,
    open: Vec<Open<'a>>,
}

impl<'a> Reader<'a> {
    fn new(body: &'a str) -> Self {
        Self { body, elements: Vec::new(), top: Children::default(), open: Vec::new() }
    }

    fn read(
        mut self,
        shape: &ToolShape,
        max_depth: usize,
        cut: bool,
    ) -> Result<Found<'a>, Unreadable> {
        let (mut walk, mut at) = (Walk::<&str>::default(), 0);
        loop {
            let rest = slice(self.body, at, self.body.len());
            let text = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            walk.text(slice(rest, 0, text), shape);
            at += text;
            let rest = slice(self.body, at, self.body.len());
            if rest.is_empty() {
                break;
            }
            at += match walk.read(rest, true, shape, max_depth) {
                Stands::TooDeep | Stands::Unfinished => return Err(Unreadable),
                Stands::Nothing(length) => length,
                Stands::Opener(tag, shape) => {
                    let (name, attributes, children) =
                        (tag.name, tag.attributes, Children::default());
                    let start = at + tag.length;
                    self.open.push(Open { name, shape, attributes, start, children });
                    if tag.empty {
                        self.close(start, Holds::Text);
                    }
                    tag.length
                }
                Stands::Closer(length, holds) => {
                    self.close(at, holds);
                    length
                }
            };
        }
        if let Some(outermost) = self.open.first() {
            if !cut {
                return Err(Unreadable);
            }
            self.top.drop(outermost.name);
        }
        let Self { elements, top, .. } = self;
        Ok(Found { elements, top, passed_over: walk.passed_over })
    }

    /// The innermost element ends before `end`.
    fn close(&mut self, end: usize, holds: Holds) {
        let Some(Open { name, shape, attributes, start, children }) = self.open.pop() else {
            return;
        };
        let content = match holds {
            Holds::Elements => Content::Elements(Box::new(children)),
            _ => Content::Text(slice(self.body, start, end)),
        };
        let parent = self.open.last_mut().map_or(&mut self.top, |open| &mut open.children);
        let index = self.elements.len();
        let before = parent.add(name, index);
        if let Some(before) = before.and_then(|before| self.elements.get_mut(before)) {
            before.next = Some(index);
        }
        self.elements.push(Element { shape, attributes, content, next: None });
    }
}

/// What is still to be written.
enum Task<'a> {
    Node(Node<'a>),
    Element(usize),
}

/// Writes elements down as values.
struct Writer<'a, 's> {
    shape: &'s ToolShape,
    elements: Vec<Element<'a>>,
    tape: Tape<'a>,
    repaired: bool,
}

impl<'a> Writer<'a, '_> {
    /// Members and the end of an object whose node is `shape`.
    fn members(&mut self, children: Children<'a>, shape: NodeId) {
        let mut tasks = Vec::new();
        self.add_tasks(children, shape, &mut tasks);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Node(node) => self.tape.push(node),
                Task::Element(index) => self.element(index, &mut tasks),
            }
        }
    }

    /// Adds what is to be written of the members of an object, last things first.
    fn add_tasks(&self, children: Children<'a>, shape: NodeId, tasks: &mut Vec<Task<'a>>) {
        let start = tasks.len();
        for Named { name, first, last } in children.named {
            let declared = self.shape.property(shape, name);
            let is_list = self.shape.node(declared).is_list();
            tasks.push(Task::Node(Node::Key(name.into())));
            if !is_list && first == last {
                tasks.push(Task::Element(first));
                continue;
            }
            tasks.push(Task::Node(Node::List));
            let items = self.shape.node(self.shape.items(declared)).types();
            let may_be_whole = is_list && !items.is_open() && !items.has(Types::ARRAY);
            if may_be_whole && first == last {
                tasks.push(Task::Node(Node::Spread));
            }
            let next = |index: &usize| self.elements.get(*index).and_then(|element| element.next);
            tasks.extend(std::iter::successors(Some(first), next).map(Task::Element));
            tasks.push(Task::Node(Node::End));
        }
        tasks.push(Task::Node(Node::End));
        if let Some(added) = tasks.get_mut(start..) {
            added.reverse();
        }
    }

    /// Writes one element, and adds to `tasks` what is to be written behind that.
    fn element(&mut self, index: usize, tasks: &mut Vec<Task<'a>>) {
        let Some(element) = self.elements.get_mut(index) else {
            return;
        };
        let (shape, attributes) = (element.shape, std::mem::take(&mut element.attributes));
        let content = std::mem::replace(&mut element.content, Content::Text(""));
        match content {
            Content::Text(text) => self.text(text, shape, &attributes),
            Content::Elements(children) => {
                self.tape.push(Node::Object);
                self.attributes(&attributes, shape);
                self.add_tasks(*children, shape, tasks);
            }
        }
    }

    /// Writes an element that holds text, or nothing.
    fn text(&mut self, text: &'a str, shape: NodeId, attributes: &[Attribute<'a>]) {
        let node = self.shape.node(shape);
        let is_object = !attributes.is_empty() || node.types().is_only(Types::OBJECT);
        let value = self.typed(without_layout(text), shape);
        if is_object && is_blank_text(text) {
            self.tape.push(Node::Object);
            self.attributes(attributes, shape);
            self.tape.push(Node::End);
        } else if attributes.is_empty() {
            self.tape.push(value);
        } else if node.is_text() {
            self.repaired = true; // a text has no place for them
            self.tape.push(value);
        } else {
            self.tape.push(Node::Object);
            self.attributes(attributes, shape);
            self.tape.extend([Node::Merge, value, Node::End]);
        }
    }

    /// Writes the attributes of a tag as members of an object whose node is `shape`.
    fn attributes(&mut self, attributes: &[Attribute<'a>], shape: NodeId) {
        for (name, text) in attributes {
            let value = match text {
                Some(text) => self.typed(text, self.shape.property(shape, name)),
                None => Node::Bool(true),
            };
            self.tape.extend([Node::Key((*name).into()), value]);
        }
    }

    fn typed(&self, text: &'a str, shape: NodeId) -> Node<'a> {
        let text = text.into();
        if self.shape.node(shape).is_text() { Node::Text(text) } else { Node::Untyped(text) }
    }
}
