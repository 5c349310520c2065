//! Calls, as a state of the stream: entering one, reading on in it, leaving it.

use crate::call::outlook::{Expects, Outlook, Verdict};
use crate::call::reader::Step;
use crate::markers::action::Action;
use crate::markers::matcher::Marker;
use crate::sink::Sink;
use crate::stream::feed::Feed;
use crate::stream::open_call::Outcome;
use crate::stream::scan::Stream;
use crate::stream::section_lead::Beside;
use crate::stream::state::State;
use crate::text::slice::slice;

impl Stream {
    /// Opens a call of the form with this index, whose opener is this marker.
    pub(super) fn open_call(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        form: usize,
        marker: &Marker<Action>,
    ) {
        let pattern = feed.grammar.beside(self.outer, self.doubted).tag_pattern(marker.pattern);
        if self.outer.is_none() && !feed.grammar.is_bare(form) {
            self.outer = self.doubted.take();
        }
        match feed.grammar.forms.get(form).and_then(|form| form.expects) {
            Some(expects) => self.enter(State::Opened(expects, Outlook::default())),
            None => self.enter_call(feed),
        }
        let start = self.position + marker.start;
        let is_whole = self.call.open(feed, (form, start), marker, pattern);
        if is_whole {
            self.settle_call(feed);
            self.leave_call(feed);
        } else if self.call.is_muted() {
            self.settle_call(feed);
            self.enter(State::Call);
        }
    }

    pub(super) fn enter_call(&mut self, feed: &mut Feed<'_, impl Sink>) {
        self.settle_call(feed);
        self.enter(State::Call);
    }

    /// It is a call: what stood before it is known to be text, or layout.
    pub(super) fn settle_call(&mut self, feed: &mut Feed<'_, impl Sink>) {
        self.untold.clear();
        self.settle_section(feed);
        self.layout.boundary();
    }

    pub(super) fn leave_call(&mut self, feed: &Feed<'_, impl Sink>) {
        self.outside_again(feed);
        self.layout.boundary();
    }

    /// Behind an opener that may have been text.
    pub(super) fn opened(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        (expects, mut outlook): (Expects, Outlook),
        at: usize,
    ) -> Step {
        let mut ahead = outlook;
        if let Verdict::Text(length) = ahead.read(expects, slice(feed.input, at, feed.input.len()))
        {
            self.call_was_text(feed, slice(feed.input, at, at + length));
            return Step::Go(at + length);
        }
        if ahead == Outlook::Call {
            self.enter_call(feed);
            return self.call(feed, at);
        }
        let step = self.call(feed, at);
        if matches!(self.state, State::Opened(..)) {
            outlook.read(expects, slice(feed.input, at, step.end()));
            self.enter(State::Opened(expects, outlook));
        }
        step
    }

    /// What began as a call was text, and so was its section if it had no other.
    fn call_was_text(&mut self, feed: &mut Feed<'_, impl Sink>, rest: &str) {
        if matches!(self.beside, Beside::Lead(_)) {
            self.was_text(feed);
        } else {
            self.outside_again(feed);
        }
        let opener = self.call.abandon();
        self.openers_in_text += 1;
        self.show(feed, &opener);
        self.show(feed, rest);
        if matches!(self.beside, Beside::Blanks(_)) {
            self.beside = Beside::Text;
        }
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
