//! From the classes of `toolspeak.grammar` to a compiled grammar.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use toolspeak::grammar::{
    Body, CallInThinking, Compiled, Content, Form, Grammar, Header, Name, NameIn, Recognise,
    Section, Spellings, Thinking, ThinkingClose,
};
use toolspeak::matcher::{Part, Pattern, Sequence};
use toolspeak::tag::{Names, Quotes, TagPattern};

/// A grammar ready for scanning; shared by all scanners of a dialect and by all threads.
#[pyclass(frozen, module = "toolspeak._core")]
pub struct CompiledGrammar {
    pub compiled: Arc<Compiled>,
}

#[pymethods]
impl CompiledGrammar {
    /// Compiles `grammar` (a `toolspeak.grammar.Grammar`). With `thinking`, thinking markers
    /// count; with `results`, a marker that opens a tool result ends the stream;
    /// `call_in_thinking` is the grammar's own policy (None) or another one.
    #[new]
    #[pyo3(signature = (grammar, thinking, results, call_in_thinking=None))]
    fn new(
        grammar: &Bound<'_, PyAny>,
        thinking: bool,
        results: bool,
        call_in_thinking: Option<&str>,
    ) -> PyResult<Self> {
        let grammar = read_grammar(grammar)?;
        let call_in_thinking = call_in_thinking.map(read_call_in_thinking).transpose()?;
        let recognise = Recognise { thinking, results, call_in_thinking };
        let compiled = Compiled::new(&grammar, recognise)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { compiled: Arc::new(compiled) })
    }
}

fn unknown(field: &str, value: &str, right: &str) -> PyErr {
    PyValueError::new_err(format!("{field}={value:?}: use {right}"))
}

/// The attribute `name` of a grammar object, read as `T`.
fn field<'py, T>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    object.getattr(name)?.extract()
}

fn boxed(texts: Vec<String>) -> Vec<Box<str>> {
    texts.into_iter().map(String::into_boxed_str).collect()
}

fn read_pattern(pattern: &Bound<'_, PyAny>) -> PyResult<Pattern> {
    let kind: String = field(pattern, "kind")?;
    match kind.as_str() {
        "literal" => Ok(Pattern::Literal(field::<String>(pattern, "text")?.into())),
        "tag" => Ok(Pattern::Tag(read_tag(pattern)?)),
        "sequence" => Ok(Pattern::Sequence(read_sequence(pattern)?)),
        other => Err(unknown("kind", other, "a marker class of toolspeak.grammar")),
    }
}

fn read_tag(tag: &Bound<'_, PyAny>) -> PyResult<TagPattern> {
    let names = match field::<Option<String>>(tag, "free")?.as_deref() {
        None => Names::Listed(boxed(field(tag, "names")?)),
        Some("identifier") => Names::Identifier,
        Some("line") => Names::Line,
        Some(other) => return Err(unknown("free", other, "'identifier' or 'line'")),
    };
    let quotes = match field::<String>(tag, "quotes")?.as_str() {
        "any" => Quotes::Any,
        "double" => Quotes::Double,
        other => return Err(unknown("quotes", other, "'any' or 'double'")),
    };
    Ok(TagPattern {
        heads: boxed(field(tag, "heads")?),
        names,
        end: field::<String>(tag, "end")?.into(),
        closing: field(tag, "closing")?,
        any_namespace: field(tag, "any_namespace")?,
        ignore_case: field(tag, "ignore_case")?,
        quotes,
        quotes_protect: field(tag, "quotes_protect")?,
    })
}

fn read_sequence(sequence: &Bound<'_, PyAny>) -> PyResult<Sequence> {
    let mut parts = Vec::new();
    for part in sequence.getattr("parts")?.try_iter()? {
        parts.push(read_part(&part?)?);
    }
    Ok(Sequence {
        parts,
        consumed: field(sequence, "consumed")?,
        at_end: field(sequence, "at_end")?,
        trim: field(sequence, "trim")?,
    })
}

fn read_part(part: &Bound<'_, PyAny>) -> PyResult<Part> {
    if let Ok(most) = field(part, "blanks") {
        return Ok(Part::Blanks(most));
    }
    if let Ok(most) = field(part, "characters") {
        return Ok(Part::Word(most));
    }
    Ok(Part::Marker(read_marker(part)?))
}

/// The spellings of a marker; none for None.
fn read_marker(marker: &Bound<'_, PyAny>) -> PyResult<Spellings> {
    if marker.is_none() {
        return Ok(Spellings::new());
    }
    marker.getattr("patterns")?.try_iter()?.map(|pattern| read_pattern(&pattern?)).collect()
}

