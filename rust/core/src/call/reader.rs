//! What the readers of a call's parts share: their view of the call, and what a step can answer.

use crate::call::name::undressed;
use crate::call::record::{Call, Fit};
use crate::markers::action::{Action, Outer};
use crate::markers::matcher::{Found, Marker, Matcher, Resume};
use crate::oracle::Oracle;
use crate::settings::Limits;
use crate::sink::Sink;

/// How far a step read, as a position in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Up to here; there may be more to read.
    Go(usize),
    /// Up to here; the rest waits for more input.
    Wait(usize),
    /// The call's own closer is `start..end`.
    Close(usize, usize),
    /// This marker, which is not the call's, begins here: the call ends before it.
    Leave(usize, Action),
    /// The call ends here, and another one of the same form begins without an opener.
    Next(usize),
    /// Up to here, where the call goes over a limit: its rest is read but not kept.
    OverLimit(usize),
}

impl Step {
    /// Where reading goes on.
    pub fn end(self) -> usize {
        match self {
            Self::Go(to)
            | Self::Wait(to)
            | Self::Close(_, to)
            | Self::Leave(to, _)
            | Self::Next(to)
            | Self::OverLimit(to) => to,
        }
    }
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

/// What a body stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Nothing that a call's end would cut.
    Nothing,
    /// A parameter that has a name but no value yet.
    Key,
    /// A value; `noted` if the call's record has it as its last argument.
    Value { noted: bool },
}

/// What a part's reader works with.
pub(crate) struct Context<'a, S> {
    pub call: &'a mut Call,
    pub sink: &'a mut S,
    pub oracle: &'a dyn Oracle,
    /// What counts inside the call, outside keys and values.
    pub inside: &'a Matcher<Action>,
    /// Whether the call has a closer; otherwise its body's own structure ends it.
    pub closes: bool,
    pub outer: Outer,
    pub limits: &'a Limits,
    pub resume: &'a mut Option<Resume>,
    /// No more input will come.
    pub last: bool,
    /// A value was found that is never closed: no later one can be closed either.
    pub unclosed: bool,
}

impl<S: Sink> Context<'_, S> {
    /// The name is known: the call is told. A name that no listed tool has may mean one.
    pub fn start(&mut self, name: String) {
        let meant = match undressed(&name, self.oracle) {
            Some(tool) if tool != name => Some(tool.to_owned()),
            _ => None,
        };
        if meant.is_some() {
            self.call.fits(Fit::Healed);
        }
        self.call.name = Some(meant.unwrap_or(name));
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
                _ => Err(Step::Leave(marker.start, marker.action)),
            },
        }
    }

    /// The body ended by its own structure at `end`: so does a call that has no closer.
    pub fn ended(&self, end: usize) -> Step {
        if self.closes { Step::Go(end) } else { Step::Close(end, end) }
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
                _ => Some(Step::Leave(marker.start, marker.action)),
            },
        }
    }
}
