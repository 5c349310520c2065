//! The wire syntax of a dialect as data, and its compiled form.
//!
//! A [`Grammar`] names shapes and markers. Compiling it checks it and builds one [`Matcher`] for
//! each state that a scanner can be in, so that a scanner only ever asks «which of the markers
//! that mean something here comes next?».

use crate::matcher::{Matcher, Pattern};
use std::fmt;

/// All spellings of one marker.
pub type Spellings = Vec<Pattern>;

/// Where a name stands: a tool's in the call's opener, a parameter's in the value's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameIn {
    /// In this attribute of the tag.
    Attribute(String),
    /// It is the tag's own name.
    Tag,
}

/// How the arguments of a call are written.
#[derive(Debug, Clone)]
pub enum Body {
    /// A JSON object with the tool's name under one of `names` and the arguments under one of
    /// `arguments`, in any order.
    Envelope {
        /// Keys that hold the name.
        names: Vec<String>,
        /// Keys that hold the arguments.
        arguments: Vec<String>,
    },
    /// One tagged value for each argument.
    Values {
        /// Where the tool's name stands in the call's opener.
        name: NameIn,
        /// What opens a value.
        open: Spellings,
        /// What closes a value.
        close: Spellings,
        /// Where the parameter's name stands in the value's opener.
        key: NameIn,
        /// The attribute that says of what type the value is.
        hint: Option<String>,
        /// What is meant where that attribute is missing.
        hint_default: Option<String>,
    },
}

/// One way to write a call.
#[derive(Debug, Clone)]
pub struct Form {
    /// What opens a call.
    pub open: Spellings,
    /// What closes it.
    pub close: Spellings,
    /// What stands between.
    pub body: Body,
}

/// Markers around several calls.
#[derive(Debug, Clone)]
pub struct Section {
    /// What opens the section.
    pub open: Spellings,
    /// What closes it.
    pub close: Spellings,
    /// The forms of call inside, by index.
    pub forms: Vec<usize>,
}

/// A pair of markers around thinking.
#[derive(Debug, Clone)]
pub struct Thinking {
    /// What opens the block.
    pub open: Spellings,
    /// What closes it.
    pub close: ThinkingClose,
}

/// How a thinking block ends.
#[derive(Debug, Clone)]
pub enum ThinkingClose {
    /// At the first of these markers.
    Marker(Spellings),
    /// At a line that begins with three or more backticks and is bare or goes on as prose; one
    /// word after the backticks opens a nested fence.
    Fence,
}

/// The syntax of a dialect.
#[derive(Debug, Clone, Default)]
pub struct Grammar {
    /// All forms of call.
    pub forms: Vec<Form>,
    /// The forms that need no section, by index.
    pub bare: Vec<usize>,
    /// Sections around calls.
    pub sections: Vec<Section>,
    /// Thinking pairs; the first is the one that a prompt may have opened.
    pub thinking: Vec<Thinking>,
    /// Markers that only the server may write: they open a tool result.
    pub results: Spellings,
    /// Markers that are dropped wherever they stand in text.
    pub stray: Spellings,
    /// Markers that are dropped together with the whitespace behind them.
    pub control: Spellings,
}

/// A grammar that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrammarError {
    /// Where in the grammar, such as `sections[0].open`.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for GrammarError {}

/// What a marker means in the state whose matcher found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    OpenSection(usize),
    CloseSection,
    OpenCall(usize),
    CloseCall,
    OpenValue,
    CloseValue,
    OpenThinking(usize),
    CloseThinking,
    Result,
    Control,
    Stray,
}

/// What compiling needs to know of the scanners that will use the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognise {
    /// Whether thinking markers count.
    pub thinking: bool,
    /// Whether result markers count.
    pub results: bool,
}

/// Where a scanner is outside calls and thinking: in text, or in this section.
pub(crate) type Outer = Option<usize>;

fn outer_index(outer: Outer) -> usize {
    outer.map_or(0, |section| section + 1)
}

/// A form with the matchers of its states.
#[derive(Debug)]
pub(crate) struct CompiledForm {
    pub body: Body,
    /// Inside a call, outside values: one matcher for text and one for each section.
    inside: Vec<Matcher<Action>>,
    /// Inside a value.
    pub value: Matcher<Action>,
    /// Inside a value that will never be closed.
    pub unclosed_value: Matcher<Action>,
    /// The call's closers alone.
    pub closers: Matcher<Action>,
}

impl CompiledForm {
    pub fn inside(&self, outer: Outer) -> &Matcher<Action> {
        &self.inside[outer_index(outer)]
    }
}

