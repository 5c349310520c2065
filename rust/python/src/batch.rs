//! Whole outputs, many at once: scanned on all cores without the GIL, then given their meaning.
//!
//! The thread that holds the GIL makes Python objects of what is scanned while the others go on
//! scanning; while there is nothing to make it scans as well.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use toolspeak::{Call, ElementBody, Heading, Reason, Scanner, Sink};

use crate::decode::{Decoder, told};
use crate::events::{LazyText, ToolAbort};
use crate::ids::Ids;
use crate::source::{Cutter, Source, place};

/// A complete call: id, name, arguments, raw text, and whether it was repaired.
pub type ToolCall = (String, Py<PyString>, Py<PyDict>, Py<PyString>, bool);

/// A message: text, thinking blocks, complete calls, aborted calls.
pub type Message = (Py<PyString>, Vec<String>, Vec<ToolCall>, Vec<Py<ToolAbort>>);

/// Reads whole outputs (str or bytes), each on its own, in order, as `scanner` would.
pub fn read_all(
    py: Python<'_>,
    scanner: &Scanner,
    decoder: &Decoder,
    outputs: &Bound<'_, PyList>,
) -> PyResult<Vec<Message>> {
    let sources =
        outputs.iter().map(|output| Source::read(&output)).collect::<PyResult<Vec<_>>>()?;
    let batch = Batch { scanner, decoder, sources: &sources, next: AtomicUsize::new(0) };
    // Threads are awaited without the GIL, which they may be waiting for.
    py.detach(|| batch.read_with(threads(&sources) - 1))
}

/// The least work, in bytes, that is worth a thread.
const THREAD_WORK: usize = 64 * 1024;

fn threads(sources: &[Source]) -> usize {
    let work: usize = sources.iter().map(Source::len).sum();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(sources.len()).min(work / THREAD_WORK + 1).max(1)
}

/// An output that has been scanned, with its index.
type Scanned<'a> = (usize, Record<'a>);

/// The outputs of one `read_all`; the threads take them one by one.
struct Batch<'a> {
    scanner: &'a Scanner,
    decoder: &'a Decoder,
    sources: &'a [Source],
    next: AtomicUsize,
}

impl<'a> Batch<'a> {
    /// The messages, in order, with the help of so many other threads.
    fn read_with(&self, helpers: usize) -> PyResult<Vec<Message>> {
        if helpers == 0 {
            return self.read(None);
        }
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(self.sources.len());
            for _ in 0..helpers {
                let sender = sender.clone();
                scope.spawn(|| self.scan_for(sender));
            }
            drop(sender);
            self.read(Some(&receiver))
        })
    }

    /// Scans outputs as long as there are any, for the thread that makes messages of them.
    #[allow(clippy::needless_pass_by_value)] // it is dropped when this thread is done
    fn scan_for(&self, sender: SyncSender<Scanned<'a>>) {
        let mut scanner = self.scanner.another();
        while let Some(scanned) = self.scan_next(&mut scanner) {
            if sender.send(scanned).is_err() {
                return; // an error has ended the batch
            }
        }
    }

    fn scan_next(&self, scanner: &mut Scanner) -> Option<Scanned<'a>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let source = self.sources.get(index)?;
        Some((index, Record::scan(source, scanner, self.decoder)))
    }

    /// The messages, in order; what other threads have scanned comes from `others`.
    fn read(&self, others: Option<&Receiver<Scanned<'a>>>) -> PyResult<Vec<Message>> {
        let mut scanner = self.scanner.another();
        let mut messages: Vec<Option<Message>> = Vec::new();
        messages.resize_with(self.sources.len(), || None);
        let mut failed: Option<(usize, PyErr)> = None;
        for _ in self.sources {
            let ready = others.and_then(|others| others.try_recv().ok());
            let own = ready.or_else(|| self.scan_next(&mut scanner));
            let record = own.or_else(|| others.and_then(|others| others.recv().ok()));
            let Some((index, record)) = record else { break };
            if failed.as_ref().is_some_and(|(first, _)| *first < index) {
                continue; // whatever came of it: the first output that fails is told
            }
            let source = &self.sources[index];
            match Python::attach(|py| record.message(py, self.decoder, source)) {
                Ok(message) => messages[index] = Some(message),
                Err(error) => failed = Some((index, error)),
            }
        }
        if let Some((_, error)) = failed {
            return Err(error);
        }
        Ok(messages.into_iter().flatten().collect())
    }
}

