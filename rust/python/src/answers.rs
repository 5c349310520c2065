//! What the decoder answered to the scans of one batch.
//!
//! Asking it takes the GIL, for which a thread may wait long, and the same is asked again and again:
//! the headers of one tool's calls are alike. The decoder answers alike as well.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use toolspeak::{Call, ElementBody, Heading};

use crate::decode::Decoder;

/// A decoder with its answers.
pub struct Answers<'a> {
    pub decoder: &'a Decoder,
    known: Mutex<HashMap<Question, Answer>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Question {
    Heading { form: usize, header: String },
    ElementBody { tool: Option<String>, given: Vec<String>, first: String },
    HoldsText { tool: Option<String>, key: String },
}

#[derive(Clone)]
enum Answer {
    Heading(Heading),
    ElementBody(ElementBody),
    HoldsText(bool),
}

/// So many answers are kept; text made to ask for more only takes longer.
const MOST: usize = 4096;

impl<'a> Answers<'a> {
    pub fn new(decoder: &'a Decoder) -> Self {
        Self { decoder, known: Mutex::default() }
    }

    /// What the header of a call of this form says.
    pub fn heading(&self, form: usize, header: &str) -> PyResult<Heading> {
        let question = Question::Heading { form, header: header.to_owned() };
        let ask = |py: Python<'_>| self.decoder.heading(py, form, header).map(Answer::Heading);
        match self.answer(question, ask)? {
            Answer::Heading(heading) => Ok(heading),
            _ => Ok(Heading::Unreadable),
        }
    }

    /// What the body of a call with elements holds.
    pub fn element_body(&self, call: &Call, first: &str) -> PyResult<ElementBody> {
        let question = Question::ElementBody {
            tool: call.name().map(str::to_owned),
            given: call.arguments().iter().map(|argument| argument.key.clone()).collect(),
            first: first.to_owned(),
        };
        let ask =
            |py: Python<'_>| self.decoder.element_body(py, call, first).map(Answer::ElementBody);
        match self.answer(question, ask)? {
            Answer::ElementBody(body) => Ok(body),
            _ => Ok(ElementBody::Elements),
        }
    }

    /// Whether the element of this parameter holds plain text.
    pub fn holds_text(&self, call: &Call, key: &str) -> PyResult<bool> {
        let question =
            Question::HoldsText { tool: call.name().map(str::to_owned), key: key.to_owned() };
        let ask = |py: Python<'_>| self.decoder.holds_text(py, call, key).map(Answer::HoldsText);
        Ok(matches!(self.answer(question, ask)?, Answer::HoldsText(true)))
    }

    fn answer(
        &self,
        question: Question,
        ask: impl FnOnce(Python<'_>) -> PyResult<Answer>,
    ) -> PyResult<Answer> {
        // No lock is held while the GIL is waited for.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known().get(&question) {
            return Ok(answer.clone());
        }
        let answer = Python::attach(ask)?;
        let mut known = known();
        if known.len() < MOST {
            known.insert(question, answer.clone());
        }
        Ok(answer)
    }
}
