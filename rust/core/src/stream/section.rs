//! Sections: what stands in one before its first call is kept, as its opener may have been text.

use crate::call::reader::Step;
use crate::grammar::data::Content;
use crate::markers::action::Action;
use crate::markers::matcher::{Found, Marker};
use crate::sink::Sink;
use crate::stream::feed::Feed;
use crate::stream::scan::Stream;
use crate::stream::state::State;
use crate::text::slice::{blanks, slice};

impl Stream {
    pub(super) fn open_section(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        section: usize,
        marker: &Marker<Action>,
    ) {
        self.outer = Some(section);
        self.lead.begin(slice(feed.input, marker.start, marker.end));
        let content = feed.grammar.section(self.outer).map(|section| section.content);
        if content == Some(Content::Blanks) {
            self.enter(State::SectionStart);
        } else {
            self.outside_again(feed);
        }
    }

    /// Right behind the opener of a section that needs a call there: anything else but blanks
    /// shows that the opener was text.
    pub(super) fn section_start(&mut self, feed: &mut Feed<'_, impl Sink>, at: usize) -> Step {
        let blanks = blanks(&feed.input.as_bytes()[at..]);
        if blanks > 0 {
            let over = self.keep(feed, at, at + blanks);
            return over.unwrap_or(Step::Go(at + blanks));
        }
        let matcher = feed.grammar.outside(self.outer);
        match matcher.find_at(feed.input, at, feed.last, &mut self.resume) {
            Found::Partial(_) => Step::Wait(at),
            Found::Marker(marker) => {
                self.act(feed, &marker);
                Step::Go(marker.end)
            }
            Found::Nothing => {
                self.was_text(feed);
                Step::Go(at)
            }
        }
    }

    /// Keeps what stands in a section before its first call. What goes on for longer than a call may
    /// was no section: the answer is where it went over.
    pub(super) fn keep(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        from: usize,
        to: usize,
    ) -> Option<Step> {
        let end = from + self.lead.push(slice(feed.input, from, to));
        if end == to {
            return None;
        }
        self.was_text(feed);
        Some(Step::Go(end))
    }

    /// What began as a section was text.
    fn was_text(&mut self, feed: &mut Feed<'_, impl Sink>) {
        let lead = self.lead.take();
        self.outer = None;
        self.outside_again(feed);
        self.show(feed, &lead);
    }

    /// Thinking begins. If prose came before it in a section without calls, that was text; else
    /// only what follows the thinking can still be.
    pub(super) fn settle_lead(&mut self, feed: &mut Feed<'_, impl Sink>) {
        if !self.lead.is_kept() {
            return;
        }
        let lead = self.lead.take();
        if self.lead.said_something(&lead) {
            self.outer = None;
            self.show(feed, &lead);
        } else {
            self.lead.begin("");
        }
    }

    /// The section ends. Code without a call in it was text.
    pub(super) fn close_section(&mut self, feed: &mut Feed<'_, impl Sink>, closer: &str) {
        let section = feed.grammar.section(self.outer);
        let code = section.is_some_and(|section| section.content == Content::Code);
        let lead = self.lead.take();
        self.outer = None;
        self.outside_again(feed);
        if code && self.lead.said_something(&lead) {
            self.show(feed, &lead);
            self.show(feed, closer);
        } else {
            self.layout.boundary();
        }
    }
}
