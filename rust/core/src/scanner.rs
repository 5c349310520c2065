//! One stream's state: text in, events to a sink.
//!
//! A scanner is outside (in text or in a section), inside thinking, or inside a call. Each state
//! reads as far as the bytes decide; what is undecided is held back and read again together with
//! the next chunk. A decision never depends on where a chunk ended, so the events are the same
//! however the input is cut.

use std::sync::Arc;

use crate::body::{AtEnd, Body, Context, Step, slice};
use crate::call::Call;
use crate::envelope::Envelope;
use crate::fence::{Fence, FenceStep};
use crate::grammar::{self, Action, Compiled, CompiledThinking, Outer};
use crate::layout::Layout;
use crate::matcher::{Found, Marker, Resume};
use crate::sink::{Reason, Sink};
use crate::values::{self, Values};

pub use crate::layout::Whitespace;

/// Bounds on what one stream may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest call, in bytes of its raw text.
    pub max_call_bytes: usize,
    /// The most calls of one stream.
    pub max_calls: usize,
    /// The deepest nesting of brackets in a call's arguments.
    pub max_depth: usize,
}

/// Where a stream begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// In text.
    #[default]
    Text,
    /// In a thinking block that the prompt has opened.
    Thinking,
}

/// How a scanner treats its stream.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the stream begins.
    pub start: Start,
    /// What whitespace beside calls and thinking is.
    pub whitespace: Whitespace,
    /// Bounds.
    pub limits: Limits,
}

/// How the open thinking block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the closer of this pair.
    Pair(usize),
    /// At any closer: the prompt opened the block.
    Any,
    /// At a closing fence.
    Fence(Fence),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte of a stream whose prompt opened thinking.
    Opened,
    /// In text, or in a section between calls.
    Outside,
    /// Behind a control token, whose whitespace is dropped.
    AfterControl,
    /// Inside a thinking block.
    Thinking(Until),
    /// Inside a call.
    Call,
    /// After a fabricated result: nothing counts any more.
    Stopped,
}

/// One stream being scanned.
#[derive(Debug)]
pub struct Scanner {
    grammar: Arc<Compiled>,
    settings: Settings,
    state: State,
    outer: Outer,
    /// Bytes that may begin a marker.
    held: String,
    resume: Option<Resume>,
    layout: Layout,
    /// The open thinking block.
    block: String,
    call: Call,
    form: usize,
    body: Body,
    calls: usize,
    unclosed: bool,
}

impl Scanner {
    /// A scanner at the beginning of a stream.
    #[must_use]
    pub fn new(grammar: Arc<Compiled>, settings: Settings) -> Self {
        let state = match settings.start {
            Start::Thinking if grammar.has_thinking() => State::Opened,
            _ => State::Outside,
        };
        Self {
            layout: Layout::new(settings.whitespace),
            grammar,
            settings,
            state,
            outer: None,
            held: String::new(),
            resume: None,
            block: String::new(),
            call: Call::default(),
            form: 0,
            body: Body::Values(Values::Between),
            calls: 0,
            unclosed: false,
        }
    }

    /// Forgets the stream: the scanner is as new.
    pub fn reset(&mut self) {
        *self = Self::new(self.grammar.clone(), self.settings.clone());
    }

    /// Whether bytes are held back.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Reads the next chunk.
    pub fn feed(&mut self, chunk: &str, sink: &mut impl Sink) {
        if self.held.is_empty() {
            let read = self.read(chunk, false, sink);
            self.held.push_str(chunk.get(read..).unwrap_or_default());
            return;
        }
        let mut input = std::mem::take(&mut self.held);
        input.push_str(chunk);
        let read = self.read(&input, false, sink);
        input.drain(..read);
        self.held = input;
    }

    /// The stream ends: what is held back is decided, what is open is closed.
    pub fn flush(&mut self, sink: &mut impl Sink) {
        let mut rest = std::mem::take(&mut self.held);
        loop {
            self.read(&rest, true, sink);
            match self.state {
                State::Call => match self.end_call(sink) {
                    Some(tail) => rest = tail,
                    None => break,
                },
                State::Thinking(_) => {
                    self.close_thinking(sink);
                    break;
                }
                _ => break,
            }
        }
        self.layout.finish(sink);
    }

