//! Asking the decoder, a Python object, what a call's argument text means.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolspeak::{Argument, Call, ElementBody, Heading, Payload, Reason};

/// An argument for the decoder: name, text, and what the wire says of its type.
type Item = (Py<PyString>, Py<PyString>, Option<Py<PyString>>);

/// Name, arguments, whether they were repaired, and their text where none has been told yet;
/// `None` if they cannot be read.
pub type Decoded = Option<(Py<PyString>, Py<PyDict>, bool, Option<Py<PyString>>)>;

/// What the arguments of a closed call mean.
pub fn decode(py: Python<'_>, decoder: &Bound<'_, PyAny>, call: &Call) -> PyResult<Decoded> {
    let (form, name) = (call.form(), call.name());
    let answer = match call.payload() {
        Payload::Values(arguments) => {
            let items = items(py, call, arguments);
            decoder.call_method1(intern!(py, "values"), (form, name, items))
        }
        Payload::Arguments(text) => {
            decoder.call_method1(intern!(py, "arguments"), (form, name, text))
        }
        Payload::Body(text) => decoder.call_method1(intern!(py, "body"), (form, name, text)),
        Payload::Elements(arguments, body) => {
            let items = items(py, call, arguments);
            decoder.call_method1(intern!(py, "elements"), (form, name, items, body))
        }
    };
    answer?.extract()
}

/// What had been completed of the arguments of a call that will not be closed.
pub fn decode_partial(
    py: Python<'_>,
    decoder: &Bound<'_, PyAny>,
    call: &Call,
) -> PyResult<Py<PyDict>> {
    let (form, name) = (call.form(), call.name());
    let partial = match call.payload() {
        Payload::Values(arguments) => {
            let items = items(py, call, arguments);
            decoder.call_method1(intern!(py, "partial_values"), (form, name, items))
        }
        Payload::Arguments(text) => {
            decoder.call_method1(intern!(py, "partial_arguments"), (form, name, text))
        }
        Payload::Body(text) => {
            decoder.call_method1(intern!(py, "partial_body"), (form, name, text))
        }
        Payload::Elements(arguments, body) => {
            let items = items(py, call, arguments);
            decoder.call_method1(intern!(py, "partial_elements"), (form, name, items, body))
        }
    };
    Ok(partial?.extract()?)
}

/// What a header says: a pair of name and id, or the word for another kind of message.
#[derive(FromPyObject)]
enum Answer {
    Call(String, Option<String>),
    #[pyo3(transparent)]
    Message(String),
}

/// What the header of a call of this form says.
pub fn heading(
    py: Python<'_>,
    decoder: &Bound<'_, PyAny>,
    form: usize,
    header: &str,
) -> PyResult<Heading> {
    let answer = decoder.call_method1(intern!(py, "heading"), (form, header))?;
    Ok(match answer.extract::<Option<Answer>>()? {
        None => Heading::Unreadable,
        Some(Answer::Call(name, id)) => Heading::Call { name, id },
        Some(Answer::Message(kind)) => match kind.as_str() {
            "text" => Heading::Text,
            "thinking" => Heading::Thinking,
            _ => Heading::Skip,
        },
    })
}

/// What the body of a call with elements holds.
pub fn element_body(
    py: Python<'_>,
    decoder: &Bound<'_, PyAny>,
    call: &Call,
    first: &str,
) -> PyResult<ElementBody> {
    let given: Vec<&str> = call.arguments().iter().map(|argument| argument.key.as_str()).collect();
    let answer = decoder.call_method1(intern!(py, "element_body"), (call.name(), given, first))?;
    let key: Option<String> = answer.extract()?;
    Ok(key.map_or(ElementBody::Elements, ElementBody::Verbatim))
}

/// Whether the element of this parameter holds plain text.
pub fn holds_text(
    py: Python<'_>,
    decoder: &Bound<'_, PyAny>,
    call: &Call,
    key: &str,
) -> PyResult<bool> {
    decoder.call_method1(intern!(py, "holds_text"), (call.name(), key))?.extract()
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
