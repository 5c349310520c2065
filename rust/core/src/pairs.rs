//! Calls whose arguments are keys and values, each between its own markers.
//!
//! Between them everything is noise. A value whose opener is missing is still bounded by its
//! closer; a key that no value follows counts for nothing.

use crate::body::{AtEnd, Context, Step, slice};
use crate::call::Argument;
use crate::compiled::Action;
use crate::matcher::{Found, Marker, Matcher};
use crate::sink::Sink;

/// Where the reader of such a call stands; positions are those of the raw text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pairs {
    /// Before a key.
    Between,
    /// Inside the key that begins here.
    Key { start: usize },
    /// Behind a key, before its value.
    Gap { key: String, start: usize },
    /// Inside the value that begins here.
    Value { start: usize },
}

impl Pairs {
    pub fn step<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let form = cx.form;
        let matcher = match self {
            Self::Between => cx.inside,
            Self::Key { .. } => form.key(cx.outer),
            Self::Gap { .. } => form.gap(cx.outer),
            Self::Value { .. } if cx.unclosed => &form.unclosed_value,
            Self::Value { .. } => &form.value,
        };
        let (end, marker) = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => (input.len(), Err(Step::Go(input.len()))),
            Found::Partial(start) => (start, Err(Step::Wait(start))),
            Found::Marker(marker) => (marker.start, Ok(marker)),
        };
        if matches!(self, Self::Value { .. }) {
            cx.argument_delta(slice(input, at, end));
        }
        match marker {
            Err(step) => step,
            Ok(marker) => self.act(cx, input, at, &marker, matcher),
        }
    }

    fn act<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
        marker: &Marker<Action>,
        matcher: &Matcher<Action>,
    ) -> Step {
        let position = |at_input: usize| cx.call.raw.len() + (at_input - at);
        let (before, behind) = (position(marker.start), position(marker.end));
        let written = |start: usize| {
            let kept = cx.call.raw.get(start..).unwrap_or_default();
            kept.to_owned() + slice(input, at, marker.start)
        };
        match (marker.action, &*self) {
            (Action::OpenKey, _) => *self = Self::Key { start: behind },
            (Action::CloseKey, Self::Key { start }) => {
                *self = Self::Gap { key: written(*start).trim().to_owned(), start: behind };
            }
            (Action::OpenValue, Self::Gap { key, .. }) => {
                let key = key.clone();
                open_value(cx, key, behind);
                *self = Self::Value { start: behind };
            }
            (Action::CloseValue, Self::Gap { key, start }) => {
                let (key, start, text) = (key.clone(), *start, written(*start));
                let blanks = text.len() - text.trim_start().len();
                open_value(cx, key, start + blanks);
                cx.argument_delta(text.trim_start());
                close_value(cx, start + blanks, before);
                *self = Self::Between;
            }
            (Action::CloseValue, Self::Value { start }) => {
                let start = *start;
                let end = if matcher.trims(marker.pattern) {
                    let text = written(start);
                    before - (text.len() - text.trim_end().len())
                } else {
                    before
                };
                close_value(cx, start, end);
                *self = Self::Between;
            }
            (Action::CloseCall, _) => return Step::Close(marker.start, marker.end),
            _ => return Step::Leave(marker.start),
        }
        Step::Go(marker.end)
    }

    /// Whether the reader is inside a value.
    pub fn in_value(&self) -> bool {
        matches!(self, Self::Value { .. })
    }

    /// Whether a key has begun that no value follows yet.
    pub fn lacks_value(&self) -> bool {
        matches!(self, Self::Key { .. } | Self::Gap { .. })
    }

    pub fn at_end(&self) -> AtEnd {
        match self {
            Self::Value { start } => AtEnd::Unclosed(*start),
            _ => AtEnd::Cut,
        }
    }
}

fn open_value<S: Sink>(cx: &mut Context<'_, S>, key: String, start: usize) {
    cx.argument_start(Some(&key));
    if !cx.call.muted {
        cx.call.arguments.push(Argument { key, value: (start, start), hint: None });
    }
}

fn close_value<S>(cx: &mut Context<'_, S>, start: usize, end: usize) {
    if let (Some(argument), false) = (cx.call.arguments.last_mut(), cx.call.muted) {
        argument.value = (start, end);
    }
}