    /// Reads `input` as far as it can be decided; answers how far that is.
    fn read(&mut self, input: &str, last: bool, sink: &mut impl Sink) -> usize {
        let mut at = 0;
        while at < input.len() {
            let step = match self.state {
                State::Outside => self.outside(input, at, last, sink),
                State::Thinking(until) => self.thinking(until, input, at, last, sink),
                State::Call => self.call(input, at, last, sink),
                State::Opened => self.opened(input, at, last, sink),
                State::AfterControl => self.after_control(input, at),
                State::Stopped => Step::Go(input.len()),
            };
            match step {
                Step::Go(to) | Step::Close(_, to) | Step::Leave(to) => at = to,
                Step::Wait(to) => return to,
            }
        }
        at
    }

    fn outside(&mut self, input: &str, at: usize, last: bool, sink: &mut impl Sink) -> Step {
        let grammar = Arc::clone(&self.grammar);
        let found = grammar.outside(self.outer).find(input, at, last, &mut self.resume);
        let (end, step) = match &found {
            Found::Nothing => (input.len(), Step::Go(input.len())),
            Found::Partial(start) => (*start, Step::Wait(*start)),
            Found::Marker(marker) => (marker.start, Step::Go(marker.end)),
        };
        if self.outer.is_none() {
            self.layout.text(slice(input, at, end), sink);
        }
        if let Found::Marker(marker) = found {
            self.act(&grammar, input, &marker, sink);
        }
        step
    }

    /// A marker outside calls and thinking takes effect.
    fn act(
        &mut self,
        grammar: &Compiled,
        input: &str,
        marker: &Marker<Action>,
        sink: &mut impl Sink,
    ) {
        match marker.action {
            Action::OpenSection(section) => {
                self.layout.boundary();
                self.outer = Some(section);
            }
            Action::CloseSection => {
                self.layout.boundary();
                self.outer = None;
            }
            Action::OpenThinking(pair) => {
                self.layout.boundary();
                sink.thinking_start();
                self.state = State::Thinking(match grammar.thinking.get(pair) {
                    Some(CompiledThinking::Fence) => Until::Fence(Fence::new()),
                    _ => Until::Pair(pair),
                });
                if marker.tag.as_ref().is_some_and(|tag| tag.empty) {
                    self.close_thinking(sink);
                }
            }
            Action::OpenCall(form) => self.open_call(grammar, form, input, marker, sink),
            Action::Result => {
                self.layout.finish(sink);
                sink.stopped(slice(input, marker.start, marker.end));
                self.state = State::Stopped;
            }
            Action::Control => self.state = State::AfterControl,
            Action::Stray
            | Action::CloseCall
            | Action::OpenValue
            | Action::CloseValue
            | Action::CloseThinking => {}
        }
    }

    fn after_control(&mut self, input: &str, at: usize) -> Step {
        let blanks =
            input.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if at + blanks < input.len() {
            self.state = State::Outside;
        }
        Step::Go(at + blanks)
    }

    /// The prompt opened a block; a model that opens it again is not quoted.
    fn opened(&mut self, input: &str, at: usize, last: bool, sink: &mut impl Sink) -> Step {
        let step = match self.grammar.thinking_open.find(input, at, last, &mut self.resume) {
            Found::Partial(start) if start == at => return Step::Wait(at),
            Found::Marker(marker) if marker.start == at => Step::Go(marker.end),
            _ => Step::Go(at),
        };
        self.resume = None;
        sink.thinking_start();
        self.state = State::Thinking(match self.grammar.thinking.first() {
            Some(CompiledThinking::Fence) => Until::Fence(Fence::new()),
            _ => Until::Any,
        });
        step
    }

