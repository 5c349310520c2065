//! Calls whose arguments are tagged values: between values everything but a marker is noise,
//! inside one everything but its closer is data.

use crate::body::{AtEnd, Context, Step, slice};
use crate::call::Argument;
use crate::compiled::Action;
use crate::grammar::{Body, NameIn};
use crate::matcher::{Found, Marker};
use crate::sink::Sink;
use crate::tag::TagPattern;

/// Where the reader of a call with tagged values stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// Between values.
    Between,
    /// Right behind the opener of such a value, where one newline is layout.
    Opened { start: usize, named: bool },
    /// Inside the value that begins at this position of the raw text; `named` if it counts.
    Value { start: usize, named: bool },
}

/// The name that a tag carries, as written but trimmed.
pub(crate) fn name_in<'a>(
    carrier: &NameIn,
    input: &'a str,
    marker: &Marker<Action>,
    pattern: Option<&TagPattern>,
) -> Option<&'a str> {
    let (tag, pattern) = (marker.tag.as_ref()?, pattern?);
    match carrier {
        NameIn::Tag => Some(slice(input, tag.name.0, tag.name.1).trim()),
        NameIn::Attribute(name) => {
            let attributes = pattern.attributes(slice(input, tag.attributes.0, tag.attributes.1));
            let named = |(key, value): &(_, Option<&'a str>)| (key == name).then_some(*value)?;
            attributes.iter().rev().find_map(named).map(str::trim)
        }
    }
}

impl Values {
    pub fn step<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        match *self {
            Self::Between => self.between(cx, input, at),
            Self::Value { start, named } => self.value(cx, input, at, start, named),
            Self::Opened { start, named } => {
                let newline = usize::from(input.as_bytes().get(at) == Some(&b'\n'));
                *self = Self::Value { start: start + newline, named };
                Step::Go(at + newline)
            }
        }
    }

    fn between<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let marker = match cx.seek(input, at) {
            Ok(marker) => marker,
            Err(step) => return step,
        };
        let Body::Values { key, hint, hint_default, newline, .. } = &cx.form.body else {
            return Step::Go(marker.end);
        };
        let pattern = cx.inside.tag_pattern(marker.pattern);
        let name = name_in(key, input, &marker, pattern);
        let hint = hint
            .as_ref()
            .and_then(|hint| name_in(&NameIn::Attribute(hint.clone()), input, &marker, pattern));
        let hint = hint.or(hint_default.as_deref());
        let start = cx.call.raw.len() + (marker.end - at);
        if let Some(name) = name {
            let argument = Argument {
                key: name.to_owned(),
                value: (start, start),
                hint: hint.map(str::to_owned),
            };
            if !cx.call.muted {
                cx.call.arguments.push(argument);
            }
            cx.argument_start(Some(name));
        }
        if !marker.tag.as_ref().is_some_and(|tag| tag.empty) {
            let named = name.is_some();
            *self =
                if *newline { Self::Opened { start, named } } else { Self::Value { start, named } };
        }
        Step::Go(marker.end)
    }

    fn value<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
        start: usize,
        named: bool,
    ) -> Step {
        let matcher = if cx.unclosed { &cx.form.unclosed_value } else { &cx.form.value };
        let (end, step) = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => (input.len(), Step::Go(input.len())),
            Found::Partial(end) => (end, Step::Wait(end)),
            Found::Marker(marker) if marker.action == Action::CloseCall => {
                (marker.start, Step::Close(marker.start, marker.end))
            }
            Found::Marker(marker) => {
                *self = Self::Between;
                (marker.start, Step::Go(marker.end))
            }
        };
        if named {
            cx.argument_delta(slice(input, at, end));
        }
        if named && *self == Self::Between && !cx.call.muted {
            let end = cx.call.raw.len() + (end - at);
            if let Some(argument) = cx.call.arguments.last_mut() {
                argument.value = (start, end);
            }
        }
        step
    }

    /// Whether the reader is inside a value.
    pub fn in_value(self) -> bool {
        self != Self::Between
    }

    /// Whether the reader is inside a value that counts.
    pub fn in_named_value(self) -> bool {
        matches!(self, Self::Value { named: true, .. } | Self::Opened { named: true, .. })
    }

    pub fn at_end(self) -> AtEnd {
        match self {
            Self::Between => AtEnd::Cut,
            Self::Value { start, .. } | Self::Opened { start, .. } => AtEnd::Unclosed(start),
        }
    }
}
