//! Calls whose arguments are elements, with elements in them, and a token before every tag.
//!
//! With the token `@`, `@<a>1@</a>@<b>@<c>x@</c>@</b>` is `{"a": 1, "b": {"c": "x"}}`. The token is
//! what tells a tag from data, so nothing is escaped: an element goes up to its own closer, and what
//! a schema calls text holds no elements. What is told of an argument is what its value is read from:
//! all that stands between the tags of its element. `Walk` finds the elements for both.

use std::sync::Arc;

use memchr::memmem::Finder;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::{Places, ValueEnd};
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Argument, Call};
use crate::call::shape::{Meaning, Reader, Shape};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, CALL_TAG_LIMIT, Entries, Spellings};
use crate::markers::matcher::Found;
use crate::markers::pattern::Pattern;
use crate::markers::tag::{LexStep, Names, Quotes, TagPattern};
use crate::sink::Sink;
use crate::text::slice::{slice, unfinished};
use crate::tool_shape::{NodeId, ToolShape, Types};
use crate::value::{Node, Read, Tape, Unreadable};

/// Elements with elements in them, and a token before every tag.
#[derive(Debug, Clone)]
pub struct Nested {
    /// What stands before every tag.
    pub token: String,
    /// The name of the elements that are a list's items.
    pub item: String,
    /// The key of text that stands beside the elements of an object.
    pub text: String,
}

/// What counts in such a body.
#[derive(Debug)]
pub(crate) struct NestedMarkers {
    tags: Box<Tags>,
    /// What ends an element that will never be closed.
    unclosed: ValueEnd,
}

impl Shape for Nested {
    const NAME: &'static str = "nested";
    const ENCODING: Encoding = Encoding::Text;
    type Markers = NestedMarkers;
    type Reader = NestedReader;

    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
        let (token, item, text) =
            (record.text("token")?, record.text("item")?, record.text("text")?);
        Ok(Self { token, item, text })
    }

    fn check(&self, place: &str) -> Result<(), GrammarError> {
        let fields = [("token", &self.token), ("item", &self.item), ("text", &self.text)];
        match fields.iter().find(|(_, text)| text.is_empty()) {
            Some((name, _)) => {
                Err(GrammarError::new(&format!("{place}.{name}"), format!("the {name} is empty")))
            }
            None => Ok(()),
        }
    }

    fn openers(&self) -> Entries {
        vec![(Pattern::Tag(opener(&self.token)), Action::OpenValue)]
    }

    fn delimiters(&self) -> Spellings {
        vec![Pattern::Literal(self.token.as_str().into())]
    }

    fn markers(&self, places: &Places<'_>) -> NestedMarkers {
        let tags = Box::new(Tags::new(self));
        NestedMarkers { tags, unclosed: places.value(Entries::new()) }
    }

    fn arguments<'a>(&'a self, call: &'a Call, meaning: &Meaning<'_>) -> Arguments<'a> {
        let shape = call.name().and_then(|tool| meaning.oracle.shape(tool)).unwrap_or_default();
        let writer = Writer {
            body: self,
            tags: Tags::new(self),
            shape: &shape,
            max_depth: meaning.max_depth,
            tape: vec![Node::Object],
            repaired: false,
        };
        writer.object(call).into()
    }
}

// --- tags and elements --------------------------------------------------------------------------

/// An opening tag; its name is all that stands in it.
fn opener(token: &str) -> TagPattern {
    TagPattern {
        heads: vec![format!("{token}<").into()],
        names: Names::Line,
        end: ">".into(),
        closing: false,
        any_namespace: false,
        ignore_case: false,
        quotes: Quotes::Any,
        quotes_protect: false,
    }
}

/// The name of the element whose tag holds this text, and whether the tag closes it as well; `None`
/// if it is a closing tag, or names nothing.
fn element(text: &str) -> Option<(&str, bool)> {
    let (name, empty) = text.strip_suffix('/').map_or((text, false), |name| (name, true));
    let name = name.trim();
    (!name.is_empty() && !name.starts_with('/')).then_some((name, empty))
}

/// How tags are spelled.
#[derive(Debug)]
struct Tags {
    token: Finder<'static>,
    opener: TagPattern,
    item: String,
}

impl Tags {
    fn new(body: &Nested) -> Self {
        let token = Finder::new(body.token.as_bytes()).into_owned();
        Self { token, opener: opener(&body.token), item: body.item.clone() }
    }

    /// The first token in `text` at or behind `at`.
    fn find(&self, text: &str, at: usize) -> Option<usize> {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        self.token.find(rest).map(|offset| at + offset)
    }

