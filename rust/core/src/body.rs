//! What all readers of a call's body share: their view of the call, and what a step can answer.

use crate::call::Call;
use crate::compiled::{Action, CompiledForm, Outer};
use crate::elements::Elements;
use crate::envelope::Envelope;
use crate::header::Header;
use crate::json_body::JsonBody;
use crate::matcher::{Found, Marker, Matcher, Resume};
use crate::pairs::Pairs;
use crate::python::Code;
use crate::quoted::Quoted;
use crate::scanner::Limits;
use crate::sink::Sink;
use crate::values::Values;

/// The reader of the open call, by the shape of what it stands in.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Header(Header),
    Envelope(Envelope),
    Json(JsonBody),
    Values(Values),
    Pairs(Pairs),
    Quoted(Quoted),
    Code(Code),
    Elements(Elements),
}

/// How far a step read, as a position in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Up to here; there may be more to read.
    Go(usize),
    /// Up to here; the rest waits for more input.
    Wait(usize),
    /// The call's own closer is `start..end`.
    Close(usize, usize),
    /// Something that is not the call's begins here: the call ends before it.
    Leave(usize),
    /// Up to here, where the call goes over a limit: its rest is read but not kept.
    OverLimit(usize),
}

/// What the end of the input means to an open body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// The call had been complete at this position of its raw text.
    Complete(usize),
    /// What is open since this position was never closed; it may have run past the call's closer.
    Unclosed(usize),
    /// The call is cut.
    Cut,
}

/// What a body's reader works with.
pub(crate) struct Context<'a, S> {
    pub call: &'a mut Call,
    pub sink: &'a mut S,
    pub form: &'a CompiledForm,
    pub form_index: usize,
    pub outer: Outer,
    /// What counts inside the call, outside keys and values.
    pub inside: &'a Matcher<Action>,
    /// The tags of elements.
    pub elements: &'a Matcher<Action>,
    pub limits: &'a Limits,
    pub resume: &'a mut Option<Resume>,
    /// No more input will come.
    pub last: bool,
    /// A value was found that is never closed: no later one can be closed either.
    pub unclosed: bool,
}

impl<S: Sink> Context<'_, S> {
    /// The name is known: the call is told.
    pub fn start(&mut self, name: String) {
        self.call.name = Some(name);
        if !self.call.muted {
            self.sink.tool_start(self.call);
        }
    }

    /// Whether argument text can be told now.
    pub fn started(&self) -> bool {
        self.call.name.is_some() && !self.call.muted
    }

    pub fn argument_start(&mut self, key: Option<&str>) {
        if self.started() {
            self.sink.argument_start(key);
        }
    }

    pub fn argument_delta(&mut self, delta: &str) {
        if self.started() && !delta.is_empty() {
            self.sink.argument_delta(delta);
        }
    }

    /// Skips what means nothing in the call, up to the next marker that does.
    pub fn seek(&mut self, input: &str, at: usize) -> Result<Marker<Action>, Step> {
        match self.inside.find(input, at, self.last, self.resume) {
            Found::Nothing => Err(Step::Go(input.len())),
            Found::Partial(start) => Err(Step::Wait(start)),
            Found::Marker(marker) => match marker.action {
                Action::CloseCall => Err(Step::Close(marker.start, marker.end)),
                Action::OpenValue => Ok(marker),
                _ => Err(Step::Leave(marker.start)),
            },
        }
    }

    /// Skips what stands behind a body that ended by its own structure, or broke.
    pub fn skip(&mut self, input: &str, at: usize) -> Step {
        match self.seek(input, at) {
            Ok(marker) => Step::Go(marker.end),
            Err(step) => step,
        }
    }

    /// What the marker that stands right at `at` does to the call; `None` if none stands there.
    pub fn marker_at(&mut self, input: &str, at: usize) -> Option<Step> {
        match self.inside.find_at(input, at, self.last, self.resume) {
            Found::Nothing => None,
            Found::Partial(start) => Some(Step::Wait(start)),
            Found::Marker(marker) => match marker.action {
                Action::CloseCall => Some(Step::Close(marker.start, marker.end)),
                _ => Some(Step::Leave(marker.start)),
            },
        }
    }
}

/// The part of `input` between two positions.
pub(crate) fn slice(input: &str, start: usize, end: usize) -> &str {
    input.get(start..end).unwrap_or_default()
}
