//! One stream's state: text in, events to a sink.
//!
//! A stream is outside (in text or in a section), inside thinking, inside a message of another
//! kind, or inside a call. Each state reads as far as the bytes decide; what is undecided is held
//! back and read again together with the next chunk. A decision never depends on where a chunk
//! ended, so the events are the same however the input is cut.

use crate::body::{Ended, Step, slice};
use crate::compiled::{Action, Compiled, CompiledThinking, Outer};
use crate::fence::{Fence, FenceStep};
use crate::grammar::Content;
use crate::layout::Layout;
use crate::lead::Lead;
use crate::markdown::Markdown;
use crate::matcher::{Found, Marker, Resume};
use crate::open_call::OpenCall;
use crate::python::{Called, Lexed, Lexer, called};
use crate::scanner::{Settings, Start};
use crate::sink::{Heading, Sink};

/// How the open thinking block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the closer of this pair.
    Pair(usize),
    /// At any closer: the prompt opened the block.
    Prompted,
    /// At a closing fence.
    Fence(Fence),
}

/// What a message is that is no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Skipped,
}

/// A message that is no call, in the form with this index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Message {
    kind: Kind,
    form: usize,
}

/// Code between calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct InCode {
    lexer: Lexer,
    /// Whether the last name was `def` or `class`: the next one is no call.
    definition: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte of a stream whose prompt opened thinking.
    Opened,
    /// In text, or in a section between calls.
    Outside,
    /// Behind the opener of a section that begins with a call.
    SectionStart,
    /// In a section of code, between calls.
    Code(InCode),
    /// Behind a control token, whose blanks are dropped.
    AfterControl,
    /// Between a pair of markers that is dropped with what it encloses.
    Dropped(usize),
    /// Inside a thinking block.
    Thinking(Until),
    /// Inside a message of the form with this index.
    Message(Message),
    /// Inside a call.
    Call,
    /// After a fabricated result: nothing counts any more.
    Stopped,
}

/// The memory, in bytes, that an emptied buffer keeps for the next time.
const KEPT: usize = 4096;

/// One stream being scanned.
#[derive(Debug)]
pub(crate) struct Stream {
    state: State,
    outer: Outer,
    /// Bytes that may begin a marker.
    held: String,
    /// How many bytes of the stream were read before those.
    position: usize,
    resume: Option<Resume>,
    layout: Layout,
    /// The open section, as long as no call has come.
    lead: Lead,
    /// Where text stands in Markdown, if that counts.
    markdown: Option<Markdown>,
    /// The open thinking block.
    block: String,
    call: OpenCall,
}

impl Stream {
    /// The beginning of a stream.
    pub fn new(grammar: &Compiled, settings: &Settings) -> Self {
        Self {
            state: match settings.start {
                Start::Thinking if grammar.has_thinking() => State::Opened,
                _ => State::Outside,
            },
            outer: None,
            held: String::new(),
            position: 0,
            resume: None,
            layout: Layout::new(settings.whitespace),
            lead: Lead::new(settings.limits.max_call_bytes),
            markdown: settings.fenced_text.then(Markdown::default),
            block: String::new(),
            call: OpenCall::new(settings.limits.clone(), settings.recover),
        }
    }

    /// Reads the next chunk.
    pub fn feed(&mut self, grammar: &Compiled, chunk: &str, sink: &mut impl Sink) {
        if self.held.is_empty() {
            let read = self.read(grammar, chunk, false, sink);
            self.position += read;
            self.held.push_str(chunk.get(read..).unwrap_or_default());
            return;
        }
        let mut input = std::mem::take(&mut self.held);
        input.push_str(chunk);
        let read = self.read(grammar, &input, false, sink);
        self.position += read;
        input.drain(..read);
        input.shrink_to(KEPT);
        self.held = input;
    }

