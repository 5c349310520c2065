//! What all readers of a call's body share: their view of the call, and what a step can answer.

use crate::call::Call;
use crate::envelope::Envelope;
use crate::grammar::{Action, CompiledForm};
use crate::matcher::{Found, Marker, Matcher, Resume};
use crate::scanner::Limits;
use crate::sink::{Reason, Sink};
use crate::values::Values;

/// The body of the open call, by its shape.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Envelope(Envelope),
    Values(Values),
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
    pub inside: &'a Matcher<Action>,
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

    /// Gives the call up: its rest is read but not kept.
    pub fn over_limit(&mut self) {
        if !self.call.muted {
            self.sink.tool_abort(self.call, Reason::Limit);
            self.call.muted = true;
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
}

/// The part of `input` between two positions.
pub(crate) fn slice(input: &str, start: usize, end: usize) -> &str {
    input.get(start..end).unwrap_or_default()
}
