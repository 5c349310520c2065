//! Thinking, and messages of other kinds that turned out to be no calls.

use crate::call::heading::Heading;
use crate::call::reader::Step;
use crate::grammar::compiled::CompiledThinking;
use crate::markers::action::Action;
use crate::markers::matcher::Found;
use crate::sink::Sink;
use crate::stream::feed::Feed;
use crate::stream::fence::{Fence, FenceStep};
use crate::stream::scan::{KEPT, Stream};
use crate::stream::state::{Kind, State, Until};
use crate::text::slice::slice;

impl Stream {
    /// The prompt opened a block; a model that opens it again is not quoted.
    pub(super) fn prompted(&mut self, feed: &mut Feed<'_, impl Sink>, at: usize) -> Step {
        let opener = &feed.grammar.thinking_open;
        let (behind, empty) = match opener.find_at(feed.input, at, feed.last, &mut self.resume) {
            Found::Partial(_) => return Step::Wait(at),
            Found::Marker(marker) => (marker.end, marker.tag.as_ref().is_some_and(|tag| tag.empty)),
            Found::Nothing => (at, false),
        };
        feed.sink.thinking_start();
        if empty {
            self.close_thinking(feed);
        } else {
            self.enter(State::Thinking(match feed.grammar.thinking.first() {
                Some(CompiledThinking::Fence) => Until::Fence(Fence::new()),
                _ => Until::Prompted,
            }));
        }
        Step::Go(behind)
    }

    pub(super) fn thinking(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        until: Until,
        at: usize,
    ) -> Step {
        // How far the thinking goes, where to go on, and whether it is over.
        let (end, step, closed) = match until {
            Until::Fence(fence) => self.fenced(feed, fence, at),
            Until::Pair(_) | Until::Prompted => self.delimited(feed, until, at),
        };
        self.think(feed, slice(feed.input, at, end));
        if closed {
            self.close_thinking(feed);
        }
        step
    }

    fn fenced(
        &mut self,
        feed: &Feed<'_, impl Sink>,
        mut fence: Fence,
        at: usize,
    ) -> (usize, Step, bool) {
        let found = fence.step(feed.input, at, feed.last);
        self.enter(State::Thinking(Until::Fence(fence)));
        match found {
            FenceStep::Open(end) if end < feed.input.len() => (end, Step::Wait(end), false),
            FenceStep::Open(end) => (end, Step::Go(end), false),
            FenceStep::Closed(end, behind) => (end, Step::Go(behind), true),
        }
    }

    fn delimited(
        &mut self,
        feed: &Feed<'_, impl Sink>,
        until: Until,
        at: usize,
    ) -> (usize, Step, bool) {
        let pair = match until {
            Until::Pair(pair) => feed.grammar.thinking.get(pair),
            _ => None,
        };
        let matcher = match pair {
            Some(CompiledThinking::Marker(matcher)) => matcher,
            _ => &feed.grammar.prompted_thinking,
        };
        match matcher.find(feed.input, at, feed.last, &mut self.resume) {
            Found::Nothing => (feed.input.len(), Step::Go(feed.input.len()), false),
            Found::Partial(start) => (start, Step::Wait(start), false),
            Found::Marker(marker) if marker.action == Action::CloseThinking => {
                (marker.start, Step::Go(marker.end), true)
            }
            // A call's opener: it is read again outside.
            Found::Marker(marker) => (marker.start, Step::Go(marker.start), true),
        }
    }

    fn think(&mut self, feed: &mut Feed<'_, impl Sink>, delta: &str) {
        if !delta.is_empty() {
            self.block.push_str(delta);
            feed.sink.thinking_delta(delta);
        }
    }

    pub(super) fn close_thinking(&mut self, feed: &mut Feed<'_, impl Sink>) {
        feed.sink.thinking_end(&self.block);
        self.block.clear();
        self.block.shrink_to(KEPT);
        self.outside_again(feed);
        self.layout.boundary();
    }

    /// A header has said that it is no call's.
    pub(super) fn enter_message(&mut self, feed: &mut Feed<'_, impl Sink>, heading: &Heading) {
        let kind = match heading {
            Heading::Text => Kind::Text,
            Heading::Thinking => Kind::Thinking,
            _ => Kind::Skipped,
        };
        if kind == Kind::Thinking {
            feed.sink.thinking_start();
        }
        self.enter(State::Message(kind, self.call.form()));
    }

    /// A message that turned out to be no call, up to one of the call's ends.
    pub(super) fn message(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        (kind, form): (Kind, usize),
        at: usize,
    ) -> Step {
        let Some(form) = feed.grammar.forms.get(form) else {
            return Step::Go(feed.input.len());
        };
        let matcher = form.inside.at(self.outer);
        let found = matcher.find(feed.input, at, feed.last, &mut self.resume);
        let (end, step) = match &found {
            Found::Nothing => (feed.input.len(), Step::Go(feed.input.len())),
            Found::Partial(start) => (*start, Step::Wait(*start)),
            Found::Marker(marker) if marker.action == Action::CloseCall => {
                (marker.start, Step::Go(marker.end))
            }
            Found::Marker(marker) => (marker.start, Step::Go(marker.start)),
        };
        let text = slice(feed.input, at, end);
        match kind {
            Kind::Text => self.show(feed, text),
            Kind::Thinking => self.think(feed, text),
            Kind::Skipped => {}
        }
        match (found, kind) {
            (Found::Marker(_), Kind::Thinking) => self.close_thinking(feed),
            (Found::Marker(_), _) => self.outside_again(feed),
            _ => {}
        }
        step
    }
}
