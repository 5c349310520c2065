//! Calls whose arguments are attributes of their own tag, and child elements or verbatim text.
//!
//! Whether a body holds elements, and what each of them holds, depends on the tool, of which the
//! oracle knows the shape. What is told of an argument is the text that its value is read from: the
//! inside of its element, or all of it, tags included, where the tag has attributes of its own.

mod tag;
mod values;
mod walk;

use std::sync::Arc;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::{Places, ValueEnd};
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::{Argument, Call, Hint};
use crate::call::shape::{Meaning, Reader, Shape};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, Entries};
use crate::markers::matcher::{Found, Marker};
use crate::markers::pattern::Pattern;
use crate::markers::tag::TagPattern;
use crate::sink::Sink;
use crate::text::slice::slice;
use crate::tool_shape::ToolShape;

use self::tag::Seen;
use self::values::read_elements;
use self::walk::{Stands, Walk, body_is_elements, body_parameter};

/// Attributes of the call's own tag, then child elements or verbatim text.
#[derive(Debug, Clone)]
pub struct Elements {
    /// The parameter that a body of verbatim text fills where the tool's schema names none.
    pub text: String,
}

/// What ends a call with elements.
#[derive(Debug)]
pub(crate) struct ElementMarkers {
    /// What stands before the name in the call's closing tag.
    closer_head: String,
    /// What ends an element that will never be closed.
    unclosed: ValueEnd,
}

impl Shape for Elements {
    const NAME: &'static str = "elements";
    const ENCODING: Encoding = Encoding::Text;
    type Markers = ElementMarkers;
    type Reader = ElementsReader;

    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self { text: record.text("text")? })
    }

    fn markers(&self, places: &Places<'_>) -> ElementMarkers {
        let heads = places.close.iter().find_map(|pattern| match pattern {
            Pattern::Tag(tag) => tag.heads.first(),
            _ => None,
        });
        ElementMarkers {
            closer_head: heads.map_or_else(String::new, ToString::to_string),
            unclosed: places.value(Entries::new()),
        }
    }

    fn arguments<'a>(&'a self, call: &'a Call, meaning: &Meaning<'_>) -> Arguments<'a> {
        let shape = call.name().and_then(|tool| meaning.oracle.shape(tool)).unwrap_or_default();
        let attribute = |argument: &'a Argument| {
            let value = argument.hint != Some(Hint::Bare);
            (argument.key.as_str(), value.then(|| call.text(argument.value)))
        };
        let attributes: Vec<_> = call.arguments().iter().map(attribute).collect();
        let (depth, cut) = (meaning.max_depth, meaning.cut);
        read_elements(&attributes, Some(call.body()), &shape, &self.text, depth, cut).into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before it is known what the body holds.
    Begin,
    /// In verbatim text; `begun` once something of it has been told.
    Verbatim { begun: bool },
    /// Between and inside elements.
    Elements,
}

/// Where the reader of such a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElementsReader {
    phase: Phase,
    /// What closes the call: `</call:NAME>`.
    closer: String,
    /// What is known of the tool, once that has been asked.
    shape: Arc<ToolShape>,
    walk: Walk<String>,
    /// Where the outermost open element begins behind its tag, in the raw text.
    start: usize,
    /// Whether the tags of that element are told with it.
    with_tags: bool,
}

impl Reader<Elements> for ElementsReader {
    fn new((_, markers): (&Elements, &ElementMarkers), call: &Call) -> Self {
        Self {
            phase: Phase::Begin,
            closer: format!("{}{}>", markers.closer_head, call.name().unwrap_or_default()),
            shape: Arc::default(),
            walk: Walk::default(),
            start: 0,
            with_tags: false,
        }
    }

    /// The attributes of the call's tag become arguments.
    fn opener<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        marker: &Marker<Action>,
        pattern: Option<&TagPattern>,
    ) {
        let (Some(tag), Some(pattern)) = (&marker.tag, pattern) else {
            return;
        };
        for (key, value) in pattern.attributes(slice(input, tag.attributes.0, tag.attributes.1)) {
            cx.argument_start(Some(&key));
            let range = value.map_or((0, 0), |value| {
                // The value is a part of the input, which the raw text repeats from its beginning.
                let offset = value.as_ptr() as usize - input.as_ptr() as usize - marker.start;
                (offset, offset + value.len())
            });
            cx.argument_delta(value.unwrap_or_default());
            let hint = value.is_none().then_some(Hint::Bare);
            if !cx.call.muted {
                cx.call.arguments.push(Argument { key: key.into_owned(), value: range, hint });
            }
        }
    }

    fn step<S: Sink>(
        &mut self,
        (body, markers): (&Elements, &ElementMarkers),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        match self.phase {
            Phase::Begin => self.begin(body, cx, input, at),
            Phase::Verbatim { begun } => self.verbatim(cx, input, at, begun),
            Phase::Elements => self.elements(markers, cx, input, at),
        }
    }

    fn at_end(&self) -> AtEnd {
        if self.in_element() { AtEnd::Unclosed(self.start) } else { AtEnd::Cut }
    }

    fn inside(&self) -> Inside {
        if self.in_element() { Inside::Value { noted: false } } else { Inside::Nothing }
    }
}

