//! Building events: what the core tells becomes Python objects.
//!
//! Adjacent text of one kind becomes one event. Where such a text is exactly the caller's chunk,
//! the event carries the caller's own str object and nothing is copied.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use toolspeak::{Call, Reason, Sink};

use crate::decode::{Decoder, OfRaw, told};
use crate::events::{
    Stopped, Text, ThinkingDelta, ThinkingEnd, ThinkingStart, ToolAbort, ToolArgDelta, ToolEnd,
    ToolStart,
};
use crate::grammar;
use crate::ids::Ids;
use crate::oracle::Asking;

/// The open call's objects, kept between chunks.
#[derive(Default)]
pub struct OpenCall {
    started: Option<(Py<PyString>, Py<PyString>)>,
    key: Option<Py<PyString>>,
    next: Next,
    ids: Ids,
}

/// The argument that has begun but has no text yet.
#[derive(Default)]
enum Next {
    #[default]
    Nothing,
    Argument(Option<String>),
}

/// What the text that waits to become an event is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Argument,
}

/// Where the waiting text is.
enum Waiting<'py> {
    Nothing,
    /// It is the caller's chunk.
    Chunk(Kind),
    /// It is a long piece that has become an object already.
    Piece(Kind, Bound<'py, PyString>),
    /// It is in the buffer.
    Buffer(Kind),
}

impl Waiting<'_> {
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Nothing => None,
            Self::Chunk(kind) | Self::Piece(kind, _) | Self::Buffer(kind) => Some(*kind),
        }
    }
}

/// The events that were made. Most feeds make one, and a list of one is made in one go.
enum Made<'py> {
    Nothing,
    One(Bound<'py, PyAny>),
    Several(Bound<'py, PyList>),
}

impl<'py> Made<'py> {
    fn push(&mut self, event: Bound<'py, PyAny>) -> PyResult<()> {
        let several = match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => {
                *self = Self::One(event);
                return Ok(());
            }
            Self::One(first) => PyList::new(first.py(), [first, event])?,
            Self::Several(list) => {
                list.append(event)?;
                list
            }
        };
        *self = Self::Several(several);
        Ok(())
    }

    fn into_list(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self {
            Self::Nothing => Ok(PyList::empty(py)),
            Self::One(event) => PyList::new(py, [event]),
            Self::Several(list) => Ok(list),
        }
    }
}

/// From this length on, in bytes, a piece is not copied into the buffer first.
const LONG_PIECE: usize = 1024;

