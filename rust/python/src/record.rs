//! What became of one whole output: what the scan found, and the message it is.

use std::borrow::Cow;
use std::ops::Range;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolspeak::{Call, ElementBody, Heading, Reason, Scanner, Sink};

use crate::answers::Answers;
use crate::decode::{Decoder, told};
use crate::events::{LazyText, ToolAbort};
use crate::ids::Ids;
use crate::source::{Cutter, Source, place};

/// A complete call: id, name, arguments, raw text, and whether it was repaired.
type Complete = (String, Py<PyString>, Py<PyDict>, Py<PyString>, bool);

/// A piece of an output's visible text.
enum Piece {
    /// This part of the output, in bytes.
    Part(Range<usize>),
    /// Text that had been held back.
    Own(String),
}

/// What became of one output, before its arguments are read.
pub struct Record<'a> {
    output: Cow<'a, str>,
    error: Option<PyErr>,
    text: Vec<Piece>,
    thinking: Vec<String>,
    calls: Vec<(Call, Option<Reason>)>,
}

impl<'a> Record<'a> {
    /// Scans a whole output.
    pub fn scan(source: &'a Source, scanner: &mut Scanner, answers: &Answers<'_>) -> Self {
        let mut record = Record {
            output: Cow::Borrowed(""),
            error: None,
            text: Vec::new(),
            thinking: Vec::new(),
            calls: Vec::new(),
        };
        let output = source.text();
        let mut sink = Reading { output: &output, answers, record: &mut record };
        scanner.feed(&output, &mut sink);
        scanner.flush(&mut sink);
        scanner.reset();
        record.output = output;
        record
    }

    /// The message that it is; `source` is the output that was scanned, and `make` makes a message
    /// of text, thinking blocks, complete calls and aborted calls.
    pub fn message(
        &mut self,
        py: Python<'_>,
        decoder: &Decoder,
        source: &Source,
        make: &Py<PyAny>,
    ) -> PyResult<Py<PyAny>> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let cutter = source.cutter(py, &self.output);
        let text = join(py, &cutter, &self.text)?;
        let (mut ids, mut aborted) = (Ids::default(), Vec::new());
        let mut calls: Vec<Complete> = Vec::new();
        for (call, reason) in &self.calls {
            let id = ids.next(call.id());
            let reason = match reason {
                None => match decoder.decode(py, call, &cutter)? {
                    Some((name, arguments, repaired, _)) => {
                        let repaired = repaired || call.recovered();
                        calls.push((id, name, arguments, cutter.raw(call).unbind(), repaired));
                        continue;
                    }
                    None => Reason::Malformed,
                },
                Some(reason) => *reason,
            };
            aborted.push(abort(py, decoder, call, &cutter, &id, reason)?);
        }
        make.call1(py, (text, &self.thinking, calls, aborted))
    }
}

fn abort<'py>(
    py: Python<'py>,
    decoder: &Decoder,
    call: &Call,
    cutter: &Cutter<'_, 'py>,
    id: &str,
    reason: Reason,
) -> PyResult<Py<ToolAbort>> {
    let string = |text: &str| PyString::new(py, text).unbind();
    let event = ToolAbort {
        id: string(id),
        name: call.name().map(string),
        arguments: decoder.decode_partial(py, call, cutter)?,
        raw: LazyText::known(cutter.raw(call)),
        reason: string(told(reason)),
    };
    Py::new(py, event)
}

/// The visible text in one.
fn join<'py>(
    py: Python<'py>,
    cutter: &Cutter<'_, 'py>,
    pieces: &[Piece],
) -> PyResult<Py<PyString>> {
    let mut strings = pieces.iter().map(|piece| match piece {
        Piece::Part(range) => cutter.cut(range.clone()),
        Piece::Own(text) => PyString::new(py, text),
    });
    let Some(first) = strings.next() else {
        return Ok(PyString::new(py, "").unbind());
    };
    let Some(second) = strings.next() else {
        return Ok(first.unbind());
    };
    let all: Vec<_> = [first, second].into_iter().chain(strings).collect();
    let empty = PyString::intern(py, "");
    Ok(empty.call_method1(intern!(py, "join"), (all,))?.cast_into::<PyString>()?.unbind())
}

/// The sink of one scan.
struct Reading<'a, 'b> {
    output: &'b str,
    answers: &'b Answers<'b>,
    record: &'b mut Record<'a>,
}

impl Reading<'_, '_> {
    /// The answer; an error is raised when the scan is over.
    fn answer<T>(&mut self, answer: PyResult<T>, otherwise: T) -> T {
        answer.unwrap_or_else(|error| {
            self.record.error.get_or_insert(error);
            otherwise
        })
    }
}

impl Sink for Reading<'_, '_> {
    fn text(&mut self, text: &str) {
        match (place(self.output, text), self.record.text.last_mut()) {
            (Some(part), Some(Piece::Part(last))) if last.end == part.start => last.end = part.end,
            (Some(part), _) => self.record.text.push(Piece::Part(part)),
            (None, Some(Piece::Own(last))) => last.push_str(text),
            (None, _) => self.record.text.push(Piece::Own(text.to_owned())),
        }
    }

    fn thinking_start(&mut self) {}

    fn thinking_delta(&mut self, _: &str) {}

    fn thinking_end(&mut self, block: &str) {
        self.record.thinking.push(block.to_owned());
    }

    fn tool_start(&mut self, _: &Call) {}

    fn argument_start(&mut self, _: Option<&str>) {}

    fn argument_delta(&mut self, _: &str) {}

    fn tool_end(&mut self, call: Call) {
        self.record.calls.push((call, None));
    }

    fn tool_abort(&mut self, call: Call, reason: Reason) {
        self.record.calls.push((call, Some(reason)));
    }

    fn stopped(&mut self, _: &str) {}

    fn heading(&mut self, form: usize, header: &str) -> Heading {
        let heading = self.answers.heading(form, header);
        self.answer(heading, Heading::Unreadable)
    }

    fn element_body(&mut self, call: &Call, first: &str) -> ElementBody {
        let body = self.answers.element_body(call, first);
        self.answer(body, ElementBody::Elements)
    }

    fn holds_text(&mut self, call: &Call, key: &str) -> bool {
        let text = self.answers.holds_text(call, key);
        self.answer(text, false)
    }
}
