//! Calls, as a state of the stream: entering one, reading on in it, leaving it.

use crate::call::reader::Step;
use crate::markers::action::Action;
use crate::markers::matcher::Marker;
use crate::sink::Sink;
use crate::stream::feed::Feed;
use crate::stream::open_call::Outcome;
use crate::stream::scan::Stream;
use crate::stream::state::State;

impl Stream {
    /// Opens a call of the form with this index, whose opener is this marker.
    pub(super) fn open_call(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        form: usize,
        marker: &Marker<Action>,
    ) {
        self.enter_call();
        let pattern = feed.grammar.outside(self.outer).tag_pattern(marker.pattern);
        let start = self.position + marker.start;
        let is_whole = self.call.open(feed, (form, start), marker, pattern);
        if is_whole {
            self.leave_call(feed);
        }
    }

    pub(super) fn enter_call(&mut self) {
        self.lead.settle();
        self.layout.boundary();
        self.enter(State::Call);
    }

    pub(super) fn leave_call(&mut self, feed: &Feed<'_, impl Sink>) {
        self.outside_again(feed);
        self.layout.boundary();
    }

    pub(super) fn call(&mut self, feed: &mut Feed<'_, impl Sink>, at: usize) -> Step {
        let (step, outcome) = self.call.step(feed, self.outer, at, &mut self.resume);
        match outcome {
            Outcome::Unfinished => {}
            Outcome::Reported => self.leave_call(feed),
            Outcome::Message(heading) => self.enter_message(feed, &heading),
        }
        step
    }
}
