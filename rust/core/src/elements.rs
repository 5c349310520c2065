//! Calls whose arguments are attributes of their own tag, and child elements or verbatim text.
//!
//! Whether a body holds elements, and which elements hold plain text, depends on the tool; the
//! caller is asked. Plain text ends at its own closer; in other elements those of the same name
//! nest.

use crate::body::{AtEnd, Context, Step, floor_boundary, slice, unfinished};
use crate::call::{Argument, Carrier};
use crate::compiled::Action;
use crate::matcher::{Found, Marker};
use crate::sink::{ElementBody, Sink};
use crate::tag::TagPattern;

/// The longest name that is waited for, in bytes.
const NAME_LIMIT: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// Before it is known what the body holds.
    Begin,
    /// In verbatim text; `begun` once something of it has been told.
    Verbatim { begun: bool },
    /// Between elements.
    Between,
    /// Inside the outermost element `name`, which begins at `start` in the raw text.
    Element { name: String, depth: usize, text: bool, start: usize },
}

/// Where the reader of such a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Elements {
    phase: Phase,
    /// What closes the call: `</call:NAME>`.
    closer: String,
}

/// The beginning of `text` up to and with the character at `last`.
fn head(text: &str, last: usize) -> &str {
    let character = slice(text, last, text.len()).chars().next();
    slice(text, 0, last + character.map_or(0, char::len_utf8))
}

impl Elements {
    /// For a call whose opener has been read: `head` is what stands before the name in its closer.
    pub fn new(head: &str, name: &str) -> Self {
        Self { phase: Phase::Begin, closer: format!("{head}{name}>") }
    }

    /// The attributes of the call's tag become arguments; `at` is where its text begins in the
    /// raw text.
    pub fn attributes<S: Sink>(
        cx: &mut Context<'_, S>,
        input: &str,
        marker: &Marker<Action>,
        pattern: &TagPattern,
    ) {
        cx.call.carrier = Carrier::Elements;
        let Some(tag) = &marker.tag else {
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
            let hint = value.is_none().then(|| "bare".to_owned());
            if !cx.call.muted {
                cx.call.arguments.push(Argument { key: key.into_owned(), value: range, hint });
            }
        }
    }

