//! Python objects of the values that the core has read.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use toolspeak::value::Node;

/// A list or an object that is still open.
enum Open<'py> {
    List {
        items: Bound<'py, PyList>,
        /// The item that comes may be the list itself.
        spread: bool,
    },
    Object {
        members: Bound<'py, PyDict>,
        next: Next<'py>,
    },
}

/// What the next value is in its object.
enum Next<'py> {
    Nothing,
    Member(Bound<'py, PyString>),
    /// More members, or what stands for the whole object.
    Merged,
    /// This stands for the whole object.
    Whole(Bound<'py, PyAny>),
}

impl<'py> Open<'py> {
    fn list(py: Python<'py>) -> Self {
        Self::List { items: PyList::empty(py), spread: false }
    }

    fn object(py: Python<'py>) -> Self {
        Self::Object { members: PyDict::new(py), next: Next::Nothing }
    }

    /// Adds a value; answers whether something had to be mended for that.
    fn add(&mut self, value: Bound<'py, PyAny>) -> PyResult<bool> {
        match self {
            Self::List { items, spread: true } if value.is_instance_of::<PyList>() => {
                items.call_method1(intern!(value.py(), "extend"), (value,))?;
                return Ok(true);
            }
            Self::List { items, .. } => items.append(value)?,
            Self::Object { members, next } => match std::mem::replace(next, Next::Nothing) {
                Next::Member(key) => members.set_item(key, value)?,
                Next::Merged => {
                    let Ok(more) = value.cast::<PyDict>() else {
                        *next = Next::Whole(value);
                        return Ok(true);
                    };
                    members.update(more.as_mapping())?;
                }
                Next::Nothing | Next::Whole(_) => {}
            },
        }
        Ok(false)
    }

    fn close(self) -> Bound<'py, PyAny> {
        match self {
            Self::List { items, .. } => items.into_any(),
            Self::Object { next: Next::Whole(value), .. } => value,
            Self::Object { members, .. } => members.into_any(),
        }
    }
}

/// Says what untyped text means: its value, and whether it had to be mended.
pub type Meaning<'a, 'py> = dyn FnMut(&str) -> PyResult<(Bound<'py, PyAny>, bool)> + 'a;

/// Keys that were met, each at a place that its length and its ends give: records come in lists, and
/// so the same keys come again.
struct Keys<'t, 'py> {
    met: [Option<(&'t str, Bound<'py, PyString>)>; KEYS],
}

const KEYS: usize = 32;

impl<'t, 'py> Keys<'t, 'py> {
    fn new() -> Self {
        Self { met: [const { None }; KEYS] }
    }

    fn get(&mut self, py: Python<'py>, key: &'t str) -> Bound<'py, PyString> {
        let byte = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
        let bytes = key.as_bytes();
        let place = bytes.len() + 3 * byte(bytes.first()) + 5 * byte(bytes.last());
        let met = &mut self.met[place % KEYS];
        match met {
            Some((text, string)) if *text == key => string.clone(),
            _ => met.insert((key, PyString::new(py, key))).1.clone(),
        }
    }
}

/// The object on `tape`, and whether some of its text had to be mended; `None` if `tape` is none.
/// `string` makes the strings of texts.
pub fn object<'py>(
    py: Python<'py>,
    tape: &[Node<'_>],
    string: &dyn Fn(&str) -> Bound<'py, PyString>,
    meaning: &mut Meaning<'_, 'py>,
) -> PyResult<Option<(Bound<'py, PyDict>, bool)>> {
    let (mut open, mut mended) = (Vec::<Open<'py>>::new(), false);
    let mut keys = Keys::new();
    for node in tape {
        let value = match node {
            Node::Key(key) => {
                if let Some(Open::Object { next, .. }) = open.last_mut() {
                    *next = Next::Member(keys.get(py, key));
                }
                continue;
            }
            Node::Merge => {
                if let Some(Open::Object { next, .. }) = open.last_mut() {
                    *next = Next::Merged;
                }
                continue;
            }
            Node::Spread => {
                if let Some(Open::List { spread, .. }) = open.last_mut() {
                    *spread = true;
                }
                continue;
            }
            Node::List => {
                open.push(Open::list(py));
                continue;
            }
            Node::Object => {
                open.push(Open::object(py));
                continue;
            }
            Node::End => match open.pop().map(Open::close) {
                Some(value) if open.is_empty() => {
                    return Ok(value.cast_into().ok().map(|object| (object, mended)));
                }
                Some(value) => value,
                None => return Ok(None),
            },
            Node::Untyped(text) => {
                let (value, changed) = meaning(text)?;
                mended = mended || changed;
                value
            }
            Node::Text(text) => string(text).into_any(),
            leaf => scalar(py, leaf)?,
        };
        match open.last_mut() {
            Some(open) => mended = open.add(value)? || mended,
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
        // Python may have been told to take fewer digits: then they stay text.
        Node::BigInt(digits) => match py.get_type::<PyInt>().call1((digits.as_ref(), 0)) {
            Ok(number) => number,
            Err(_) => PyString::new(py, digits).into_any(),
        },
        _ => py.None().into_bound(py),
    })
}