/// The events of one `feed` or `flush`.
pub struct Events<'a, 'py> {
    py: Python<'py>,
    decoder: &'a Decoder,
    call: &'a mut OpenCall,
    /// The caller's chunk, as object and as text.
    chunk: Option<(&'a Bound<'py, PyString>, &'a str)>,
    waiting: Waiting<'py>,
    buffer: String,
    made: Made<'py>,
    error: Option<PyErr>,
}

impl<'a, 'py> Events<'a, 'py> {
    pub fn new(
        py: Python<'py>,
        decoder: &'a Decoder,
        call: &'a mut OpenCall,
        chunk: Option<(&'a Bound<'py, PyString>, &'a str)>,
    ) -> Self {
        Self {
            py,
            decoder,
            call,
            chunk,
            waiting: Waiting::Nothing,
            buffer: String::new(),
            made: Made::Nothing,
            error: None,
        }
    }

    /// The events, or the error that building one, or asking for one, raised.
    pub fn finish(&mut self, asked: &Asking<'_>) -> PyResult<Bound<'py, PyList>> {
        self.settle();
        match self.error.take().or_else(|| asked.take_error()) {
            Some(error) => Err(error),
            None => std::mem::replace(&mut self.made, Made::Nothing).into_list(self.py),
        }
    }

    fn push<T: pyo3::PyClass + Into<PyClassInitializer<T>>>(&mut self, event: T) {
        let added = match Bound::new(self.py, event) {
            Ok(event) => self.made.push(event.into_any()),
            Err(error) => Err(error),
        };
        self.record(added);
    }

    fn record(&mut self, result: PyResult<()>) {
        if let (Err(error), None) = (result, &self.error) {
            self.error = Some(error);
        }
    }

    fn string(&self, text: &str) -> Py<PyString> {
        PyString::new(self.py, text).unbind()
    }

    /// Adds text of a kind to what waits.
    fn wait(&mut self, kind: Kind, text: &str) {
        if self.waiting.kind() != Some(kind) {
            self.settle();
            self.waiting = if self.chunk.is_some_and(|(_, chunk)| std::ptr::eq(chunk, text)) {
                Waiting::Chunk(kind)
            } else if text.len() >= LONG_PIECE {
                Waiting::Piece(kind, PyString::new(self.py, text))
            } else {
                self.buffer.push_str(text);
                Waiting::Buffer(kind)
            };
            return;
        }
        match &self.waiting {
            Waiting::Chunk(_) => self.buffer.push_str(self.chunk.map_or("", |(_, text)| text)),
            Waiting::Piece(_, piece) => self.buffer.push_str(piece.to_str().unwrap_or_default()),
            Waiting::Nothing | Waiting::Buffer(_) => {}
        }
        self.waiting = Waiting::Buffer(kind);
        self.buffer.push_str(text);
    }

    /// What waits becomes an event.
    fn settle(&mut self) {
        let (kind, text) = match std::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Nothing => return,
            Waiting::Chunk(kind) => match self.chunk {
                Some((chunk, _)) => (kind, chunk.clone().unbind()),
                None => return,
            },
            Waiting::Piece(kind, piece) => (kind, piece.unbind()),
            Waiting::Buffer(kind) => {
                let text = self.string(&self.buffer);
                self.buffer.clear();
                (kind, text)
            }
        };
        match kind {
            Kind::Text => self.push(Text { text }),
            Kind::Thinking => self.push(ThinkingDelta { delta: text }),
            Kind::Argument => {
                if let Some((id, name)) = &self.call.started {
                    let (id, name) = (id.clone_ref(self.py), name.clone_ref(self.py));
                    let key = self.call.key.as_ref().map(|key| key.clone_ref(self.py));
                    self.push(ToolArgDelta { id, name, key, delta: text });
                }
            }
        }
    }

    /// What comes next belongs to this argument; one that is repeated goes on where it was.
    fn turn_to(&mut self, key: Option<&str>) {
        let known = self.call.key.as_ref().and_then(|key| key.to_str(self.py).ok());
        if known != key {
            self.settle();
            self.call.key = key.map(|key| self.string(key));
        }
    }

    fn id(&mut self, call: &Call) -> Py<PyString> {
        let id = self.call.ids.next(call.id());
        self.string(&id)
    }

    /// Tells the start of a call and answers its id and name.
    fn start(&mut self, call: &Call, name: Py<PyString>) -> (Py<PyString>, Py<PyString>) {
        let id = self.id(call);
        let py = self.py;
        self.call.started = Some((id.clone_ref(py), name.clone_ref(py)));
        self.call.key = None;
        self.call.next = Next::Nothing;
        let encoding = self.decoder.grammar.get().compiled.encoding(call.form());
        let encoding = PyString::intern(py, grammar::told(encoding)).unbind();
        self.push(ToolStart { id: id.clone_ref(py), name: name.clone_ref(py), encoding });
        (id, name)
    }

    fn end(&mut self, call: Call) -> PyResult<()> {
        let Some(decoded) = self.decoder.decode(self.py, &call, &OfRaw(self.py))? else {
            self.abort(call, Reason::Malformed);
            return Ok(());
        };
        let (id, name) = match self.call.started.take() {
            Some(started) => started,
            None => self.start(&call, decoded.name),
        };
        if let Some(delta) = decoded.text {
            let (id, name) = (id.clone_ref(self.py), name.clone_ref(self.py));
            self.push(ToolArgDelta { id, name, key: None, delta });
        }
        self.call.started = None;
        let repaired = decoded.repaired || call.recovered() || call.healed();
        let raw = call.into_raw().into();
        self.push(ToolEnd { id, name, arguments: decoded.arguments, raw, repaired });
        Ok(())
    }

    fn abort(&mut self, call: Call, reason: Reason) {
        let arguments = match self.decoder.decode_partial(self.py, &call, &OfRaw(self.py)) {
            Ok(arguments) => arguments.unbind(),
            Err(error) => return self.record(Err(error)),
        };
        let (id, name) = match self.call.started.take() {
            Some((id, name)) => (id, Some(name)),
            None => (self.id(&call), call.name().map(|name| self.string(name))),
        };
        let raw = call.into_raw().into();
        let reason = PyString::intern(self.py, told(reason)).unbind();
        self.push(ToolAbort { id, name, arguments, raw, reason });
    }
}

impl Sink for Events<'_, '_> {
    fn text(&mut self, text: &str) {
        self.wait(Kind::Text, text);
    }

    fn thinking_start(&mut self) {
        self.settle();
        self.push(ThinkingStart {});
    }

    fn thinking_delta(&mut self, delta: &str) {
        self.wait(Kind::Thinking, delta);
    }

    fn thinking_end(&mut self, block: &str) {
        self.settle();
        let thinking = self.string(block);
        self.push(ThinkingEnd { thinking });
    }

    fn tool_start(&mut self, call: &Call) {
        if !self.decoder.tells() {
            return;
        }
        self.settle();
        let name = self.string(call.name().unwrap_or_default());
        self.start(call, name);
    }

    fn argument_start(&mut self, key: Option<&str>) {
        if !self.decoder.tells() {
            return;
        }
        self.call.next = Next::Argument(key.map(str::to_owned));
    }

    fn argument_delta(&mut self, delta: &str) {
        if !self.decoder.tells() {
            return;
        }
        if let Next::Argument(next) = std::mem::take(&mut self.call.next) {
            self.turn_to(next.as_deref());
        }
        self.wait(Kind::Argument, delta);
    }

    fn tool_end(&mut self, call: Call) {
        if !self.decoder.tells() {
            return;
        }
        self.settle();
        let ended = self.end(call);
        self.record(ended);
    }

    fn tool_abort(&mut self, call: Call, reason: Reason) {
        if !self.decoder.tells() {
            return;
        }
        self.settle();
        self.abort(call, reason);
    }

    fn stopped(&mut self, marker: &str) {
        self.settle();
        let marker = self.string(marker);
        self.push(Stopped { marker });
    }
}