    /// The stream ends: what is held back is decided, what is open is closed.
    pub fn flush(&mut self, grammar: &Compiled, sink: &mut impl Sink) {
        let mut rest = std::mem::take(&mut self.held);
        loop {
            self.read(grammar, &rest, true, sink);
            self.position += rest.len();
            match self.state {
                State::Call => {
                    let tail = self.call.end_of_input(grammar, self.outer, sink);
                    self.leave_call(grammar);
                    match tail {
                        Some(tail) => {
                            self.position -= tail.len();
                            rest = tail;
                        }
                        None => break,
                    }
                }
                State::Thinking(_) | State::Message(Message { kind: Kind::Thinking, .. }) => {
                    self.close_thinking(grammar, sink);
                    break;
                }
                _ => break,
            }
        }
        let lead = self.lead.take();
        if self.outer.is_some() && self.lead.said_something(&lead) {
            self.show(&lead, sink);
        }
        self.layout.finish(sink);
    }

    /// Reads `input` as far as it can be decided; answers how far that is.
    fn read(&mut self, grammar: &Compiled, input: &str, last: bool, sink: &mut impl Sink) -> usize {
        let mut at = 0;
        while at < input.len() {
            let step = match self.state {
                State::Outside => self.outside(grammar, input, at, last, sink),
                State::SectionStart => self.section_start(grammar, input, at, last, sink),
                State::Thinking(until) => self.thinking(grammar, until, input, at, last, sink),
                State::Call => self.call(grammar, input, at, last, sink),
                State::Message(message) => self.message(grammar, message, input, at, last, sink),
                State::Code(code) => self.code(grammar, code, input, at, last, sink),
                State::Opened => self.opened(grammar, input, at, last, sink),
                State::AfterControl => self.after_control(input, at),
                State::Dropped(pair) => self.dropped(grammar, pair, input, at, last),
                State::Stopped => Step::Go(input.len()),
            };
            match step {
                Step::Go(to) | Step::Close(_, to) | Step::Leave(to) | Step::OverLimit(to) => {
                    at = to;
                    // Only bytes that are held back are searched on from where the search stopped.
                    self.resume = None;
                }
                Step::Wait(to) => return to,
            }
        }
        at
    }

    fn outside(
        &mut self,
        grammar: &Compiled,
        input: &str,
        at: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let found = grammar.outside(self.outer).find(input, at, last, &mut self.resume);
        let (end, step) = match &found {
            Found::Nothing => (input.len(), Step::Go(input.len())),
            Found::Partial(start) => (*start, Step::Wait(*start)),
            Found::Marker(marker) => (marker.start, Step::Go(marker.end)),
        };
        let before = slice(input, at, end);
        if self.outer.is_none() {
            self.show(before, sink);
        } else if let Some(step) = self.keep(grammar, input, at, end, sink) {
            return step;
        }
        if let Found::Marker(marker) = found {
            let counts = matches!(marker.action, Action::OpenThinking(_) | Action::Result);
            if !counts && self.markdown.as_ref().is_some_and(Markdown::in_fence) {
                // A marker that takes no bytes is shown by its first character.
                let first = slice(input, marker.start, input.len()).chars().next();
                let end = marker.end.max(marker.start + first.map_or(0, char::len_utf8));
                self.show(slice(input, marker.start, end), sink);
                return Step::Go(end);
            }
            self.act(grammar, input, &marker, sink);
        }
        step
    }

    fn show(&mut self, text: &str, sink: &mut impl Sink) {
        if let Some(markdown) = &mut self.markdown {
            markdown.read(text);
        }
        self.layout.text(text, sink);
    }

