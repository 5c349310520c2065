//! What a shape of body is: one trait for the shape as data, one for reading it.

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::Call;
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, Entries, Spellings};
use crate::markers::matcher::{Found, Marker, Matcher};
use crate::markers::tag::TagPattern;
use crate::oracle::Oracle;
use crate::sink::Sink;
use crate::text::slice::slice;

/// A shape of body, as a part of a grammar.
pub(crate) trait Shape: Sized + Clone + std::fmt::Debug {
    /// What records call it.
    const NAME: &'static str;
    /// How its arguments are told while they arrive.
    const ENCODING: Encoding;
    /// Whether the tool's name can stand in the body.
    const NAMES_TOOL: bool = false;
    /// Whether the body stands in code, between parentheses, and needs no markers.
    const IS_CODE: bool = false;
    /// Whether a body can be read although a closer cut it inside a string.
    const READS_CUT_STRINGS: bool = false;
    /// Its own matchers, for places inside it.
    type Markers: std::fmt::Debug;
    /// Where reading such a body stands.
    type Reader: Reader<Self>;

    /// The shape from its record.
    fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError>;

    /// What is wrong with it.
    fn check(&self, _place: &str) -> Result<(), GrammarError> {
        Ok(())
    }

    /// What opens a part of the body.
    fn openers(&self) -> Entries {
        Entries::new()
    }

    /// What delimits the parts of the body, and is markup wherever it stands.
    fn delimiters(&self) -> Spellings {
        Spellings::new()
    }

    /// Its matchers, for a form of call with these places.
    fn markers(&self, places: &Places<'_>) -> Self::Markers;

    /// The arguments of a call that has been read; with `cut`, those that are complete of one that
    /// ended too early.
    fn arguments<'a>(&'a self, call: &'a Call, meaning: &Meaning<'_>) -> Arguments<'a>;
}

/// What gives the text of a body its meaning.
pub(crate) struct Meaning<'a> {
    pub oracle: &'a dyn Oracle,
    pub max_depth: usize,
    /// Whether the body ends anywhere, and only complete arguments count.
    pub cut: bool,
}

/// Reads a body of one shape, piece by piece.
pub(crate) trait Reader<B: Shape> {
    /// At the beginning of the body of this call.
    fn new(body: (&B, &B::Markers), call: &Call) -> Self;

    /// Takes what the tag that opened the call says of its arguments.
    fn opener<S: Sink>(
        &mut self,
        _cx: &mut Context<'_, S>,
        _input: &str,
        _marker: &Marker<Action>,
        _pattern: Option<&TagPattern>,
    ) {
    }

    /// Reads on from `at`.
    fn step<S: Sink>(
        &mut self,
        body: (&B, &B::Markers),
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> Step;

    /// What the end of the input means here.
    fn at_end(&self) -> AtEnd;

    /// Where the body ended by its own structure, in the raw text.
    fn end(&self) -> Option<usize> {
        None
    }

    /// What the reader stands in.
    fn inside(&self) -> Inside {
        Inside::Nothing
    }

    /// Whether the call, cut here, lacks nothing but closers; `tail` is what stands in the raw text
    /// behind the last argument, and `rest_closes` tells whether what is left begins the closer.
    fn lacks_closers(
        &self,
        _markers: &B::Markers,
        _tail: &str,
        _rest_closes: &dyn Fn(&str) -> bool,
    ) -> bool {
        false
    }
}

/// Whether `tail` begins with the closer of a value, and goes on with nothing but a call's closer.
pub(crate) fn behind_value(
    closer: &Matcher<Action>,
    tail: &str,
    rest_closes: &dyn Fn(&str) -> bool,
) -> bool {
    match closer.find_at(tail, 0, true, &mut None) {
        Found::Marker(closer) => rest_closes(slice(tail, closer.end, tail.len())),
        _ => false,
    }
}

/// A shape with its matchers.
#[derive(Debug)]
pub(crate) struct Compiled<B: Shape> {
    pub shape: B,
    pub markers: B::Markers,
}
