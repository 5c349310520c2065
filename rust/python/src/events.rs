//! The event classes: frozen, comparable, made for `match`.

use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

/// A field of an event.
trait Field {
    fn object(&self, py: Python<'_>) -> Py<PyAny>;
}

impl Field for Py<PyString> {
    fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.clone_ref(py).into_any()
    }
}

impl Field for Option<Py<PyString>> {
    fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.as_ref().map_or_else(|| py.None(), |text| text.object(py))
    }
}

/// Text that becomes a Python string when it is first read: few look at a call's raw text, and it
/// is as long as the call.
pub struct LazyText {
    text: Box<str>,
    object: PyOnceLock<Py<PyString>>,
}

impl LazyText {
    /// Text that is a Python string already.
    pub fn known(text: Bound<'_, PyString>) -> Self {
        let object = PyOnceLock::new();
        let _ = object.set(text.py(), text.unbind()); // it was not set before
        Self { text: Box::default(), object }
    }

    fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.object.get_or_init(py, || PyString::new(py, &self.text).unbind()).bind(py)
    }
}

impl From<String> for LazyText {
    fn from(text: String) -> Self {
        Self { text: text.into(), object: PyOnceLock::new() }
    }
}

impl<'py> FromPyObject<'_, 'py> for LazyText {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::known(object.cast::<PyString>()?.to_owned()))
    }
}

impl<'py> IntoPyObject<'py> for &LazyText {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.get(py).clone())
    }
}

impl Field for LazyText {
    fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.get(py).clone().into_any().unbind()
    }
}

impl Field for Py<PyDict> {
    fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.clone_ref(py).into_any()
    }
}

impl Field for bool {
    fn object(&self, py: Python<'_>) -> Py<PyAny> {
        pyo3::types::PyBool::new(py, *self).to_owned().into_any().unbind()
    }
}

macro_rules! event {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, module = "toolspeak._core")]
        pub struct $name {
            $(pub $field: $type,)*
        }

        #[pymethods]
        impl $name {
            #[new]
            fn new($($field: $type),*) -> Self {
                Self { $($field),* }
            }

            #[classattr]
            #[allow(non_snake_case)] // the name that Python's match statement looks for
            fn __match_args__(py: Python<'_>) -> PyResult<Py<PyTuple>> {
                let fields: Vec<&str> = vec![$(stringify!($field)),*];
                PyTuple::new(py, fields).map(Bound::unbind)
            }

            #[allow(unused_variables)] // an event without fields
            fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                let Ok(other) = other.cast::<Self>() else {
                    return Ok(py.NotImplemented());
                };
                let other = other.get();
                $(
                    if !self.$field.object(py).bind(py).eq(other.$field.object(py))? {
                        return Ok(false.object(py));
                    }
                )*
                Ok(true.object(py))
            }

            #[allow(unused_variables)] // an event without fields
            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields: Vec<String> = vec![
                    $(format!("{}={}", stringify!($field), self.$field.object(py).bind(py).repr()?)),*
                ];
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }

            #[allow(unused_variables)] // an event without fields
            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
                let py = slf.py();
                let fields: Vec<Py<PyAny>> = vec![$(slf.get().$field.object(py)),*];
                Ok((slf.get_type().into_any(), PyTuple::new(py, fields)?))
            }
        }
    };
}

event! {
    /// Visible text.
    Text { text: Py<PyString> }
}
event! {
    /// A thinking block begins.
    ThinkingStart {}
}
event! {
    /// Part of a thinking block.
    ThinkingDelta { delta: Py<PyString> }
}
event! {
    /// A thinking block ends; `thinking` is the whole block.
    ThinkingEnd { thinking: Py<PyString> }
}
event! {
    /// The name of a call is known. `encoding` says how the deltas of its arguments are encoded.
    ToolStart { id: Py<PyString>, name: Py<PyString>, encoding: Py<PyString> }
}
event! {
    /// Raw text of an argument; `key` is None where one text carries all arguments.
    ToolArgDelta { id: Py<PyString>, name: Py<PyString>, key: Option<Py<PyString>>, delta: Py<PyString> }
}
event! {
    /// A call is complete; `repaired` tells that unreadable JSON was mended.
    ToolEnd { id: Py<PyString>, name: Py<PyString>, arguments: Py<PyDict>, raw: LazyText, repaired: bool }
}
event! {
    /// A call will not complete: `reason` is "truncated", "malformed" or "limit", and `arguments`
    /// holds what had been completed.
    ToolAbort { id: Py<PyString>, name: Option<Py<PyString>>, arguments: Py<PyDict>, raw: LazyText, reason: Py<PyString> }
}
event! {
    /// The model began to write a tool result itself; all further input is ignored.
    Stopped { marker: Py<PyString> }
}