    fn thinking(
        &mut self,
        until: Until,
        input: &str,
        at: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let (end, step, closed) = match until {
            Until::Fence(mut fence) => {
                let found = fence.step(input, at, last);
                self.state = State::Thinking(Until::Fence(fence));
                match found {
                    FenceStep::Open(end) if end < input.len() => (end, Step::Wait(end), false),
                    FenceStep::Open(end) => (end, Step::Go(end), false),
                    FenceStep::Closed(end, behind) => (end, Step::Go(behind), true),
                }
            }
            Until::Pair(_) | Until::Any => {
                let matcher = match until {
                    Until::Pair(pair) => match self.grammar.thinking.get(pair) {
                        Some(CompiledThinking::Marker(matcher)) => matcher,
                        _ => &self.grammar.any_thinking_close,
                    },
                    _ => &self.grammar.any_thinking_close,
                };
                match matcher.find(input, at, last, &mut self.resume) {
                    Found::Nothing => (input.len(), Step::Go(input.len()), false),
                    Found::Partial(start) => (start, Step::Wait(start), false),
                    Found::Marker(marker) => (marker.start, Step::Go(marker.end), true),
                }
            }
        };
        let delta = slice(input, at, end);
        if !delta.is_empty() {
            self.block.push_str(delta);
            sink.thinking_delta(delta);
        }
        if closed {
            self.close_thinking(sink);
        }
        step
    }

    fn close_thinking(&mut self, sink: &mut impl Sink) {
        sink.thinking_end(&self.block);
        self.block.clear();
        self.state = State::Outside;
        self.layout.boundary();
    }

    fn open_call(
        &mut self,
        grammar: &Compiled,
        form: usize,
        input: &str,
        marker: &Marker<Action>,
        sink: &mut impl Sink,
    ) {
        self.layout.boundary();
        self.state = State::Call;
        self.form = form;
        self.calls += 1;
        self.call.clear();
        self.call.raw.push_str(slice(input, marker.start, marker.end));
        let behind = self.call.raw.len();
        self.call.body = (behind, behind);
        if self.calls > self.settings.limits.max_calls
            || behind > self.settings.limits.max_call_bytes
        {
            sink.tool_abort(&self.call, Reason::Limit);
            self.call.muted = true;
        }
        let Some(compiled) = grammar.forms.get(form) else {
            return;
        };
        match &compiled.body {
            grammar::Body::Envelope { .. } => self.body = Body::Envelope(Envelope::new()),
            grammar::Body::Values { name, .. } => {
                self.body = Body::Values(Values::Between);
                self.call.carrier = values::CARRIER;
                let pattern = grammar.outside(self.outer).tag_pattern(marker.pattern);
                let name =
                    values::name_in(name, input, marker, pattern).filter(|name| !name.is_empty());
                self.call.name = name.map(str::to_owned);
                if self.call.name.is_some() && !self.call.muted {
                    sink.tool_start(&self.call);
                }
            }
        }
        if marker.tag.as_ref().is_some_and(|tag| tag.empty) {
            self.finish_call(sink);
        }
    }

    fn call(&mut self, input: &str, at: usize, last: bool, sink: &mut impl Sink) -> Step {
        let room = self.settings.limits.max_call_bytes.saturating_sub(self.call.raw.len());
        let over = !self.call.muted && input.len() - at > room;
        // Over the limit, the body is read exactly as far as the limit, however the input is cut.
        let window = if over { slice(input, 0, floor_boundary(input, at + room)) } else { input };
        let step = if window.len() > at {
            self.step_body(window, at, last && !over, sink)
        } else {
            Step::Wait(at)
        };
        match step {
            Step::Go(to) | Step::Wait(to) => self.call.keep(slice(window, at, to)),
            Step::Close(start, end) => {
                self.call.keep(slice(window, at, start));
                self.end_body();
                self.call.keep(slice(window, start, end));
                if self.in_value() {
                    self.abort_call(Reason::Truncated, sink);
                } else {
                    self.finish_call(sink);
                }
            }
            Step::Leave(start) => {
                self.call.keep(slice(window, at, start));
                self.end_body();
                self.finish_call(sink);
            }
        }
        match step {
            Step::Wait(to) if over => {
                self.mute(sink);
                Step::Go(to)
            }
            step => step,
        }
    }

    fn step_body<S: Sink>(&mut self, input: &str, at: usize, last: bool, sink: &mut S) -> Step {
        let Some(form) = self.grammar.forms.get(self.form) else {
            return Step::Go(input.len());
        };
        let mut context = Context {
            call: &mut self.call,
            sink,
            inside: form.inside(self.outer),
            form,
            limits: &self.settings.limits,
            resume: &mut self.resume,
            last,
            unclosed: self.unclosed,
        };
        match &mut self.body {
            Body::Envelope(envelope) => envelope.step(&mut context, input, at),
            Body::Values(values) => values.step(&mut context, input, at),
        }
    }

