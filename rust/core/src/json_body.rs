//! Calls whose arguments are one JSON value, which ends by its own structure.

use crate::arguments::Telling;
use crate::body::{AtEnd, Context, Step, slice};
use crate::call::Carrier;
use crate::json::{Progress, Structure};
use crate::sink::Sink;

/// Where the reader of such a body stands.
#[derive(Debug, Clone)]
pub(crate) enum JsonBody {
    /// Before the value.
    Begin,
    /// Inside the value that begins at this position of the raw text.
    Inside { structure: Structure, start: usize, telling: Telling },
    /// Behind the value, which ended at this position of the raw text.
    Done(usize),
    /// In what is no JSON.
    Broken,
}

impl JsonBody {
    pub fn step<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        match self {
            Self::Begin => self.begin(cx, input, at),
            Self::Inside { .. } => self.inside(cx, input, at),
            Self::Done(_) | Self::Broken => cx.skip(input, at),
        }
    }

    fn begin<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let rest = &input.as_bytes()[at..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = cx.call.raw.len() + blanks;
        let Some(first) = rest.get(blanks) else {
            return Step::Go(at + blanks);
        };
        cx.call.carrier = Carrier::Text(start, start);
        *self = match first {
            b'{' | b'[' | b'"' => {
                cx.argument_start(None);
                let structure = Structure::new(cx.limits.max_depth);
                Self::Inside { structure, start, telling: Telling::new(*first) }
            }
            _ => Self::Broken,
        };
        Step::Go(at + blanks)
    }

    fn inside<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let Self::Inside { structure, start, telling } = self else {
            return Step::Go(at);
        };
        let (end, progress) = structure.read(input.as_bytes(), at);
        telling.tell(cx, slice(input, at, end), progress == Progress::Closed);
        let here = cx.call.raw.len() + (end - at);
        match progress {
            Progress::Open => {}
            Progress::Closed => {
                cx.call.carrier = Carrier::Text(*start, here);
                *self = Self::Done(here);
                return cx.ended(end);
            }
            Progress::TooDeep => {
                *self = Self::Broken;
                return Step::OverLimit(end);
            }
            Progress::Broken => *self = Self::Broken,
        }
        Step::Go(end)
    }

    /// Where the value ended in the raw text.
    pub fn end(&self) -> Option<usize> {
        match self {
            Self::Done(end) => Some(*end),
            _ => None,
        }
    }

    pub fn at_end(&self) -> AtEnd {
        match self {
            Self::Done(end) => AtEnd::Complete(*end),
            Self::Inside { structure, start, .. } => match structure.open_string() {
                Some(string) => AtEnd::Unclosed(start + string),
                None => AtEnd::Cut,
            },
            _ => AtEnd::Cut,
        }
    }
}