    /// The length of the closer of the element with this name, at the beginning of `text`; `None`
    /// if more text decides.
    fn closer(&self, text: &str, name: &str) -> Option<usize> {
        let mut rest = text.as_bytes();
        for part in [self.token.needle(), b"</", name.as_bytes(), b">"] {
            let shared = rest.len().min(part.len());
            let (beginning, behind) = rest.split_at(shared);
            if !part.starts_with(beginning) {
                return Some(0);
            }
            if shared < part.len() {
                return None;
            }
            rest = behind;
        }
        Some(text.len() - rest.len())
    }

    /// The node of an element in another one.
    fn child(&self, shape: &ToolShape, parent: NodeId, name: &str) -> NodeId {
        let node = shape.node(parent);
        let is_item = node.is_list() || (name == self.item && !node.declares(name));
        if is_item { shape.items(parent) } else { shape.property(parent, name) }
    }
}

/// What stands at a token inside an element.
enum Stands<'a> {
    /// More text decides.
    Unfinished,
    /// Data.
    Data,
    /// An element begins. It is open now, unless its tag is `empty`.
    Opener { name: &'a str, shape: NodeId, empty: bool, length: usize },
    /// The innermost element ends with a closer of this length.
    Closer(usize),
    /// An element begins that is one too many in the others.
    TooDeep,
}

#[derive(Debug, Clone)]
struct Open {
    name: String,
    shape: NodeId,
    /// Whether it holds no elements.
    is_text: bool,
}

/// The open elements, outermost first.
#[derive(Debug, Clone, Default)]
struct Walk(Vec<Open>);

impl Walk {
    fn enter(&mut self, name: &str, shape: &ToolShape, node: NodeId) {
        let is_text = shape.node(node).is_text();
        self.0.push(Open { name: name.to_owned(), shape: node, is_text });
    }

    /// Whether no element is open.
    fn is_outside(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes what is open for text: nothing in it can be told apart any more.
    fn give_up(&mut self) {
        if let Some(open) = self.0.last_mut() {
            open.is_text = true;
        }
    }

    /// Reads what stands at the beginning of `text`, which is a token. With `last`, no more text
    /// will come; no more than `max_depth` elements may hold elements at one place.
    fn read<'a>(
        &mut self,
        tags: &Tags,
        (text, last): (&'a str, bool),
        shape: &ToolShape,
        max_depth: usize,
    ) -> Stands<'a> {
        let Some(open) = self.0.last() else {
            return Stands::Data;
        };
        match tags.closer(text, &open.name) {
            None if !last => return Stands::Unfinished,
            None | Some(0) => {}
            Some(length) => {
                self.0.pop();
                return Stands::Closer(length);
            }
        }
        if open.is_text {
            return Stands::Data;
        }
        let (length, tag) = match tags.opener.read(text.as_bytes(), CALL_TAG_LIMIT) {
            LexStep::Yes(length, tag) => (length, tag),
            LexStep::Partial(_) if !last => return Stands::Unfinished,
            LexStep::Partial(_) | LexStep::No => return Stands::Data,
        };
        let Some((name, empty)) = element(slice(text, tag.name.0, tag.name.1)) else {
            return Stands::Data;
        };
        if self.0.len() > max_depth {
            return Stands::TooDeep;
        }
        let node = tags.child(shape, open.shape, name);
        if !empty {
            self.enter(name, shape, node);
        }
        Stands::Opener { name, shape: node, empty, length }
    }
}

/// How many bytes of data a token is that begins no tag.
fn data_length(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

// --- the stream ---------------------------------------------------------------------------------

/// Where the reader of such a call stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct NestedReader {
    /// What is known of the tool, once that has been asked.
    shape: Option<Arc<ToolShape>>,
    walk: Walk,
    /// Where the outermost open element begins behind its tag, in the raw text.
    start: usize,
    /// The length of the closer of the last argument, if there was one.
    closer: Option<usize>,
}

impl Reader<Nested> for NestedReader {
    fn new(_body: (&Nested, &NestedMarkers), _call: &Call) -> Self {
        Self::default()
    }

    fn step<S: Sink>(
        &mut self,
        (_, markers): (&Nested, &NestedMarkers),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        if self.walk.is_outside() {
            return self.between(markers, cx, input, at);
        }
        let (end, step) = self.inside_element(markers, cx, input, at);
        cx.argument_delta(slice(input, at, end));
        if self.walk.is_outside() && !cx.call.muted {
            let end = cx.call.raw.len() + (end - at);
            if let Some(argument) = cx.call.arguments.last_mut() {
                argument.value = (self.start, end);
            }
        }
        step
    }

