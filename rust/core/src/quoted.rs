//! Calls whose arguments are an object of literals, with strings between quote tokens.
//!
//! The object ends by its own brackets. Inside a string nothing counts but its quote; ASCII quotes
//! are strings as well where a value or a key can begin.

use crate::body::{AtEnd, Context, Step, slice, unfinished};
use crate::call::Carrier;
use crate::grammar::Body;
use crate::sink::Sink;

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
pub(crate) enum Quoted {
    /// Before the object.
    Before,
    /// Inside the object.
    Inside(Inside),
    /// Behind the object, which ended here.
    Done(usize),
    /// In what is no such object.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inside {
    lex: Lex,
    depth: usize,
    start: usize,
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

impl Quoted {
    pub fn step<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        match *self {
            Self::Before => self.before(cx, input, at),
            Self::Inside(mut inside) => {
                let step = self.inside(cx, input, at, &mut inside);
                if matches!(self, Self::Inside(_)) {
                    *self = Self::Inside(inside);
                }
                step
            }
            Self::Done(_) | Self::Broken => cx.skip(input, at),
        }
    }

    fn before<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let rest = &input.as_bytes()[at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = cx.call.raw.len() + blanks;
        match rest.get(blanks) {
            None => {}
            Some(b'{') => {
                cx.argument_start(None);
                cx.call.carrier = Carrier::Text(start, start);
                *self = Self::Inside(Inside { lex: Lex::Begin, depth: 0, start, string: start });
            }
            Some(_) => *self = Self::Broken,
        }
        Step::Go(at + blanks)
    }

    fn inside<S: Sink>(
        &mut self,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
        inside: &mut Inside,
    ) -> Step {
        let form = cx.form;
        let Body::Quoted { quote } = &form.body else {
            return Step::Go(input.len());
        };
        let (end, stop) = inside.read(cx, quote.as_bytes(), input, at);
        let end = end.min(input.len());
        cx.argument_delta(slice(input, at, end));
        let here = cx.call.raw.len() + (end - at);
        match stop {
            None => Step::Go(end),
            Some(Stop::Wait) => Step::Wait(end),
            Some(Stop::Closed) => {
                cx.call.carrier = Carrier::Text(inside.start, here);
                *self = Self::Done(here);
                cx.ended(end)
            }
            Some(Stop::TooDeep) => {
                *self = Self::Broken;
                Step::OverLimit(end)
            }
            Some(Stop::Marker(other)) => {
                cx.call.carrier = Carrier::Text(inside.start, here);
                *self = Self::Broken;
                other
            }
        }
    }

    /// Where the object ended in the raw text.
    pub fn end(self) -> Option<usize> {
        match self {
            Self::Done(end) => Some(end),
            _ => None,
        }
    }

    pub fn at_end(self) -> AtEnd {
        match self {
            Self::Done(end) => AtEnd::Complete(end),
            Self::Inside(Inside {
                lex: Lex::Token | Lex::Ascii(_) | Lex::Escape(_),
                string,
                ..
            }) => AtEnd::Unclosed(string),
            _ => AtEnd::Cut,
        }
    }
}

impl Inside {
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
