//! The class that users feed.

use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyString};
use toolspeak::text::utf8;

use crate::ahead::ahead;
use crate::batch::read_all;
use crate::decode::Decoder;
use crate::grammar::CompiledGrammar;
use crate::options::Options;
use crate::oracle::Tools;
use crate::record::Classes;
use crate::sink::{Events, OpenCall};

/// What can be fed.
enum Chunk<'a, 'py> {
    Str(&'a Bound<'py, PyString>),
    Bytes(&'a Bound<'py, PyBytes>),
    ByteArray(&'a Bound<'py, PyByteArray>),
}

impl<'a, 'py> Chunk<'a, 'py> {
    /// Raises `TypeError` for anything else.
    fn of(chunk: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = chunk.cast::<PyString>() {
            return Ok(Self::Str(text));
        }
        if let Ok(bytes) = chunk.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes));
        }
        if let Ok(bytes) = chunk.cast::<PyByteArray>() {
            return Ok(Self::ByteArray(bytes));
        }
        let kind = chunk.get_type().name()?;
        Err(PyTypeError::new_err(format!("feed takes str or bytes, not {kind}")))
    }
}

/// One stream being scanned: text in, events out. Made by `Dialect.scanner`.
#[pyclass(module = "toolspeak")]
pub struct Scanner {
    core: toolspeak::Scanner,
    decoder: Decoder,
    utf8: utf8::Decoder,
    call: OpenCall,
    closed: bool,
    /// The beginning of the reply that stands in the prompt.
    prompt: Option<String>,
    /// What is told first.
    ahead: Vec<Py<PyAny>>,
}

#[pymethods]
impl Scanner {
    /// A scanner for `grammar` and `tools` (a `toolspeak.ToolSet`).
    #[new]
    fn new(grammar: Py<CompiledGrammar>, tools: Bound<'_, PyAny>, settings: &Options) -> Self {
        let (settings, policies) = (settings.settings.clone(), settings.policies);
        let max_depth = settings.limits.max_depth;
        let core = toolspeak::Scanner::new(grammar.get().compiled.clone(), settings);
        let tools = Tools::new(tools.unbind());
        Self {
            core,
            decoder: Decoder { grammar, tools, policies, max_depth },
            utf8: utf8::Decoder::default(),
            call: OpenCall::default(),
            closed: false,
            prompt: None,
            ahead: Vec::new(),
        }
    }

    /// Begins behind this text, which is the beginning of the reply and stands in the prompt.
    #[pyo3(name = "_begin_behind")]
    fn begin_behind(&mut self, py: Python<'_>, prompt: &str) -> PyResult<()> {
        self.prompt = Some(prompt.to_owned());
        self.reset(py)
    }

    /// Reads the next chunk, of any length and cut anywhere, and returns its events.
    ///
    /// Bytes are UTF-8; what is no UTF-8 is read as U+FFFD. Raises `TypeError` for anything but
    /// str or bytes and `ScannerClosedError` after `flush`.
    fn feed<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        if self.closed {
            return Err(closed_error(chunk.py()));
        }
        match Chunk::of(chunk)? {
            Chunk::Str(text) => self.feed_str(text),
            Chunk::Bytes(bytes) => self.feed_bytes(chunk.py(), bytes.as_bytes()),
            Chunk::ByteArray(bytes) => self.feed_bytes(chunk.py(), &bytes.to_vec()),
        }
    }

    /// Ends the stream: decides what was held back, closes what is open, and returns the last
    /// events. A second `flush` returns none.
    fn flush<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let asking = self.decoder.asking();
        let mut events = Events::new(py, &self.decoder, &mut self.call, None);
        if !self.closed {
            self.closed = true;
            self.core.feed(self.utf8.finish(), &mut events, &asking);
            self.core.flush(&mut events, &asking);
        }
        let events = events.finish(&asking)?;
        drop(asking);
        self.after_prompt(events)
    }

    /// Reads whole outputs (str or bytes), each as a stream of its own, on all cores.
    ///
    /// Returns a message for each, a `message` of a tuple of its parts in their order: a `text`, a
    /// `thinking`, a `call` of id, name, arguments, raw and repaired, or a `ToolAbort`; `classes` has
    /// these four as attributes. The scanner's own stream is not touched.
    #[allow(clippy::needless_pass_by_value)] // PyO3 gives it so
    #[pyo3(name = "_read_all")]
    fn read_all(
        &self,
        py: Python<'_>,
        outputs: &Bound<'_, PyList>,
        classes: Classes,
    ) -> PyResult<Vec<Py<PyAny>>> {
        read_all(py, &self.core, &self.decoder, outputs, &classes)
    }

    #[allow(clippy::needless_pass_by_value)] // PyO3 gives it so
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.decoder.traverse(&visit)
    }

    /// Makes the scanner ready for a new stream, as if it were new.
    fn reset(&mut self, py: Python<'_>) -> PyResult<()> {
        self.utf8 = utf8::Decoder::default();
        self.call = OpenCall::default();
        self.closed = false;
        self.ahead.clear();
        let Some(prompt) = &self.prompt else {
            self.core.reset();
            return Ok(());
        };
        let asking = self.decoder.asking();
        let mut events = Events::new(py, &self.decoder, &mut self.call, None);
        let begun = self.core.begin_behind(prompt, &mut events, &asking);
        self.ahead = ahead(&events.finish(&asking)?, begun)?;
        Ok(())
    }
}

impl Scanner {
    fn feed_str<'py>(&mut self, chunk: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyList>> {
        let unfinished = self.utf8.finish();
        let Ok(text) = chunk.to_str() else {
            // Lone surrogates are no characters.
            let text = chunk.to_string_lossy();
            return self.scan(chunk.py(), unfinished, &text, None);
        };
        // Events hold plain strings.
        let own = chunk.is_exact_instance_of::<PyString>().then_some(chunk);
        self.scan(chunk.py(), unfinished, text, own)
    }

    fn feed_bytes<'py>(&mut self, py: Python<'py>, chunk: &[u8]) -> PyResult<Bound<'py, PyList>> {
        let text = self.utf8.decode(chunk);
        let asking = self.decoder.asking();
        let mut events = Events::new(py, &self.decoder, &mut self.call, None);
        self.core.feed(&text, &mut events, &asking);
        let events = events.finish(&asking)?;
        self.after_prompt(events)
    }

    fn scan<'py>(
        &mut self,
        py: Python<'py>,
        unfinished: &str,
        text: &str,
        chunk: Option<&Bound<'py, PyString>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let chunk = chunk.map(|object| (object, text));
        let asking = self.decoder.asking();
        let mut events = Events::new(py, &self.decoder, &mut self.call, chunk);
        if !unfinished.is_empty() {
            self.core.feed(unfinished, &mut events, &asking);
        }
        self.core.feed(text, &mut events, &asking);
        let events = events.finish(&asking)?;
        self.after_prompt(events)
    }

    /// The events behind those that are told first.
    fn after_prompt<'py>(&mut self, events: Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        if self.ahead.is_empty() {
            return Ok(events);
        }
        let told = PyList::new(events.py(), self.ahead.drain(..))?;
        for event in events {
            told.append(event)?;
        }
        Ok(told)
    }
}

fn closed_error(py: Python<'_>) -> PyErr {
    let message = "feed after flush: the stream has ended; call reset() for a new one";
    let error = py
        .import(intern!(py, "toolspeak.errors"))
        .and_then(|errors| errors.getattr(intern!(py, "ScannerClosedError")))
        .and_then(|class| class.call1((message,)));
    match error {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