impl ElementsReader {
    fn begin<S: Sink>(
        &mut self,
        body: &Elements,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        let tool = cx.call.name().unwrap_or_default();
        self.shape = cx.oracle.shape(tool).unwrap_or_default();
        match body_is_elements(slice(input, at, input.len()), cx.last, &self.shape) {
            Seen::Unfinished => return Step::Wait(at),
            Seen::Yes(()) => self.phase = Phase::Elements,
            Seen::No => {
                let given = |key: &str| cx.call.arguments.iter().any(|given| given.key == key);
                let key = body_parameter(&self.shape, given, &body.text);
                cx.argument_start(Some(key));
                self.phase = Phase::Verbatim { begun: false };
            }
        }
        Step::Go(at)
    }

    /// Verbatim text up to the closer; one newline at either end is layout.
    fn verbatim<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
        begun: bool,
    ) -> Step {
        let rest = slice(input, at, input.len());
        let layout = usize::from(!begun && rest.starts_with('\n'));
        // The closer has no `<` but its first.
        let last_tag = memchr::memrchr(b'<', rest.as_bytes());
        let (end, step) = match last_tag.and_then(|_| rest.find(&self.closer)) {
            Some(start) => {
                let end =
                    start - usize::from(start > layout && slice(rest, 0, start).ends_with('\n'));
                (end, Step::Close(at + start, at + start + self.closer.len()))
            }
            None if cx.last => (rest.len(), Step::Go(input.len())),
            None => {
                let begun = last_tag
                    .filter(|tag| self.closer.starts_with(slice(rest, *tag, rest.len())))
                    .unwrap_or(rest.len());
                let end = begun - usize::from(slice(rest, 0, begun).ends_with('\n'));
                (end, Step::Wait(at + end))
            }
        };
        let end = end.max(layout);
        let step = match step {
            Step::Wait(_) => Step::Wait(at + end),
            step => step,
        };
        self.phase = Phase::Verbatim { begun: begun || end > 0 };
        cx.argument_delta(slice(rest, layout, end));
        step
    }

    /// What a `<` at `at` does to the call: between elements its own closer ends it.
    fn closer_at<S: Sink>(
        &self,
        markers: &ElementMarkers,
        cx: &Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Option<Step> {
        if !self.in_element() {
            let rest = slice(input, at, input.len());
            if rest.starts_with(&self.closer) {
                return Some(Step::Close(at, at + self.closer.len()));
            }
            let unfinished = self.closer.starts_with(rest) && !cx.last;
            return unfinished.then_some(Step::Wait(at));
        }
        if !cx.unclosed {
            return None;
        }
        // This element will not be closed: the first closer of a call ends it.
        match markers.unclosed.matcher(true).find_at(input, at, cx.last, &mut None) {
            Found::Marker(closer) => Some(Step::Close(closer.start, closer.end)),
            _ => None,
        }
    }

    fn elements<S: Sink>(
        &mut self,
        markers: &ElementMarkers,
        cx: &mut Context<'_, S>,
        input: &str,
        from: usize,
    ) -> Step {
        let shape = Arc::clone(&self.shape);
        let base = cx.call.raw.len();
        // Up to `told` the open element has been told, up to `at` the input has been read.
        let (mut told, mut at) = (from, from);
        let step = loop {
            let rest = slice(input, at, input.len());
            let text = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            self.walk.text(slice(rest, 0, text), &shape);
            at += text;
            if at == input.len() {
                break Step::Go(at);
            }
            if let Some(step) = self.closer_at(markers, cx, input, at) {
                break step;
            }
            let outermost = !self.in_element();
            let rest = slice(input, at, input.len());
            match self.walk.read(rest, cx.last, &shape, cx.limits.max_depth) {
                Stands::Unfinished => break Step::Wait(at),
                Stands::TooDeep if cx.call.muted => self.walk.give_up(),
                Stands::TooDeep => break Step::OverLimit(at),
                Stands::Nothing(length) => at += length,
                Stands::Opener(tag, _) => {
                    let end = at + tag.length;
                    if outermost {
                        cx.argument_start(Some(tag.name));
                        self.with_tags = !tag.attributes.is_empty();
                        self.start = base + (end - from);
                        told = if self.with_tags { at } else { end };
                        if tag.empty {
                            cx.argument_delta(slice(input, told, end));
                        }
                    }
                    at = end;
                }
                Stands::Closer(length, _) => {
                    let end = at + length;
                    if !self.in_element() {
                        let shown = if self.with_tags { end } else { at };
                        cx.argument_delta(slice(input, told, shown));
                    }
                    at = end;
                }
            }
        };
        if self.in_element() {
            cx.argument_delta(slice(input, told, at));
        }
        step
    }

    /// Whether the reader is inside an element.
    fn in_element(&self) -> bool {
        self.walk.depth() > 0
    }
}
