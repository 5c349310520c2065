//! Whole outputs, many at once: scanned on all cores without the GIL, then given their meaning.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use toolspeak::{Call, ElementBody, Heading, Reason, Scanner, Sink};

use crate::decode::{decode, decode_partial, element_body, heading, holds_text, told};
use crate::events::ToolAbort;
use crate::ids::Ids;

/// One output as the caller gave it.
enum Source {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
    Replaced(String),
}

impl Source {
    fn read(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = source.cast::<PyString>() {
            return Ok(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Replaced(text.to_string_lossy().into_owned()),
            });
        }
        if let Ok(bytes) = source.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone().into()));
        }
        let kind = source.get_type().name()?;
        Err(PyTypeError::new_err(format!("an output is str or bytes, not {kind}")))
    }

    fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Replaced(text) => text.len(),
        }
    }

    fn scan<'a>(&self, scanner: &mut Scanner, decoder: &'a Py<PyAny>) -> Record<'a> {
        let mut record = Record::new(decoder);
        match self {
            Self::Text(text) => scanner.feed(text, &mut record),
            Self::Bytes(bytes) => scanner.feed(&String::from_utf8_lossy(bytes), &mut record),
            Self::Replaced(text) => scanner.feed(text, &mut record),
        }
        scanner.flush(&mut record);
        scanner.reset();
        record
    }
}

/// What became of one output, before its arguments are read.
struct Record<'a> {
    decoder: &'a Py<PyAny>,
    error: Option<PyErr>,
    text: String,
    thinking: Vec<String>,
    calls: Vec<(Call, Option<Reason>)>,
}

impl<'a> Record<'a> {
    fn new(decoder: &'a Py<PyAny>) -> Self {
        Self { decoder, error: None, text: String::new(), thinking: Vec::new(), calls: Vec::new() }
    }

    /// Asks the decoder, which needs the GIL; an error is raised when the scan is over.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        let answer = Python::attach(|py| question(py, self.decoder.bind(py)));
        match answer {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.error.get_or_insert(error);
                None
            }
        }
    }
}

impl Sink for Record<'_> {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn thinking_start(&mut self) {}

    fn thinking_delta(&mut self, _: &str) {}

    fn thinking_end(&mut self, block: &str) {
        self.thinking.push(block.to_owned());
    }

    fn tool_start(&mut self, _: &Call) {}

    fn argument_start(&mut self, _: Option<&str>) {}

    fn argument_delta(&mut self, _: &str) {}

    fn tool_end(&mut self, call: &Call) {
        self.calls.push((call.clone(), None));
    }

    fn tool_abort(&mut self, call: &Call, reason: Reason) {
        self.calls.push((call.clone(), Some(reason)));
    }

    fn stopped(&mut self, _: &str) {}

    fn heading(&mut self, form: usize, header: &str) -> Heading {
        let heading = self.ask(|py, decoder| heading(py, decoder, form, header));
        heading.unwrap_or(Heading::Unreadable)
    }

    fn element_body(&mut self, call: &Call, first: &str) -> ElementBody {
        let body = self.ask(|py, decoder| element_body(py, decoder, call, first));
        body.unwrap_or(ElementBody::Elements)
    }

    fn holds_text(&mut self, call: &Call, key: &str) -> bool {
        self.ask(|py, decoder| holds_text(py, decoder, call, key)).unwrap_or(false)
    }
}

/// A complete call: id, name, arguments, raw text, and whether it was repaired.
pub type ToolCall = (String, Py<PyString>, Py<PyDict>, String, bool);

/// A message: text, thinking blocks, complete calls, aborted calls.
pub type Message = (String, Vec<String>, Vec<ToolCall>, Vec<Py<ToolAbort>>);

/// Reads whole outputs (str or bytes), each on its own, in order, as `scanner` would.
pub fn read_all(
    py: Python<'_>,
    scanner: &Scanner,
    decoder: &Py<PyAny>,
    outputs: &Bound<'_, PyList>,
) -> PyResult<Vec<Message>> {
    let sources =
        outputs.iter().map(|output| Source::read(&output)).collect::<PyResult<Vec<_>>>()?;
    let records = py.detach(|| scan_all(scanner, &sources, decoder));
    records.into_iter().map(|record| message(py, decoder.bind(py), record)).collect()
}

/// The least work, in bytes, that is worth a thread.
const THREAD_WORK: usize = 64 * 1024;

fn scan_all<'a>(scanner: &Scanner, sources: &[Source], decoder: &'a Py<PyAny>) -> Vec<Record<'a>> {
    let work: usize = sources.iter().map(Source::length).sum();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(sources.len()).min(work / THREAD_WORK + 1);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut scanner = scanner.another();
        let mut records = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(index) else {
                return records;
            };
            records.push((index, source.scan(&mut scanner, decoder)));
        }
    };
    if threads <= 1 {
        return worker().into_iter().map(|(_, record)| record).collect();
    }
    let mut records: Vec<(usize, Record<'_>)> = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mut records = worker();
        for helper in helpers {
            records.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        records
    });
    records.sort_unstable_by_key(|(index, _)| *index);
    records.into_iter().map(|(_, record)| record).collect()
}

fn message(py: Python<'_>, decoder: &Bound<'_, PyAny>, record: Record<'_>) -> PyResult<Message> {
    if let Some(error) = record.error {
        return Err(error);
    }
    let (mut ids, mut calls, mut aborted) = (Ids::default(), Vec::new(), Vec::new());
    for (call, reason) in record.calls {
        let id = ids.next(call.id());
        let answer = if reason.is_none() { decode(py, decoder, &call)? } else { None };
        match answer {
            Some((name, arguments, repaired, _)) => {
                let repaired = repaired || call.recovered();
                calls.push((id, name, arguments, call.raw().to_owned(), repaired));
            }
            None => {
                aborted.push(abort(py, decoder, &call, &id, reason.unwrap_or(Reason::Malformed))?);
            }
        }
    }
    Ok((record.text, record.thinking, calls, aborted))
}

fn abort(
    py: Python<'_>,
    decoder: &Bound<'_, PyAny>,
    call: &Call,
    id: &str,
    reason: Reason,
) -> PyResult<Py<ToolAbort>> {
    let string = |text: &str| PyString::new(py, text).unbind();
    let event = ToolAbort {
        id: string(id),
        name: call.name().map(string),
        arguments: decode_partial(py, decoder, call)?,
        raw: string(call.raw()),
        reason: string(told(reason)),
    };
    Py::new(py, event)
}