    fn at_end(&self) -> AtEnd {
        if self.walk.is_outside() { AtEnd::Cut } else { AtEnd::Unclosed(self.start) }
    }

    fn inside(&self) -> Inside {
        if self.walk.is_outside() { Inside::Nothing } else { Inside::Value { noted: true } }
    }

    fn lacks_closers(
        &self,
        _markers: &NestedMarkers,
        tail: &str,
        rest_closes: &dyn Fn(&str) -> bool,
    ) -> bool {
        let behind = self.closer.filter(|_| self.walk.is_outside());
        behind.is_some_and(|closer| rest_closes(slice(tail, closer, tail.len())))
    }
}

impl NestedReader {
    /// Between arguments, where everything but a tag is noise.
    fn between<S: Sink>(
        &mut self,
        markers: &NestedMarkers,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        let marker = match cx.seek(input, at) {
            Ok(marker) => marker,
            Err(step) => return step,
        };
        let text = marker.tag.as_ref().map_or("", |tag| slice(input, tag.name.0, tag.name.1));
        let Some((name, empty)) = element(text) else {
            return Step::Go(marker.end);
        };
        self.start = cx.call.raw.len() + (marker.end - at);
        self.closer = Some(0);
        cx.argument_start(Some(name));
        if !cx.call.muted {
            let value = (self.start, self.start);
            cx.call.arguments.push(Argument { key: name.to_owned(), value, hint: None });
        }
        if !empty {
            let tool = cx.call.name().unwrap_or_default();
            let shape = self.shape.get_or_insert_with(|| cx.oracle.shape(tool).unwrap_or_default());
            let node = markers.tags.child(shape, ToolShape::ROOT, name);
            self.walk.enter(name, shape, node);
        }
        Step::Go(marker.end)
    }

    /// Inside an element: up to where the input, the argument, or the call ends.
    fn inside_element<S: Sink>(
        &mut self,
        markers: &NestedMarkers,
        cx: &mut Context<'_, S>,
        input: &str,
        from: usize,
    ) -> (usize, Step) {
        let shape = self.shape.clone().unwrap_or_default();
        let tags = &markers.tags;
        let mut end = call_closer(markers, cx, input, from);
        let mut at = from;
        loop {
            if end.is_some_and(|(start, _)| start < at) {
                end = call_closer(markers, cx, input, at);
            }
            let token = tags.find(input, at);
            if let Some(end) = end.filter(|(start, _)| token.is_none_or(|at| *start <= at)) {
                return end;
            }
            let Some(token) = token else {
                return without_token(tags, cx.last, input, at);
            };
            at = token;
            let text = (slice(input, at, input.len()), cx.last);
            match self.walk.read(tags, text, &shape, cx.limits.max_depth) {
                Stands::Unfinished => return (at, Step::Wait(at)),
                Stands::TooDeep if cx.call.muted => self.walk.give_up(),
                Stands::TooDeep => return (at, Step::OverLimit(at)),
                Stands::Data => at += data_length(text.0),
                Stands::Closer(length) if self.walk.is_outside() => {
                    self.closer = Some(length);
                    return (at, Step::Go(at + length));
                }
                Stands::Opener { length, .. } | Stands::Closer(length) => at += length,
            }
        }
    }
}

/// The call's closer at or behind `at`, which counts in an element that will never be closed: where
/// it stands, and what it does.
fn call_closer<S>(
    markers: &NestedMarkers,
    cx: &Context<'_, S>,
    input: &str,
    at: usize,
) -> Option<(usize, Step)> {
    let matcher = cx.unclosed.then(|| markers.unclosed.matcher(true))?;
    match matcher.find(input, at, cx.last, &mut None) {
        Found::Nothing => None,
        Found::Partial(start) => Some((start, Step::Wait(start))),
        Found::Marker(closer) => Some((closer.start, Step::Close(closer.start, closer.end))),
    }
}

/// Data up to the end of the input, or to where a token may have begun.
fn without_token(tags: &Tags, last: bool, input: &str, at: usize) -> (usize, Step) {
    let rest = input.as_bytes().get(at..).unwrap_or_default();
    match if last { 0 } else { unfinished(rest, tags.token.needle()) } {
        0 => (input.len(), Step::Go(input.len())),
        held => (input.len() - held, Step::Wait(input.len() - held)),
    }
}

// --- values -------------------------------------------------------------------------------------

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// No element so far.
    Text,
    Members,
    Items,
}

