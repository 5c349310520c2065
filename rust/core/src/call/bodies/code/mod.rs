//! Calls in Python code, from behind the `(` to the `)`.

mod numbers;
mod source;
mod values;

#[cfg(test)]
mod tests;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Step};
use crate::call::record::Call;
use crate::call::shape::{Meaning, Reader, Shape};
use crate::fields::{GrammarError, Object, Placed};
use crate::sink::Sink;
use crate::text::code::{Lexed, Lexer};
use crate::text::slice::slice;

/// The arguments of a Python call.
#[derive(Debug, Clone)]
pub struct Code;

impl Shape for Code {
    const NAME: &'static str = "code";
    const ENCODING: Encoding = Encoding::Python;
    const IS_CODE: bool = true;
    type Markers = ();
    type Reader = CodeReader;

    fn read<O: Object>(_record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self)
    }

    fn markers(&self, _places: &Places<'_>) {}

    fn arguments<'a>(&'a self, call: &'a Call, meaning: &Meaning<'_>) -> Arguments<'a> {
        let character = |name: &str| meaning.oracle.character(name);
        values::read_keywords(call.body(), meaning.max_depth, meaning.cut, &character).into()
    }
}

/// The reader of a call's arguments, from behind its `(` to its `)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeReader {
    lexer: Lexer,
    /// How many brackets are open beside the call's own.
    depth: usize,
    /// Where the last string begins.
    string: usize,
}

impl Reader<Code> for CodeReader {
    fn new(_body: (&Code, &()), call: &Call) -> Self {
        Self { lexer: Lexer::default(), depth: 0, string: call.raw.len() }
    }

    fn step<S: Sink>(
        &mut self,
        _body: (&Code, &()),
        cx: &mut Context<'_, S>,
        input: &str,
        from: usize,
    ) -> Step {
        let base = cx.call.raw.len();
        let mut at = from;
        let step = loop {
            if at >= input.len() {
                break Step::Go(at);
            }
            let in_string = self.lexer.in_string();
            match self.lexer.read(input.as_bytes(), at, cx.last) {
                Lexed::Plain(end) | Lexed::Name(end) => {
                    if !in_string {
                        self.string = base + (at - from);
                    }
                    at = end;
                }
                Lexed::Wait => break Step::Wait(at),
                Lexed::Open if self.depth + 1 >= cx.limits.max_depth && !cx.call.muted => {
                    break Step::OverLimit(at);
                }
                Lexed::Open => {
                    self.depth += 1;
                    at += 1;
                }
                Lexed::Close if self.depth == 0 => break Step::Close(at, at + 1),
                Lexed::Close => {
                    self.depth -= 1;
                    at += 1;
                }
                Lexed::Mark => match cx.marker_at(input, at) {
                    Some(step) => break step,
                    None => at += 1,
                },
            }
        };
        cx.argument_delta(slice(input, from, at));
        step
    }

    fn at_end(&self) -> AtEnd {
        if self.lexer.in_string() { AtEnd::Unclosed(self.string) } else { AtEnd::Cut }
    }
}
