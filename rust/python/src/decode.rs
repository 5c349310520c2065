//! Asking the decoder, a Python object, what a call's argument text means.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolspeak::{Argument, Call, Payload, Reason};

/// An argument for the decoder: name, text, and what the wire says of its type.
type Item = (Py<PyString>, Py<PyString>, Option<Py<PyString>>);

/// Name, arguments, whether they were repaired, and their text where none has been told yet;
/// `None` if they cannot be read.
pub type Decoded = Option<(Py<PyString>, Py<PyDict>, bool, Option<Py<PyString>>)>;

/// What the arguments of a closed call mean.
pub fn decode(py: Python<'_>, decoder: &Bound<'_, PyAny>, call: &Call) -> PyResult<Decoded> {
    let name = call.name();
    let answer = match call.payload() {
        Payload::Values(arguments) => {
            decoder.call_method1(intern!(py, "values"), (name, items(py, call, arguments)))
        }
        Payload::Arguments(text) => decoder.call_method1(intern!(py, "arguments"), (name, text)),
        Payload::Body(text) => decoder.call_method1(intern!(py, "body"), (name, text)),
    };
    answer?.extract()
}

/// What had been completed of the arguments of a call that will not be closed.
pub fn decode_partial(
    py: Python<'_>,
    decoder: &Bound<'_, PyAny>,
    call: &Call,
) -> PyResult<Py<PyDict>> {
    let name = call.name();
    let partial = match call.payload() {
        Payload::Values(arguments) => {
            decoder.call_method1(intern!(py, "partial_values"), (name, items(py, call, arguments)))
        }
        Payload::Arguments(text) | Payload::Body(text) => {
            decoder.call_method1(intern!(py, "partial_body"), (name, text))
        }
    };
    Ok(partial?.extract()?)
}

fn items(py: Python<'_>, call: &Call, arguments: &[Argument]) -> Vec<Item> {
    let string = |text: &str| PyString::new(py, text).unbind();
    arguments
        .iter()
        .map(|argument| {
            let hint = argument.hint.as_deref().map(string);
            (string(&argument.key), string(call.text(argument.value)), hint)
        })
        .collect()
}

/// A reason as events tell it.
pub fn told(reason: Reason) -> &'static str {
    match reason {
        Reason::Truncated => "truncated",
        Reason::Malformed => "malformed",
        Reason::Limit => "limit",
    }
}
