//! What a call's argument text means.
//!
//! Arguments in strict JSON, and values that are text, are read right here. For everything else,
//! and for headers, there is the decoder: a Python object (`toolspeak.reading.decoder.Decoder`).

use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyString};
use toolspeak::{Argument, Call, Compiled, ElementBody, Heading, Payload, Reason};

use crate::json;

/// Gives the calls of one scanner their meaning.
pub struct Decoder {
    object: Py<PyAny>,
    grammar: Arc<Compiled>,
    /// Whether a value is what its text says: no policy of the decoder's comes between.
    plain: bool,
}

/// A call with its meaning: name, arguments, whether they were repaired, and their text where none
/// has been told yet.
type Read = (Py<PyString>, Py<PyDict>, bool, Option<Py<PyString>>);

/// What `decode` answers; `None` if the arguments cannot be read.
pub type Decoded = Option<Read>;

/// Makes Python strings of parts of a call's raw text.
pub trait Parts<'py> {
    /// `text`, which stands in the call's raw text.
    fn part(&self, call: &Call, text: &str) -> Bound<'py, PyString>;
}

/// An argument for the decoder: name, text, and whether the wire says that it is text.
type Item<'a, 'py> = (&'a str, Bound<'py, PyString>, Option<bool>);

/// An attribute for the decoder: name, and text where it has one.
type Attribute<'a, 'py> = (&'a str, Option<Bound<'py, PyString>>);

impl Decoder {
    pub fn new(object: Bound<'_, PyAny>, grammar: Arc<Compiled>) -> PyResult<Self> {
        let plain = object.getattr(intern!(object.py(), "plain"))?.extract()?;
        Ok(Self { object: object.unbind(), grammar, plain })
    }

