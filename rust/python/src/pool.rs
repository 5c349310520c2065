//! Many streams fed with one call, as an inference engine steps through its batch.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::scanner::{Chunk, Scanner};

/// The scanners of many streams, each known by a key, fed together.
///
/// They may be of different dialects and tools. Not for several threads at once.
#[pyclass(module = "toolspeak", frozen)]
pub struct ScannerPool {
    scanners: Py<PyDict>,
}

/// Numbers the calls of `feed` of all pools.
static STEPS: AtomicU64 = AtomicU64::new(0);

#[pymethods]
impl ScannerPool {
    #[new]
    fn new(py: Python<'_>) -> Self {
        Self { scanners: PyDict::new(py).unbind() }
    }

    /// Adds a stream: `scanner` reads what comes for `key`, which is any hashable object.
    ///
    /// Raises `ValueError` if the key is taken.
    fn add(&self, key: &Bound<'_, PyAny>, scanner: &Bound<'_, Scanner>) -> PyResult<()> {
        let scanners = self.scanners.bind(key.py());
        if scanners.contains(key)? {
            let message = format!("there is a stream {} already", key.repr()?);
            return Err(PyValueError::new_err(message));
        }
        scanners.set_item(key, scanner)
    }

    /// Reads the next chunks: (key, chunk) pairs, in any number and order. Returns the events of
    /// each stream that has some, by key.
    ///
    /// Raises `KeyError` for an unknown key, `TypeError` for what is no such pair or no chunk, and
    /// `ScannerClosedError` for a stream that has ended, and reads nothing then.
    fn feed<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = batch.py();
        let batch = batch.try_iter()?.map(|pair| self.next(pair?)).collect::<PyResult<Vec<_>>>()?;
        let step = STEPS.fetch_add(1, Ordering::Relaxed) + 1;
        let told = PyDict::new(py);
        for Next { pair, scanner } in batch {
            let (key, chunk) = (pair.get_borrowed_item(0)?, pair.get_borrowed_item(1)?);
            let mut scanner = scanner.try_borrow_mut()?;
            let events = scanner.feed(&chunk)?;
            if events.is_empty() {
                continue;
            }
            if scanner.told_in(step) {
                let earlier = told.get_item(key)?.map(Bound::cast_into::<PyList>).transpose()?;
                let all = earlier.into_iter().flatten().chain(&events);
                told.set_item(key, PyList::new(py, all.collect::<Vec<_>>())?)?;
            } else {
                told.set_item(key, events)?;
            }
        }
        Ok(told)
    }

    /// Ends these streams and takes them out of the pool. Returns the last events of each that has
    /// some, by key. Raises `KeyError` for an unknown key.
    fn finish<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = keys.py();
        let keys = keys.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        for key in &keys {
            self.scanner(key)?;
        }
        let told = PyDict::new(py);
        for key in keys {
            let Some(scanner) = self.scanners.bind(py).get_item(&key)? else {
                continue; // it was given twice
            };
            let events = scanner.cast_into::<Scanner>()?.try_borrow_mut()?.flush(py)?;
            self.scanners.bind(py).del_item(&key)?;
            if !events.is_empty() {
                told.set_item(key, events)?;
            }
        }
        Ok(told)
    }

    /// Takes a stream out of the pool without ending it, and returns its scanner. Raises `KeyError`
    /// for an unknown key.
    fn remove<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Scanner>> {
        let scanner = self.scanner(key)?;
        self.scanners.bind(key.py()).del_item(key)?;
        Ok(scanner)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.scanners.bind(py).len()
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.scanners.bind(key.py()).contains(key)
    }
}

/// A pair of key and chunk, and the key's scanner.
struct Next<'py> {
    pair: Bound<'py, PyTuple>,
    scanner: Bound<'py, Scanner>,
}

impl ScannerPool {
    /// Raises whatever is wrong with the pair before anything is read.
    fn next<'py>(&self, pair: Bound<'py, PyAny>) -> PyResult<Next<'py>> {
        let pair = match pair.cast_into::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => pair,
            Ok(other) => return Err(no_pair(&other)),
            Err(error) => return Err(no_pair(&error.into_inner())),
        };
        let (key, chunk) = (pair.get_borrowed_item(0)?, pair.get_borrowed_item(1)?);
        Chunk::of(&chunk)?;
        let scanner = self.scanner(&key)?;
        scanner.try_borrow()?.require_open(pair.py())?;
        Ok(Next { pair, scanner })
    }

    fn scanner<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Scanner>> {
        match self.scanners.bind(key.py()).get_item(key)? {
            Some(scanner) => Ok(scanner.cast_into()?),
            None => Err(PyKeyError::new_err(key.clone().unbind())),
        }
    }
}

fn no_pair(given: &Bound<'_, PyAny>) -> PyErr {
    match given.repr() {
        Ok(given) => {
            PyTypeError::new_err(format!("a batch holds (key, chunk) tuples, not {given}"))
        }
        Err(error) => error,
    }
}
