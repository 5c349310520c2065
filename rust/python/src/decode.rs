//! What a call's arguments mean.
//!
//! What the core has read to values, strict JSON, and values that are text become Python objects
//! right here. JSON that is not strict is Python's (`toolspeak.reading`), which can mend it.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use toolspeak::call::name::undressed;
use toolspeak::tool_shape::ToolShape;
use toolspeak::value::Node;
use toolspeak::{Argument, Arguments, Call, Hint, Reason};

use crate::fit::{Coercion, fit, without_zeros};
use crate::grammar::CompiledGrammar;
use crate::options::{Calls, Policies};
use crate::oracle::{Asking, Tools};
use crate::{json, value};

/// Gives the calls of one scanner their meaning.
pub struct Decoder {
    pub grammar: Py<CompiledGrammar>,
    pub tools: Tools,
    pub policies: Policies,
    pub max_depth: usize,
}

/// A call with its meaning.
pub struct Decoded {
    pub name: Py<PyString>,
    pub arguments: Py<PyDict>,
    /// Whether something had to be mended.
    pub repaired: bool,
    /// The arguments as JSON, where nothing has been told of them yet.
    pub text: Option<Py<PyString>>,
}

/// Makes Python strings of parts of a call's raw text.
pub trait Parts<'py> {
    /// `text`, which stands in the call's raw text.
    fn part(&self, call: &Call, text: &str) -> Bound<'py, PyString>;
}

/// Arguments, and whether something had to be mended; `None` if they cannot be read.
pub type Read<'py> = Option<(Bound<'py, PyDict>, bool)>;

/// A call that Python has found: name, arguments, whether something was mended, and the arguments
/// as JSON.
type Found = (Py<PyString>, Py<PyDict>, bool, Option<Py<PyString>>);

/// Arguments in another carrier: the tool's name if that is there, the values, or texts by name.
type Carried<'py> = (Option<String>, Option<Bound<'py, PyDict>>, Vec<(String, String)>);

/// A value, and whether it had to be mended.
type Meant<'py> = (Bound<'py, PyAny>, bool);

impl Decoder {
    /// For calls that no scanner has read.
    pub fn plain(grammar: Py<CompiledGrammar>, tools: Tools, max_depth: usize) -> Self {
        let policies = Policies {
            repair: true,
            abort_unknown: false,
            decode_entities: false,
            coercion: Coercion::default(),
            calls: Calls::Told,
        };
        Self { grammar, tools, policies, max_depth }
    }

