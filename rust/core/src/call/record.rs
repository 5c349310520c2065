//! The record of one call: its raw text, and where in it the arguments stand.

/// One argument of a call whose arguments are separate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The parameter's name.
    pub key: String,
    /// The value's start and end in the call's raw text.
    pub value: (usize, usize),
    /// What the wire says of the value, beside its text.
    pub hint: Option<Hint>,
}

/// What the wire says of an argument's value, beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// There is none: the argument stands there by its name alone.
    Bare,
    /// It is text.
    Text,
    /// It is something that text spells, such as JSON.
    Data,
}

/// How far a call is written in the form that it is read in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// Exactly.
    #[default]
    Exact,
    /// Not quite, but it is plain what is meant.
    Healed,
    /// A part of it has no place in the form, so that it cannot be read whole.
    Lost,
}

/// One call.
#[derive(Debug, Clone, Default)]
pub struct Call {
    pub(crate) form: usize,
    pub(crate) name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) start: usize,
    pub(crate) raw: String,
    pub(crate) arguments: Vec<Argument>,
    /// Where the body stands in the raw text, as far as it has been read.
    pub(crate) body: (usize, usize),
    /// Where in the body a text stands that carries the arguments only, if that is a part of it.
    pub(crate) carrier: Option<(usize, usize)>,
    /// It was cut, but counts nevertheless.
    pub(crate) recovered: bool,
    /// How far it is written in the form that it is read in.
    pub(crate) fit: Fit,
    /// Reported as over a limit: its rest is read but neither kept nor told.
    pub(crate) muted: bool,
}

impl Call {
    /// A call of this form that is nothing but a name and a body.
    #[must_use]
    pub fn with_body(form: usize, name: &str, body: &str) -> Self {
        let (name, raw, body) = (Some(name.to_owned()), body.to_owned(), (0, body.len()));
        Self { form, name, raw, body, ..Self::default() }
    }

    /// The index of the call's form in the grammar.
    #[must_use]
    pub fn form(&self) -> usize {
        self.form
    }

    /// The tool's name, once it is known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The call's id on the wire, where the grammar has one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Where the call begins in its stream, in bytes.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }

    /// The exact text of the call so far.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The exact text of the call.
    #[must_use]
    pub fn into_raw(self) -> String {
        self.raw
    }

    /// Whether the input ended before the call did, and the call counts nevertheless.
    #[must_use]
    pub fn recovered(&self) -> bool {
        self.recovered
    }

    /// Whether it was not written in the form that it is read in.
    #[must_use]
    pub fn healed(&self) -> bool {
        self.fit == Fit::Healed
    }

    /// The arguments that stand one by one, as far as they were read.
    #[must_use]
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// The text of a value of this call.
    #[must_use]
    pub fn text(&self, (start, end): (usize, usize)) -> &str {
        self.raw.get(start..end).unwrap_or_default()
    }

    /// The text of the call's body, as far as it was read.
    #[must_use]
    pub fn body(&self) -> &str {
        self.text(self.body)
    }

    /// It fits no better than this.
    pub(crate) fn fits(&mut self, fit: Fit) {
        self.fit = self.fit.max(fit);
    }

    /// Adds what was read to the raw text.
    pub(crate) fn keep(&mut self, text: &str) {
        if !self.muted {
            self.raw.push_str(text);
        }
    }
}
