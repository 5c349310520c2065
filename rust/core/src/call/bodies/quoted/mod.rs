//! Calls whose arguments are an object of literals, with strings between quote tokens.
//!
//! The object ends by its own brackets. Inside a string nothing counts but its quote; ASCII quotes
//! are strings as well where a value or a key can begin.

mod spelling;
mod strings;
mod tokens;
mod values;

#[cfg(test)]
mod tests;

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Step};
use crate::call::record::Call;
use crate::call::shape::{Meaning, Reader, Shape};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::Spellings;
use crate::markers::pattern::Pattern;
use crate::sink::Sink;
use crate::text::slice::{blanks, slice, unfinished};
use crate::tool_shape::ToolShape;

/// An object of literals whose strings stand between quote tokens.
#[derive(Debug, Clone)]
pub struct Quoted {
    /// The quote token.
    pub quote: String,
}

impl Shape for Quoted {
    const NAME: &'static str = "quoted";
    const ENCODING: Encoding = Encoding::Literals;
    // Its literals can be told apart without quotes.
    const READS_CUT_STRINGS: bool = true;
    type Markers = ();
    type Reader = QuotedReader;

    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self { quote: record.text("quote")? })
    }

    fn check(&self, place: &str) -> Result<(), GrammarError> {
        if self.quote.is_empty() {
            return Err(GrammarError::new(&format!("{place}.quote"), "the quote is empty"));
        }
        Ok(())
    }

    fn delimiters(&self) -> Spellings {
        vec![Pattern::Literal(self.quote.as_str().into())]
    }

    fn markers(&self, _places: &Places<'_>) {}

    fn arguments<'a>(&'a self, call: &'a Call, meaning: &Meaning<'_>) -> Arguments<'a> {
        let shape = call.name().and_then(|tool| meaning.oracle.shape(tool)).unwrap_or_default();
        let root = shape.node(ToolShape::ROOT);
        let options = values::Options {
            quote: &self.quote,
            declares: &|name| !root.has_properties() || root.declares(name),
            character: &|name| meaning.oracle.character(name),
            max_depth: meaning.max_depth,
            cut: meaning.cut,
        };
        values::read_object(call.body(), &options).into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lex {
    /// Outside strings, where a value can begin.
    Begin,
    /// Outside strings, elsewhere.
    Between,
    /// In a string between quote tokens.
    Token,
    /// In a string between these ASCII quotes.
    Ascii(u8),
    /// There, behind a backslash.
    Escape(u8),
}

/// Where the reader of such a body stands; positions are those of the raw text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuotedReader {
    /// Before the object.
    Before,
    /// Inside the object.
    Inside(Open),
    /// Behind the object, which ended here.
    Done(usize),
    /// In what is no such object.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Open {
    lex: Lex,
    depth: usize,
    /// Where the last string begins.
    string: usize,
}

/// Why reading stopped at a position of the input.
enum Stop {
    Closed,
    TooDeep,
    Wait,
    Marker(Step),
}

impl Reader<Quoted> for QuotedReader {
    fn new(_body: (&Quoted, &()), _call: &Call) -> Self {
        Self::Before
    }

    fn step<S: Sink>(
        &mut self,
        (body, ()): (&Quoted, &()),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        match *self {
            Self::Before => self.before(cx, input, at),
            Self::Inside(mut open) => {
                let step = self.inside(body, cx, (input, at), &mut open);
                if matches!(self, Self::Inside(_)) {
                    *self = Self::Inside(open);
                }
                step
            }
            Self::Done(_) | Self::Broken => cx.skip(input, at),
        }
    }

    fn end(&self) -> Option<usize> {
        match *self {
            Self::Done(end) => Some(end),
            _ => None,
        }
    }

    fn at_end(&self) -> AtEnd {
        match *self {
            Self::Done(end) => AtEnd::Complete(end),
            Self::Inside(Open {
                lex: Lex::Token | Lex::Ascii(_) | Lex::Escape(_), string, ..
            }) => AtEnd::Unclosed(string),
            _ => AtEnd::Cut,
        }
    }
}

