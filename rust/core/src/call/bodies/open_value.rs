//! An open tagged value: what is told of it, where it ends, and whether the next one begins in it.
//!
//! Where a closer is missing, the opener of the next value stands inside this one. An opener that may
//! be that one is not told as text before it is known: it is data if tags are balanced, else the next
//! value begins there.

use std::borrow::Cow;

use crate::call::bodies::nesting::{Depth, Here, Meaning};
use crate::call::bodies::value_markers::ValueMarkers;
use crate::call::reader::{Context, Step};
use crate::call::record::{Argument, Fit};
use crate::markers::action::Action;
use crate::markers::matcher::{Found, Marker, Matcher};
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
    another: Option<Another>,
}

/// The next value that may begin inside this one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Another {
    /// Where its opener stands in the raw text.
    opener: usize,
    argument: Argument,
}

impl OpenValue {
    pub fn new(start: usize, named: bool) -> Self {
        Self { start, named, depth: Depth::default(), another: None }
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
        let (end, step) = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => (input.len(), Step::Go(input.len())),
            Found::Partial(end) => (end, Step::Wait(end)),
            Found::Marker(marker) => {
                let key = cx.call.arguments.last().filter(|_| self.named);
                let key = key.map_or("", |argument| argument.key.as_str());
                let here = Here { input, last: cx.last, outer: cx.outer, key };
                let outermost = self.depth == Depth::default();
                let meaning = match (nesting, marker.action) {
                    (Some(nesting), _) => nesting.meaning(&mut self.depth, &here, &marker),
                    (None, Action::CloseCall) => Meaning::ClosesCall,
                    (None, _) => Meaning::Closes { wrong: false },
                };
                let step = meaning.step(&marker);
                match meaning {
                    Meaning::Data if outermost && marker.action == Action::OpenValue => {
                        self.tell(cx, slice(input, at, marker.start));
                        self.another = self.another(markers, cx, (input, at), &marker, matcher);
                        self.tell(cx, slice(input, marker.start, marker.end));
                        return (step, false);
                    }
                    Meaning::Data if self.depth == Depth::default() => self.was_data(cx),
                    // The call ends inside the value, which was never closed.
                    Meaning::ClosesCall => self.was_data(cx),
                    Meaning::Data | Meaning::NoTag | Meaning::Undecided => {}
                    Meaning::Closes { wrong } => {
                        if wrong {
                            cx.call.fits(Fit::Healed);
                        }
                        if markers.nesting.is_none() {
                            let kept = cx.call.raw.get(self.start..).unwrap_or_default();
                            let text = slice(input, at, marker.start);
                            let value = if kept.is_empty() {
                                Cow::Borrowed(text)
                            } else {
                                Cow::Owned(kept.to_owned() + text)
                            };
                            let behind = slice(input, marker.end, input.len());
                            self.check(markers, cx, (&value, behind));
                        }
                        self.close(cx, slice(input, at, marker.start));
                        return (step, true);
                    }
                }
                (if meaning == Meaning::ClosesCall { marker.start } else { step.end() }, step)
            }
        };
        self.tell(cx, slice(input, at, end));
        (step, false)
    }

    /// The value that this opener may open.
    fn another<S: Sink>(
        &self,
        markers: &ValueMarkers,
        cx: &Context<'_, S>,
        (input, at): (&str, usize),
        marker: &Marker<Action>,
        matcher: &Matcher<Action>,
    ) -> Option<Another> {
        let position = |at_input: usize| cx.call.raw.len() + (at_input - at);
        let pattern = matcher.tag_pattern(marker.pattern);
        let argument = markers.says.argument(input, marker, pattern, position(marker.end))?;
        let may_open = self.named && may_be_next(cx, &argument.key);
        may_open.then(|| Another { opener: position(marker.start), argument })
    }

    /// The tags are balanced: no other value has begun.
    fn was_data<S: Sink>(&mut self, cx: &mut Context<'_, S>) {
        if let Some(another) = self.another.take() {
            let held = cx.call.raw.get(another.opener..).unwrap_or_default().to_owned();
            self.tell(cx, &held);
        }
    }

    fn tell<S: Sink>(&self, cx: &mut Context<'_, S>, text: &str) {
        if self.named && self.another.is_none() {
            cx.argument_delta(text);
        }
    }

    /// The value ends behind this text, or it had ended where another one began.
    fn close<S: Sink>(&mut self, cx: &mut Context<'_, S>, text: &str) {
        if !self.named {
            return;
        }
        let end = cx.call.raw.len() + text.len();
        let Some(Another { opener, argument }) = self.another.take() else {
            cx.argument_delta(text);
            ends(cx, self.start, end);
            return;
        };
        cx.call.fits(Fit::Healed);
        ends(cx, self.start, opener);
        let start = argument.value.0;
        let value = cx.call.raw.get(start..).unwrap_or_default().to_owned() + text;
        begin(cx, argument);
        cx.argument_delta(&value);
        ends(cx, start, end);
    }

    /// Whether the value has swallowed another one, or lost the closer of a tag in it to a closer that
    /// seems to be there twice, where that was told before it could be known.
    fn check<S: Sink>(
        &self,
        markers: &ValueMarkers,
        cx: &mut Context<'_, S>,
        (value, behind): (&str, &str),
    ) {
        let (mut at, mut open, mut swallows) = (0, 0_usize, false);
        while let Found::Marker(marker) = markers.borders.find(value, at, true, &mut None) {
            if marker.action == Action::OpenValue {
                let pattern = markers.borders.tag_pattern(marker.pattern);
                let key = markers.says.key.of(value, &marker, pattern);
                swallows |= open == 0 && key.is_some_and(|key| may_be_next(cx, key));
                open += 1;
            } else {
                open = open.saturating_sub(1);
                swallows &= open > 0;
            }
            at = marker.end;
        }
        let at = blanks(behind.as_bytes());
        let twice = matches!(markers.closer_at(behind, at), Found::Marker(_));
        if self.named && (swallows || (open > 0 && twice)) {
            cx.call.fits(Fit::Lost);
        }
    }
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
