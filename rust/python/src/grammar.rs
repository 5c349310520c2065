//! From the classes of `toolspeak.grammar` to a compiled grammar, and to a guard against its markers.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyString, PyTuple};
use toolspeak::fields::{Field, GrammarError, Object};
use toolspeak::grammar::data::CallInThinking;
use toolspeak::grammar::guard::Kind;
use toolspeak::{Compiled, Encoding, Grammar, Guard, Recognise};

/// A grammar ready for scanning; shared by all scanners of a dialect and by all threads.
#[pyclass(frozen, module = "toolspeak._core")]
pub struct CompiledGrammar {
    pub compiled: Arc<Compiled>,
    /// The functions that read headers, by form of call; few grammars have any.
    readers: Vec<Option<Py<PyAny>>>,
}

#[pymethods]
impl CompiledGrammar {
    /// Compiles `grammar` (a `toolspeak.grammar.Grammar`). With `thinking`, thinking markers
    /// count; with `results`, a marker that opens a tool result ends the stream;
    /// `call_in_thinking` is the grammar's own policy (None) or another one. Raises `ValueError`
    /// with the place in the grammar, and what is wrong there.
    #[new]
    #[pyo3(signature = (grammar, thinking, results, call_in_thinking=None))]
    fn new(
        grammar: &Bound<'_, PyAny>,
        thinking: bool,
        results: bool,
        call_in_thinking: Option<&str>,
    ) -> PyResult<Self> {
        let policy = |word| CallInThinking::WORDS.iter().find(|(known, _)| *known == word);
        let call_in_thinking = call_in_thinking.and_then(policy).map(|(_, policy)| *policy);
        let recognise = Recognise { thinking, results, call_in_thinking };
        let object = PythonObject(grammar.clone());
        let compiled = Grammar::read(object)
            .and_then(|grammar| Compiled::new(&grammar, recognise))
            .map_err(value_error)?;
        Ok(Self { compiled: Arc::new(compiled), readers: readers(grammar)? })
    }

    #[allow(clippy::needless_pass_by_value)] // PyO3 gives it so
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.readers.iter().flatten().try_for_each(|reader| visit.call(reader))
    }
}

impl CompiledGrammar {
    /// The function that reads the headers of calls of this form.
    pub fn reader(&self, form: usize) -> Option<&Py<PyAny>> {
        self.readers.get(form)?.as_ref()
    }
}

/// The markers of grammars in text that others wrote.
#[pyclass(frozen, name = "Guard", module = "toolspeak._core")]
pub struct PyGuard {
    guard: Guard,
}

#[pymethods]
impl PyGuard {
    /// Guards against the markers of all these grammars. Raises `ValueError` with the place in a
    /// grammar, and what is wrong there.
    #[new]
    fn new(grammars: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let read = |grammar| Grammar::read(PythonObject(grammar));
        let grammars = grammars.into_iter().map(read).collect::<Result<Vec<_>, _>>();
        let guard = grammars.and_then(|grammars| Guard::new(&grammars)).map_err(value_error)?;
        Ok(Self { guard })
    }

    /// Where markers begin in the text, in order: start and end, in characters, and kind of the
    /// longest at each place.
    fn find(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<(usize, usize, &'static str)>> {
        if let Ok(text) = text.to_str() {
            return Ok(self.find_in(text));
        }
        // Half of a surrogate pair is in no marker; each becomes one character.
        let bytes = text.call_method1("encode", ("utf-8", "replace"))?;
        let bytes: &[u8] = bytes.extract()?;
        Ok(self.find_in(&String::from_utf8_lossy(bytes)))
    }
}

impl PyGuard {
    fn find_in(&self, text: &str) -> Vec<(usize, usize, &'static str)> {
        let ascii = text.is_ascii();
        let characters = |start: usize, end: usize| match text.get(start..end) {
            Some(text) if !ascii => text.chars().count(),
            _ => end - start,
        };
        let (mut bytes, mut before) = (0, 0); // the last marker's start, in bytes and characters
        let place = |(start, end, kind): (usize, usize, Kind)| {
            before += characters(bytes, start);
            bytes = start;
            (before, before + characters(start, end), kind.name())
        };
        self.guard.find(text).map(place).collect()
    }
}

fn value_error(error: GrammarError) -> PyErr {
    PyValueError::new_err((error.place, error.message))
}

/// What a grammar object of Python's holds, field by field.
#[derive(Debug, Clone)]
struct PythonObject<'py>(Bound<'py, PyAny>);

impl Object for PythonObject<'_> {
    fn field(&self, name: &str) -> Field<Self> {
        self.0.getattr(name).map_or(Field::Missing, field)
    }

    fn is(&self, other: &Self) -> bool {
        self.0.is(&other.0)
    }
}

fn field(value: Bound<'_, PyAny>) -> Field<PythonObject<'_>> {
    if value.is_none() {
        return Field::Nothing;
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Field::Flag(flag.is_true());
    }
    if value.is_instance_of::<PyInt>()
        && let Ok(number) = value.extract()
    {
        return Field::Number(number);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Field::Text(text.to_string_lossy().into_owned());
    }
    if let Ok(values) = value.cast::<PyTuple>() {
        return Field::Many(values.iter().map(field).collect());
    }
    if let Ok(values) = value.cast::<PyList>() {
        return Field::Many(values.iter().map(field).collect());
    }
    Field::Object(PythonObject(value))
}

/// The functions that a grammar reads headers with, in the order of its forms of call.
fn readers(grammar: &Bound<'_, PyAny>) -> PyResult<Vec<Option<Py<PyAny>>>> {
    let forms = grammar.call_method0("forms")?;
    let mut readers = Vec::new();
    for form in forms.try_iter()? {
        let header = form?.getattr("name")?;
        let read = header.getattr_opt("read")?.filter(PyAnyMethods::is_callable);
        readers.push(read.map(Bound::unbind));
    }
    if readers.iter().all(Option::is_none) {
        readers.clear();
    }
    Ok(readers)
}

/// An encoding as events tell it.
pub fn told(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Json => "json",
        Encoding::Text => "text",
        Encoding::Python => "python",
        Encoding::Literals => "literals",
    }
}
