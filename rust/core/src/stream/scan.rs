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
use crate::stream::section_lead::Beside;
use crate::stream::state::{Begun, InCode, Kind, State, Until, is_allowed};
use crate::text::slice::{floor_boundary, slice};

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
    /// What stands in the open section beside calls.
    pub(super) beside: Beside,
    /// How much of a section is kept before its first call, in bytes.
    pub(super) lead_limit: usize,
    /// The section whose opener was text, while its calls still count.
    pub(super) doubted: Outer,
    /// How many openers were text whose closers may follow.
    pub(super) openers_in_text: usize,
    /// Whether the text ends in a backtick.
    behind_tick: bool,
    /// What text begins with that stands in the prompt, where it was not known to be text.
    pub(super) untold: String,
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
            beside: Beside::default(),
            lead_limit: settings.limits.max_call_bytes,
            doubted: None,
            openers_in_text: 0,
            behind_tick: false,
            untold: String::new(),
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
        if self.outer.is_some() && self.state == State::Outside {
            rest =
                self.cut_in_section(&mut Feed { grammar, input: &rest, last: true, sink, oracle });
        }
        loop {
            let mut feed = Feed { grammar, input: &rest, last: true, sink, oracle };
            self.read(&mut feed);
            self.position += rest.len();
            match self.state {
                State::Opened(..) | State::Call => {
                    self.settle_call(&mut feed);
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
        if self.outer.is_some() {
            self.end_in_section(&mut feed);
        }
        self.layout.finish(feed.sink);
    }

    /// Reads what of the reply stands in the prompt: the stream begins behind it.
    pub fn begin_behind(
        &mut self,
        grammar: &Compiled,
        prompt: &str,
        sink: &mut impl Sink,
        oracle: &dyn Oracle,
    ) -> Begun {
        self.feed(grammar, prompt, sink, oracle);
        self.position = 0;
        self.block.clear();
        self.layout.forget();
        self.untold = match self.state {
            State::Thinking(_) | State::Message(Kind::Thinking, _) | State::Call => String::new(),
            State::Opened(..) => [self.beside.untold(), self.call.raw(), &self.held].concat(),
            _ => [self.beside.untold(), &self.held].concat(),
        };
        match self.state {
            // The model may open it again.
            State::Thinking(Until::Pair(_) | Until::Prompted) if self.held.is_empty() => {
                self.state = State::Prompted;
                Begun::Nothing
            }
            State::Thinking(_) | State::Message(Kind::Thinking, _) => Begun::Thinking,
            State::Opened(..) | State::Call => Begun::Call,
            _ => Begun::Nothing,
        }
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
                State::Thinking(until) => self.thinking(feed, until, at),
                State::Opened(expects, outlook) => self.opened(feed, (expects, outlook), at),
                State::Call => self.call(feed, at),
                State::Message(kind, form) => self.message(feed, (kind, form), at),
                State::Code(code) => self.code(feed, code, at),
                State::Prompted => self.prompted(feed, at),
                State::Noise(noise) => self.noise(feed, noise, at),
                State::Stopped => Step::Go(feed.input.len()),
            };
            match step {
                Step::Wait(to) => return to,
                step => {
                    at = step.end();
                    // Only bytes that are held back are searched on from where the search stopped.
                    self.resume = None;
                }
            }
        }
        at
    }

    fn outside(&mut self, feed: &mut Feed<'_, impl Sink>, at: usize) -> Step {
        let matcher = feed.grammar.beside(self.outer, self.doubted);
        let found = matcher.find(feed.input, at, feed.last, &mut self.resume);
        let (end, step) = match &found {
            Found::Nothing => (feed.input.len(), Step::Go(feed.input.len())),
            Found::Partial(start) => (*start, Step::Wait(*start)),
            Found::Marker(marker) => (marker.start, Step::Go(marker.end)),
        };
        if self.outer.is_none() {
            self.show(feed, slice(feed.input, at, end));
        } else if let Some(step) = self.beside_calls(feed, at, end) {
            return step;
        }
        match found {
            Found::Marker(marker) if marker.action == Action::Part => {
                self.part_of_section(feed, &marker)
            }
            Found::Marker(marker) if self.waits_for_tick(feed, &marker) => Step::Wait(marker.start),
            Found::Marker(marker) if self.is_example(feed, &marker) => {
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

    /// Whether a marker behind a backtick needs the next character to tell whether it is quoted.
    fn waits_for_tick(&self, feed: &Feed<'_, impl Sink>, marker: &Marker<Action>) -> bool {
        self.behind_tick && marker.end == feed.input.len() && !feed.last && may_be_example(marker)
    }

    /// Whether a marker does not count, because it stands in a code fence, alone between backticks,
    /// or closes what turned out to be text.
    fn is_example(&mut self, feed: &Feed<'_, impl Sink>, marker: &Marker<Action>) -> bool {
        if !may_be_example(marker) {
            return false;
        }
        if let Action::OpenNoise(noise) = marker.action
            && self.openers_in_text > 0
            && feed.grammar.noise.get(noise).is_some_and(|noise| noise.closes)
        {
            self.openers_in_text -= 1;
            self.doubted = None;
            return true;
        }
        let ticked = self.behind_tick && feed.input.as_bytes().get(marker.end) == Some(&b'`');
        ticked || self.markdown.as_ref().is_some_and(Markdown::in_fence)
    }

    pub(super) fn show(&mut self, feed: &mut Feed<'_, impl Sink>, text: &str) {
        if let Some(markdown) = &mut self.markdown {
            markdown.read(text);
        }
        self.behind_tick = text.as_bytes().last().map_or(self.behind_tick, |last| *last == b'`');
        let text = if self.untold.is_empty() { text } else { self.told_behind_prompt(text) };
        self.layout.text(text, feed.sink);
    }

    /// What of this text does not stand in the prompt.
    fn told_behind_prompt<'a>(&mut self, text: &'a str) -> &'a str {
        let shared = self.untold.bytes().zip(text.bytes()).take_while(|(one, other)| one == other);
        let shared = floor_boundary(text, shared.count());
        self.untold.drain(..shared);
        if shared < text.len() {
            self.untold.clear();
        }
        slice(text, shared, text.len())
    }

    /// A marker outside calls and thinking takes effect.
    pub(super) fn act(&mut self, feed: &mut Feed<'_, impl Sink>, marker: &Marker<Action>) {
        self.untold.clear();
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
        let Some(until) = found.and_then(|noise| noise.until.as_ref()) else {
            return Step::Go(feed.input.len());
        };
        match until.find(feed.input, at, feed.last, &mut self.resume) {
            Found::Nothing => Step::Go(feed.input.len()),
            Found::Partial(start) => Step::Wait(start),
            Found::Marker(marker) => {
                self.enter(State::Outside);
                Step::Go(marker.end)
            }
        }
    }
}

/// Whether there are places where this marker does not count.
fn may_be_example(marker: &Marker<Action>) -> bool {
    !matches!(marker.action, Action::OpenThinking(_) | Action::Result)
}
