//! Sections of code, between calls: names that are called may be calls of tools.

use crate::call::heading::Heading;
use crate::call::reader::Step;
use crate::markers::matcher::Found;
use crate::sink::Sink;
use crate::stream::feed::Feed;
use crate::stream::scan::Stream;
use crate::stream::state::{InCode, Next, State};
use crate::text::code::{Called, Lexed, called};
use crate::text::slice::slice;

impl Stream {
    pub(super) fn code(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        mut code: InCode,
        from: usize,
    ) -> Step {
        let mut at = from;
        let step = loop {
            if at >= feed.input.len() {
                break Step::Go(at);
            }
            let next = match code.lexer.read(feed.input.as_bytes(), at, feed.last) {
                Lexed::Plain(end) => Next::Code(end),
                Lexed::Open | Lexed::Close => Next::Code(at + 1),
                Lexed::Wait => Next::Wait,
                Lexed::Mark => self.marker_in_code(feed, from, at),
                Lexed::Name(end) => self.name_in_code(feed, &mut code, from, (at, end)),
            };
            match next {
                Next::Code(end) => at = end,
                Next::Wait => break Step::Wait(at),
                Next::Left(step) => return step,
            }
        };
        if let Some(step) = self.beside_calls(feed, from, at) {
            return step;
        }
        self.enter(State::Code(code));
        step
    }

    fn marker_in_code(&mut self, feed: &mut Feed<'_, impl Sink>, from: usize, at: usize) -> Next {
        let matcher = feed.grammar.outside(self.outer);
        match matcher.find_at(feed.input, at, feed.last, &mut self.resume) {
            Found::Nothing => Next::Code(at + 1),
            Found::Partial(_) => Next::Wait,
            Found::Marker(marker) => {
                if let Some(step) = self.beside_calls(feed, from, at) {
                    return Next::Left(step);
                }
                self.enter(State::Outside);
                self.act(feed, &marker);
                Next::Left(Step::Go(marker.end))
            }
        }
    }

    fn name_in_code(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        code: &mut InCode,
        from: usize,
        (start, end): (usize, usize),
    ) -> Next {
        let call = called(feed.input.as_bytes(), end, feed.last);
        if matches!(call, Called::Wait) {
            return Next::Wait;
        }
        let name = slice(feed.input, start, end);
        let defined = std::mem::replace(&mut code.definition, matches!(name, "def" | "class"));
        let Called::Yes(behind) = call else {
            return Next::Code(end);
        };
        if defined {
            return Next::Code(end);
        }
        if let Some(step) = self.beside_calls(feed, from, start) {
            return Next::Left(step);
        }
        if self.open_code_call(feed, (start, end, behind)) {
            return Next::Left(Step::Go(behind));
        }
        if let Some(step) = self.beside_calls(feed, start, end) {
            return Next::Left(step);
        }
        self.enter(State::Code(*code));
        Next::Left(Step::Go(end))
    }

    /// Opens a call if the name at `start..end` is a tool's; its arguments begin at `behind`.
    fn open_code_call(
        &mut self,
        feed: &mut Feed<'_, impl Sink>,
        (start, end, behind): (usize, usize, usize),
    ) -> bool {
        let index = feed.grammar.section(self.outer).map_or(0, |section| section.form);
        let Some(form) = feed.grammar.forms.get(index) else {
            return false;
        };
        let name = slice(feed.input, start, end);
        let Heading::Call { name, id } = form.heading(index, name, feed.oracle) else {
            return false;
        };
        self.enter_call(feed);
        let opener = slice(feed.input, start, behind);
        self.call.open_code(feed, (index, self.position + start), opener, (name, id));
        true
    }
}