    pub fn step<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        match &self.phase {
            Phase::Begin => self.begin(cx, input, at),
            Phase::Verbatim { begun } => {
                let begun = *begun;
                self.verbatim(cx, input, at, begun)
            }
            Phase::Between => self.between(cx, input, at),
            Phase::Element { .. } => self.element(cx, input, at),
        }
    }

    fn begin<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let rest = slice(input, at, input.len());
        // So much of the body decides, however much more has come.
        let full = rest.len() >= NAME_LIMIT;
        let rest = slice(rest, 0, floor_boundary(rest, NAME_LIMIT));
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let first = slice(rest, blanks, rest.len());
        let ends_name = |c: char| !(c.is_alphanumeric() || "_-.".contains(c));
        let name_end = first.strip_prefix('<').and_then(|name| name.find(ends_name));
        let waits = first.is_empty() || (first.starts_with('<') && name_end.is_none());
        if waits && !full && !cx.last {
            return Step::Wait(at);
        }
        // Only what decides is shown: how much more has come must make no difference.
        let shown = match (first.starts_with('<'), name_end) {
            (true, Some(end)) => head(first, 1 + end),
            (true, None) => first,
            (false, _) => head(first, 0),
        };
        match cx.sink.element_body(cx.call, shown) {
            ElementBody::Elements => self.phase = Phase::Between,
            ElementBody::Verbatim(key) => {
                cx.argument_start(Some(&key));
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
        let (end, step) = match rest.find(&self.closer) {
            Some(start) => {
                let end =
                    start - usize::from(start > layout && slice(rest, 0, start).ends_with('\n'));
                (end, Step::Close(at + start, at + start + self.closer.len()))
            }
            None if cx.last => (rest.len(), Step::Go(input.len())),
            None => {
                let behind_newline =
                    unfinished(rest.as_bytes(), format!("\n{}", self.closer).as_bytes());
                let held = behind_newline.max(unfinished(rest.as_bytes(), self.closer.as_bytes()));
                let end = rest.len() - held;
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

    /// What a `<` at `at` begins: the call's closer, a tag, or nothing.
    fn tag_at<S: Sink>(
        &self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Result<Marker<Action>, Option<Step>> {
        let rest = slice(input, at, input.len());
        let ends_call = !matches!(self.phase, Phase::Element { .. });
        if !ends_call && cx.unclosed {
            // This element will not be closed: the first closer of a call ends it.
            if let Found::Marker(closer) =
                cx.form.unclosed_value.find_at(input, at, cx.last, &mut None)
            {
                return Err(Some(Step::Close(closer.start, closer.end)));
            }
        }
        if ends_call && rest.starts_with(&self.closer) {
            return Err(Some(Step::Close(at, at + self.closer.len())));
        }
        if ends_call && self.closer.starts_with(rest) && !cx.last {
            return Err(Some(Step::Wait(at)));
        }
        match cx.elements.find_at(input, at, cx.last, cx.resume) {
            Found::Partial(_) => Err(Some(Step::Wait(at))),
            Found::Marker(marker) => Ok(marker),
            Found::Nothing => Err(None),
        }
    }

    fn between<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, from: usize) -> Step {
        let mut at = from;
        while let Some(offset) = memchr::memchr(b'<', &input.as_bytes()[at..]) {
            at += offset;
            let marker = match self.tag_at(cx, input, at) {
                Err(Some(step)) => return step,
                Ok(marker) if marker.action == Action::OpenValue => marker,
                _ => {
                    at += 1;
                    continue;
                }
            };
            let Some(tag) = &marker.tag else {
                return Step::Go(marker.end);
            };
            let name = slice(input, tag.name.0, tag.name.1).to_owned();
            cx.argument_start(Some(&name));
            if !tag.empty {
                let text = cx.sink.holds_text(cx.call, &name);
                let start = cx.call.raw.len() + (marker.end - from);
                self.phase = Phase::Element { name, depth: 0, text, start };
            }
            return Step::Go(marker.end);
        }
        Step::Go(input.len())
    }

    fn element<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, from: usize) -> Step {
        let Phase::Element { name, depth, text, .. } = &self.phase else {
            return Step::Go(from);
        };
        let (name, mut depth, text) = (name.clone(), *depth, *text);
        let mut at = from;
        let step = loop {
            let Some(offset) = memchr::memchr(b'<', &input.as_bytes()[at..]) else {
                at = input.len();
                break Step::Go(at);
            };
            at += offset;
            let marker = match self.tag_at(cx, input, at) {
                Err(Some(step)) => break step,
                Ok(marker) => marker,
                Err(None) => {
                    at += 1;
                    continue;
                }
            };
            let tag = marker.tag.as_ref();
            let own = tag.is_some_and(|tag| slice(input, tag.name.0, tag.name.1) == name);
            // A closer is exact: with blanks in it, it is text.
            let exact = marker.end - marker.start == "</>".len() + name.len();
            match marker.action {
                Action::CloseValue if own && exact && depth == 0 => {
                    self.phase = Phase::Between;
                    break Step::Go(marker.end);
                }
                Action::CloseValue if own && exact => depth -= 1,
                Action::OpenValue if own && !text && tag.is_some_and(|tag| !tag.empty) => {
                    depth += 1;
                }
                _ => {
                    at += 1;
                    continue;
                }
            }
            at = marker.end;
        };
        if let Phase::Element { depth: kept, .. } = &mut self.phase {
            *kept = depth;
        }
        cx.argument_delta(slice(input, from, at));
        step
    }

    /// Whether the reader is inside an element.
    pub fn in_element(&self) -> bool {
        matches!(self.phase, Phase::Element { .. })
    }

    pub fn at_end(&self) -> AtEnd {
        match self.phase {
            Phase::Element { start, .. } => AtEnd::Unclosed(start),
            _ => AtEnd::Cut,
        }
    }
}
