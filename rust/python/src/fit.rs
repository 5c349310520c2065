//! Values that are made to fit their schema.
//!
//! Where it says integer and not number, `140.0` is 140: the same number, so nothing is mended by
//! that. What a caller asks for beside (`Coercion`) makes other values, and is told as mended. What
//! fits no better stays as it is.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString};
use toolspeak::tool_shape::{NodeId, Shape, ToolShape};

use crate::json;

/// What a caller asks for: see `toolspeak.options.ScanOptions.coercion`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coercion {
    /// What is no list is the only item of one.
    pub wrap_array: bool,
    /// Text of an object or a list is that.
    pub parse_json: bool,
}

/// Makes a tool's arguments fit its schema; answers whether that took a coercion.
pub fn fit(arguments: &Bound<'_, PyDict>, shape: &ToolShape, coercion: Coercion) -> PyResult<bool> {
    if coercion == Coercion::default() && !shape.has_integers() {
        return Ok(false);
    }
    let fitting = Fitting { shape, coercion };
    let mut coerced = false;
    let mut pending = vec![(arguments.as_any().clone(), ToolShape::ROOT)];
    while let Some((value, node)) = pending.pop() {
        if let Ok(members) = value.cast::<PyDict>() {
            for (key, member) in members {
                let node = shape.property(node, key.extract()?);
                if let Some(fitted) = fitting.fitted(&member, node)? {
                    coerced |= fitted.coerced;
                    // The key is there already, so the dict keeps its size.
                    members.set_item(key, &fitted.value)?;
                    pending.push((fitted.value, node));
                } else {
                    pending.push((member, node));
                }
            }
        } else if let Ok(items) = value.cast::<PyList>() {
            let node = shape.items(node);
            for (index, item) in items.iter().enumerate() {
                if let Some(fitted) = fitting.fitted(&item, node)? {
                    coerced |= fitted.coerced;
                    items.set_item(index, &fitted.value)?;
                    pending.push((fitted.value, node));
                } else {
                    pending.push((item, node));
                }
            }
        }
        pending.retain(|(_, node)| node.is_some()); // of the others nothing is said
    }
    Ok(coerced)
}

/// A value in the place of another one.
struct Fitted<'py> {
    value: Bound<'py, PyAny>,
    coerced: bool,
}

struct Fitting<'a> {
    shape: &'a ToolShape,
    coercion: Coercion,
}

impl Fitting<'_> {
    /// What fits the schema where a value stands; `None` for the value itself.
    fn fitted<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        node: NodeId,
    ) -> PyResult<Option<Fitted<'py>>> {
        let schema = self.shape.node(node);
        if let Some(value) = whole(value, schema)? {
            return Ok(Some(Fitted { value, coerced: false }));
        }
        if let Some(value) = self.parsed(value, schema) {
            return Ok(Some(Fitted { value, coerced: true }));
        }
        let is_item = schema.is_list() && !value.is_none() && !value.is_instance_of::<PyList>();
        if self.coercion.wrap_array && is_item {
            let value = PyList::new(value.py(), [value])?.into_any();
            return Ok(Some(Fitted { value, coerced: true }));
        }
        Ok(None)
    }

    /// The object or list that text is, where one is wanted and no text.
    fn parsed<'py>(&self, value: &Bound<'py, PyAny>, schema: &Shape) -> Option<Bound<'py, PyAny>> {
        if !self.coercion.parse_json || schema.may_be_text() {
            return None;
        }
        let text = value.cast::<PyString>().ok()?;
        let parsed = json::parse(value.py(), text.to_str().ok()?)?;
        let fits = (schema.may_be_object() && parsed.is_instance_of::<PyDict>())
            || (schema.may_be_list() && parsed.is_instance_of::<PyList>());
        fits.then_some(parsed)
    }
}

/// The integer that a whole number is to be.
fn whole<'py>(value: &Bound<'py, PyAny>, schema: &Shape) -> PyResult<Option<Bound<'py, PyAny>>> {
    match value.cast::<PyFloat>() {
        Ok(number) if schema.is_integer() && number.value().fract() == 0.0 => {
            value.py().get_type::<PyInt>().call1((value,)).map(Some)
        }
        _ => Ok(None),
    }
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