    /// Shows the garbage collector what is held here.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.object)
    }

    /// What the arguments of a closed call mean.
    pub fn decode<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        parts: &impl Parts<'py>,
    ) -> PyResult<Decoded> {
        let name = call.name().filter(|_| self.plain);
        if let Some(name) = name
            && let Some(arguments) = self.plainly(py, name, call, parts)?
        {
            let name = PyString::new(py, name).unbind();
            return Ok(Some((name, arguments.unbind(), false, None)));
        }
        self.ask(py, call, parts)
    }

    /// The arguments, where they are strict JSON or text.
    fn plainly<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        call: &Call,
        parts: &impl Parts<'py>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        match call.payload() {
            Payload::Arguments(text) if self.grammar.is_json(call.form()) => {
                Ok(json::parse(py, text).and_then(|value| value.cast_into().ok()))
            }
            Payload::Values(arguments) => self.values(py, name, call, arguments, parts),
            _ => Ok(None),
        }
    }

    /// The arguments that stand one by one; `None` if one of them is neither text nor strict JSON.
    fn values<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        call: &Call,
        arguments: &[Argument],
        parts: &impl Parts<'py>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let values = PyDict::new(py);
        let mut text_keys: Option<Bound<'py, PyFrozenSet>> = None;
        for Argument { key, value, hint } in arguments {
            let key = PyString::new(py, key);
            let is_text = match hint {
                Some(hint) => says_text(hint),
                None => match &text_keys {
                    Some(keys) => keys.contains(&key)?,
                    None => text_keys.insert(self.text_keys(py, name)?).contains(&key)?,
                },
            };
            if is_text {
                values.set_item(key, parts.part(call, call.text(*value)))?;
            } else {
                match json::parse(py, call.text(*value)) {
                    Some(value) => values.set_item(key, value)?,
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(values))
    }

    /// The parameters of a tool whose values are their text.
    fn text_keys<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyFrozenSet>> {
        let keys = self.object.bind(py).call_method1(intern!(py, "text_keys"), (name,))?;
        Ok(keys.cast_into()?)
    }

    /// What the arguments of a closed call mean, as the decoder has it.
    fn ask<'py>(&self, py: Python<'py>, call: &Call, parts: &impl Parts<'py>) -> PyResult<Decoded> {
        let method = match call.payload() {
            Payload::Values(_) => intern!(py, "values"),
            Payload::Arguments(_) => intern!(py, "arguments"),
            Payload::Body(_) => intern!(py, "body"),
            Payload::Elements(..) => intern!(py, "elements"),
        };
        self.ask_for(method, call, parts)?.extract()
    }

    /// What had been completed of the arguments of a call that will not be closed.
    pub fn decode_partial<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        parts: &impl Parts<'py>,
    ) -> PyResult<Py<PyDict>> {
        if self.has_nothing(call) {
            return Ok(PyDict::new(py).unbind());
        }
        let method = match call.payload() {
            Payload::Values(_) => intern!(py, "partial_values"),
            Payload::Arguments(_) => intern!(py, "partial_arguments"),
            Payload::Body(_) => intern!(py, "partial_body"),
            Payload::Elements(..) => intern!(py, "partial_elements"),
        };
        Ok(self.ask_for(method, call, parts)?.extract()?)
    }

    /// The answer of the method of the decoder that takes what this call carries.
    fn ask_for<'py>(
        &self,
        method: &Bound<'py, PyString>,
        call: &Call,
        parts: &impl Parts<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (form, name, decoder) = (call.form(), call.name(), self.object.bind(method.py()));
        match call.payload() {
            Payload::Values(arguments) => {
                decoder.call_method1(method, (form, name, items(call, arguments, parts)))
            }
            Payload::Arguments(text) | Payload::Body(text) => {
                decoder.call_method1(method, (form, name, parts.part(call, text)))
            }
            Payload::Elements(arguments, body) => {
                let attributes = attributes(call, arguments, parts);
                decoder.call_method1(method, (form, name, attributes, body))
            }
        }
    }

    /// Whether no argument can have been completed: none stands there, or none is followed by what
    /// ends it. Text full of openers has many such calls.
    fn has_nothing(&self, call: &Call) -> bool {
        match call.payload() {
            Payload::Values(arguments) => arguments.is_empty(),
            Payload::Body(text) | Payload::Arguments(text) if self.grammar.is_json(call.form()) => {
                !text.contains([',', '}'])
            }
            _ => false,
        }
    }

    /// What the header of a call of this form says.
    pub fn heading(&self, py: Python<'_>, form: usize, header: &str) -> PyResult<Heading> {
        let answer = self.object.bind(py).call_method1(intern!(py, "heading"), (form, header))?;
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
    pub fn element_body(&self, py: Python<'_>, call: &Call, first: &str) -> PyResult<ElementBody> {
        let given: Vec<&str> = call.arguments().iter().map(|it| it.key.as_str()).collect();
        let asked = (call.name(), given, first);
        let answer = self.object.bind(py).call_method1(intern!(py, "element_body"), asked)?;
        let key: Option<String> = answer.extract()?;
        Ok(key.map_or(ElementBody::Elements, ElementBody::Verbatim))
    }

    /// Whether the element of this parameter holds plain text.
    pub fn holds_text(&self, py: Python<'_>, call: &Call, key: &str) -> PyResult<bool> {
        let asked = (call.name(), key);
        self.object.bind(py).call_method1(intern!(py, "holds_text"), asked)?.extract()
    }
}

/// What a header says: a pair of name and id, or the word for another kind of message.
#[derive(FromPyObject)]
enum Answer {
    Call(String, Option<String>),
    #[pyo3(transparent)]
    Message(String),
}

/// Whether a hint beside a value says that the value is text.
fn says_text(hint: &str) -> bool {
    let hint = hint.trim();
    !["false", "0", "no"].iter().any(|no| hint.eq_ignore_ascii_case(no))
}

fn items<'a, 'py>(
    call: &'a Call,
    arguments: &'a [Argument],
    parts: &impl Parts<'py>,
) -> Vec<Item<'a, 'py>> {
    let item = |argument: &'a Argument| {
        let text = parts.part(call, call.text(argument.value));
        (argument.key.as_str(), text, argument.hint.as_deref().map(says_text))
    };
    arguments.iter().map(item).collect()
}

fn attributes<'a, 'py>(
    call: &'a Call,
    arguments: &'a [Argument],
    parts: &impl Parts<'py>,
) -> Vec<Attribute<'a, 'py>> {
    let attribute = |argument: &'a Argument| {
        let bare = argument.hint.as_deref() == Some("bare");
        (argument.key.as_str(), (!bare).then(|| parts.part(call, call.text(argument.value))))
    };
    arguments.iter().map(attribute).collect()
}

/// A reason as events tell it.
pub fn told(reason: Reason) -> &'static str {
    match reason {
        Reason::Truncated => "truncated",
        Reason::Malformed => "malformed",
        Reason::Limit => "limit",
    }
}