/// A grammar ready for scanning; shared by all scanners of a dialect.
#[derive(Debug)]
pub struct Compiled {
    recognise: Recognise,
    outside: Vec<Matcher<Action>>,
    pub(crate) forms: Vec<CompiledForm>,
    pub(crate) thinking: Vec<CompiledThinking>,
    /// For a block that the prompt opened: any closer ends it.
    pub(crate) any_thinking_close: Matcher<Action>,
    /// The thinking openers alone.
    pub(crate) thinking_open: Matcher<Action>,
}

/// How the scanner looks for the end of a thinking block.
#[derive(Debug)]
pub(crate) enum CompiledThinking {
    Marker(Matcher<Action>),
    Fence,
}

/// The longest tag in text, in bytes: nothing longer is held back.
const TEXT_TAG_LIMIT: usize = 256;
/// The longest tag inside a call, where its bytes are kept anyway.
const CALL_TAG_LIMIT: usize = 64 * 1024;

type Entries = Vec<(Pattern, Action)>;

fn add(entries: &mut Entries, spellings: &Spellings, action: Action) {
    entries.extend(spellings.iter().map(|pattern| (pattern.clone(), action)));
}

impl Compiled {
    /// Compiles a grammar.
    ///
    /// # Errors
    /// When a marker is empty, a needed marker is missing, or an index points nowhere.
    pub fn new(grammar: &Grammar, recognise: Recognise) -> Result<Self, GrammarError> {
        check(grammar)?;
        let mut thinking_open = Entries::new();
        if recognise.thinking {
            for (index, pair) in grammar.thinking.iter().enumerate() {
                add(&mut thinking_open, &pair.open, Action::OpenThinking(index));
            }
        }
        let outers = || std::iter::once(None).chain((0..grammar.sections.len()).map(Some));
        let outside = outers()
            .map(|outer| {
                Matcher::new(outside(grammar, recognise, outer, &thinking_open), TEXT_TAG_LIMIT)
            })
            .collect();
        let forms =
            grammar.forms.iter().map(|form| compile_form(grammar, form, outers())).collect();
        let mut any_close = Entries::new();
        for pair in &grammar.thinking {
            if let ThinkingClose::Marker(close) = &pair.close {
                add(&mut any_close, close, Action::CloseThinking);
            }
        }
        Ok(Self {
            recognise,
            outside,
            forms,
            thinking: grammar.thinking.iter().map(compile_thinking).collect(),
            any_thinking_close: Matcher::new(any_close, TEXT_TAG_LIMIT),
            thinking_open: Matcher::new(thinking_open, TEXT_TAG_LIMIT),
        })
    }

    pub(crate) fn has_thinking(&self) -> bool {
        self.recognise.thinking && !self.thinking.is_empty()
    }

    pub(crate) fn outside(&self, outer: Outer) -> &Matcher<Action> {
        &self.outside[outer_index(outer)]
    }
}

/// The markers that count in text or in a section.
fn outside(
    grammar: &Grammar,
    recognise: Recognise,
    outer: Outer,
    thinking_open: &Entries,
) -> Entries {
    let mut entries = Entries::new();
    let section = outer.and_then(|index| grammar.sections.get(index));
    if let Some(section) = section {
        add(&mut entries, &section.close, Action::CloseSection);
    } else {
        for (index, section) in grammar.sections.iter().enumerate() {
            add(&mut entries, &section.open, Action::OpenSection(index));
        }
        add(&mut entries, &grammar.control, Action::Control);
        add(&mut entries, &grammar.stray, Action::Stray);
    }
    for &form in section.map_or(&grammar.bare, |section| &section.forms) {
        add(&mut entries, &grammar.forms[form].open, Action::OpenCall(form));
    }
    entries.extend_from_slice(thinking_open);
    if recognise.results {
        add(&mut entries, &grammar.results, Action::Result);
    }
    entries
}

fn compile_form(
    grammar: &Grammar,
    form: &Form,
    outers: impl Iterator<Item = Outer>,
) -> CompiledForm {
    let inside =
        outers.map(|outer| Matcher::new(inside(grammar, form, outer), CALL_TAG_LIMIT)).collect();
    let mut closers = Entries::new();
    add(&mut closers, &form.close, Action::CloseCall);
    let mut value = Entries::new();
    if let Body::Values { close, .. } = &form.body {
        add(&mut value, close, Action::CloseValue);
    }
    let mut unclosed_value = value.clone();
    unclosed_value.extend_from_slice(&closers);
    CompiledForm {
        body: form.body.clone(),
        inside,
        value: Matcher::new(value, TEXT_TAG_LIMIT),
        unclosed_value: Matcher::new(unclosed_value, TEXT_TAG_LIMIT),
        closers: Matcher::new(closers, TEXT_TAG_LIMIT),
    }
}

