//! Strict JSON to Python values, by jiter. What it refuses, Python reads more leniently.

use jiter::{PythonParse, StringCacheMode};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Keys are few and come again; values are the user's own, and not kept.
const PARSE: PythonParse = PythonParse {
    allow_inf_nan: false,
    cache_mode: StringCacheMode::Keys,
    partial_mode: jiter::PartialMode::Off,
    catch_duplicate_keys: false,
    float_mode: jiter::FloatMode::Float,
};

/// The value of `text`; `None` if it is not one JSON value, nests more than 200 brackets, or holds
/// what no Python string or integer can be made of (half a surrogate pair, thousands of digits).
pub fn parse<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
    PARSE.python_parse(py, text.as_bytes()).ok()
}

/// The value of `text`, which is strict JSON.
///
/// That is: no NaN, no raw control characters in strings, no halves of surrogate pairs, at most 200
/// brackets deep. Of keys that come twice the last counts.
///
/// Raises `ValueError` for anything else, without saying where.
#[pyfunction]
pub fn parse_strict_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    parse(py, text).ok_or_else(|| PyValueError::new_err("not strict JSON"))
}
