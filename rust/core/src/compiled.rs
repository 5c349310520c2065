//! A grammar ready for scanning: checked, with one [`Matcher`] for each state of a scanner.
//!
//! A scanner only ever asks «which of the markers that mean something here comes next?». What
//! means something depends on the state, and, inside a call, on where the call stands: what can
//! follow it ends it.

use std::fmt;

use crate::grammar::{
    Body, CallInThinking, Content, Form, Grammar, Header, Name, Section, Spellings, Thinking,
    ThinkingClose,
};
use crate::matcher::{Found, Matcher, Part, Pattern};
use crate::tag::{Names, Quotes, TagPattern};

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
    EndHeader,
    StopHeader,
    OpenKey,
    CloseKey,
    OpenValue,
    CloseValue,
    OpenThinking(usize),
    CloseThinking,
    OpenDropped(usize),
    CloseDropped,
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
    /// What a call's opener inside thinking means; `None`: as the grammar says.
    pub call_in_thinking: Option<CallInThinking>,
}

/// Where a scanner is outside calls and thinking: in text, or in this section.
pub(crate) type Outer = Option<usize>;

fn outer_index(outer: Outer) -> usize {
    outer.map_or(0, |section| section + 1)
}

/// One matcher for text and one for each section.
type PerOuter = Vec<Matcher<Action>>;

/// A form with the matchers of its states.
#[derive(Debug)]
pub(crate) struct CompiledForm {
    pub name: Name,
    pub body: Body,
    /// Inside a call, outside keys and values.
    inside: PerOuter,
    /// Inside the first header and the second.
    headers: Vec<PerOuter>,
    /// Inside a key.
    keys: PerOuter,
    /// Between a key and its value.
    gaps: PerOuter,
    /// Inside a value.
    pub value: Matcher<Action>,
    /// Inside a value that will never be closed.
    pub unclosed_value: Matcher<Action>,
    /// What can end the call where its own structure did not.
    closers: PerOuter,
    /// Whether the call has a closer; otherwise its body's own structure ends it.
    pub closes: bool,
    /// What stands before the name in the call's closing tag.
    pub closer_head: String,
}

impl CompiledForm {
    pub fn inside(&self, outer: Outer) -> &Matcher<Action> {
        &self.inside[outer_index(outer)]
    }

    pub fn header(&self, level: usize, outer: Outer) -> &Matcher<Action> {
        let header = self.headers.get(level).unwrap_or(&self.inside);
        &header[outer_index(outer)]
    }

    pub fn key(&self, outer: Outer) -> &Matcher<Action> {
        &self.keys[outer_index(outer)]
    }

    pub fn gap(&self, outer: Outer) -> &Matcher<Action> {
        &self.gaps[outer_index(outer)]
    }

    /// Whether `text` is nothing but blanks and the beginning of what closes the call.
    pub fn begins_closer(&self, outer: Outer, text: &str) -> bool {
        match self.closers(outer).find(text, 0, false, &mut None) {
            Found::Partial(at) => text.get(..at).is_some_and(|before| before.trim().is_empty()),
            _ => false,
        }
    }

    pub fn closers(&self, outer: Outer) -> &Matcher<Action> {
        &self.closers[outer_index(outer)]
    }
}

/// A section as the scanner needs it.
#[derive(Debug)]
pub(crate) struct CompiledSection {
    pub content: Content,
    /// The form of a call in code.
    pub code_form: usize,
}

/// How the scanner looks for the end of a thinking block.
#[derive(Debug)]
pub(crate) enum CompiledThinking {
    Marker(Matcher<Action>),
    Fence,
}

/// A grammar ready for scanning; shared by all scanners of a dialect.
#[derive(Debug)]
pub struct Compiled {
    recognise: Recognise,
    outside: PerOuter,
    pub(crate) forms: Vec<CompiledForm>,
    pub(crate) sections: Vec<CompiledSection>,
    pub(crate) thinking: Vec<CompiledThinking>,
    /// For a block that the prompt opened: any closer ends it.
    pub(crate) prompted_thinking: Matcher<Action>,
    /// The thinking openers alone.
    pub(crate) thinking_open: Matcher<Action>,
    pub(crate) dropped: Vec<Matcher<Action>>,
    /// The tags of elements inside a call: openers and closers.
    pub(crate) elements: Matcher<Action>,
}

