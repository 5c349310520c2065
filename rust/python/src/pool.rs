//! Many streams fed with one call, as an inference engine steps through its batch.

use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::scanner::{Chunk, Scanner};

/// The scanners of many streams, each known by a key, fed together.
///
/// They may be of different dialects and tools. Not for several threads at once.
///
/// Where a dialect's own code raises while one stream is read, the others are read all the same;
/// then the first such error is raised, with what they told as its attribute `events`.
#[pyclass(module = "toolspeak", frozen)]
pub struct ScannerPool {
    scanners: Py<PyDict>,
}

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

    /// Reads the next chunks: (key, chunk) tuples, in any number and order. Returns the events of
    /// each stream that has some, by key.
    ///
    /// Raises `KeyError` for an unknown key, `TypeError` for what is no such tuple or no chunk, and
    /// `ScannerClosedError` for a stream that has ended, and reads nothing then.
    fn feed<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = batch.py();
        let batch = batch.try_iter()?.map(|pair| self.next(pair?)).collect::<PyResult<Vec<_>>>()?;
        let mut told = Told::new(py);
        for Next { pair, scanner } in batch {
            let (key, chunk) = (pair.get_borrowed_item(0)?, pair.get_borrowed_item(1)?);
            let scanner = scanner.try_borrow_mut().map_err(PyErr::from);
            told.add(&key, scanner.and_then(|mut scanner| scanner.feed(&chunk)))?;
        }
        told.finish()
    }

    /// Ends these streams and takes them out of the pool. Returns the last events of each that has
    /// some, by key. Raises `KeyError` for an unknown key, and ends none then.
    fn finish<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = keys.py();
        let keys = keys.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        for key in &keys {
            self.scanner(key)?;
        }
        let mut told = Told::new(py);
        for key in keys {
            if !self.scanners.bind(py).contains(&key)? {
                continue; // it was given twice
            }
            let scanner = self.remove(&key)?;
            let scanner = scanner.try_borrow_mut().map_err(PyErr::from);
            told.add(&key, scanner.and_then(|mut scanner| scanner.flush(py)))?;
        }
        told.finish()
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

    #[allow(clippy::needless_pass_by_value)] // PyO3 gives it so
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.scanners)
    }

    fn __clear__(&self) {
        Python::attach(|py| self.scanners.bind(py).clear());
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

/// What streams told, by key, and the first error.
struct Told<'py> {
    events: Bound<'py, PyDict>,
    error: Option<PyErr>,
}

impl<'py> Told<'py> {
    fn new(py: Python<'py>) -> Self {
        Self { events: PyDict::new(py), error: None }
    }

    fn add(&mut self, key: &Bound<'py, PyAny>, told: PyResult<Bound<'py, PyList>>) -> PyResult<()> {
        let told = match told {
            Ok(told) if told.is_empty() => return Ok(()),
            Ok(told) => told,
            Err(error) => {
                self.error.get_or_insert(error);
                return Ok(());
            }
        };
        match self.events.get_item(key)? {
            Some(earlier) => earlier.call_method1(intern!(key.py(), "extend"), (told,)).map(drop),
            None => self.events.set_item(key, told),
        }
    }

    fn finish(self) -> PyResult<Bound<'py, PyDict>> {
        let Some(error) = self.error else {
            return Ok(self.events);
        };
        let py = self.events.py();
        error.value(py).setattr(intern!(py, "events"), self.events)?;
        Err(error)
    }
}
