//! An open tagged value: what is told of it, where it ends, and whether the next one begins in it.
//!
//! Where a closer is missing, the opener of the next value stands inside this one. From an opener on
//! that may be that one, the value is not told before it is known: it is data if its tags are
//! balanced, else the next value begins there.

use std::borrow::Cow;

use crate::call::bodies::nesting::{Depth, Here, Meaning};
use crate::call::bodies::value_markers::ValueMarkers;
use crate::call::reader::{Context, Step};
use crate::call::record::{Argument, Fit};
use crate::markers::action::Action;
use crate::markers::matcher::Found;
use crate::sink::Sink;
use crate::text::slice::{blanks, slice};

/// A value that has not been closed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenValue {
    /// Where it begins in the raw text.
    start: usize,
    /// Whether its opener says of which parameter it is; else it counts for nothing.
    named: bool,
    depth: Depth,
    /// Whether an opener of values stands in it.
    opens: bool,
    /// From where on in the raw text it has not been told.
    held: Option<usize>,
}

impl OpenValue {
    pub fn new(start: usize, named: bool) -> Self {
        Self { start, named, depth: Depth::default(), opens: false, held: None }
    }

    pub fn start(&self) -> usize {
        self.start
    }

    pub fn named(&self) -> bool {
        self.named
    }

