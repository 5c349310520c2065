//! The stream: what it keeps between chunks, and reading what stands outside calls and thinking.

use crate::call::reader::Step;
use crate::grammar::compiled::{Compiled, CompiledThinking};
use crate::grammar::data::Content;
use crate::markers::action::{Action, Outer};
use crate::markers::matcher::{Found, Marker, Resume};
use crate::oracle::Oracle;
use crate::settings::{Settings, Start};
use crate::sink::Sink;
use crate::stream::feed::Feed;
use crate::stream::fence::Fence;
use crate::stream::layout::Layout;
use crate::stream::markdown::Markdown;
use crate::stream::open_call::OpenCall;
use crate::stream::section_lead::SectionLead;
use crate::stream::state::{InCode, Kind, State, Until, is_allowed};
use crate::text::slice::{blanks, slice};

/// The memory, in bytes, that an emptied buffer keeps for the next time.
pub(super) const KEPT: usize = 4096;

/// One stream being scanned.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(super) state: State,
    pub(super) outer: Outer,
    /// Bytes that may begin a marker.
    held: String,
    /// How many bytes of the stream were read before those.
    pub(super) position: usize,
    pub(super) resume: Option<Resume>,
    pub(super) layout: Layout,
    /// The open section, as long as no call has come.
    pub(super) lead: SectionLead,
    /// Where text stands in Markdown, if that counts.
    markdown: Option<Markdown>,
    /// The open thinking block.
    pub(super) block: String,
    pub(super) call: OpenCall,
}

impl Stream {
    /// The beginning of a stream.
    pub fn new(grammar: &Compiled, settings: &Settings) -> Self {
        Self {
            state: match settings.start {
                Start::Thinking if grammar.has_thinking() => State::Prompted,
                _ => State::Outside,
            },
            outer: None,
            held: String::new(),
            position: 0,
            resume: None,
            layout: Layout::new(settings.whitespace),
            lead: SectionLead::new(settings.limits.max_call_bytes),
            markdown: settings.fenced_text.then(Markdown::default),
            block: String::new(),
            call: OpenCall::new(settings.limits.clone(), settings.recover),
        }
    }

    /// Reads the next chunk.
    pub fn feed(
        &mut self,
        grammar: &Compiled,
        chunk: &str,
        sink: &mut impl Sink,
        oracle: &dyn Oracle,
    ) {
        if self.held.is_empty() {
            let mut feed = Feed { grammar, input: chunk, last: false, sink, oracle };
            let read = self.read(&mut feed);
            self.position += read;
            self.held.push_str(chunk.get(read..).unwrap_or_default());
            return;
        }
        let mut input = std::mem::take(&mut self.held);
        input.push_str(chunk);
        let mut feed = Feed { grammar, input: &input, last: false, sink, oracle };
        let read = self.read(&mut feed);
        self.position += read;
        input.drain(..read);
        input.shrink_to(KEPT);
        self.held = input;
    }

    /// The stream ends: what is held back is decided, what is open is closed.
    pub fn flush(&mut self, grammar: &Compiled, sink: &mut impl Sink, oracle: &dyn Oracle) {
        let mut rest = std::mem::take(&mut self.held);
        loop {
            let mut feed = Feed { grammar, input: &rest, last: true, sink, oracle };
            self.read(&mut feed);
            self.position += rest.len();
            match self.state {
                State::Call => {
                    let tail = self.call.end_of_input(&mut feed, self.outer);
                    self.leave_call(&feed);
                    let Some(tail) = tail else {
                        break;
                    };
                    self.position -= tail.len();
                    rest = tail;
                }
                State::Thinking(_) | State::Message(Kind::Thinking, _) => {
                    self.close_thinking(&mut feed);
                    break;
                }
                _ => break,
            }
        }
        let mut feed = Feed { grammar, input: "", last: true, sink, oracle };
        let lead = self.lead.take();
        if self.outer.is_some() && self.lead.said_something(&lead) {
            self.show(&mut feed, &lead);
        }
        self.layout.finish(feed.sink);
    }

    /// The stream goes over into a state that the table allows.
    pub(super) fn enter(&mut self, state: State) {
        let (from, to) = (self.state.place(), state.place());
        debug_assert!(is_allowed(from, to), "{from:?} to {to:?} is not in the table");
        self.state = state;
    }

