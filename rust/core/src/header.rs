//! The header of a call: text between its opener and its body, which names the tool.
//!
//! Where the header ends is told by markers; what it says is read by the caller, once. It may
//! turn out that no call was opened but a message of another kind.

use crate::body::{Context, Step, slice};
use crate::compiled::Action;
use crate::grammar::{self, Name};
use crate::matcher::Found;
use crate::sink::{Heading, Sink};

/// The longest header that is read, in bytes; what is longer names no tool.
const HEADER_LIMIT: usize = 1024;

/// Where the reader of a header stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// 0 for the first header, 1 for one that follows it.
    level: usize,
    /// Where it begins in the raw text; `None` while only blanks have come.
    start: Option<usize>,
}

/// What a step in a header found out.
pub(crate) enum HeaderStep {
    /// Nothing yet.
    Step(Step),
    /// The header ended, and this is what it says. The body begins at this position of the input.
    Ended(usize, Heading),
    /// The call ended inside its header, before this position of the input.
    Over(Step, Heading),
}

impl Header {
    pub fn new() -> Self {
        Self { level: 0, start: None }
    }

    fn rule<'a>(&self, name: &'a Name) -> Option<&'a grammar::Header> {
        let Name::Header(header) = name else {
            return None;
        };
        if self.level == 0 { Some(header) } else { header.then.as_ref().map(|(_, then)| &**then) }
    }

    pub fn step<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> HeaderStep {
        let Some(rule) = self.rule(&cx.form.name) else {
            return HeaderStep::Ended(at, Heading::Unreadable);
        };
        if self.start.is_none() {
            let rest = &input.as_bytes()[at..];
            let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if blanks > 0 {
                return HeaderStep::Step(Step::Go(at + blanks));
            }
        }
        let start = *self.start.get_or_insert(cx.call.raw.len());
        let found = cx.form.header(self.level, cx.outer).find(input, at, cx.last, cx.resume);
        let limit = match &found {
            Found::Nothing => input.len(),
            Found::Partial(start) => *start,
            Found::Marker(marker) => marker.start,
        };
        let before = slice(input, at, limit);
        if let Some(body) = rule.body_start.and_then(|first| before.find(first)) {
            let heading = self.heading(cx, start, slice(input, at, at + body));
            return HeaderStep::Ended(at + body, heading);
        }
        match found {
            Found::Nothing => HeaderStep::Step(Step::Go(limit)),
            Found::Partial(_) => HeaderStep::Step(Step::Wait(limit)),
            Found::Marker(marker) if marker.action == Action::Stray => {
                HeaderStep::Step(Step::Go(marker.end))
            }
            Found::Marker(marker) => {
                let ends = matches!(marker.action, Action::EndHeader | Action::StopHeader);
                let kept = cx.call.raw.get(start..).unwrap_or_default();
                let is_word = |word: &str| (kept.to_owned() + before).trim() == word;
                if ends
                    && !cx.call.muted
                    && rule.then.as_ref().is_some_and(|(word, _)| is_word(word))
                {
                    *self = Self { level: self.level + 1, start: None };
                    return HeaderStep::Step(Step::Go(marker.end));
                }
                let heading = self.heading(cx, start, before);
                match marker.action {
                    Action::EndHeader => HeaderStep::Ended(marker.end, heading),
                    Action::StopHeader => HeaderStep::Ended(marker.start, heading),
                    action => {
                        let heading = if rule.bare { heading } else { Heading::Unreadable };
                        let step = match action {
                            Action::CloseCall => Step::Close(marker.start, marker.end),
                            _ => Step::Leave(marker.start),
                        };
                        HeaderStep::Over(step, heading)
                    }
                }
            }
        }
    }

    #[allow(clippy::unused_self)] // reads the header that this reader stands in
    fn heading<S: Sink>(&self, cx: &mut Context<'_, S>, start: usize, piece: &str) -> Heading {
        let kept = cx.call.raw.get(start..).unwrap_or_default();
        if cx.call.muted || kept.len() + piece.len() > HEADER_LIMIT {
            return Heading::Unreadable;
        }
        cx.sink.heading(cx.form_index, &(kept.to_owned() + piece))
    }

    /// The header as far as it came, where the input ends inside it.
    pub fn unfinished<'a>(&self, raw: &'a str) -> &'a str {
        let header = self.start.and_then(|start| raw.get(start..)).unwrap_or_default();
        if header.len() > HEADER_LIMIT { "" } else { header }
    }
}
