//! From the classes of `toolspeak.grammar` to a compiled grammar.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use toolspeak::grammar::{
    Body, Compiled, Form, Grammar, NameIn, Recognise, Section, Spellings, Thinking, ThinkingClose,
};
use toolspeak::matcher::Pattern;
use toolspeak::tag::{Names, Quotes, TagPattern};

/// A grammar ready for scanning; shared by all scanners of a dialect and by all threads.
#[pyclass(frozen, module = "toolspeak._core")]
pub struct CompiledGrammar {
    pub compiled: Arc<Compiled>,
}

#[pymethods]
impl CompiledGrammar {
    /// Compiles `grammar` (a `toolspeak.grammar.Grammar`). With `thinking`, thinking markers
    /// count; with `results`, a marker that opens a tool result ends the stream.
    #[new]
    fn new(grammar: &Bound<'_, PyAny>, thinking: bool, results: bool) -> PyResult<Self> {
        let grammar = read_grammar(grammar)?;
        let compiled = Compiled::new(&grammar, Recognise { thinking, results })
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { compiled: Arc::new(compiled) })
    }
}

#[derive(FromPyObject)]
enum PyPattern {
    Tag {
        heads: Vec<String>,
        names: Vec<String>,
        free: Option<String>,
        end: String,
        closing: bool,
        any_namespace: bool,
        ignore_case: bool,
        quotes: String,
        quotes_protect: bool,
    },
    Literal {
        text: String,
    },
}

fn boxed(texts: Vec<String>) -> Vec<Box<str>> {
    texts.into_iter().map(String::into_boxed_str).collect()
}

fn read_pattern(pattern: PyPattern) -> PyResult<Pattern> {
    Ok(match pattern {
        PyPattern::Literal { text } => Pattern::Literal(text.into()),
        PyPattern::Tag {
            heads,
            names,
            free,
            end,
            closing,
            any_namespace,
            ignore_case,
            quotes,
            quotes_protect,
        } => {
            let names = match free.as_deref() {
                None => Names::Listed(boxed(names)),
                Some("identifier") => Names::Identifier,
                Some("line") => Names::Line,
                Some(other) => return Err(unknown("free", other, "'identifier' or 'line'")),
            };
            let quotes = match quotes.as_str() {
                "any" => Quotes::Any,
                "double" => Quotes::Double,
                other => return Err(unknown("quotes", other, "'any' or 'double'")),
            };
            Pattern::Tag(TagPattern {
                heads: boxed(heads),
                names,
                end: end.into(),
                closing,
                any_namespace,
                ignore_case,
                quotes,
                quotes_protect,
            })
        }
    })
}

fn unknown(field: &str, value: &str, right: &str) -> PyErr {
    PyValueError::new_err(format!("{field}: {value:?} is not known; use {right}"))
}

/// The spellings of a marker, or of several.
fn read_marker(marker: &Bound<'_, PyAny>) -> PyResult<Spellings> {
    let patterns: Vec<PyPattern> = marker.getattr("patterns")?.extract()?;
    patterns.into_iter().map(read_pattern).collect()
}

fn read_markers(markers: &Bound<'_, PyAny>) -> PyResult<Spellings> {
    let mut spellings = Spellings::new();
    for marker in markers.try_iter()? {
        spellings.extend(read_marker(&marker?)?);
    }
    Ok(spellings)
}

fn read_name_in(carrier: &Bound<'_, PyAny>) -> PyResult<NameIn> {
    let attribute: Option<String> = carrier.getattr("attribute")?.extract()?;
    Ok(attribute.map_or(NameIn::Tag, NameIn::Attribute))
}

fn read_body(body: &Bound<'_, PyAny>) -> PyResult<Body> {
    let shape: String = body.getattr("shape")?.extract()?;
    match shape.as_str() {
        "envelope" => Ok(Body::Envelope {
            names: body.getattr("names")?.extract()?,
            arguments: body.getattr("arguments")?.extract()?,
        }),
        "values" => Ok(Body::Values {
            name: read_name_in(&body.getattr("name")?)?,
            open: read_marker(&body.getattr("open")?)?,
            close: read_marker(&body.getattr("close")?)?,
            key: read_name_in(&body.getattr("key")?)?,
            hint: body.getattr("hint")?.extract()?,
            hint_default: body.getattr("hint_default")?.extract()?,
        }),
        other => Err(unknown("shape", other, "a body class of toolspeak.grammar")),
    }
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
            open: read_marker(&call.getattr("open")?)?,
            close: read_marker(&call.getattr("close")?)?,
            body: read_body(&call.getattr("body")?)?,
        });
        self.sources.push(call.clone());
        Ok(self.forms.len() - 1)
    }
}

fn read_thinking(pair: &Bound<'_, PyAny>) -> PyResult<Thinking> {
    let close = pair.getattr("close")?;
    Ok(Thinking {
        open: read_marker(&pair.getattr("open")?)?,
        close: if close.is_none() {
            ThinkingClose::Fence
        } else {
            ThinkingClose::Marker(read_marker(&close)?)
        },
    })
}

fn read_grammar(grammar: &Bound<'_, PyAny>) -> PyResult<Grammar> {
    let mut forms = Forms { sources: Vec::new(), forms: Vec::new() };
    let bare = forms.indices(&grammar.getattr("calls")?)?;
    let mut sections = Vec::new();
    for section in grammar.getattr("sections")?.try_iter()? {
        let section = section?;
        sections.push(Section {
            open: read_marker(&section.getattr("open")?)?,
            close: read_marker(&section.getattr("close")?)?,
            forms: forms.indices(&section.getattr("calls")?)?,
        });
    }
    let mut thinking = Vec::new();
    for pair in grammar.getattr("thinking")?.try_iter()? {
        thinking.push(read_thinking(&pair?)?);
    }
    Ok(Grammar {
        forms: forms.forms,
        bare,
        sections,
        thinking,
        results: read_markers(&grammar.getattr("results")?)?,
        stray: read_markers(&grammar.getattr("stray")?)?,
        control: read_markers(&grammar.getattr("control")?)?,
    })
}
