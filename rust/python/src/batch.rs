//! Whole outputs, many at once: scanned on all cores without the GIL, then given their meaning.
//!
//! The thread that was called makes Python objects of what is scanned, while others go on scanning;
//! while there is nothing to make it scans as well. A record goes back to the thread that made it:
//! memory that one thread takes and another gives back makes both wait for each other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use pyo3::prelude::*;
use pyo3::types::PyList;
use toolspeak::Scanner;

use crate::decode::Decoder;
use crate::record::{Classes, Record};
use crate::source::Source;

/// Reads whole outputs (str or bytes), each on its own, in order, as `scanner` would.
pub fn read_all(
    py: Python<'_>,
    scanner: &Scanner,
    decoder: &Decoder,
    outputs: &Bound<'_, PyList>,
    classes: &Classes,
) -> PyResult<Vec<Py<PyAny>>> {
    let sources =
        outputs.iter().map(|output| Source::read(&output)).collect::<PyResult<Vec<_>>>()?;
    let batch = Batch { scanner, decoder, classes, sources: &sources, next: AtomicUsize::new(0) };
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

/// The outputs of one `read_all`; the threads take them one by one.
struct Batch<'a> {
    scanner: &'a Scanner,
    decoder: &'a Decoder,
    classes: &'a Classes,
    sources: &'a [Source],
    next: AtomicUsize,
}

/// What another thread has scanned: the output's index, its record, and the way back for that.
struct Scanned<'a> {
    index: usize,
    record: Record<'a>,
    back: Option<Sender<Record<'a>>>,
}

impl<'a> Batch<'a> {
    /// The messages, in order, with the help of so many other threads.
    fn read_with(&self, helpers: usize) -> PyResult<Vec<Py<PyAny>>> {
        if helpers == 0 {
            return self.read(None);
        }
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..helpers {
                let sender = sender.clone();
                scope.spawn(|| self.scan_for(sender));
            }
            drop(sender);
            self.read(Some(&receiver))
        })
    }

    /// Scans outputs as long as there are any, for the thread that makes messages of them.
    fn scan_for(&self, sender: Sender<Scanned<'a>>) {
        let mut scanner = self.scanner.fresh();
        let (back, spent) = channel();
        while let Some((index, record)) = self.scan_next(&mut scanner) {
            let one = Scanned { index, record, back: Some(back.clone()) };
            if sender.send(one).is_err() {
                return; // nobody waits for it
            }
            spent.try_iter().for_each(drop);
        }
        drop((sender, back));
        spent.into_iter().for_each(drop);
    }

    fn scan_next(&self, scanner: &mut Scanner) -> Option<(usize, Record<'a>)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let source = self.sources.get(index)?;
        Some((index, Record::scan(source, scanner, self.decoder)))
    }

    /// The messages, in order; what other threads have scanned comes from `others`.
    fn read(&self, others: Option<&Receiver<Scanned<'a>>>) -> PyResult<Vec<Py<PyAny>>> {
        let mut scanner = self.scanner.fresh();
        let mut messages: Vec<Option<Py<PyAny>>> = Vec::new();
        messages.resize_with(self.sources.len(), || None);
        let mut failed: Option<(usize, PyErr)> = None;
        while let Some(Scanned { index, mut record, back }) = self.next(others, &mut scanner) {
            // Whatever came of the others: the first output that fails is told.
            if failed.as_ref().is_none_or(|(first, _)| index < *first) {
                let (decoder, source) = (self.decoder, &self.sources[index]);
                match Python::attach(|py| record.message(py, decoder, source, self.classes)) {
                    Ok(message) => messages[index] = Some(message),
                    Err(error) => failed = Some((index, error)),
                }
            }
            if let Some(back) = back {
                let _ = back.send(record); // its thread may be gone
            }
        }
        match failed {
            Some((_, error)) => Err(error),
            None => Ok(messages.into_iter().flatten().collect()),
        }
    }

    /// What another thread has ready, else what is scanned now, else what another thread is at.
    fn next(
        &self,
        others: Option<&Receiver<Scanned<'a>>>,
        scanner: &mut Scanner,
    ) -> Option<Scanned<'a>> {
        if let Some(ready) = others.and_then(|others| others.try_recv().ok()) {
            return Some(ready);
        }
        if let Some((index, record)) = self.scan_next(scanner) {
            return Some(Scanned { index, record, back: None });
        }
        others.and_then(|others| others.recv().ok())
    }
}