fn marker(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Spellings> {
    read_marker(&object.getattr(name)?)
}

fn read_markers(markers: &Bound<'_, PyAny>) -> PyResult<Spellings> {
    let mut spellings = Spellings::new();
    for marker in markers.try_iter()? {
        spellings.extend(read_marker(&marker?)?);
    }
    Ok(spellings)
}

fn read_name_in(carrier: &Bound<'_, PyAny>) -> PyResult<NameIn> {
    let attribute: Option<String> = field(carrier, "attribute")?;
    Ok(attribute.map_or(NameIn::Tag, NameIn::Attribute))
}

fn read_name(name: &Bound<'_, PyAny>) -> PyResult<Name> {
    if name.is_none() {
        return Ok(Name::Body);
    }
    if name.hasattr("attribute")? {
        return Ok(Name::Opener(read_name_in(name)?));
    }
    Ok(Name::Header(read_header(name)?))
}

fn read_header(header: &Bound<'_, PyAny>) -> PyResult<Header> {
    let then: Option<(String, Bound<'_, PyAny>)> = header.getattr("then")?.extract()?;
    let then = match then {
        Some((word, header)) => Some((word, Box::new(read_header(&header)?))),
        None => None,
    };
    Ok(Header {
        ends: marker(header, "ends")?,
        stops: marker(header, "stops")?,
        through: marker(header, "through")?,
        body_start: header.getattr("body_start")?.extract()?,
        bare: field(header, "bare")?,
        then,
    })
}

fn read_body(body: &Bound<'_, PyAny>) -> PyResult<Body> {
    let shape: String = field(body, "shape")?;
    Ok(match shape.as_str() {
        "envelope" => {
            Body::Envelope { names: field(body, "names")?, arguments: field(body, "arguments")? }
        }
        "json" => Body::Json,
        "values" => Body::Values {
            open: marker(body, "open")?,
            close: marker(body, "close")?,
            key: read_name_in(&body.getattr("key")?)?,
            hint: field(body, "hint")?,
            hint_default: field(body, "hint_default")?,
            newline: field(body, "newline")?,
        },
        "pairs" => Body::Pairs {
            key_open: marker(body, "key_open")?,
            key_close: marker(body, "key_close")?,
            value_open: marker(body, "value_open")?,
            value_close: marker(body, "value_close")?,
        },
        "quoted" => Body::Quoted { quote: field(body, "quote")? },
        "code" => Body::Code,
        "elements" => Body::Elements,
        other => return Err(unknown("shape", other, "a body class of toolspeak.grammar")),
    })
}

/// The forms of call of a grammar; one that is used in several places is one form.
struct Forms<'py> {
    sources: Vec<Bound<'py, PyAny>>,
    forms: Vec<Form>,
}

impl<'py> Forms<'py> {
    fn indices(&mut self, calls: &Bound<'py, PyAny>) -> PyResult<Vec<usize>> {
        calls.try_iter()?.map(|call| self.index(&call?)).collect()
    }

    fn index(&mut self, call: &Bound<'py, PyAny>) -> PyResult<usize> {
        if let Some(index) = self.sources.iter().position(|source| source.is(call)) {
            return Ok(index);
        }
        self.forms.push(Form {
            open: marker(call, "open")?,
            close: marker(call, "close")?,
            name: read_name(&call.getattr("name")?)?,
            body: read_body(&call.getattr("body")?)?,
        });
        self.sources.push(call.clone());
        Ok(self.forms.len() - 1)
    }
}

fn read_content(content: &str) -> PyResult<Content> {
    match content {
        "noise" => Ok(Content::Noise),
        "blanks" => Ok(Content::Blanks),
        "code" => Ok(Content::Code),
        other => Err(unknown("content", other, "'noise', 'blanks' or 'code'")),
    }
}

fn read_call_in_thinking(policy: &str) -> PyResult<CallInThinking> {
    match policy {
        "quoted" => Ok(CallInThinking::Quoted),
        "ends prompted" => Ok(CallInThinking::EndsPrompted),
        "ends" => Ok(CallInThinking::Ends),
        other => Err(unknown("call_in_thinking", other, "'quoted', 'ends prompted' or 'ends'")),
    }
}

fn read_thinking(pair: &Bound<'_, PyAny>) -> PyResult<Thinking> {
    let close = pair.getattr("close")?;
    let close = if close.is_none() {
        ThinkingClose::Fence
    } else {
        ThinkingClose::Marker(read_marker(&close)?)
    };
    Ok(Thinking { open: marker(pair, "open")?, close })
}

fn read_grammar(grammar: &Bound<'_, PyAny>) -> PyResult<Grammar> {
    let mut forms = Forms { sources: Vec::new(), forms: Vec::new() };
    let bare = forms.indices(&grammar.getattr("calls")?)?;
    let mut sections = Vec::new();
    for section in grammar.getattr("sections")?.try_iter()? {
        let section = section?;
        sections.push(Section {
            open: marker(&section, "open")?,
            close: marker(&section, "close")?,
            forms: forms.indices(&section.getattr("calls")?)?,
            content: read_content(&field::<String>(&section, "content")?)?,
        });
    }
    let mut thinking = Vec::new();
    for pair in grammar.getattr("thinking")?.try_iter()? {
        thinking.push(read_thinking(&pair?)?);
    }
    let mut dropped = Vec::new();
    for pair in grammar.getattr("dropped")?.try_iter()? {
        let (open, close): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
        dropped.push((read_marker(&open)?, read_marker(&close)?));
    }
    Ok(Grammar {
        forms: forms.forms,
        bare,
        sections,
        thinking,
        call_in_thinking: read_call_in_thinking(&field::<String>(grammar, "call_in_thinking")?)?,
        results: read_markers(&grammar.getattr("results")?)?,
        stray: read_markers(&grammar.getattr("stray")?)?,
        control: read_markers(&grammar.getattr("control")?)?,
        dropped,
    })
}
