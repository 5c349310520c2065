//! From `toolspeak.options.ScanOptions`, which has checked its fields, to what scanning takes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use toolspeak::{Limits, Settings, Start, Whitespace};

use crate::fit::Coercion;

/// What becomes of the calls that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    Told,
    Dropped,
}

/// How a call's text becomes arguments.
#[derive(Debug, Clone, Copy)]
pub struct Policies {
    pub repair: bool,
    /// A call of a tool that is not in the list is none.
    pub abort_unknown: bool,
    /// `&lt;` and the like are decoded in values that stand one by one.
    pub decode_entities: bool,
    /// What is made of values that do not fit their schema.
    pub coercion: Coercion,
    pub calls: Calls,
}

/// Options of scanners as the core has them, which takes time to make. See
/// `toolspeak.options.ScanOptions`.
#[pyclass(frozen, name = "Settings", module = "toolspeak._core")]
pub struct Options {
    pub settings: Settings,
    pub policies: Policies,
}

#[pymethods]
impl Options {
    #[new]
    fn new(options: &Bound<'_, PyAny>) -> PyResult<Self> {
        let limits = options.getattr("limits")?;
        let limit = |name: &str| limits.getattr(name)?.extract();
        let settings = Settings {
            start: word(options, "start", &[("text", Start::Text), ("thinking", Start::Thinking)])?,
            whitespace: word(
                options,
                "whitespace",
                &[("keep", Whitespace::Keep), ("trim", Whitespace::Trim)],
            )?,
            fenced_text: word(options, "fenced_calls", &[("calls", false), ("text", true)])?,
            recover: word(options, "truncated_calls", &[("abort", false), ("recover", true)])?,
            limits: Limits {
                max_call_bytes: limit("max_call_bytes")?,
                max_calls: limit("max_calls")?,
                max_depth: limit("max_depth")?,
            },
        };
        let coercion = options.getattr("coercion")?;
        let policies = Policies {
            repair: options.getattr("repair")?.extract()?,
            abort_unknown: word(options, "unknown_tools", &[("call", false), ("abort", true)])?,
            decode_entities: word(options, "entities", &[("keep", false), ("decode", true)])?,
            coercion: Coercion {
                wrap_array: coercion.contains("wrap_array")?,
                parse_json: coercion.contains("parse_json")?,
            },
            calls: word(
                options,
                "calls",
                &[("read", Calls::Told), ("text", Calls::Told), ("drop", Calls::Dropped)],
            )?,
        };
        Ok(Self { settings, policies })
    }
}

/// One of several words, with what each means.
fn word<T: Copy>(options: &Bound<'_, PyAny>, name: &str, words: &[(&str, T)]) -> PyResult<T> {
    let value = options.getattr(name)?;
    let text: &str = value.extract()?;
    let found = words.iter().find(|(word, _)| *word == text);
    let wrong = || PyValueError::new_err(format!("{name}={text:?} is not known"));
    found.map(|(_, meaning)| *meaning).ok_or_else(wrong)
}