/// The markers that count inside a call, outside its values.
fn inside(grammar: &Grammar, form: &Form, outer: Outer) -> Entries {
    let mut entries = Entries::new();
    add(&mut entries, &form.close, Action::CloseCall);
    if let Body::Values { open, .. } = &form.body {
        add(&mut entries, open, Action::OpenValue);
    }
    let section = outer.and_then(|index| grammar.sections.get(index));
    for &other in section.map_or(&grammar.bare, |section| &section.forms) {
        add(&mut entries, &grammar.forms[other].open, Action::OpenCall(other));
    }
    if let Some(section) = section {
        add(&mut entries, &section.close, Action::CloseSection);
    }
    entries
}

fn compile_thinking(pair: &Thinking) -> CompiledThinking {
    match &pair.close {
        ThinkingClose::Fence => CompiledThinking::Fence,
        ThinkingClose::Marker(close) => {
            let mut entries = Entries::new();
            add(&mut entries, close, Action::CloseThinking);
            CompiledThinking::Marker(Matcher::new(entries, TEXT_TAG_LIMIT))
        }
    }
}

fn check(grammar: &Grammar) -> Result<(), GrammarError> {
    for (index, form) in grammar.forms.iter().enumerate() {
        check_marker(&form.open, || format!("forms[{index}].open"))?;
        check_marker(&form.close, || format!("forms[{index}].close"))?;
        match &form.body {
            Body::Values { open, close, .. } => {
                check_marker(open, || format!("forms[{index}].body.open"))?;
                check_marker(close, || format!("forms[{index}].body.close"))?;
            }
            Body::Envelope { names, arguments } => {
                check_keys(names, || format!("forms[{index}].body.names"))?;
                check_keys(arguments, || format!("forms[{index}].body.arguments"))?;
            }
        }
    }
    check_indices(&grammar.bare, grammar, || "bare".into())?;
    for (index, section) in grammar.sections.iter().enumerate() {
        check_marker(&section.open, || format!("sections[{index}].open"))?;
        check_marker(&section.close, || format!("sections[{index}].close"))?;
        check_indices(&section.forms, grammar, || format!("sections[{index}].calls"))?;
    }
    for (index, pair) in grammar.thinking.iter().enumerate() {
        check_marker(&pair.open, || format!("thinking[{index}].open"))?;
        if let ThinkingClose::Marker(close) = &pair.close {
            check_marker(close, || format!("thinking[{index}].close"))?;
        }
    }
    for (name, markers) in
        [("results", &grammar.results), ("stray", &grammar.stray), ("control", &grammar.control)]
    {
        check_spellings(markers, || name.into())?;
    }
    Ok(())
}

fn error(place: impl Fn() -> String, message: &str) -> GrammarError {
    GrammarError { place: place(), message: message.into() }
}

fn check_marker(spellings: &Spellings, place: impl Fn() -> String) -> Result<(), GrammarError> {
    if spellings.is_empty() {
        return Err(error(place, "the marker has no spelling; give at least one"));
    }
    check_spellings(spellings, place)
}

fn check_spellings(spellings: &Spellings, place: impl Fn() -> String) -> Result<(), GrammarError> {
    for pattern in spellings {
        let (empty, what) = match pattern {
            Pattern::Literal(text) => {
                (text.is_empty(), "a spelling is empty; a marker needs at least one character")
            }
            Pattern::Tag(tag) => (
                tag.heads.is_empty()
                    || tag.heads.iter().any(|head| head.is_empty())
                    || tag.end.is_empty(),
                "the tag's syntax needs an opener and an end, neither of them empty",
            ),
        };
        if empty {
            return Err(error(place, what));
        }
        if let Pattern::Tag(tag) = pattern {
            let nameless = match &tag.names {
                crate::tag::Names::Listed(names) => {
                    names.is_empty() || names.iter().any(|name| name.is_empty())
                }
                _ => false,
            };
            if nameless {
                return Err(error(place, "the tag needs at least one name, none of them empty"));
            }
        }
    }
    Ok(())
}

fn check_keys(keys: &[String], place: impl Fn() -> String) -> Result<(), GrammarError> {
    if keys.is_empty() {
        return Err(error(place, "give at least one JSON key"));
    }
    Ok(())
}

fn check_indices(
    forms: &[usize],
    grammar: &Grammar,
    place: impl Fn() -> String,
) -> Result<(), GrammarError> {
    if forms.iter().any(|form| *form >= grammar.forms.len()) {
        return Err(error(place, "a call form is named that the grammar does not have"));
    }
    Ok(())
}
