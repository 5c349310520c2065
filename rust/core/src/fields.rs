//! A grammar as its owner keeps it, in objects with named fields, and reading such objects.
//!
//! The owner's language is not known here: it implements `Object`, and each part of a grammar says
//! what fields it has. Every error names its place, such as `sections[0].open`.

use std::fmt;

/// A grammar that cannot be read or compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrammarError {
    /// Where in the grammar, such as `sections[0].open`.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl GrammarError {
    pub(crate) fn new(place: &str, message: impl Into<String>) -> Self {
        Self { place: place.to_owned(), message: message.into() }
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for GrammarError {}

/// What a field holds.
#[derive(Debug, Clone)]
pub enum Field<O> {
    /// The object has no such field.
    Missing,
    /// Nothing.
    Nothing,
    /// A truth value.
    Flag(bool),
    /// A whole number.
    Number(usize),
    /// Text.
    Text(String),
    /// Several of these.
    Many(Vec<Field<O>>),
    /// An object.
    Object(O),
}

impl<O> Field<O> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "no such field",
            Self::Nothing => "nothing",
            Self::Flag(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Many(_) => "a sequence",
            Self::Object(_) => "another object",
        }
    }
}

/// An object of the owner's.
pub trait Object: Sized {
    /// The field of this name.
    fn field(&self, name: &str) -> Field<Self>;

    /// Whether both are one and the same object.
    fn is(&self, other: &Self) -> bool;
}

/// An object with its place in the grammar.
#[derive(Debug, Clone)]
pub(crate) struct Placed<O> {
    pub object: O,
    pub place: String,
}

type Result<T> = std::result::Result<T, GrammarError>;

impl<O: Object> Placed<O> {
    /// The grammar itself.
    pub fn root(object: O) -> Self {
        Self { object, place: String::new() }
    }

    /// The place of a field.
    pub fn at(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    fn wrong<T>(&self, name: &str, expected: &str, found: &Field<O>) -> Result<T> {
        let message = format!("expected {expected}, found {}", found.kind());
        Err(GrammarError::new(&self.at(name), message))
    }

    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.object.field(name) {
            Field::Flag(flag) => Ok(flag),
            other => self.wrong(name, "True or False", &other),
        }
    }

    pub fn number(&self, name: &str) -> Result<usize> {
        match self.object.field(name) {
            Field::Number(number) => Ok(number),
            other => self.wrong(name, "a whole number from 0", &other),
        }
    }

    pub fn text(&self, name: &str) -> Result<String> {
        match self.object.field(name) {
            Field::Text(text) => Ok(text),
            other => self.wrong(name, "text", &other),
        }
    }

    pub fn optional_text(&self, name: &str) -> Result<Option<String>> {
        match self.object.field(name) {
            Field::Text(text) => Ok(Some(text)),
            Field::Nothing | Field::Missing => Ok(None),
            other => self.wrong(name, "text or None", &other),
        }
    }

    /// One of several words, with what each means.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T> {
        let text = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            let message = format!("{text:?} is not known; use {}", known.join(" or "));
            GrammarError::new(&self.at(name), message)
        })
    }

    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        let Field::Many(fields) = self.object.field(name) else {
            return self.wrong(name, "a sequence of texts", &self.object.field(name));
        };
        let text = |field| match field {
            Field::Text(text) => Ok(text),
            other => self.wrong(name, "a sequence of texts", &other),
        };
        fields.into_iter().map(text).collect()
    }

    /// The object of this field; `expected` says what it should be.
    pub fn object(&self, name: &str, expected: &str) -> Result<Self> {
        match self.object.field(name) {
            Field::Object(object) => Ok(Self { object, place: self.at(name) }),
            other => self.wrong(name, expected, &other),
        }
    }

    pub fn optional_object(&self, name: &str, expected: &str) -> Result<Option<Self>> {
        match self.object.field(name) {
            Field::Nothing => Ok(None),
            _ => self.object(name, expected).map(Some),
        }
    }

    pub fn objects(&self, name: &str, expected: &str) -> Result<Vec<Self>> {
        let Field::Many(fields) = self.object.field(name) else {
            let expected = format!("a sequence of {expected}");
            return self.wrong(name, &expected, &self.object.field(name));
        };
        let placed = |(index, field)| {
            let name = format!("{name}[{index}]");
            match field {
                Field::Object(object) => Ok(Self { object, place: self.at(&name) }),
                other => self.wrong(&name, expected, &other),
            }
        };
        fields.into_iter().enumerate().map(placed).collect()
    }
}
