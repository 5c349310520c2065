//! What became of one whole output: what the scan found, and the message it is.

use std::borrow::Cow;
use std::ops::Range;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use toolspeak::{Call, Reason, Scanner, Sink};

use crate::decode::{Decoded, Decoder, told};
use crate::events::{LazyText, ToolAbort};
use crate::ids::Ids;
use crate::source::{Cutter, Source, place};

/// A piece of an output's visible text.
enum Piece {
    /// This part of the output, in bytes.
    Part(Range<usize>),
    /// Text that had been held back.
    Own(String),
}

/// A part of a message.
enum Block {
    Text(Vec<Piece>),
    Thinking(String),
    /// A call, and why it is not complete.
    Call(Call, Option<Reason>),
}

/// The classes of messages and their blocks; a call that is not complete is a `ToolAbort`.
#[derive(FromPyObject)]
pub struct Classes {
    message: Py<PyAny>,
    text: Py<PyAny>,
    thinking: Py<PyAny>,
    call: Py<PyAny>,
}

/// What became of one output, before its arguments are read.
pub struct Record<'a> {
    output: Cow<'a, str>,
    error: Option<PyErr>,
    blocks: Vec<Block>,
}

impl<'a> Record<'a> {
    /// Scans a whole output.
    pub fn scan(source: &'a Source, scanner: &mut Scanner, decoder: &Decoder) -> Self {
        let output = source.text();
        let asking = decoder.asking();
        let mut sink = Reading { output: &output, blocks: Vec::new() };
        scanner.feed(&output, &mut sink, &asking);
        scanner.flush(&mut sink, &asking);
        scanner.reset();
        let mut blocks = sink.blocks;
        if !decoder.tells() {
            blocks.retain(|block| !matches!(block, Block::Call(..)));
        }
        Self { output, error: asking.take_error(), blocks }
    }

    /// The message that it is; `source` is the output that was scanned.
    pub fn message(
        &mut self,
        py: Python<'_>,
        decoder: &Decoder,
        source: &Source,
        classes: &Classes,
    ) -> PyResult<Py<PyAny>> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let cutter = source.cutter(py, &self.output);
        let mut ids = Ids::default();
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            blocks.push(match block {
                Block::Text(pieces) => classes.text.call1(py, (join(py, &cutter, pieces)?,))?,
                Block::Thinking(text) => classes.thinking.call1(py, (text,))?,
                Block::Call(call, reason) => {
                    read(py, (decoder, classes), (call, *reason), &cutter, &mut ids)?
                }
            });
        }
        classes.message.call1(py, (PyTuple::new(py, blocks)?,))
    }
}

/// A call as a part of a message.
fn read<'py>(
    py: Python<'py>,
    (decoder, classes): (&Decoder, &Classes),
    (call, reason): (&Call, Option<Reason>),
    cutter: &Cutter<'_, 'py>,
    ids: &mut Ids,
) -> PyResult<Py<PyAny>> {
    let id = ids.next(call.id());
    let complete = if reason.is_none() { decoder.decode(py, call, cutter)? } else { None };
    if let Some(Decoded { name, arguments, repaired, .. }) = complete {
        let repaired = repaired || call.recovered() || call.healed();
        return classes.call.call1(py, (id, name, arguments, cutter.raw(call), repaired));
    }
    let reason = reason.unwrap_or(Reason::Malformed);
    Ok(abort(py, decoder, call, cutter, &id, reason)?.into_any())
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
        arguments: decoder.decode_partial(py, call, cutter)?.unbind(),
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
struct Reading<'b> {
    output: &'b str,
    blocks: Vec<Block>,
}

impl Sink for Reading<'_> {
    fn text(&mut self, text: &str) {
        if !matches!(self.blocks.last(), Some(Block::Text(_))) {
            self.blocks.push(Block::Text(Vec::new()));
        }
        let Some(Block::Text(pieces)) = self.blocks.last_mut() else {
            return;
        };
        match (place(self.output, text), pieces.last_mut()) {
            (Some(part), Some(Piece::Part(last))) if last.end == part.start => last.end = part.end,
            (Some(part), _) => pieces.push(Piece::Part(part)),
            (None, Some(Piece::Own(last))) => last.push_str(text),
            (None, _) => pieces.push(Piece::Own(text.to_owned())),
        }
    }

    fn thinking_start(&mut self) {}

    fn thinking_delta(&mut self, _: &str) {}

    fn thinking_end(&mut self, block: &str) {
        self.blocks.push(Block::Thinking(block.to_owned()));
    }

    fn tool_start(&mut self, _: &Call) {}

    fn argument_start(&mut self, _: Option<&str>) {}

    fn argument_delta(&mut self, _: &str) {}

    fn tool_end(&mut self, call: Call) {
        self.blocks.push(Block::Call(call, None));
    }

    fn tool_abort(&mut self, call: Call, reason: Reason) {
        self.blocks.push(Block::Call(call, Some(reason)));
    }

    fn stopped(&mut self, _: &str) {}
}
