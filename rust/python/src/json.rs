//! Strict JSON to Python values, by jiter. What it refuses, Python reads more leniently.

use jiter::{PythonParse, StringCacheMode};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use toolspeak::text::mend::mend;

/// Keys are few and come again: jiter keeps those that it met, up to about 2 MB in a process.
/// Values are the user's own, and not kept.
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
    if text.len() > LEAST_DIGITS && !has_usual_digits(py) {
        return None;
    }
    PARSE.python_parse(py, text.as_bytes()).ok()
}

/// The lowest bound on the digits of an integer that Python can be given.
const LEAST_DIGITS: usize = 640;
/// The bound that Python has by default, and that jiter keeps to.
const USUAL_DIGITS: usize = 4300;

/// Whether Python's own bound on the digits of an integer is no lower than jiter's.
fn has_usual_digits(py: Python<'_>) -> bool {
    let bound = || -> PyResult<usize> {
        let sys = py.import(intern!(py, "sys"))?;
        sys.call_method0(intern!(py, "get_int_max_str_digits"))?.extract()
    };
    // A Python without the function has no bound; nor has one that answers 0.
    bound().map_or(true, |digits| digits == 0 || digits >= USUAL_DIGITS)
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

/// Broken JSON as strict JSON, its structure mended and its content as it is; `None` if that cannot
/// be told without leaving something out or guessing.
#[pyfunction]
pub fn mend_json(text: &str) -> Option<String> {
    mend(text, MAX_DEPTH)
}

/// How many brackets may be open in JSON that is mended: as deep as jiter reads.
const MAX_DEPTH: usize = 200;