/// An element that is being written.
struct Level {
    shape: NodeId,
    holds: Holds,
    /// Where text begins that belongs to none of its elements.
    text: usize,
    /// Such text so far.
    beside: String,
}

impl Level {
    fn new(shape: NodeId, text: usize) -> Self {
        Self { shape, holds: Holds::Text, text, beside: String::new() }
    }
}

/// Writes arguments down as values.
struct Writer<'a, 's> {
    body: &'a Nested,
    tags: Tags,
    shape: &'s ToolShape,
    max_depth: usize,
    tape: Tape<'a>,
    repaired: bool,
}

impl<'a> Writer<'a, '_> {
    fn object(mut self, call: &'a Call) -> Result<Read<'a>, Unreadable> {
        for Argument { key, value, .. } in call.arguments() {
            self.tape.push(Node::Key(key.into()));
            self.argument(key, call.text(*value))?;
        }
        self.tape.push(Node::End);
        Ok(Read { tape: self.tape, repaired: self.repaired })
    }

    /// Writes the value of an argument, which is what its element holds.
    fn argument(&mut self, key: &str, text: &'a str) -> Result<(), Unreadable> {
        let node = self.tags.child(self.shape, ToolShape::ROOT, key);
        let mut walk = Walk::default();
        walk.enter(key, self.shape, node);
        let (mut level, mut outer) = (Level::new(node, 0), Vec::new());
        let mut at = 0;
        while let Some(token) = self.tags.find(text, at) {
            let rest = (slice(text, token, text.len()), true);
            at = token;
            match walk.read(&self.tags, rest, self.shape, self.max_depth) {
                Stands::Unfinished | Stands::TooDeep => return Err(Unreadable),
                Stands::Data => at += data_length(rest.0),
                Stands::Opener { name, shape, empty, length } => {
                    let before = slice(text, level.text, token);
                    self.child(&mut level, before, name);
                    at += length;
                    level.text = at;
                    if empty {
                        self.leaf("", shape);
                    } else {
                        outer.push(std::mem::replace(&mut level, Level::new(shape, at)));
                    }
                }
                Stands::Closer(length) => {
                    at += length;
                    let Some(parent) = outer.pop() else {
                        return Err(Unreadable);
                    };
                    let inner = std::mem::replace(&mut level, parent);
                    let rest = slice(text, inner.text, token);
                    self.close(inner, rest);
                    level.text = at;
                }
            }
        }
        if !outer.is_empty() {
            return Err(Unreadable);
        }
        let rest = slice(text, level.text, text.len());
        self.close(level, rest);
        Ok(())
    }

    /// An element of this name begins in another one, behind some text.
    fn child(&mut self, parent: &mut Level, before: &str, name: &'a str) {
        let node = self.shape.node(parent.shape);
        let is_item = name == self.body.item;
        if parent.holds == Holds::Text {
            let may_be_list = !node.types().is_only(Types::OBJECT) && !node.declares(name);
            let is_list = node.is_list() || (is_item && may_be_list);
            parent.holds = if is_list { Holds::Items } else { Holds::Members };
            self.tape.push(if is_list { Node::List } else { Node::Object });
        }
        parent.beside.push_str(before);
        match parent.holds {
            Holds::Items => self.repaired = self.repaired || !is_item,
            Holds::Members | Holds::Text => self.tape.push(Node::Key(name.into())),
        }
    }

    /// An element ends behind this text.
    fn close(&mut self, Level { shape, holds, mut beside, .. }: Level, rest: &'a str) {
        if holds == Holds::Text {
            self.leaf(rest, shape);
            return;
        }
        beside.push_str(rest);
        let beside = beside.trim();
        if !beside.is_empty() {
            if holds == Holds::Members {
                self.tape.push(Node::Key(self.body.text.as_str().into()));
            } else {
                self.repaired = true; // a list has no place for it but among its items
            }
            self.tape.push(Node::Text(beside.to_owned().into()));
        }
        self.tape.push(Node::End);
    }

    /// Writes an element that holds no elements.
    fn leaf(&mut self, text: &'a str, shape: NodeId) {
        let node = self.shape.node(shape);
        let is_blank = text.trim().is_empty();
        if node.is_text() {
            self.tape.push(Node::Text(text.into()));
        } else if is_blank && node.is_list() {
            self.tape.extend([Node::List, Node::End]);
        } else if is_blank && node.types().is_only(Types::OBJECT) {
            self.tape.extend([Node::Object, Node::End]);
        } else {
            self.tape.push(Node::Untyped(text.into()));
        }
    }
}