/// The longest tag in text, in bytes: nothing longer is held back.
const TEXT_TAG_LIMIT: usize = 256;
/// The longest tag inside a call, outside values: parameters may have long names.
const CALL_TAG_LIMIT: usize = 1024;

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
        let policy = recognise.call_in_thinking.unwrap_or(grammar.call_in_thinking);
        let call_open = openers(grammar, None);
        let ends_thinking = |ends: bool| if ends { call_open.clone() } else { Entries::new() };
        let mut prompted = ends_thinking(policy != CallInThinking::Quoted);
        for pair in &grammar.thinking {
            if let ThinkingClose::Marker(close) = &pair.close {
                add(&mut prompted, close, Action::CloseThinking);
            }
        }
        let thinking = |pair: &Thinking| match &pair.close {
            ThinkingClose::Fence => CompiledThinking::Fence,
            ThinkingClose::Marker(close) => {
                let mut entries = ends_thinking(policy == CallInThinking::Ends);
                add(&mut entries, close, Action::CloseThinking);
                CompiledThinking::Marker(Matcher::new(entries, TEXT_TAG_LIMIT))
            }
        };
        Ok(Self {
            recognise,
            outside: per_outer(grammar, TEXT_TAG_LIMIT, |outer| {
                outside(grammar, recognise, outer, &thinking_open)
            }),
            forms: grammar.forms.iter().map(|form| compile_form(grammar, form)).collect(),
            sections: grammar.sections.iter().map(compile_section).collect(),
            thinking: grammar.thinking.iter().map(thinking).collect(),
            prompted_thinking: Matcher::new(prompted, TEXT_TAG_LIMIT),
            thinking_open: Matcher::new(thinking_open, TEXT_TAG_LIMIT),
            dropped: grammar.dropped.iter().map(|(_, close)| dropped(close)).collect(),
            elements: Matcher::new(element_tags(), TEXT_TAG_LIMIT),
        })
    }

    /// Whether the arguments of calls of this form are JSON.
    #[must_use]
    pub fn is_json(&self, form: usize) -> bool {
        let body = self.forms.get(form).map(|form| &form.body);
        matches!(body, Some(Body::Envelope { .. } | Body::Json))
    }

    pub(crate) fn has_thinking(&self) -> bool {
        self.recognise.thinking && !self.thinking.is_empty()
    }

    pub(crate) fn outside(&self, outer: Outer) -> &Matcher<Action> {
        &self.outside[outer_index(outer)]
    }

    pub(crate) fn section(&self, outer: Outer) -> Option<&CompiledSection> {
        outer.and_then(|section| self.sections.get(section))
    }
}

fn per_outer(grammar: &Grammar, tag_limit: usize, entries: impl Fn(Outer) -> Entries) -> PerOuter {
    let outers = std::iter::once(None).chain((0..grammar.sections.len()).map(Some));
    outers.map(|outer| Matcher::new(entries(outer), tag_limit)).collect()
}

fn section_of(grammar: &Grammar, outer: Outer) -> Option<&Section> {
    outer.and_then(|index| grammar.sections.get(index))
}

/// What opens a call or a section here.
fn openers(grammar: &Grammar, outer: Outer) -> Entries {
    let mut entries = Entries::new();
    let section = section_of(grammar, outer);
    if section.is_none() {
        for (index, section) in grammar.sections.iter().enumerate() {
            add(&mut entries, &section.open, Action::OpenSection(index));
        }
    }
    for &form in section.map_or(&grammar.bare, |section| &section.forms) {
        add(&mut entries, &grammar.forms[form].open, Action::OpenCall(form));
    }
    entries
}