    /// The arguments of a call that the core reads to values, and whether something had to be mended;
    /// with `cut`, those that are complete.
    pub fn read<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        cut: bool,
        parts: &impl Parts<'py>,
    ) -> PyResult<Read<'py>> {
        let asking = self.asking();
        let arguments = self.grammar.get().compiled.arguments(call, &asking, self.max_depth, cut);
        if let Some(error) = asking.take_error() {
            return Err(error);
        }
        let name = call.name().unwrap_or_default();
        let read = self.meaning(py, (call, name), &arguments, parts)?;
        if let Some((arguments, _)) = &read {
            fit(arguments, &*self.tools.shape(name)?, self.policies.coercion)?;
        }
        Ok(read)
    }

    /// Whether calls are told.
    pub fn tells(&self) -> bool {
        self.policies.calls == Calls::Told
    }

    /// Who answers the questions of a scan.
    pub fn asking(&self) -> Asking<'_> {
        Asking::new(&self.tools, self.grammar.get())
    }

    /// Shows the garbage collector what is held here.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.tools.traverse(visit)?;
        visit.call(&self.grammar)
    }

    /// What the arguments of a closed call mean; `None` if they cannot be read, or if the call is
    /// none for another reason.
    pub fn decode<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        parts: &impl Parts<'py>,
    ) -> PyResult<Option<Decoded>> {
        let asking = self.asking();
        let arguments = self.grammar.get().compiled.arguments(call, &asking, self.max_depth, false);
        if let Some(error) = asking.take_error() {
            return Err(error);
        }
        if call.healed() && !self.policies.repair {
            return Ok(None);
        }
        let mut decoded = match (&arguments, call.name()) {
            (Arguments::Carried(text), name) => self.carried(py, name, text)?,
            (Arguments::Envelope { text, names, arguments }, name) => {
                self.envelope(py, name, (text, names, arguments))?
            }
            (_, Some(name)) => {
                self.meaning(py, (call, name), &arguments, parts)?.map(|read| Decoded {
                    name: PyString::new(py, name).unbind(),
                    arguments: read.0.unbind(),
                    repaired: read.1,
                    text: None,
                })
            }
            (_, None) => None,
        };
        // Where tags stand between values, a value's own closer says what belongs to it.
        let guessed = !matches!(arguments, Arguments::Each { .. } | Arguments::Carried(_));
        if decoded.as_ref().is_some_and(|decoded| guessed && decoded.repaired)
            && self.grammar.get().compiled.holds_another(call)
        {
            return Ok(None);
        }
        if let Some(call) = &mut decoded {
            let shape = self.tools.shape(call.name.to_str(py)?)?;
            call.repaired |= fit(call.arguments.bind(py), &shape, self.policies.coercion)?;
        }
        self.checked(py, decoded)
    }

    /// The call, unless its tool is unknown and unknown tools are no calls.
    fn checked(&self, py: Python<'_>, decoded: Option<Decoded>) -> PyResult<Option<Decoded>> {
        if !self.policies.abort_unknown {
            return Ok(decoded);
        }
        let names = self.tools.names()?;
        Ok(decoded.filter(|call| call.name.to_str(py).is_ok_and(|name| names.contains(name))))
    }

    fn meaning<'py>(
        &self,
        py: Python<'py>,
        (call, name): (&Call, &str),
        arguments: &Arguments<'_>,
        parts: &impl Parts<'py>,
    ) -> PyResult<Read<'py>> {
        match arguments {
            Arguments::Json(text) => self.json(py, text),
            Arguments::Each { arguments, strict, null } => {
                self.each(py, (call, name), (arguments, null), *strict, parts).map(Some)
            }
            Arguments::Read(read) => {
                let Some((values, mended)) = self.values(py, call, &read.tape, parts)? else {
                    return Ok(None);
                };
                let repaired = mended || read.repaired;
                let counts = self.policies.repair || !read.repaired;
                Ok(counts.then_some((values, repaired)))
            }
            Arguments::Envelope { .. } | Arguments::Carried(_) | Arguments::Unreadable => Ok(None),
        }
    }

    /// The listed tool that a name means, and whether that is another name.
    fn named(&self, py: Python<'_>, name: Py<PyString>) -> PyResult<(Py<PyString>, bool)> {
        let asking = self.asking();
        let tool = undressed(name.to_str(py)?, &asking).map(str::to_owned);
        if let Some(error) = asking.take_error() {
            return Err(error);
        }
        match tool {
            Some(tool) if tool != name.to_str(py)? => Ok((PyString::new(py, &tool).unbind(), true)),
            _ => Ok((name, false)),
        }
    }

    /// Arguments that came in another carrier than the grammar's.
    fn carried(&self, py: Python<'_>, name: Option<&str>, text: &str) -> PyResult<Option<Decoded>> {
        let asked = (text, self.policies.repair);
        let answer: Option<Carried<'_>> = reading(py, "read_carried")?.call1(asked)?.extract()?;
        let Some((inner, values, texts)) = answer else {
            return Ok(None);
        };
        let Some(name) = name.or(inner.as_deref()) else {
            return Ok(None);
        };
        if inner.as_ref().is_some_and(|inner| inner != name) {
            return Ok(None);
        }
        let repaired = !texts.is_empty() || values.as_ref().is_none_or(|values| !values.is_empty());
        let arguments = match values {
            Some(values) => values,
            None => self.texts(py, name, &texts)?,
        };
        Ok(Some(Decoded {
            name: PyString::new(py, name).unbind(),
            arguments: arguments.unbind(),
            repaired,
            text: None,
        }))
    }

    /// Arguments of this tool that are texts, by name.
    fn texts<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        texts: &[(String, String)],
    ) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        let shape = self.tools.shape(name)?;
        for (key, text) in texts {
            let node = shape.node(shape.property(ToolShape::ROOT, key));
            let value = if node.is_text() {
                PyString::new(py, text).into_any()
            } else {
                self.untyped(py, text.trim(), node.may_be_text())?.0
            };
            values.set_item(key, value)?;
        }
        Ok(values)
    }

    /// Arguments that are one JSON text.
    fn json<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Read<'py>> {
        if let Some(value) = json::parse(py, text)
            && let Ok(arguments) = value.cast_into()
        {
            return Ok(Some((arguments, false)));
        }
        reading(py, "read_arguments")?.call1((text, self.policies.repair))?.extract()
    }

    /// A JSON text with the tool's name and the arguments in it.
    fn envelope(
        &self,
        py: Python<'_>,
        name: Option<&str>,
        (text, names, arguments): (&str, &[String], &[String]),
    ) -> PyResult<Option<Decoded>> {
        let asked = (text, names, arguments, name, self.policies.repair);
        let answer: Option<Found> = reading(py, "read_envelope")?.call1(asked)?.extract()?;
        let Some((name, arguments, repaired, text)) = answer else {
            return Ok(None);
        };
        let (name, renamed) = self.named(py, name)?;
        Ok(Some(Decoded { name, arguments, repaired: repaired || renamed, text }))
    }

    /// Arguments that stand one by one; a repeated one counts as the last.
    fn each<'py>(
        &self,
        py: Python<'py>,
        (call, name): (&Call, &str),
        (arguments, null): (&[Argument], &[String]),
        strict: bool,
        parts: &impl Parts<'py>,
    ) -> PyResult<(Bound<'py, PyDict>, bool)> {
        let (values, mut repaired) = (PyDict::new(py), false);
        let mut shape = None;
        for Argument { key, value, hint } in arguments {
            let text = call.text(*value);
            let (is_text, may_be_text, is_integer) = match hint {
                Some(Hint::Text) => (true, true, false),
                Some(Hint::Data | Hint::Bare) => (false, false, false),
                None => {
                    let shape = match &mut shape {
                        Some(shape) => shape,
                        None => shape.insert(self.tools.shape(name)?),
                    };
                    let node = shape.node(shape.property(ToolShape::ROOT, key));
                    if node.is_nullable_text() && null.iter().any(|word| word == text) {
                        values.set_item(key, py.None())?;
                        continue;
                    }
                    (node.is_text(), node.may_be_text(), node.is_integer())
                }
            };
            let key = PyString::new(py, key);
            let decoded = self.without_entities(py, text)?;
            if is_text {
                let text = decoded.unwrap_or_else(|| parts.part(call, text));
                values.set_item(key, text)?;
                continue;
            }
            let text = decoded.as_ref().map_or(Ok(text), |text| text.to_str())?;
            let text = if is_integer { without_zeros(text) } else { text };
            // Where text is a value as well, only what is JSON for certain is none.
            let (value, changed) = self.untyped(py, text, strict || may_be_text)?;
            values.set_item(key, value)?;
            repaired = repaired || changed;
        }
        Ok((values, repaired))
    }

    /// The text with `&lt;` and the like decoded, where there may be any.
    fn without_entities<'py>(
        &self,
        py: Python<'py>,
        text: &str,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        if !self.policies.decode_entities || !text.contains('&') {
            return Ok(None);
        }
        Ok(Some(py.import("html")?.call_method1("unescape", (text,))?.cast_into()?))
    }

    /// The value of text that nothing calls a string.
    fn untyped<'py>(&self, py: Python<'py>, text: &str, strict: bool) -> PyResult<Meant<'py>> {
        if is_prose(text) {
            return Ok((PyString::new(py, text).into_any(), false));
        }
        if let Some(value) = json::parse(py, text) {
            return Ok((value, false));
        }
        let mend = !strict && self.policies.repair;
        reading(py, "coerce_value")?.call1((text, !strict, mend))?.extract()
    }

    fn values<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        tape: &[Node<'_>],
        parts: &impl Parts<'py>,
    ) -> PyResult<Read<'py>> {
        let string = |text: &str| parts.part(call, text);
        value::object(py, tape, &string, &mut |text| self.untyped(py, text, false))
    }

    /// What had been completed of the arguments of a call that will not be closed.
    pub fn decode_partial<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        parts: &impl Parts<'py>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let asking = self.asking();
        let arguments = self.grammar.get().compiled.arguments(call, &asking, self.max_depth, true);
        if let Some(error) = asking.take_error() {
            return Err(error);
        }
        let complete = match &arguments {
            // A member is complete once something follows it.
            Arguments::Json(text) | Arguments::Envelope { text, .. }
                if !text.contains([',', '}']) =>
            {
                None
            }
            Arguments::Json(text) => {
                Some(reading(py, "completed_arguments")?.call1((*text,))?.cast_into()?)
            }
            Arguments::Envelope { text, arguments, .. } => {
                let asked = (*text, *arguments);
                Some(reading(py, "completed_envelope")?.call1(asked)?.cast_into()?)
            }
            Arguments::Each { arguments, strict, null } => {
                let name = call.name().unwrap_or_default();
                Some(self.each(py, (call, name), (arguments, null), *strict, parts)?.0)
            }
            Arguments::Read(read) => {
                self.values(py, call, &read.tape, parts)?.map(|(values, _)| values)
            }
            Arguments::Carried(_) | Arguments::Unreadable => None,
        };
        let complete = complete.unwrap_or_else(|| PyDict::new(py));
        let shape = self.tools.shape(call.name().unwrap_or_default())?;
        fit(&complete, &shape, self.policies.coercion)?;
        Ok(complete)
    }
}

