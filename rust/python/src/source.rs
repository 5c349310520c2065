//! One whole output as the caller gave it, and Python strings cut out of it.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PySlice, PyString};
use toolspeak::Call;

use crate::decode::Parts;

/// One output.
pub enum Source {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
    /// A Python string that holds what is no character.
    Replaced(String),
}

impl Source {
    /// Raises `TypeError` for anything but str or bytes.
    pub fn read(output: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = output.cast::<PyString>() {
            return Ok(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Self::Str(text),
                Err(_) => Self::Replaced(text.to_string_lossy().into_owned()),
            });
        }
        if let Ok(bytes) = output.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone().into()));
        }
        let kind = output.get_type().name()?;
        Err(PyTypeError::new_err(format!("an output is str or bytes, not {kind}")))
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Str(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Replaced(text) => text.len(),
        }
    }

    /// The text; what is no UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Str(text) => Cow::Borrowed(text),
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes),
            Self::Replaced(text) => Cow::Borrowed(text),
        }
    }

    /// A cutter for `text`, which is this output's.
    pub fn cutter<'a, 'py>(&self, py: Python<'py>, text: &'a str) -> Cutter<'a, 'py> {
        let whole = match self {
            Self::Str(text) => Some(text.as_py_str().bind(py).clone()),
            _ => None,
        };
        // A subclass may have its own ideas of length and parts, and parts are plain strings.
        let whole = whole.filter(|it| it.is_exact_instance_of::<PyString>());
        let ascii = whole.as_ref().is_some_and(|it| it.len().is_ok_and(|len| len == text.len()));
        Cutter { py, text, whole, ascii, cursor: Cell::default() }
    }
}

/// Makes Python strings of parts of a text.
///
/// A long part of a Python string is cut out of that string, which copies characters as they are;
/// making it anew would decode UTF-8 once more. Python counts in characters: the cursor remembers
/// a place in both units, so that going from part to part counts each byte a few times at most.
pub struct Cutter<'a, 'py> {
    py: Python<'py>,
    text: &'a str,
    whole: Option<Bound<'py, PyString>>,
    /// Whether a character is a byte.
    ascii: bool,
    /// A place in the text, in bytes and in characters.
    cursor: Cell<(usize, usize)>,
}

/// From this length on, in bytes, it is cheaper to cut a part out than to make it anew.
const LONG_PART: usize = 512;

impl<'py> Cutter<'_, 'py> {
    /// The part at this range of bytes.
    pub fn cut(&self, range: Range<usize>) -> Bound<'py, PyString> {
        let part = self.text.get(range.clone()).unwrap_or_default();
        match &self.whole {
            Some(whole) if part.len() == self.text.len() => whole.clone(),
            Some(whole) if part.len() >= LONG_PART => {
                self.cut_out(whole, &range).unwrap_or_else(|| PyString::new(self.py, part))
            }
            _ => PyString::new(self.py, part),
        }
    }

    /// The raw text of a call in this text.
    pub fn raw(&self, call: &Call) -> Bound<'py, PyString> {
        self.cut(call.start()..call.start() + call.raw().len())
    }

    fn cut_out(
        &self,
        whole: &Bound<'py, PyString>,
        range: &Range<usize>,
    ) -> Option<Bound<'py, PyString>> {
        let start = self.characters_before(range.start);
        let end = start + self.characters(range.start, range.end);
        let slice = PySlice::new(self.py, start.try_into().ok()?, end.try_into().ok()?, 1);
        whole.as_any().get_item(slice).ok()?.cast_into().ok()
    }

    fn characters_before(&self, at: usize) -> usize {
        if self.ascii {
            return at;
        }
        let (byte, before) = self.cursor.get();
        let before = if at >= byte {
            before + self.characters(byte, at)
        } else {
            before.saturating_sub(self.characters(at, byte))
        };
        self.cursor.set((at, before));
        before
    }

    fn characters(&self, start: usize, end: usize) -> usize {
        if self.ascii {
            return end - start;
        }
        self.text.get(start..end).map_or(0, |part| part.chars().count())
    }
}

impl<'py> Parts<'py> for Cutter<'_, 'py> {
    fn part(&self, call: &Call, text: &str) -> Bound<'py, PyString> {
        match place(call.raw(), text) {
            Some(part) => self.cut(call.start() + part.start..call.start() + part.end),
            None => PyString::new(self.py, text),
        }
    }
}

/// Where `part` stands in `whole`, in bytes; `None` if it is text of its own.
pub fn place(whole: &str, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let range = start..start.checked_add(part.len())?;
    let same = |text: &str| std::ptr::eq(text, part);
    whole.get(range.clone()).is_some_and(same).then_some(range)
}