    /// Right behind the opener of a section that needs a call there: anything else but blanks
    /// shows that the opener was text.
    fn section_start(
        &mut self,
        grammar: &Compiled,
        input: &str,
        at: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let rest = &input.as_bytes()[at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if blanks > 0 {
            let over = self.keep(grammar, input, at, at + blanks, sink);
            return over.unwrap_or(Step::Go(at + blanks));
        }
        match grammar.outside(self.outer).find_at(input, at, last, &mut self.resume) {
            Found::Partial(_) => return Step::Wait(at),
            Found::Marker(marker) => {
                self.act(grammar, input, &marker, sink);
                return Step::Go(marker.end);
            }
            Found::Nothing => {}
        }
        self.was_text(grammar, sink);
        Step::Go(at)
    }

    /// Keeps what stands in a section before its first call. What goes on for longer than a call may
    /// was no section: the answer is where it went over.
    fn keep(
        &mut self,
        grammar: &Compiled,
        input: &str,
        from: usize,
        to: usize,
        sink: &mut impl Sink,
    ) -> Option<Step> {
        let end = from + self.lead.push(slice(input, from, to));
        if end == to {
            return None;
        }
        self.was_text(grammar, sink);
        Some(Step::Go(end))
    }

    /// What began as a section was text.
    fn was_text(&mut self, grammar: &Compiled, sink: &mut impl Sink) {
        let lead = self.lead.take();
        self.outer = None;
        self.outside_again(grammar);
        self.show(&lead, sink);
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
                self.outer = Some(section);
                self.lead.begin(slice(input, marker.start, marker.end));
                self.outside_again(grammar);
                let content = grammar.section(self.outer).map(|section| section.content);
                if content == Some(Content::Blanks) {
                    self.state = State::SectionStart;
                }
            }
            Action::CloseSection => {
                self.close_section(grammar, slice(input, marker.start, marker.end), sink);
            }
            Action::OpenThinking(pair) => {
                self.settle_lead(sink);
                self.layout.boundary();
                sink.thinking_start();
                self.state = State::Thinking(match grammar.thinking.get(pair) {
                    Some(CompiledThinking::Fence) => Until::Fence(Fence::new()),
                    _ => Until::Pair(pair),
                });
                if marker.tag.as_ref().is_some_and(|tag| tag.empty) {
                    self.close_thinking(grammar, sink);
                }
            }
            Action::OpenCall(form) => {
                self.enter_call();
                let pattern = grammar.outside(self.outer).tag_pattern(marker.pattern);
                let start = self.position + marker.start;
                if self.call.open(grammar, form, start, input, marker, pattern, sink) {
                    self.leave_call(grammar);
                }
            }
            Action::Result => {
                self.settle_lead(sink);
                self.layout.finish(sink);
                sink.stopped(slice(input, marker.start, marker.end));
                self.state = State::Stopped;
            }
            Action::Control => self.state = State::AfterControl,
            Action::OpenDropped(pair) => self.state = State::Dropped(pair),
            _ => {}
        }
    }

    /// Thinking begins. If prose came before it in a section without calls, that was text; else
    /// only what follows the thinking can still be.
    fn settle_lead(&mut self, sink: &mut impl Sink) {
        if !self.lead.is_kept() {
            return;
        }
        let lead = self.lead.take();
        if self.lead.said_something(&lead) {
            self.outer = None;
            self.show(&lead, sink);
        } else {
            self.lead.begin("");
        }
    }

    /// Back in text or in the section, whose content decides how it is read.
    fn outside_again(&mut self, grammar: &Compiled) {
        let content = grammar.section(self.outer).map(|section| section.content);
        self.state = match content {
            Some(Content::Code) => State::Code(InCode::default()),
            _ => State::Outside,
        };
    }

    /// The section ends. Code without a call in it was text.
    fn close_section(&mut self, grammar: &Compiled, closer: &str, sink: &mut impl Sink) {
        let code = grammar.section(self.outer).is_some_and(|it| it.content == Content::Code);
        let lead = self.lead.take();
        self.outer = None;
        self.outside_again(grammar);
        if code && self.lead.said_something(&lead) {
            self.show(&lead, sink);
            self.show(closer, sink);
        } else {
            self.layout.boundary();
        }
    }

    fn after_control(&mut self, input: &str, at: usize) -> Step {
        let blanks = input.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_whitespace());
        let end = at + blanks.count();
        if end < input.len() {
            self.state = State::Outside;
        }
        Step::Go(end)
    }

    fn dropped(
        &mut self,
        grammar: &Compiled,
        pair: usize,
        input: &str,
        at: usize,
        last: bool,
    ) -> Step {
        let Some(matcher) = grammar.dropped.get(pair) else {
            return Step::Go(input.len());
        };
        match matcher.find(input, at, last, &mut self.resume) {
            Found::Nothing => Step::Go(input.len()),
            Found::Partial(start) => Step::Wait(start),
            Found::Marker(marker) => {
                self.state = State::Outside;
                Step::Go(marker.end)
            }
        }
    }

    /// The prompt opened a block; a model that opens it again is not quoted.
    fn opened(
        &mut self,
        grammar: &Compiled,
        input: &str,
        at: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let step = match grammar.thinking_open.find_at(input, at, last, &mut self.resume) {
            Found::Partial(_) => return Step::Wait(at),
            Found::Marker(marker) if marker.tag.as_ref().is_some_and(|tag| tag.empty) => {
                sink.thinking_start();
                self.close_thinking(grammar, sink);
                return Step::Go(marker.end);
            }
            Found::Marker(marker) => Step::Go(marker.end),
            Found::Nothing => Step::Go(at),
        };
        sink.thinking_start();
        self.state = State::Thinking(match grammar.thinking.first() {
            Some(CompiledThinking::Fence) => Until::Fence(Fence::new()),
            _ => Until::Prompted,
        });
        step
    }

    fn thinking(
        &mut self,
        grammar: &Compiled,
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
            Until::Pair(_) | Until::Prompted => {
                let pair = match until {
                    Until::Pair(pair) => grammar.thinking.get(pair),
                    _ => None,
                };
                let matcher = match pair {
                    Some(CompiledThinking::Marker(matcher)) => matcher,
                    _ => &grammar.prompted_thinking,
                };
                match matcher.find(input, at, last, &mut self.resume) {
                    Found::Nothing => (input.len(), Step::Go(input.len()), false),
                    Found::Partial(start) => (start, Step::Wait(start), false),
                    Found::Marker(marker) if marker.action == Action::CloseThinking => {
                        (marker.start, Step::Go(marker.end), true)
                    }
                    // A call's opener: it is read again outside.
                    Found::Marker(marker) => (marker.start, Step::Go(marker.start), true),
                }
            }
        };
        self.think(slice(input, at, end), sink);
        if closed {
            self.close_thinking(grammar, sink);
        }
        step
    }

    fn think(&mut self, delta: &str, sink: &mut impl Sink) {
        if !delta.is_empty() {
            self.block.push_str(delta);
            sink.thinking_delta(delta);
        }
    }

    fn close_thinking(&mut self, grammar: &Compiled, sink: &mut impl Sink) {
        sink.thinking_end(&self.block);
        self.block.clear();
        self.block.shrink_to(KEPT);
        self.outside_again(grammar);
        self.layout.boundary();
    }

    /// A message that turned out to be no call, up to one of the call's ends.
    fn message(
        &mut self,
        grammar: &Compiled,
        Message { kind, form }: Message,
        input: &str,
        at: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let Some(compiled) = grammar.forms.get(form) else {
            return Step::Go(input.len());
        };
        let found = compiled.inside(self.outer).find(input, at, last, &mut self.resume);
        let (end, step) = match &found {
            Found::Nothing => (input.len(), Step::Go(input.len())),
            Found::Partial(start) => (*start, Step::Wait(*start)),
            Found::Marker(marker) if marker.action == Action::CloseCall => {
                (marker.start, Step::Go(marker.end))
            }
            Found::Marker(marker) => (marker.start, Step::Go(marker.start)),
        };
        let text = slice(input, at, end);
        match kind {
            Kind::Text => self.show(text, sink),
            Kind::Thinking => self.think(text, sink),
            Kind::Skipped => {}
        }
        if matches!(found, Found::Marker(_)) {
            match kind {
                Kind::Thinking => self.close_thinking(grammar, sink),
                _ => self.outside_again(grammar),
            }
        }
        step
    }

    /// Code between calls: names that are called may be calls.
    fn code(
        &mut self,
        grammar: &Compiled,
        mut code: InCode,
        input: &str,
        from: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let bytes = input.as_bytes();
        let mut at = from;
        let step = loop {
            if at >= bytes.len() {
                break Step::Go(at);
            }
            match code.lexer.read(bytes, at, last) {
                Lexed::Plain(end) => at = end,
                Lexed::Open | Lexed::Close => at += 1,
                Lexed::Wait => break Step::Wait(at),
                Lexed::Mark => {
                    match grammar.outside(self.outer).find_at(input, at, last, &mut self.resume) {
                        Found::Nothing => at += 1,
                        Found::Partial(_) => break Step::Wait(at),
                        Found::Marker(marker) => {
                            if let Some(step) = self.keep(grammar, input, from, at, sink) {
                                return step;
                            }
                            self.state = State::Outside;
                            self.act(grammar, input, &marker, sink);
                            return Step::Go(marker.end);
                        }
                    }
                }
                Lexed::Name(end) => {
                    let name = slice(input, at, end);
                    let call = called(bytes, end, last);
                    if matches!(call, Called::Wait) {
                        break Step::Wait(at);
                    }
                    let defined =
                        std::mem::replace(&mut code.definition, matches!(name, "def" | "class"));
                    match call {
                        Called::Yes(behind) if !defined => {
                            if let Some(step) = self.keep(grammar, input, from, at, sink) {
                                return step;
                            }
                            if self.open_code_call(grammar, input, (at, end, behind), sink) {
                                return Step::Go(behind);
                            }
                            if let Some(step) = self.keep(grammar, input, at, end, sink) {
                                return step;
                            }
                            self.state = State::Code(code);
                            return Step::Go(end);
                        }
                        _ => at = end,
                    }
                }
            }
        };
        if let Some(step) = self.keep(grammar, input, from, at, sink) {
            return step;
        }
        self.state = State::Code(code);
        step
    }

    /// Asks whether the name at `start..end` is a tool's; its arguments begin at `behind`.
    fn open_code_call(
        &mut self,
        grammar: &Compiled,
        input: &str,
        (start, end, behind): (usize, usize, usize),
        sink: &mut impl Sink,
    ) -> bool {
        let form = grammar.section(self.outer).map_or(0, |section| section.code_form);
        match sink.heading(form, slice(input, start, end)) {
            Heading::Call { name, id } => {
                self.enter_call();
                let opener = slice(input, start, behind);
                self.call.open_code(form, self.position + start, opener, name, id, sink);
                true
            }
            _ => false,
        }
    }

    fn enter_call(&mut self) {
        self.lead.drop();
        self.layout.boundary();
        self.state = State::Call;
    }

    fn leave_call(&mut self, grammar: &Compiled) {
        self.outside_again(grammar);
        self.layout.boundary();
    }

    fn call(
        &mut self,
        grammar: &Compiled,
        input: &str,
        at: usize,
        last: bool,
        sink: &mut impl Sink,
    ) -> Step {
        let resume = &mut self.resume;
        let (step, ended) = self.call.step(grammar, self.outer, input, at, last, resume, sink);
        match ended {
            Ended::Open => {}
            Ended::Call => self.leave_call(grammar),
            Ended::Message(heading) => self.enter_message(&heading, sink),
        }
        step
    }

    fn enter_message(&mut self, heading: &Heading, sink: &mut impl Sink) {
        let kind = match heading {
            Heading::Text => Kind::Text,
            Heading::Thinking => Kind::Thinking,
            _ => Kind::Skipped,
        };
        if kind == Kind::Thinking {
            sink.thinking_start();
        }
        self.state = State::Message(Message { kind, form: self.call.form() });
    }
}