/// The markers that count in text or in a section.
fn outside(
    grammar: &Grammar,
    recognise: Recognise,
    outer: Outer,
    thinking_open: &Entries,
) -> Entries {
    let mut entries = openers(grammar, outer);
    if let Some(section) = section_of(grammar, outer) {
        add(&mut entries, &section.close, Action::CloseSection);
    } else {
        add(&mut entries, &grammar.control, Action::Control);
        add(&mut entries, &grammar.stray, Action::Stray);
        for (index, (open, _)) in grammar.dropped.iter().enumerate() {
            add(&mut entries, open, Action::OpenDropped(index));
        }
    }
    entries.extend_from_slice(thinking_open);
    if recognise.results {
        // Before others that are spelled alike: what the server writes is no noise then.
        let mut results = Entries::new();
        add(&mut results, &grammar.results, Action::Result);
        entries.splice(0..0, results);
    }
    entries
}

/// What ends a call of this form here: its closer, or what can follow it.
fn ends(grammar: &Grammar, form: &Form, outer: Outer) -> Entries {
    let mut entries = Entries::new();
    add(&mut entries, &form.close, Action::CloseCall);
    let section = section_of(grammar, outer);
    for &other in section.map_or(&grammar.bare, |section| &section.forms) {
        let open = grammar.forms[other].open.iter().filter(|pattern| !pattern.is_empty());
        add(&mut entries, &open.cloned().collect(), Action::OpenCall(other));
    }
    if let Some(section) = section {
        add(&mut entries, &section.close, Action::CloseSection);
    }
    entries
}

fn headers(name: &Name) -> Vec<&Header> {
    match name {
        Name::Header(header) => {
            std::iter::once(header).chain(header.then.iter().map(|(_, then)| &**then)).collect()
        }
        _ => Vec::new(),
    }
}

fn compile_form(grammar: &Grammar, form: &Form) -> CompiledForm {
    let with = |markers: &[(&Spellings, Action)]| {
        per_outer(grammar, CALL_TAG_LIMIT, |outer| {
            let mut entries = ends(grammar, form, outer);
            for (spellings, action) in markers {
                add(&mut entries, spellings, *action);
            }
            entries
        })
    };
    let none = Spellings::new();
    let (inside, keys, gaps, close_value) = match &form.body {
        Body::Values { open, close, .. } => {
            (with(&[(open, Action::OpenValue)]), with(&[]), with(&[]), close)
        }
        Body::Pairs { key_open, key_close, value_open, value_close } => (
            with(&[(key_open, Action::OpenKey)]),
            with(&[(key_close, Action::CloseKey)]),
            with(&[
                (key_open, Action::OpenKey),
                (value_open, Action::OpenValue),
                (value_close, Action::CloseValue),
            ]),
            value_close,
        ),
        _ => (with(&[]), with(&[]), with(&[]), &none),
    };
    let mut value = Entries::new();
    add(&mut value, close_value, Action::CloseValue);
    let mut unclosed_value = value.clone();
    add(&mut unclosed_value, &form.close, Action::CloseCall);
    let header = |header: &Header| {
        with(&[
            (&header.ends, Action::EndHeader),
            (&header.stops, Action::StopHeader),
            (&header.through, Action::Stray),
        ])
    };
    CompiledForm {
        name: form.name.clone(),
        body: form.body.clone(),
        inside,
        headers: headers(&form.name).into_iter().map(header).collect(),
        keys,
        gaps,
        value: Matcher::new(value, TEXT_TAG_LIMIT),
        unclosed_value: Matcher::new(unclosed_value, TEXT_TAG_LIMIT),
        closers: per_outer(grammar, TEXT_TAG_LIMIT, |outer| closers(grammar, form, outer)),
        closes: !form.close.is_empty(),
        closer_head: closer_head(&form.close),
    }
}

fn closer_head(close: &Spellings) -> String {
    let heads = close.iter().find_map(|pattern| match pattern {
        Pattern::Tag(tag) => tag.heads.first(),
        _ => None,
    });
    heads.map_or_else(String::new, ToString::to_string)
}

/// The call's closers; those of the section where the call has none.
fn closers(grammar: &Grammar, form: &Form, outer: Outer) -> Entries {
    let mut entries = Entries::new();
    add(&mut entries, &form.close, Action::CloseCall);
    if let (true, Some(section)) = (form.close.is_empty(), section_of(grammar, outer)) {
        add(&mut entries, &section.close, Action::CloseSection);
    }
    entries
}

