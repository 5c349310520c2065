//! What only Python knows: the tools of a request, names of characters, headers that a function
//! reads. Asking takes the GIL, for which a thread may wait long: what was answered is kept.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolspeak::tool_shape::{self, Shape, Types};
use toolspeak::{Heading, Oracle};

use crate::grammar::CompiledGrammar;

/// A node of a schema: its types, the node of its items, and its properties with their nodes.
type Node<'py> =
    (Vec<Bound<'py, PyString>>, Option<usize>, Vec<(Bound<'py, PyString>, Option<usize>)>);

/// What a tool's schema says of how the text of arguments is read. Made by `ToolSet.shape`.
#[pyclass(frozen, module = "toolspeak._core")]
pub struct ToolShape {
    shape: Arc<tool_shape::ToolShape>,
}

#[pymethods]
impl ToolShape {
    /// The first node is that of all arguments; nodes name each other by index, and None is a node
    /// of which nothing is said.
    #[new]
    fn new(nodes: Vec<Node<'_>>) -> Self {
        let node = |(types, items, properties): Node<'_>| {
            let types: Vec<_> = types.iter().map(|name| name.to_string_lossy()).collect();
            let types = Types::named(types.iter().map(AsRef::as_ref));
            let properties =
                properties.iter().map(|(name, node)| (name.to_string_lossy().into(), *node));
            Shape::new(types, items, properties.collect())
        };
        let nodes = nodes.into_iter().map(node).collect();
        Self { shape: Arc::new(tool_shape::ToolShape::new(nodes)) }
    }
}

/// The tools of a request: a `toolspeak.ToolSet`, and what it has answered.
pub struct Tools {
    set: Py<PyAny>,
    names: OnceLock<HashSet<String>>,
    shapes: Mutex<HashMap<String, Arc<tool_shape::ToolShape>>>,
}

/// So many shapes are kept: models make up names.
const MOST: usize = 4096;

impl Tools {
    pub fn new(set: Py<PyAny>) -> Self {
        Self { set, names: OnceLock::new(), shapes: Mutex::default() }
    }

    /// Shows the garbage collector what is held here.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.set)
    }

    pub fn names(&self) -> PyResult<&HashSet<String>> {
        if let Some(names) = self.names.get() {
            return Ok(names);
        }
        let names: Vec<String> = Python::attach(|py| {
            let names = self.set.bind(py).getattr(intern!(py, "names"))?;
            let name = |name: PyResult<Bound<'_, PyAny>>| {
                PyResult::Ok(name?.cast_into::<PyString>()?.to_string_lossy().into_owned())
            };
            names.try_iter()?.map(name).collect::<PyResult<_>>()
        })?;
        Ok(self.names.get_or_init(|| names.into_iter().collect()))
    }

    /// The shape of a tool.
    pub fn shape(&self, tool: &str) -> PyResult<Arc<tool_shape::ToolShape>> {
        // No lock is held while the GIL is waited for.
        let shapes = || self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = shapes().get(tool) {
            return Ok(Arc::clone(shape));
        }
        let shape = Python::attach(|py| {
            let answer = self.set.bind(py).call_method1(intern!(py, "shape"), (tool,))?;
            PyResult::Ok(Arc::clone(&answer.cast::<ToolShape>()?.get().shape))
        })?;
        let mut shapes = shapes();
        if shapes.len() < MOST {
            shapes.insert(tool.to_owned(), Arc::clone(&shape));
        }
        Ok(shape)
    }
}

/// The oracle of one scan; keeps the first error for when that is over.
pub struct Asking<'a> {
    tools: &'a Tools,
    grammar: &'a CompiledGrammar,
    error: RefCell<Option<PyErr>>,
}

impl<'a> Asking<'a> {
    pub fn new(tools: &'a Tools, grammar: &'a CompiledGrammar) -> Self {
        Self { tools, grammar, error: RefCell::default() }
    }

    /// The error that asking raised.
    pub fn take_error(&self) -> Option<PyErr> {
        self.error.take()
    }

    /// The answer, or none if asking raised an error.
    fn answer<T>(&self, answer: PyResult<T>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.error.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    fn read(&self, reader: &Py<PyAny>, header: &str) -> PyResult<Heading> {
        let answer: Option<Answer> =
            Python::attach(|py| reader.bind(py).call1((header, &self.tools.set))?.extract())?;
        Ok(match answer {
            None => Heading::Unreadable,
            Some(Answer::Call(name, id)) => Heading::Call { name, id },
            Some(Answer::Message(kind)) => match kind.as_str() {
                "text" => Heading::Text,
                "thinking" => Heading::Thinking,
                _ => Heading::Skip,
            },
        })
    }
}

/// What a function says of a header: a pair of name and id, or the word for another kind of message.
#[derive(FromPyObject)]
enum Answer {
    Call(String, Option<String>),
    #[pyo3(transparent)]
    Message(String),
}

impl Oracle for Asking<'_> {
    fn has_tools(&self) -> bool {
        self.answer(self.tools.names()).is_some_and(|names| !names.is_empty())
    }

    fn is_tool(&self, name: &str) -> bool {
        self.answer(self.tools.names()).is_some_and(|names| names.contains(name))
    }

    fn shape(&self, tool: &str) -> Option<Arc<tool_shape::ToolShape>> {
        self.answer(self.tools.shape(tool))
    }

    fn character(&self, name: &str) -> Option<char> {
        let look_up = |py: Python<'_>| -> PyResult<Option<char>> {
            let module = py.import(intern!(py, "unicodedata"))?;
            // A name may be that of several characters, which are no character.
            let found = module.call_method1(intern!(py, "lookup"), (name,));
            Ok(found.ok().and_then(|found| found.extract().ok()))
        };
        self.answer(Python::attach(look_up)).flatten()
    }

    fn heading(&self, form: usize, header: &str) -> Heading {
        let read = self.grammar.reader(form).map(|reader| self.read(reader, header));
        read.and_then(|heading| self.answer(heading)).unwrap_or(Heading::Unreadable)
    }
}
