//! Python objects of the values that the core has read.

#![allow(dead_code)] // the bodies that are read in the core come next

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use toolspeak::value::Node;

/// A list or an object that is still open.
enum Open<'py> {
    List(Bound<'py, PyList>),
    Object(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
}

/// Says what untyped text means: its value, and whether it had to be mended.
pub type Meaning<'a, 'py> = dyn FnMut(&str) -> PyResult<(Bound<'py, PyAny>, bool)> + 'a;

/// The object on `tape`, and whether some of its text had to be mended; `None` if `tape` is none.
pub fn object<'py>(
    py: Python<'py>,
    tape: &[Node<'_>],
    meaning: &mut Meaning<'_, 'py>,
) -> PyResult<Option<(Bound<'py, PyDict>, bool)>> {
    let (mut open, mut mended) = (Vec::<Open<'py>>::new(), false);
    for node in tape {
        let value = match node {
            Node::Key(key) => {
                if let Some(Open::Object(_, next)) = open.last_mut() {
                    *next = Some(PyString::new(py, key));
                }
                continue;
            }
            Node::List => {
                open.push(Open::List(PyList::empty(py)));
                continue;
            }
            Node::Object => {
                open.push(Open::Object(PyDict::new(py), None));
                continue;
            }
            Node::End => match open.pop() {
                Some(Open::Object(object, _)) if open.is_empty() => {
                    return Ok(Some((object, mended)));
                }
                Some(Open::Object(object, _)) => object.into_any(),
                Some(Open::List(list)) => list.into_any(),
                None => return Ok(None),
            },
            Node::Untyped(text) => {
                let (value, changed) = meaning(text)?;
                mended = mended || changed;
                value
            }
            leaf => scalar(py, leaf)?,
        };
        match open.last_mut() {
            Some(Open::List(list)) => list.append(value)?,
            Some(Open::Object(object, next)) => {
                if let Some(key) = next.take() {
                    object.set_item(key, value)?;
                }
            }
            None => return Ok(None),
        }
    }
    Ok(None)
}

fn scalar<'py>(py: Python<'py>, node: &Node<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match node {
        Node::Bool(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
        Node::Int(number) => number.into_pyobject(py)?.into_any(),
        Node::Float(number) => number.into_pyobject(py)?.into_any(),
        Node::Text(text) | Node::Untyped(text) => PyString::new(py, text).into_any(),
        Node::BigInt(digits) => py.get_type::<PyInt>().call1((digits.as_ref(), 0))?,
        _ => py.None().into_bound(py),
    })
}
