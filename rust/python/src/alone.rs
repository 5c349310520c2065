//! Reading parts of calls without a scanner: arguments that are still being written, and headers that
//! a renderer writes and wants to know how a scanner would read.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolspeak::{Call, Encoding, Heading};

use crate::decode::{Decoder, OfRaw};
use crate::grammar::CompiledGrammar;
use crate::oracle::{Asking, Tools};

/// The arguments in `text`, the joined deltas of a call of `name` whose encoding is "python" or
/// "literals", and whether something had to be mended; None if the grammar has no such calls.
///
/// `tools` is a `toolspeak.ToolSet`. With `cut`, the text ends anywhere, and only what is complete is
/// answered. Raises `ValueError` for what cannot be read, or nests more than `max_depth` brackets.
#[pyfunction]
#[pyo3(signature = (grammar, name, text, tools, *, cut, max_depth=200))]
#[allow(clippy::needless_pass_by_value)] // PyO3 gives it so
pub fn read_text<'py>(
    py: Python<'py>,
    grammar: Py<CompiledGrammar>,
    name: &str,
    text: &str,
    tools: Py<PyAny>,
    cut: bool,
    max_depth: usize,
) -> PyResult<Option<(Bound<'py, PyDict>, bool)>> {
    let compiled = &grammar.get().compiled;
    let encodings = [Encoding::Python, Encoding::Literals];
    let Some(form) = encodings.into_iter().find_map(|it| compiled.form_of(it)) else {
        return Ok(None);
    };
    let decoder = Decoder::plain(grammar, Tools::new(tools), max_depth);
    let read = decoder.read(py, &Call::with_body(form, name, text), cut, &OfRaw(py))?;
    read.map(Some).ok_or_else(|| PyValueError::new_err("the arguments cannot be read"))
}

/// The tool's name in a header of the form of call with this index, and the call's id if the header
/// is one; None if it names no tool. `tools` is a `toolspeak.ToolSet`.
#[pyfunction]
#[pyo3(signature = (grammar, header, tools, *, form=0))]
#[allow(clippy::needless_pass_by_value)] // PyO3 gives it so
pub fn read_header(
    grammar: Py<CompiledGrammar>,
    header: &str,
    tools: Py<PyAny>,
    form: usize,
) -> PyResult<Option<(String, Option<String>)>> {
    let (grammar, tools) = (grammar.get(), Tools::new(tools));
    let asking = Asking::new(&tools, grammar);
    let heading = grammar.compiled.heading(form, header, &asking);
    match (asking.take_error(), heading) {
        (Some(error), _) => Err(error),
        (None, Heading::Call { name, id }) => Ok(Some((name, id))),
        (None, _) => Ok(None),
    }
}
