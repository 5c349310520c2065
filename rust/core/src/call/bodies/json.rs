//! Calls whose arguments are one JSON value, which ends by its own structure.

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Step};
use crate::call::record::Call;
use crate::call::shape::{Meaning, Reader, Shape};
use crate::call::telling::Telling;
use crate::fields::{GrammarError, Object, Placed};
use crate::sink::Sink;
use crate::text::json::{Progress, Structure};
use crate::text::slice::{blanks, slice};

/// One JSON value.
#[derive(Debug, Clone)]
pub struct Json;

impl Shape for Json {
    const NAME: &'static str = "json";
    const ENCODING: Encoding = Encoding::Json;
    type Markers = ();
    type Reader = JsonReader;

    fn read<O: Object>(_record: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self)
    }

    fn markers(&self, _places: &Places<'_>) {}

    fn arguments<'a>(&'a self, call: &'a Call, _meaning: &Meaning<'_>) -> Arguments<'a> {
        Arguments::Json(call.body())
    }
}

/// Where the reader of such a body stands.
#[derive(Debug, Clone)]
pub(crate) enum JsonReader {
    /// Before the value.
    Begin,
    /// Inside the value that begins at this position of the raw text.
    Inside { structure: Structure, start: usize, telling: Telling },
    /// Behind the value, which ended at this position of the raw text.
    Done(usize),
    /// In what is no JSON.
    Broken,
}

impl Reader<Json> for JsonReader {
    fn new(_body: (&Json, &()), _call: &Call) -> Self {
        Self::Begin
    }

    fn step<S: Sink>(
        &mut self,
        _body: (&Json, &()),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step {
        match self {
            Self::Begin => self.begin(cx, input, at),
            Self::Inside { .. } => self.inside(cx, input, at),
            Self::Done(_) | Self::Broken => cx.skip(input, at),
        }
    }

    fn end(&self) -> Option<usize> {
        match self {
            Self::Done(end) => Some(*end),
            _ => None,
        }
    }

    fn at_end(&self) -> AtEnd {
        match self {
            Self::Done(end) => AtEnd::Complete(*end),
            Self::Inside { structure, start, .. } => match structure.open_string() {
                Some(string) => AtEnd::Unclosed(start + string),
                None => AtEnd::Cut,
            },
            _ => AtEnd::Cut,
        }
    }

    fn lacks_closers(&self, (): &(), _tail: &str, _rest_closes: &dyn Fn(&str) -> bool) -> bool {
        matches!(self, Self::Inside { structure, .. } if structure.behind_value())
    }
}

impl JsonReader {
    fn begin<S: Sink>(&mut self, cx: &mut Context<'_, S>, input: &str, at: usize) -> Step {
        let rest = &input.as_bytes()[at..];
        let blanks = blanks(rest);
        let start = cx.call.raw.len() + blanks;
        let Some(first) = rest.get(blanks) else {
            return Step::Go(at + blanks);
        };
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
        let Self::Inside { structure, telling, .. } = self else {
            return Step::Go(at);
        };
        let (end, progress) = structure.read(input.as_bytes(), at);
        telling.tell(cx, slice(input, at, end), progress == Progress::Closed);
        let here = cx.call.raw.len() + (end - at);
        match progress {
            Progress::Open => {}
            Progress::Closed => {
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
}