    /// The call's body ends here, or ended where its own structure did.
    fn end_body(&mut self) {
        self.call.body.1 = match &self.body {
            Body::Envelope(envelope) => envelope.end().unwrap_or(self.call.raw.len()),
            Body::Values(_) => self.call.raw.len(),
        };
    }

    fn in_value(&self) -> bool {
        matches!(self.body, Body::Values(values) if values.in_value())
    }

    fn finish_call(&mut self, sink: &mut impl Sink) {
        if !self.call.muted {
            if self.call.name.is_none() && self.call.carrier == values::CARRIER {
                sink.tool_abort(&self.call, Reason::Malformed);
            } else {
                sink.tool_end(&self.call);
            }
        }
        self.leave_call();
    }

    fn abort_call(&mut self, reason: Reason, sink: &mut impl Sink) {
        if matches!(self.body, Body::Values(values) if values.in_named_value()) {
            self.call.arguments.pop(); // it was not completed
        }
        if !self.call.muted {
            sink.tool_abort(&self.call, reason);
        }
        self.leave_call();
    }

    /// Reports the call as over a limit: its rest is read but not kept.
    fn mute(&mut self, sink: &mut impl Sink) {
        if self.call.muted {
            return;
        }
        let values = self.call.arguments.len();
        let incomplete = matches!(self.body, Body::Values(values) if values.in_named_value());
        self.call.arguments.truncate(values - usize::from(incomplete && values > 0));
        sink.tool_abort(&self.call, Reason::Limit);
        self.call.muted = true;
    }

    fn leave_call(&mut self) {
        self.call.clear();
        self.state = State::Outside;
        self.layout.boundary();
    }

    /// The input ended inside a call. What turns out to stand behind it is answered, to be read
    /// as if the call had been closed there.
    fn end_call(&mut self, sink: &mut impl Sink) -> Option<String> {
        let at_end = match &self.body {
            Body::Envelope(envelope) => envelope.at_end(),
            Body::Values(values) => values.at_end(),
        };
        if self.call.muted {
            self.leave_call();
            return None;
        }
        match at_end {
            AtEnd::Complete(end) => Some(self.end_complete(end, sink)),
            AtEnd::Unclosed(since) => self.end_unclosed(since, sink),
            AtEnd::Cut => {
                self.end_cut(sink);
                None
            }
        }
    }

    /// The call was complete at `end` and only its closer is missing.
    fn end_complete(&mut self, end: usize, sink: &mut impl Sink) -> String {
        let tail = self.call.raw.get(end..).unwrap_or_default();
        let begins_closer = |form: &grammar::CompiledForm| matches!(form.closers.find(tail, 0, false, &mut None), Found::Partial(start) if tail[..start].trim().is_empty());
        let layout =
            tail.trim().is_empty() || self.grammar.forms.get(self.form).is_some_and(begins_closer);
        let tail = if layout { String::new() } else { self.call.raw.split_off(end) };
        self.call.body.1 = end;
        self.finish_call(sink);
        tail
    }

    fn end_cut(&mut self, sink: &mut impl Sink) {
        self.call.body.1 = self.call.raw.len();
        self.abort_call(Reason::Truncated, sink);
    }

    /// What is open since this position was never closed. If the call's closer stands there, it
    /// was no data after all and the call ended there, unfinished.
    fn end_unclosed(&mut self, since: usize, sink: &mut impl Sink) -> Option<String> {
        let form = self.grammar.forms.get(self.form)?;
        let Found::Marker(closer) = form.closers.find(&self.call.raw, since, true, &mut None)
        else {
            self.end_cut(sink);
            return None;
        };
        let tail = self.call.raw.split_off(closer.end);
        self.call.body.1 = closer.start;
        self.unclosed = self.unclosed || self.in_value();
        let reason = if self.in_value() { Reason::Truncated } else { Reason::Malformed };
        self.abort_call(reason, sink);
        Some(tail)
    }
}

/// The greatest character boundary of `text` that is not behind `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