fn compile_section(section: &Section) -> CompiledSection {
    let code_form = section.forms.first().copied().unwrap_or_default();
    CompiledSection { content: section.content, code_form }
}

fn dropped(close: &Spellings) -> Matcher<Action> {
    let mut entries = Entries::new();
    add(&mut entries, close, Action::CloseDropped);
    Matcher::new(entries, TEXT_TAG_LIMIT)
}

/// Any tag with an identifier for a name; whose it is, is told by the name.
fn element_tags() -> Entries {
    let tag = |head: &str, closing| {
        Pattern::Tag(TagPattern {
            heads: vec![head.into()],
            names: Names::Identifier,
            end: ">".into(),
            closing,
            any_namespace: false,
            ignore_case: false,
            quotes: Quotes::Any,
            quotes_protect: true,
        })
    };
    vec![(tag("<", false), Action::OpenValue), (tag("</", true), Action::CloseValue)]
}

fn check(grammar: &Grammar) -> Result<(), GrammarError> {
    for (index, form) in grammar.forms.iter().enumerate() {
        check_form(form, &format!("calls[{index}]"))?;
    }
    check_indices(&grammar.bare, grammar, "calls")?;
    if let Some(at) =
        grammar.bare.iter().position(|form| matches!(grammar.forms[*form].body, Body::Code))
    {
        let place = format!("calls[{at}].body");
        return Err(error(&place, "calls in code need a section whose content is code"));
    }
    for (index, section) in grammar.sections.iter().enumerate() {
        let place = format!("sections[{index}]");
        check_taken_marker(&section.open, &format!("{place}.open"))?;
        check_taken_marker(&section.close, &format!("{place}.close"))?;
        check_indices(&section.forms, grammar, &format!("{place}.calls"))?;
        if section.forms.is_empty() {
            return Err(error(&format!("{place}.calls"), "a section needs a form of call"));
        }
        let code = |form: &usize| matches!(grammar.forms[*form].body, Body::Code);
        if section.content == Content::Code {
            check_code(section, grammar, &format!("{place}.calls"))?;
        } else if section.forms.iter().any(code) {
            let message = "calls in code need a section whose content is code";
            return Err(error(&format!("{place}.calls"), message));
        }
    }
    for (index, pair) in grammar.thinking.iter().enumerate() {
        check_taken_marker(&pair.open, &format!("thinking[{index}].open"))?;
        if let ThinkingClose::Marker(close) = &pair.close {
            check_taken_marker(close, &format!("thinking[{index}].close"))?;
        }
    }
    for (index, (open, close)) in grammar.dropped.iter().enumerate() {
        check_taken_marker(open, &format!("dropped[{index}].open"))?;
        check_taken_marker(close, &format!("dropped[{index}].close"))?;
    }
    check_spellings(&grammar.results, "results")?;
    check_taking(&grammar.stray, "stray")?;
    check_taking(&grammar.control, "control")
}

/// A marker that is dropped takes its bytes with it: one without any would be met for ever.
fn check_taking(spellings: &Spellings, place: &str) -> Result<(), GrammarError> {
    if spellings.iter().any(Pattern::is_empty) {
        return Err(error(place, "the marker takes no bytes; let it consume its first part"));
    }
    check_spellings(spellings, place)
}

fn check_code(section: &Section, grammar: &Grammar, place: &str) -> Result<(), GrammarError> {
    match section.forms[..] {
        [form] if matches!(grammar.forms[form].body, Body::Code) => Ok(()),
        [_] => Err(error(place, "the form of call in code has the body of code")),
        _ => Err(error(place, "code needs exactly one form of call")),
    }
}

fn check_name(form: &Form, place: &str) -> Result<(), GrammarError> {
    match (&form.name, &form.body) {
        (Name::Header(header), _) => check_header(header, place),
        (Name::Body, Body::Envelope { .. }) | (Name::Opener(_), _) => Ok(()),
        (Name::Body, _) => {
            Err(error(place, "say where the tool's name stands: in the opener or in a header"))
        }
    }
}

