//! Sections that ended without a call: what stands in them may be calls whose openers are missing.
//!
//! What begins like a call (`beginning`) is read as one. What cannot be read so is told as a malformed
//! call.

use crate::call::reader::Step;
use crate::markers::action::Outer;
use crate::markers::matcher::Found;
use crate::sink::{Reason, Sink};
use crate::stream::beginning::Beginning;
use crate::stream::feed::Feed;
use crate::stream::open_call::{OpenCall, Outcome};
use crate::stream::section_lead::Lead;
use crate::text::slice::{blanks, slice};

impl OpenCall {
    /// A section ended without a call, at this closer or with the input.
    pub(super) fn read_again(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        section: Outer,
        lead: &Lead,
        closer: Option<&str>,
    ) {
        let reason = if closer.is_some() { Reason::Malformed } else { Reason::Truncated };
        let (mut start, mut before, mut content) = (lead.start, lead.opener(), lead.content());
        while !content.trim().is_empty() {
            let bare = content.get(blanks(content.as_bytes())..).unwrap_or_default();
            let before_bare = [before, slice(content, 0, content.len() - bare.len())].concat();
            let Some(beginning) = Beginning::of(feed.grammar, section, bare) else {
                let raw = [before, content, closer.unwrap_or(lead.cut_closer())].concat();
                self.report(feed, start, &raw, reason);
                return;
            };
            let mut part = Feed {
                grammar: feed.grammar,
                input: bare,
                last: true,
                sink: &mut *feed.sink,
                oracle: feed.oracle,
            };
            let read =
                self.read_call(&mut part, section, (start, &before_bare), &beginning, closer);
            start += before_bare.len() + read;
            (before, content) = ("", slice(bare, read, bare.len()));
        }
    }

    /// Reads one call that begins so; answers how far it goes.
    fn read_call(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        section: Outer,
        (start, before): (usize, &str),
        beginning: &Beginning,
        closer: Option<&str>,
    ) -> usize {
        let mut at = beginning.written;
        let written = [before, slice(feed.input, 0, at)].concat();
        self.open_again(feed, section, beginning, start);
        self.heal(&written);
        while at < feed.input.len() {
            let (step, outcome) = self.step(feed, section, at, &mut None);
            at = step.end();
            if matches!(outcome, Outcome::Reported) {
                return at;
            }
            if matches!(step, Step::Wait(_)) {
                break;
            }
        }
        if let Some(closer) = closer {
            self.close(feed, slice(feed.input, at, feed.input.len()), closer);
            return feed.input.len();
        }
        let tail = self.end_of_input(feed, section).unwrap_or_default();
        feed.input.len() - tail.len()
    }

    fn open_again(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        section: Outer,
        beginning: &Beginning,
        start: usize,
    ) {
        let matcher = feed.grammar.outside(section);
        let input = beginning.opener.as_str();
        match matcher.find_at(input, 0, true, &mut None) {
            Found::Marker(marker) if !input.is_empty() => {
                let pattern = matcher.tag_pattern(marker.pattern);
                let mut part = Feed {
                    grammar: feed.grammar,
                    input,
                    last: true,
                    sink: &mut *feed.sink,
                    oracle: feed.oracle,
                };
                self.open(&mut part, (beginning.form, start), &marker, pattern);
            }
            _ => self.open_bare(feed, (beginning.form, start)),
        }
    }
}
