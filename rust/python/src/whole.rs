//! Whole numbers: where a schema says integer and not number, `140.0` is 140.
//!
//! It is the same number, so nothing is mended by it. What is no whole number stays as it is.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList};
use toolspeak::tool_shape::{NodeId, ToolShape};

/// A list or an object, and what the schema says of it.
type Inside<'py> = (Bound<'py, PyAny>, NodeId);

/// Makes the whole numbers in a tool's arguments integers, where they are to be integers.
pub fn make_whole(arguments: &Bound<'_, PyDict>, shape: &ToolShape) -> PyResult<()> {
    if !shape.has_integers() {
        return Ok(());
    }
    let mut pending = vec![(arguments.as_any().clone(), ToolShape::ROOT)];
    while let Some((value, node)) = pending.pop() {
        if let Ok(members) = value.cast::<PyDict>() {
            for (key, member) in members {
                let node = shape.property(node, key.extract()?);
                if let Some(number) = look(member, node, shape, &mut pending)? {
                    // The key is there already, so the dict keeps its size.
                    value.set_item(key, number)?;
                }
            }
        } else if let Ok(items) = value.cast::<PyList>() {
            let node = shape.items(node);
            for (index, item) in items.iter().enumerate() {
                if let Some(number) = look(item, node, shape, &mut pending)? {
                    items.set_item(index, number)?;
                }
            }
        }
    }
    Ok(())
}

/// The integer that a value is to be; what may hold some more goes to `pending`.
fn look<'py>(
    value: Bound<'py, PyAny>,
    node: NodeId,
    shape: &ToolShape,
    pending: &mut Vec<Inside<'py>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if node.is_none() {
        return Ok(None); // nothing is said of what is in it
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let whole = shape.node(node).is_integer() && number.value().fract() == 0.0;
        return if whole {
            value.py().get_type::<PyInt>().call1((&value,)).map(Some)
        } else {
            Ok(None)
        };
    }
    if value.is_instance_of::<PyDict>() || value.is_instance_of::<PyList>() {
        pending.push((value, node));
    }
    Ok(None)
}

/// The digits of text that is a whole number with a fraction of zeros: they say it exactly, however
/// many there are. Any other text is itself.
pub fn without_zeros(text: &str) -> &str {
    let bare = text.trim();
    let Some((digits, zeros)) = bare.split_once('.') else { return text };
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_whole = is_digits(unsigned) && is_digits(zeros) && zeros.bytes().all(|it| it == b'0');
    if is_whole { digits } else { text }
}