    /// Reads on; says whether the value is closed behind this step.
    pub fn step<S: Sink>(
        &mut self,
        markers: &ValueMarkers,
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
    ) -> (Step, bool) {
        let nesting = markers.nesting.as_deref().filter(|_| !cx.unclosed);
        let matcher = match nesting {
            Some(nesting) => nesting.inside(cx.outer),
            None => markers.ends.matcher(cx.unclosed),
        };
        let marker = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => {
                self.tell(cx, slice(input, at, input.len()));
                return (Step::Go(input.len()), false);
            }
            Found::Partial(end) => {
                self.tell(cx, slice(input, at, end));
                return (Step::Wait(end), false);
            }
            Found::Marker(marker) => marker,
        };
        let key = cx.call.arguments.last().filter(|_| self.named);
        let key = key.map_or("", |argument| argument.key.as_str());
        let here = Here { input, last: cx.last, outer: cx.outer, key };
        let meaning = match (nesting, marker.action) {
            (Some(nesting), _) => nesting.meaning(&mut self.depth, &here, &marker),
            (None, Action::OpenValue) => Meaning::Data,
            (None, Action::CloseCall) => Meaning::ClosesCall,
            (None, action) => Meaning::Closes { wrong: action == Action::HealValue },
        };
        let step = meaning.step(&marker);
        let mut end = step.end();
        match meaning {
            Meaning::Data if marker.action == Action::OpenValue => {
                self.opens = true;
                self.tell(cx, slice(input, at, marker.start));
                if self.held.is_none() && self.may_hold_next(markers, cx, (input, marker.start)) {
                    self.held = Some(cx.call.raw.len() + (marker.start - at));
                }
                self.tell(cx, slice(input, marker.start, end));
                return (step, false);
            }
            Meaning::Data if nesting.is_some() && self.depth == Depth::default() => {
                self.was_data(cx);
            }
            // The call ends inside the value, which was never closed.
            Meaning::ClosesCall => {
                self.was_data(cx);
                end = marker.start;
            }
            Meaning::Data | Meaning::NoTag | Meaning::Undecided => {}
            Meaning::Closes { wrong } => {
                let behind = slice(input, marker.end, input.len());
                self.close(markers, cx, slice(input, at, marker.start), (wrong, behind));
                return (step, true);
            }
        }
        self.tell(cx, slice(input, at, end));
        (step, false)
    }

    /// Whether the value of a parameter that is still missing may begin with the opener here.
    fn may_hold_next<S: Sink>(
        &self,
        markers: &ValueMarkers,
        cx: &Context<'_, S>,
        (input, at): (&str, usize),
    ) -> bool {
        let opener = markers.opener_from(input, at).filter(|_| self.named);
        let argument = opener.and_then(|opener| markers.argument(input, &opener, 0));
        argument.is_some_and(|argument| may_be_next(cx, &argument.key))
    }

    /// The tags are balanced: no other value has begun.
    fn was_data<S: Sink>(&mut self, cx: &mut Context<'_, S>) {
        if let Some(held) = self.held.take() {
            let text = cx.call.raw.get(held..).unwrap_or_default().to_owned();
            self.tell(cx, &text);
        }
    }

    fn tell<S: Sink>(&self, cx: &mut Context<'_, S>, text: &str) {
        if self.named && self.held.is_none() {
            cx.argument_delta(text);
        }
    }

    /// The value ends behind this text, or it had ended where another one began.
    fn close<S: Sink>(
        &self,
        markers: &ValueMarkers,
        cx: &mut Context<'_, S>,
        text: &str,
        (wrong, behind): (bool, &str),
    ) {
        if wrong {
            cx.call.fits(Fit::Healed);
        }
        if !self.named {
            return;
        }
        if !self.opens && !wrong {
            cx.argument_delta(text);
            ends(cx, self.start, cx.call.raw.len() + text.len());
            return;
        }
        let kept = cx.call.raw.get(self.start..).unwrap_or_default();
        let value =
            if kept.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(kept.to_owned() + text) };
        let mut told = self.held.map_or(kept.len(), |held| held - self.start);
        let unclosed = if self.opens { markers.unclosed(&value) } else { Vec::new() };
        let (mut at, mut split) = (0, false);
        for opener in &unclosed {
            let Some(mut argument) = markers.argument(&value, opener, self.start + opener.end)
            else {
                continue;
            };
            if !may_be_next(cx, &argument.key) {
                continue;
            }
            split = true;
            let piece = markers.without_layout(slice(&value, at, opener.start));
            self.piece(cx, (at, piece), &mut told, true);
            at = opener.end + markers.layout_behind(slice(&value, opener.end, value.len()));
            argument.value = (self.start + at, self.start + at);
            told = at;
            begin(cx, argument);
        }
        self.piece(cx, (at, slice(&value, at, value.len())), &mut told, wrong);
        // A closer that seems to be there twice may be that of a tag in the value.
        let twice = || markers.closer_at(behind, blanks(behind.as_bytes()));
        if split {
            cx.call.fits(Fit::Healed);
        } else if !unclosed.is_empty() && matches!(twice(), Found::Marker(_)) {
            cx.call.fits(Fit::Lost);
        }
    }

    /// This is the text of the last argument's value, which begins at `at` in all that was open.
    fn piece<S: Sink>(
        &self,
        cx: &mut Context<'_, S>,
        (at, text): (usize, &str),
        told: &mut usize,
        healed: bool,
    ) {
        let rest = told.saturating_sub(at);
        cx.argument_delta(slice(text, rest, text.len()));
        let key = cx.call.arguments.last().map_or("", |argument| argument.key.as_str());
        // Its closer may be wrong: it bears the parameter's name.
        if healed && closes_as(text, key) {
            cx.call.fits(Fit::Lost);
        }
        ends(cx, self.start + at, self.start + at + text.len());
    }
}

/// Whether a text ends with a closing tag of this name.
fn closes_as(text: &str, name: &str) -> bool {
    let inner = text.trim_end().strip_suffix('>').and_then(|text| text.strip_suffix(name));
    inner.is_some_and(|text| !name.is_empty() && text.ends_with("</"))
}

/// A value of this argument begins.
pub(super) fn begin<S: Sink>(cx: &mut Context<'_, S>, argument: Argument) {
    cx.argument_start(Some(&argument.key));
    if !cx.call.muted {
        cx.call.arguments.push(argument);
    }
}

/// Where the last argument's value stands.
fn ends<S>(cx: &mut Context<'_, S>, start: usize, end: usize) {
    if let (Some(argument), false) = (cx.call.arguments.last_mut(), cx.call.muted) {
        argument.value = (start, end);
    }
}

/// Whether a parameter of this name may come next: the tool has it, and it has not come.
fn may_be_next<S: Sink>(cx: &Context<'_, S>, key: &str) -> bool {
    let given = cx.call.arguments.iter().any(|argument| argument.key == key);
    let shape = || cx.call.name().and_then(|tool| cx.oracle.shape(tool));
    !given && cx.oracle.has_tools() && shape().is_some_and(|shape| shape.declares(key))
}
