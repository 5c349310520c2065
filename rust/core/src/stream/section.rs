//! Sections: how they open and close, and what becomes of what stands in them beside calls.

use crate::call::reader::Step;
use crate::grammar::compiled::Compiled;
use crate::grammar::data::Content;
use crate::markers::action::Action;
use crate::markers::matcher::Marker;
use crate::sink::{Reason, Sink};
use crate::stream::feed::Feed;
use crate::stream::scan::Stream;
use crate::stream::section_lead::{Beside, Lead};
use crate::text::slice::slice;

/// The longest blanks behind a call that are layout, in bytes.
const BLANKS_LIMIT: usize = 256;

impl Stream {
    pub(super) fn open_section(
        &mut self,
        feed: &Feed<'_, impl Sink>,
        section: usize,
        marker: &Marker<Action>,
    ) {
        self.outer = Some(section);
        self.doubted = None;
        let expects = feed.grammar.section(self.outer).and_then(|section| section.expects);
        let opener = slice(feed.input, marker.start, marker.end);
        self.beside = Beside::Lead(Lead::new(opener, self.position + marker.start, expects));
        self.outside_again(feed);
    }

    /// What stands in a section beside its calls. The answer is a step where something shows that
    /// it was no section.
    pub(super) fn beside_calls(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        from: usize,
        to: usize,
    ) -> Option<Step> {
        let text = slice(feed.input, from, to);
        match &mut self.beside {
            Beside::Nothing => {}
            Beside::Text => self.show(feed, text),
            Beside::Blanks(blanks) => {
                blanks.push_str(text);
                if blanks.len() > BLANKS_LIMIT || !text.trim().is_empty() {
                    let shown = std::mem::take(blanks);
                    self.beside = Beside::Text;
                    self.show(feed, &shown);
                }
            }
            Beside::Lead(lead) => {
                let end = from + lead.push(text, self.position + from, self.lead_limit);
                if end < to {
                    self.was_text(feed);
                    return Some(Step::Go(end));
                }
            }
        }
        None
    }

    /// A marker that means nothing in a section; before its first call it is kept like all else.
    pub(super) fn part_of_section(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        marker: &Marker<Action>,
    ) -> Step {
        let kept = match self.beside {
            Beside::Lead(_) => self.beside_calls(feed, marker.start, marker.end),
            _ => None,
        };
        kept.unwrap_or(Step::Go(marker.end))
    }

    /// The input ends in these held bytes of a section. Behind a call the beginning of the section's
    /// closer is layout, and that of a call is a call which was cut. Answers what is left to read.
    pub(super) fn cut_in_section(&mut self, feed: &mut Feed<'_, impl Sink>) -> String {
        let held = feed.input;
        let begins_call = |grammar: &Compiled| {
            grammar.section(self.outer).is_some_and(|section| section.begins_call(held))
        };
        let closing = feed.grammar.section(self.outer).is_some_and(|it| it.is_closing(held));
        match &mut self.beside {
            Beside::Blanks(_) if begins_call(feed.grammar) => {
                self.layout.boundary();
                self.call.report(feed, self.position, held, Reason::Truncated);
            }
            Beside::Lead(lead) if closing => lead.cut(held),
            Beside::Blanks(_) | Beside::Text if closing => {}
            _ => return held.to_owned(),
        }
        String::new()
    }

    /// What began as a section was text. Its calls still count.
    pub(super) fn was_text(&mut self, feed: &mut Feed<'_, impl Sink>) {
        let beside = std::mem::take(&mut self.beside);
        self.doubted = self.outer.take();
        self.openers_in_text += 1;
        self.outside_again(feed);
        if let Beside::Lead(lead) = beside {
            self.show(feed, lead.text());
        }
    }

    /// A call has come: what stood in its section before it, beside blanks, is text.
    pub(super) fn settle_section(&mut self, feed: &mut Feed<'_, impl Sink>) {
        self.openers_in_text = 0;
        let content = feed.grammar.section(self.outer).map(|section| section.content);
        let after = match content {
            Some(Content::Text) => Beside::Blanks(String::new()),
            _ => Beside::Nothing,
        };
        let before = std::mem::replace(&mut self.beside, after);
        if let (Beside::Lead(lead), Some(Content::Text)) = (before, content)
            && lead.said_something()
        {
            self.show(feed, lead.content());
        }
    }

    /// Thinking begins. If anything but blanks came before it in a section without calls, that was
    /// text; else only what follows the thinking can still be.
    pub(super) fn settle_lead(&mut self, feed: &mut Feed<'_, impl Sink>) {
        match std::mem::take(&mut self.beside) {
            Beside::Nothing => {}
            Beside::Blanks(_) | Beside::Text => self.beside = Beside::Blanks(String::new()),
            Beside::Lead(lead) if lead.said_something() => {
                self.beside = Beside::Lead(lead);
                self.was_text(feed);
            }
            Beside::Lead(lead) => {
                let expects = feed.grammar.section(self.outer).and_then(|section| section.expects);
                self.beside = Beside::Lead(Lead::new("", lead.start, expects));
            }
        }
    }

    /// The section ends at its closer. Code without a call in it was text; other content may be
    /// calls that lack their openers.
    pub(super) fn close_section(&mut self, feed: &mut Feed<'_, impl Sink>, closer: &str) {
        let section = self.outer;
        let content = feed.grammar.section(section).map(|section| section.content);
        let beside = std::mem::take(&mut self.beside);
        self.outer = None;
        self.outside_again(feed);
        match beside {
            Beside::Lead(lead) if lead.said_something() && content == Some(Content::Code) => {
                self.show(feed, lead.text());
                self.show(feed, closer);
            }
            Beside::Lead(lead) if lead.said_something() => {
                self.layout.boundary();
                self.call.read_again(feed, section, &lead, Some(closer));
            }
            _ => self.layout.boundary(),
        }
    }

    /// The input ends inside the section: without a call in it, that is a call which was cut.
    pub(super) fn end_in_section(&mut self, feed: &mut Feed<'_, impl Sink>) {
        let content = feed.grammar.section(self.outer).map(|section| section.content);
        match std::mem::take(&mut self.beside) {
            Beside::Lead(lead) if lead.said_something() && content == Some(Content::Code) => {
                self.show(feed, lead.text());
            }
            Beside::Lead(lead) if lead.said_something() => {
                self.layout.boundary();
                self.call.read_again(feed, self.outer, &lead, None);
            }
            Beside::Lead(lead) if !lead.opener().is_empty() => {
                self.layout.boundary();
                let raw = [lead.text(), lead.cut_closer()].concat();
                self.call.report(feed, lead.start, &raw, Reason::Truncated);
            }
            Beside::Lead(_) | Beside::Blanks(_) => self.layout.boundary(),
            Beside::Nothing | Beside::Text => {}
        }
    }
}