/// What text that begins with a letter can mean beside itself.
const WORDS: [&str; 6] = ["true", "false", "null", "True", "False", "None"];

/// Whether text means itself, as is plain from its beginning. What looks like data is for Python to
/// judge.
fn is_prose(text: &str) -> bool {
    let bare = text.trim_matches(|next: char| next.is_whitespace() || next.is_ascii_control());
    bare.starts_with(|first: char| first.is_ascii_alphabetic()) && !WORDS.contains(&bare)
}

/// Parts of a call that may be longer than the chunk: made of its raw text.
pub struct OfRaw<'py>(pub Python<'py>);

impl<'py> Parts<'py> for OfRaw<'py> {
    fn part(&self, _: &Call, text: &str) -> Bound<'py, PyString> {
        PyString::new(self.0, text)
    }
}

/// A function of `toolspeak.reading.json_arguments`.
fn reading<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let import = || PyResult::Ok(py.import("toolspeak.reading.json_arguments")?.unbind());
    MODULE.get_or_try_init(py, import)?.bind(py).getattr(name)
}

/// A reason as events tell it.
pub fn told(reason: Reason) -> &'static str {
    match reason {
        Reason::Truncated => "truncated",
        Reason::Malformed => "malformed",
        Reason::Limit => "limit",
    }
}