impl QuotedReader {
    fn before<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let rest = &input.as_bytes()[at..];
        let blanks = blanks(rest);
        let start = cx.call.raw.len() + blanks;
        match rest.get(blanks) {
            None => {}
            Some(b'{') => {
                cx.argument_start(None);
                *self = Self::Inside(Open { lex: Lex::Begin, depth: 0, string: start });
            }
            Some(_) => *self = Self::Broken,
        }
        Step::Go(at + blanks)
    }

    fn inside<S: Sink>(
        &mut self,
        body: &Quoted,
        cx: &mut Context<'_, S>,
        (input, at): (&str, usize),
        open: &mut Open,
    ) -> Step {
        let (end, stop) = open.read(cx, body.quote.as_bytes(), input, at);
        let end = end.min(input.len());
        cx.argument_delta(slice(input, at, end));
        let here = cx.call.raw.len() + (end - at);
        match stop {
            None => Step::Go(end),
            Some(Stop::Wait) => Step::Wait(end),
            Some(Stop::Closed) => {
                *self = Self::Done(here);
                cx.ended(end)
            }
            Some(Stop::TooDeep) => {
                *self = Self::Broken;
                Step::OverLimit(end)
            }
            Some(Stop::Marker(other)) => {
                *self = Self::Broken;
                other
            }
        }
    }
}

impl Open {
    fn read<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        quote: &[u8],
        input: &str,
        from: usize,
    ) -> (usize, Option<Stop>) {
        let bytes = input.as_bytes();
        let base = cx.call.raw.len();
        let mut at = from;
        while at < bytes.len() {
            let rest = &bytes[at..];
            match self.lex {
                Lex::Token => match memchr::memmem::find(rest, quote) {
                    Some(offset) => {
                        at += offset + quote.len();
                        self.lex = Lex::Between;
                    }
                    None if cx.last => return (bytes.len(), None),
                    None => match unfinished(rest, quote) {
                        0 => return (bytes.len(), None),
                        held => return (bytes.len() - held, Some(Stop::Wait)),
                    },
                },
                Lex::Ascii(mark) => match memchr::memchr2(mark, b'\\', rest) {
                    None => return (bytes.len(), None),
                    Some(offset) => {
                        at += offset + 1;
                        let escaped = bytes[at - 1] == b'\\';
                        self.lex = if escaped { Lex::Escape(mark) } else { Lex::Between };
                    }
                },
                Lex::Escape(mark) => {
                    self.lex = Lex::Ascii(mark);
                    at += 1;
                }
                Lex::Begin | Lex::Between if rest.starts_with(quote) => {
                    self.lex = Lex::Token;
                    self.string = base + (at - from);
                    at += quote.len();
                }
                Lex::Begin | Lex::Between if quote.starts_with(rest) && !cx.last => {
                    return (at, Some(Stop::Wait));
                }
                Lex::Begin | Lex::Between => {
                    if let Some(stop) = self.structure(cx, input, at) {
                        let end = if matches!(stop, Stop::Closed) { at + 1 } else { at };
                        return (end, Some(stop));
                    }
                    self.string = base + (at - from);
                    at += 1;
                }
            }
        }
        (at, None)
    }

    /// One byte outside strings.
    fn structure<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Option<Stop> {
        let byte = input.as_bytes()[at];
        match byte {
            b'{' | b'[' if self.depth >= cx.limits.max_depth => return Some(Stop::TooDeep),
            b'{' | b'[' => {
                self.depth += 1;
                self.lex = Lex::Begin;
            }
            // No list is open: the bracket is one too many.
            b']' if self.depth == 1 => self.lex = Lex::Between,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.lex = Lex::Between;
                if self.depth == 0 {
                    return Some(Stop::Closed);
                }
            }
            b'"' | b'\'' if self.lex == Lex::Begin => self.lex = Lex::Ascii(byte),
            b',' | b':' | b'=' => self.lex = Lex::Begin,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'<' => {
                self.lex = Lex::Between;
                return cx.marker_at(input, at).map(|step| match step {
                    Step::Wait(_) => Stop::Wait,
                    step => Stop::Marker(step),
                });
            }
            _ => self.lex = Lex::Between,
        }
        None
    }
}