    /// Reads the input as far as it can be decided; answers how far that is.
    fn read(&mut self, feed: &mut Feed<'_, impl Sink>) -> usize {
        let mut at = 0;
        while at < feed.input.len() {
            let step = match self.state {
                State::Outside => self.outside(feed, at),
                State::SectionStart => self.section_start(feed, at),
                State::Thinking(until) => self.thinking(feed, until, at),
                State::Call => self.call(feed, at),
                State::Message(kind, form) => self.message(feed, (kind, form), at),
                State::Code(code) => self.code(feed, code, at),
                State::Prompted => self.prompted(feed, at),
                State::Noise(noise) => self.noise(feed, noise, at),
                State::Blanks => self.blanks(feed, at),
                State::Stopped => Step::Go(feed.input.len()),
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

    fn outside(&mut self, feed: &mut Feed<'_, impl Sink>, at: usize) -> Step {
        let matcher = feed.grammar.outside(self.outer);
        let found = matcher.find(feed.input, at, feed.last, &mut self.resume);
        let (end, step) = match &found {
            Found::Nothing => (feed.input.len(), Step::Go(feed.input.len())),
            Found::Partial(start) => (*start, Step::Wait(*start)),
            Found::Marker(marker) => (marker.start, Step::Go(marker.end)),
        };
        if self.outer.is_none() {
            self.show(feed, slice(feed.input, at, end));
        } else if let Some(step) = self.keep(feed, at, end) {
            return step;
        }
        match found {
            Found::Marker(marker) if self.is_example(&marker) => {
                // A marker that takes no bytes is shown by its first character.
                let first = slice(feed.input, marker.start, feed.input.len()).chars().next();
                let end = marker.end.max(marker.start + first.map_or(0, char::len_utf8));
                self.show(feed, slice(feed.input, marker.start, end));
                Step::Go(end)
            }
            Found::Marker(marker) => {
                self.act(feed, &marker);
                step
            }
            _ => step,
        }
    }

    /// Whether a marker stands in a code fence, where it does not count.
    fn is_example(&self, marker: &Marker<Action>) -> bool {
        let counts = matches!(marker.action, Action::OpenThinking(_) | Action::Result);
        !counts && self.markdown.as_ref().is_some_and(Markdown::in_fence)
    }

    pub(super) fn show(&mut self, feed: &mut Feed<'_, impl Sink>, text: &str) {
        if let Some(markdown) = &mut self.markdown {
            markdown.read(text);
        }
        self.layout.text(text, feed.sink);
    }

    /// A marker outside calls and thinking takes effect.
    pub(super) fn act(&mut self, feed: &mut Feed<'_, impl Sink>, marker: &Marker<Action>) {
        match marker.action {
            Action::OpenSection(section) => self.open_section(feed, section, marker),
            Action::CloseSection => {
                self.close_section(feed, slice(feed.input, marker.start, marker.end));
            }
            Action::OpenThinking(pair) => {
                self.settle_lead(feed);
                self.layout.boundary();
                feed.sink.thinking_start();
                self.enter(State::Thinking(match feed.grammar.thinking.get(pair) {
                    Some(CompiledThinking::Fence) => Until::Fence(Fence::new()),
                    _ => Until::Pair(pair),
                }));
                if marker.tag.as_ref().is_some_and(|tag| tag.empty) {
                    self.close_thinking(feed);
                }
            }
            Action::OpenCall(form) => self.open_call(feed, form, marker),
            Action::Result => {
                self.settle_lead(feed);
                self.layout.finish(feed.sink);
                feed.sink.stopped(slice(feed.input, marker.start, marker.end));
                self.enter(State::Stopped);
            }
            Action::OpenNoise(noise) => match feed.grammar.noise.get(noise) {
                Some(found) if found.until.is_some() => self.enter(State::Noise(noise)),
                Some(found) if found.blanks => self.enter(State::Blanks),
                _ => {}
            },
            _ => {}
        }
    }

    /// Back in text or in the section, whose content decides how it is read.
    pub(super) fn outside_again(&mut self, feed: &Feed<'_, impl Sink>) {
        let content = feed.grammar.section(self.outer).map(|section| section.content);
        self.enter(match content {
            Some(Content::Code) => State::Code(InCode::default()),
            _ => State::Outside,
        });
    }

    fn noise(&mut self, feed: &mut Feed<'_, impl Sink>, noise: usize, at: usize) -> Step {
        let found = feed.grammar.noise.get(noise);
        let Some((found, until)) = found.and_then(|it| Some((it, it.until.as_ref()?))) else {
            return Step::Go(feed.input.len());
        };
        match until.find(feed.input, at, feed.last, &mut self.resume) {
            Found::Nothing => Step::Go(feed.input.len()),
            Found::Partial(start) => Step::Wait(start),
            Found::Marker(marker) => {
                self.enter(if found.blanks { State::Blanks } else { State::Outside });
                Step::Go(marker.end)
            }
        }
    }

    fn blanks(&mut self, feed: &Feed<'_, impl Sink>, at: usize) -> Step {
        let end = at + blanks(&feed.input.as_bytes()[at..]);
        if end < feed.input.len() {
            self.enter(State::Outside);
        }
        Step::Go(end)
    }
}
