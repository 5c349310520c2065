//! The call that is being read: its raw text, and where in it the arguments stand.

/// One argument of a call whose arguments are separate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The parameter's name.
    pub key: String,
    /// The value's start and end in the call's raw text.
    pub value: (usize, usize),
    /// What the wire says of the value's type, as written; its meaning is the caller's.
    pub hint: Option<String>,
}

/// Where the arguments of a call stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload<'a> {
    /// One by one.
    Values(&'a [Argument]),
    /// In one text, which carries the arguments only.
    Arguments(&'a str),
    /// Somewhere in this text, the call's whole body.
    Body(&'a str),
    /// In attributes, and in the elements or the text of this body.
    Elements(&'a [Argument], &'a str),
}

/// How the arguments of a call were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Not yet: the whole body is all there is.
    #[default]
    Body,
    /// One text, at this range of the raw text.
    Text(usize, usize),
    /// One by one.
    Values,
    /// Attributes and a body.
    Elements,
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
    pub(crate) carrier: Carrier,
    pub(crate) body: (usize, usize),
    /// It was cut, but counts nevertheless.
    pub(crate) recovered: bool,
    /// Reported as over a limit: its rest is read but neither kept nor told.
    pub(crate) muted: bool,
}

impl Call {
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

    /// The arguments, as far as they were read.
    #[must_use]
    pub fn payload(&self) -> Payload<'_> {
        match self.carrier {
            Carrier::Elements => Payload::Elements(&self.arguments, self.text(self.body)),
            Carrier::Values => Payload::Values(&self.arguments),
            Carrier::Text(start, end) => Payload::Arguments(self.text((start, end))),
            Carrier::Body => Payload::Body(self.text(self.body)),
        }
    }

    /// Adds what was read to the raw text.
    pub(crate) fn keep(&mut self, text: &str) {
        if !self.muted {
            self.raw.push_str(text);
        }
    }
}