fn check_header(header: &Header, place: &str) -> Result<(), GrammarError> {
    check_spellings(&header.ends, &format!("{place}.ends"))?;
    check_spellings(&header.stops, &format!("{place}.stops"))?;
    check_spellings(&header.through, &format!("{place}.through"))?;
    let endless = header.ends.is_empty() && header.stops.is_empty() && header.body_start.is_none();
    if endless {
        return Err(error(place, "a header needs an end: a marker, or how the body begins"));
    }
    header.then.as_ref().map_or(Ok(()), |(_, then)| check_header(then, &format!("{place}.then")))
}

fn check_form(form: &Form, place: &str) -> Result<(), GrammarError> {
    if matches!(form.body, Body::Code) {
        return check_name(form, &format!("{place}.name"));
    }
    check_marker(&form.open, &format!("{place}.open"))?;
    check_spellings(&form.close, &format!("{place}.close"))?;
    match &form.body {
        Body::Envelope { names, arguments } => {
            check_keys(names, &format!("{place}.body.names"))?;
            check_keys(arguments, &format!("{place}.body.arguments"))
        }
        Body::Values { open, close, .. } => {
            check_marker(open, &format!("{place}.body.open"))?;
            check_marker(close, &format!("{place}.body.close"))
        }
        Body::Pairs { key_open, key_close, value_open, value_close } => {
            check_marker(key_open, &format!("{place}.body.key_open"))?;
            check_marker(key_close, &format!("{place}.body.key_close"))?;
            check_marker(value_open, &format!("{place}.body.value_open"))?;
            check_marker(value_close, &format!("{place}.body.value_close"))
        }
        Body::Quoted { quote } if quote.is_empty() => {
            Err(error(&format!("{place}.body.quote"), "the quote is empty"))
        }
        _ => Ok(()),
    }?;
    check_name(form, &format!("{place}.name"))
}

fn error(place: &str, message: &str) -> GrammarError {
    GrammarError { place: place.into(), message: message.into() }
}

fn check_marker(spellings: &Spellings, place: &str) -> Result<(), GrammarError> {
    if spellings.is_empty() {
        return Err(error(place, "the marker has no spelling; give at least one"));
    }
    check_spellings(spellings, place)
}

fn check_taken_marker(spellings: &Spellings, place: &str) -> Result<(), GrammarError> {
    check_taking(spellings, place)?;
    check_marker(spellings, place)
}

fn check_spellings(spellings: &Spellings, place: &str) -> Result<(), GrammarError> {
    spellings.iter().try_for_each(|pattern| check_pattern(pattern, place))
}

fn check_pattern(pattern: &Pattern, place: &str) -> Result<(), GrammarError> {
    match pattern {
        Pattern::Literal(text) if text.is_empty() => {
            Err(error(place, "a spelling is empty; a marker needs at least one character"))
        }
        Pattern::Literal(_) => Ok(()),
        Pattern::Tag(tag) => check_tag(tag, place),
        Pattern::Sequence(sequence) => {
            if !matches!(sequence.parts.first(), Some(Part::Marker(_))) {
                return Err(error(place, "what begins a sequence is a marker"));
            }
            for part in &sequence.parts {
                if let Part::Marker(patterns) = part {
                    check_marker(patterns, place)?;
                }
            }
            Ok(())
        }
    }
}

fn check_tag(tag: &TagPattern, place: &str) -> Result<(), GrammarError> {
    if tag.heads.is_empty() || tag.heads.iter().any(|head| head.is_empty()) || tag.end.is_empty() {
        return Err(error(
            place,
            "a tag's syntax needs an opener and an end, neither of them empty",
        ));
    }
    match &tag.names {
        Names::Listed(names) if names.is_empty() || names.iter().any(|name| name.is_empty()) => {
            Err(error(place, "a tag needs at least one name, none of them empty"))
        }
        _ => Ok(()),
    }
}

fn check_keys(keys: &[String], place: &str) -> Result<(), GrammarError> {
    if keys.is_empty() { Err(error(place, "give at least one JSON key")) } else { Ok(()) }
}

fn check_indices(forms: &[usize], grammar: &Grammar, place: &str) -> Result<(), GrammarError> {
    if forms.iter().any(|form| *form >= grammar.forms.len()) {
        return Err(error(place, "a form of call is named that the grammar does not have"));
    }
    Ok(())
}
