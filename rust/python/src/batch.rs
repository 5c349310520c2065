//! Whole outputs, many at once: scanned on all cores without the GIL, then given their meaning.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use toolspeak::{Call, Compiled, Reason, Scanner, Settings, Sink};

use crate::decode::{decode, decode_partial, told};
use crate::events::ToolAbort;
use crate::grammar::CompiledGrammar;
use crate::ids::Ids;
use crate::scanner::settings;

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

    fn scan(&self, scanner: &mut Scanner) -> Record {
        let mut record = Record::default();
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
#[derive(Default)]
struct Record {
    text: String,
    thinking: Vec<String>,
    calls: Vec<(Call, Option<Reason>)>,
}

impl Sink for Record {
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
}

/// A complete call: id, name, arguments, raw text, and whether it was repaired.
type ToolCall = (String, Py<PyString>, Py<PyDict>, String, bool);

/// A message: text, thinking blocks, complete calls, aborted calls.
type Message = (String, Vec<String>, Vec<ToolCall>, Vec<Py<ToolAbort>>);

/// Reads whole outputs (str or bytes), each on its own, in order.
///
/// Returns for each its text, its thinking blocks, its complete calls (id, name, arguments, raw,
/// repaired) and its `ToolAbort` events.
#[pyfunction]
pub fn read_messages(
    py: Python<'_>,
    grammar: &CompiledGrammar,
    decoder: &Bound<'_, PyAny>,
    start: &str,
    whitespace: &str,
    limits: (usize, usize, usize),
    outputs: &Bound<'_, PyList>,
) -> PyResult<Vec<Message>> {
    let settings = settings(start, whitespace, limits)?;
    let sources =
        outputs.iter().map(|output| Source::read(&output)).collect::<PyResult<Vec<_>>>()?;
    let compiled = &grammar.compiled;
    let records = py.detach(|| scan_all(compiled, &settings, &sources));
    records.into_iter().map(|record| message(py, decoder, record)).collect()
}

/// The least work, in bytes, that is worth a thread.
const THREAD_WORK: usize = 64 * 1024;

fn scan_all(
    compiled: &std::sync::Arc<Compiled>,
    settings: &Settings,
    sources: &[Source],
) -> Vec<Record> {
    let work: usize = sources.iter().map(Source::length).sum();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(sources.len()).min(work / THREAD_WORK + 1);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut scanner = Scanner::new(compiled.clone(), settings.clone());
        let mut records = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(index) else {
                return records;
            };
            records.push((index, source.scan(&mut scanner)));
        }
    };
    if threads <= 1 {
        return worker().into_iter().map(|(_, record)| record).collect();
    }
    let mut records: Vec<(usize, Record)> = thread::scope(|scope| {
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

fn message(py: Python<'_>, decoder: &Bound<'_, PyAny>, record: Record) -> PyResult<Message> {
    let (mut ids, mut calls, mut aborted) = (Ids::default(), Vec::new(), Vec::new());
    for (call, reason) in record.calls {
        let id = ids.next(call.id());
        let answer = if reason.is_none() { decode(py, decoder, &call)? } else { None };
        match answer {
            Some((name, arguments, repaired, _)) => {
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
