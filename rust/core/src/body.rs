//! What all readers of a call's body share: their view of the call, and what a step can answer.

use crate::call::{Call, Carrier};
use crate::compiled::{Action, CompiledForm, Outer};
use crate::elements::Elements;
use crate::envelope::Envelope;
use crate::grammar;
use crate::header::{Header, HeaderStep};
use crate::json_body::JsonBody;
use crate::matcher::{Found, Marker, Matcher, Resume};
use crate::pairs::Pairs;
use crate::python::Code;
use crate::quoted::Quoted;
use crate::scanner::Limits;
use crate::sink::{Heading, Sink};
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

impl Body {
    /// The reader for the body of a call of this form.
    pub fn of(form: &CompiledForm, call: &Call) -> Self {
        match &form.body {
            grammar::Body::Envelope { .. } => Self::Envelope(Envelope::new()),
            grammar::Body::Json => Self::Json(JsonBody::Begin),
            grammar::Body::Values { .. } => Self::Values(Values::Between),
            grammar::Body::Pairs { .. } => Self::Pairs(Pairs::Between),
            grammar::Body::Quoted { .. } => Self::Quoted(Quoted::Before),
            grammar::Body::Code => Self::Code(Code::new(call.raw.len())),
            grammar::Body::Elements => {
                Self::Elements(Elements::new(&form.closer_head, call.name().unwrap_or_default()))
            }
        }
    }

    /// How the call carries its arguments; `otherwise` where that is known only later.
    pub fn carrier(&self, otherwise: Carrier) -> Carrier {
        match self {
            Self::Values(_) | Self::Pairs(_) => Carrier::Values,
            Self::Elements(_) => Carrier::Elements,
            Self::Json(_) | Self::Quoted(_) | Self::Code(_) => otherwise,
            Self::Header(_) | Self::Envelope(_) => Carrier::Body,
        }
    }

    /// Reads on from `at`.
    pub fn step<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> (Step, Ended) {
        let step = match self {
            Body::Header(header) => match header.step(cx, input, at) {
                HeaderStep::Step(step) => step,
                HeaderStep::Ended(behind, heading) => {
                    let ended = self.headed(cx, heading);
                    if let Ended::Message(_) = ended {
                        return (Step::Go(behind), ended);
                    }
                    Step::Go(behind)
                }
                HeaderStep::Over(step, heading) => {
                    return match self.headed(cx, heading) {
                        Ended::Message(_) => (step, Ended::Call),
                        _ => (step, Ended::Open),
                    };
                }
            },
            Body::Envelope(envelope) => envelope.step(cx, input, at),
            Body::Json(json) => json.step(cx, input, at),
            Body::Values(values) => values.step(cx, input, at),
            Body::Pairs(pairs) => pairs.step(cx, input, at),
            Body::Quoted(quoted) => quoted.step(cx, input, at),
            Body::Code(code) => code.step(cx, input, at),
            Body::Elements(elements) => elements.step(cx, input, at),
        };
        (step, Ended::Open)
    }

    /// The header has been read: what it heads begins.
    fn headed<S: Sink>(&mut self, cx: &mut Context<'_, S>, heading: Heading) -> Ended {
        match heading {
            Heading::Call { name, id } => {
                cx.call.id = id;
                if cx.too_many {
                    cx.call.name = Some(name);
                } else {
                    cx.start(name);
                }
            }
            Heading::Unreadable => {}
            message => return Ended::Message(message),
        }
        *self = Self::of(cx.form, cx.call);
        cx.call.carrier = self.carrier(Carrier::Text(cx.call.raw.len(), cx.call.raw.len()));
        Ended::Open
    }

    /// Where the body ended by its own structure, in the raw text.
    pub fn end(&self) -> Option<usize> {
        match self {
            Self::Envelope(envelope) => envelope.end(),
            Self::Json(json) => json.end(),
            Self::Quoted(quoted) => quoted.end(),
            _ => None,
        }
    }

    /// Whether the call stands inside a value, which is not complete then.
    pub fn in_value(&self) -> bool {
        match self {
            Self::Values(values) => values.in_value(),
            Self::Pairs(pairs) => pairs.in_value(),
            Self::Elements(elements) => elements.in_element(),
            _ => false,
        }
    }

    /// Whether the last argument of the call is not complete.
    pub fn in_argument(&self) -> bool {
        match self {
            Self::Values(values) => values.in_named_value(),
            Self::Pairs(pairs) => pairs.in_value(),
            _ => false,
        }
    }

    /// Whether the call names a parameter that it gives no value.
    pub fn lacks_value(&self) -> bool {
        matches!(self, Self::Pairs(pairs) if pairs.lacks_value())
    }

    /// Whether the call, cut here, lacks nothing but closers: `tail` is its raw text behind its
    /// last argument.
    pub fn lacks_closers(&self, form: &CompiledForm, outer: Outer, tail: &str) -> bool {
        match self {
            Self::Values(Values::Between) | Self::Pairs(Pairs::Between) => {
                // The value's closer stands there, and nothing but the call's may have begun.
                let Found::Marker(closer) = form.value.find_at(tail, 0, true, &mut None) else {
                    return false;
                };
                let rest = slice(tail, closer.end, tail.len());
                rest.trim().is_empty() || form.begins_closer(outer, rest)
            }
            Self::Json(JsonBody::Inside { structure, .. }) => structure.behind_value(),
            Self::Envelope(envelope) => envelope.lacks_closers(),
            _ => false,
        }
    }

    /// What the end of the input means here.
    pub fn at_end(&self) -> AtEnd {
        match self {
            Self::Header(_) => AtEnd::Cut,
            Self::Envelope(envelope) => envelope.at_end(),
            Self::Json(json) => json.at_end(),
            Self::Values(values) => values.at_end(),
            Self::Pairs(pairs) => pairs.at_end(),
            Self::Quoted(quoted) => quoted.at_end(),
            Self::Code(code) => code.at_end(),
            Self::Elements(elements) => elements.at_end(),
        }
    }
}

/// What a step made of the call.
pub(crate) enum Ended {
    /// It is still open.
    Open,
    /// It ended and was reported.
    Call,
    /// It was no call but a message that this heading describes.
    Message(Heading),
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
    /// The stream has had all the calls it may have: this one is not told.
    pub too_many: bool,
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

    /// The body ended by its own structure at `end`: so does a call that has no closer.
    pub fn ended(&self, end: usize) -> Step {
        if self.form.closes { Step::Go(end) } else { Step::Close(end, end) }
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

/// How many bytes at the beginning of `bytes` belong together.
pub(crate) fn count(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

/// How many bytes at the end of `bytes` may begin `token`.
pub(crate) fn unfinished(bytes: &[u8], token: &[u8]) -> usize {
    let longest = bytes.len().min(token.len().saturating_sub(1));
    (1..=longest)
        .rev()
        .find(|length| token.starts_with(&bytes[bytes.len() - length..]))
        .unwrap_or(0)
}

/// The greatest character boundary of `text` that is not behind `at`.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