/// A piece of an output's visible text.
enum Piece {
    /// This part of the output, in bytes.
    Part(Range<usize>),
    /// Text that had been held back.
    Own(String),
}

/// What became of one output, before its arguments are read.
struct Record<'a> {
    decoder: &'a Decoder,
    output: Cow<'a, str>,
    error: Option<PyErr>,
    text: Vec<Piece>,
    thinking: Vec<String>,
    calls: Vec<(Call, Option<Reason>)>,
}

impl<'a> Record<'a> {
    fn scan(source: &'a Source, scanner: &mut Scanner, decoder: &'a Decoder) -> Self {
        let mut record = Record {
            decoder,
            output: Cow::Borrowed(""),
            error: None,
            text: Vec::new(),
            thinking: Vec::new(),
            calls: Vec::new(),
        };
        let output = source.text();
        let mut sink = Reading { output: &output, record: &mut record };
        scanner.feed(&output, &mut sink);
        scanner.flush(&mut sink);
        scanner.reset();
        record.output = output;
        record
    }

    fn message(self, py: Python<'_>, decoder: &Decoder, source: &Source) -> PyResult<Message> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let cutter = source.cutter(py, &self.output);
        let text = join(py, &cutter, self.text)?;
        let (mut ids, mut calls, mut aborted) = (Ids::default(), Vec::new(), Vec::new());
        for (call, reason) in self.calls {
            let id = ids.next(call.id());
            let reason = match reason {
                None => match decoder.decode(py, &call, &cutter)? {
                    Some((name, arguments, repaired, _)) => {
                        let repaired = repaired || call.recovered();
                        calls.push((id, name, arguments, cutter.raw(&call), repaired));
                        continue;
                    }
                    None => Reason::Malformed,
                },
                Some(reason) => reason,
            };
            aborted.push(abort(py, decoder, &call, &cutter, &id, reason)?);
        }
        Ok((text, self.thinking, calls, aborted))
    }
}

fn abort(
    py: Python<'_>,
    decoder: &Decoder,
    call: &Call,
    cutter: &Cutter<'_, '_>,
    id: &str,
    reason: Reason,
) -> PyResult<Py<ToolAbort>> {
    let string = |text: &str| PyString::new(py, text).unbind();
    let event = ToolAbort {
        id: string(id),
        name: call.name().map(string),
        arguments: decoder.decode_partial(py, call, cutter)?,
        raw: LazyText::known(cutter.raw(call).into_bound(py)),
        reason: string(told(reason)),
    };
    Py::new(py, event)
}

/// The visible text in one.
fn join(py: Python<'_>, cutter: &Cutter<'_, '_>, pieces: Vec<Piece>) -> PyResult<Py<PyString>> {
    let mut strings = pieces.into_iter().map(|piece| match piece {
        Piece::Part(range) => cutter.cut(range).unbind().into_bound(py),
        Piece::Own(text) => PyString::new(py, &text),
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
    record: &'b mut Record<'a>,
}

impl Reading<'_, '_> {
    /// Asks the decoder, which needs the GIL; an error is raised when the scan is over.
    fn ask<T>(&mut self, question: impl FnOnce(Python<'_>, &Decoder) -> PyResult<T>) -> Option<T> {
        match Python::attach(|py| question(py, self.record.decoder)) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.record.error.get_or_insert(error);
                None
            }
        }
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
        let heading = self.ask(|py, decoder| decoder.heading(py, form, header));
        heading.unwrap_or(Heading::Unreadable)
    }

    fn element_body(&mut self, call: &Call, first: &str) -> ElementBody {
        let body = self.ask(|py, decoder| decoder.element_body(py, call, first));
        body.unwrap_or(ElementBody::Elements)
    }

    fn holds_text(&mut self, call: &Call, key: &str) -> bool {
        self.ask(|py, decoder| decoder.holds_text(py, call, key)).unwrap_or(false)
    }
}
