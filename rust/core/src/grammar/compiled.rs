//! A grammar ready for scanning: checked, with one [`Matcher`] for each state of a scanner.
//!
//! A scanner only ever asks «which of the markers that mean something here comes next?». What
//! means something depends on the state, and, inside a call, on where the call stands: what can
//! follow it ends it.

use crate::call::arguments::{Arguments, Encoding};
use crate::call::bodies::{Body, CompiledBody, Envelope};
use crate::call::heading::Heading;
use crate::call::outlook::Expects;
use crate::call::places::Places;
use crate::call::record::Call;
use crate::call::shape::Meaning;
use crate::fields::GrammarError;
use crate::grammar::check::check;
use crate::grammar::data::{
    CallInThinking, Content, Form, Grammar, Name, Noise, Section, Thinking, ThinkingClose,
};
use crate::markers::action::{Action, Entries, Outer, PerOuter, Spellings, TEXT_TAG_LIMIT, add};
use crate::markers::matcher::{Found, Matcher};
use crate::markers::pattern::Pattern;
use crate::oracle::Oracle;
use crate::text::slice::blanks;

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

/// A form of call with the matchers of its states.
#[derive(Debug)]
pub(crate) struct CompiledForm {
    pub name: Name,
    pub body: CompiledBody,
    /// Inside a call, outside keys and values.
    pub inside: PerOuter,
    /// Inside the header.
    pub header: PerOuter,
    /// What can end the call where its own structure did not.
    pub closers: PerOuter,
    /// Whether the call has a closer; otherwise its body's own structure ends it.
    pub closes: bool,
    /// What must stand behind the opener, lest it was text; nothing where the opener names the tool,
    /// or where a message may begin so.
    pub expects: Option<Expects>,
}

impl CompiledForm {
    fn new(grammar: &Grammar, form: &Form) -> Self {
        let outers = std::iter::once(None).chain((0..grammar.sections.len()).map(Some));
        let ends: Vec<Entries> = outers.map(|outer| ends(grammar, form, outer)).collect();
        let places = Places { ends: &ends, close: &form.close };
        let (body, inside) = form.body.compile(&places);
        let header = match &form.name {
            Name::Header(header) => places.with(&header.markers()),
            _ => places.with(&[]),
        };
        let closers = |outer| closers(grammar, form, outer);
        Self {
            name: form.name.clone(),
            body,
            inside,
            header,
            closers: PerOuter::new(grammar.sections.len(), TEXT_TAG_LIMIT, closers),
            closes: !form.close.is_empty(),
            expects: expects(form),
        }
    }

    /// What a header of this form, which has this index, says.
    pub fn heading(&self, form: usize, text: &str, oracle: &dyn Oracle) -> Heading {
        match &self.name {
            Name::Header(header) => header.heading(form, text, oracle),
            _ => Heading::Unreadable,
        }
    }

    /// Whether `text` is nothing but blanks and perhaps the beginning of what closes the call.
    pub fn is_closing(&self, outer: Outer, text: &str) -> bool {
        let blank = |end: usize| text.get(..end).is_some_and(|text| text.trim().is_empty());
        match self.closers.at(outer).find(text, 0, false, &mut None) {
            Found::Partial(at) => blank(at),
            _ => blank(text.len()),
        }
    }
}

/// A section as the scanner needs it.
#[derive(Debug)]
pub(crate) struct CompiledSection {
    pub content: Content,
    /// The first form of call; in code, the only one.
    pub form: usize,
    /// What must stand behind the opener, lest it was text; nothing where that may be anything.
    pub expects: Option<Expects>,
    /// The first form whose calls have headers.
    pub headed: Option<usize>,
    /// What opens a call, with its form.
    pub openers: Vec<(usize, Pattern)>,
    /// What counts where the section's opener was text: what counts in text, and its calls.
    doubted: Matcher<Action>,
    /// What closes the section.
    close: Matcher<Action>,
    /// What opens a call in it.
    calls: Matcher<Action>,
}

impl CompiledSection {
    /// Whether this is the beginning of what closes the section.
    pub fn is_closing(&self, text: &str) -> bool {
        matches!(self.close.find(text, 0, false, &mut None), Found::Partial(0))
    }

    /// Whether this is the beginning of what opens a call in it.
    pub fn begins_call(&self, text: &str) -> bool {
        matches!(self.calls.find(text, 0, false, &mut None), Found::Partial(0))
    }
}

/// How the scanner looks for the end of a thinking block.
#[derive(Debug)]
pub(crate) enum CompiledThinking {
    Marker(Matcher<Action>),
    Fence,
}

/// What is dropped, once its opener has come.
#[derive(Debug)]
pub(crate) struct CompiledNoise {
    /// Everything up to a marker.
    pub until: Option<Matcher<Action>>,
    /// Whether it is what closes a call or a section elsewhere.
    pub closes: bool,
}

/// A grammar ready for scanning; shared by all scanners of a dialect.
#[derive(Debug)]
pub struct Compiled {
    recognise: Recognise,
    outside: PerOuter,
    pub(crate) forms: Vec<CompiledForm>,
    sections: Vec<CompiledSection>,
    /// The forms that need no section, by index.
    bare: Vec<usize>,
    /// The form of JSON that stands in a section without a call's opener.
    json: Option<usize>,
    pub(crate) thinking: Vec<CompiledThinking>,
    /// For a block that the prompt opened: any closer ends it.
    pub(crate) prompted_thinking: Matcher<Action>,
    /// The thinking openers alone.
    pub(crate) thinking_open: Matcher<Action>,
    pub(crate) noise: Vec<CompiledNoise>,
    /// What closes any call or section, and what opens one.
    closers: Matcher<Action>,
    openers: Matcher<Action>,
}

impl Compiled {
    /// Compiles a grammar.
    ///
    /// # Errors
    /// When a marker is empty, a needed marker is missing, or an index points nowhere.
    pub fn new(grammar: &Grammar, recognise: Recognise) -> Result<Self, GrammarError> {
        check(grammar)?;
        let thinking_open = thinking_openers(grammar, recognise);
        let outside = |outer| outside(grammar, recognise, outer, &thinking_open);
        let forms = grammar.forms.iter().cloned().chain(grammar.json.iter().map(json_form));
        let policy = recognise.call_in_thinking.unwrap_or(grammar.call_in_thinking);
        Ok(Self {
            recognise,
            outside: PerOuter::new(grammar.sections.len(), TEXT_TAG_LIMIT, outside),
            forms: forms.map(|form| CompiledForm::new(grammar, &form)).collect(),
            sections: grammar
                .sections
                .iter()
                .map(|section| compile_section(grammar, section, outside(None)))
                .collect(),
            bare: grammar.bare.clone(),
            json: grammar.json.is_some().then_some(grammar.forms.len()),
            thinking: grammar
                .thinking
                .iter()
                .map(|pair| compile_thinking(grammar, policy, pair))
                .collect(),
            prompted_thinking: prompted_thinking(grammar, policy),
            thinking_open: Matcher::new(thinking_open, TEXT_TAG_LIMIT),
            noise: grammar.noise.iter().map(|noise| compile_noise(grammar, noise)).collect(),
            closers: Matcher::new(all_closers(grammar), TEXT_TAG_LIMIT),
            openers: Matcher::new(all_openers(grammar), TEXT_TAG_LIMIT),
        })
    }

    /// Whether in the body of a call another one seems to begin, behind a closer: if the body is
    /// broken, that shows that it has swallowed what came behind it.
    #[must_use]
    pub fn holds_another(&self, call: &Call) -> bool {
        let (body, mut at) = (call.body(), 0);
        while let Found::Marker(closer) = self.closers.find(body, at, true, &mut None) {
            let behind = body.get(closer.end..).unwrap_or_default();
            let next = closer.end + blanks(behind.as_bytes());
            if matches!(self.openers.find_at(body, next, true, &mut None), Found::Marker(_)) {
                return true;
            }
            at = closer.end.max(at + 1);
        }
        false
    }

    /// How the arguments of calls of this form are told while they arrive.
    #[must_use]
    pub fn encoding(&self, form: usize) -> Encoding {
        self.forms.get(form).map_or(Encoding::Json, |form| form.body.encoding())
    }

    /// The first form of call whose arguments are told so.
    #[must_use]
    pub fn form_of(&self, encoding: Encoding) -> Option<usize> {
        self.forms.iter().position(|form| form.body.encoding() == encoding)
    }

    /// What a header of a call of this form says.
    #[must_use]
    pub fn heading(&self, form: usize, text: &str, oracle: &dyn Oracle) -> Heading {
        let found = self.forms.get(form);
        found.map_or(Heading::Unreadable, |found| found.heading(form, text, oracle))
    }

    /// The arguments of a call that was read with this grammar, within brackets of this depth. With
    /// `cut`, the call ended too early, and only what had been completed counts.
    #[must_use]
    pub fn arguments<'a>(
        &'a self,
        call: &'a Call,
        oracle: &dyn Oracle,
        max_depth: usize,
        cut: bool,
    ) -> Arguments<'a> {
        match self.forms.get(call.form()) {
            Some(form) => form.body.arguments(call, &Meaning { oracle, max_depth, cut }),
            None => Arguments::Unreadable,
        }
    }

    pub(crate) fn has_thinking(&self) -> bool {
        self.recognise.thinking && !self.thinking.is_empty()
    }

    pub(crate) fn outside(&self, outer: Outer) -> &Matcher<Action> {
        self.outside.at(outer)
    }

    /// What counts outside calls; in text also the calls of a section whose opener was text.
    pub(crate) fn beside(&self, outer: Outer, doubted: Outer) -> &Matcher<Action> {
        match (outer, self.section(doubted)) {
            (None, Some(section)) => &section.doubted,
            _ => self.outside(outer),
        }
    }

    pub(crate) fn is_bare(&self, form: usize) -> bool {
        self.bare.contains(&form)
    }

    /// The form of JSON that stands in a section without a call's opener.
    pub(crate) fn json(&self) -> Option<usize> {
        self.json
    }

    pub(crate) fn section(&self, outer: Outer) -> Option<&CompiledSection> {
        outer.and_then(|section| self.sections.get(section))
    }
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

fn thinking_openers(grammar: &Grammar, recognise: Recognise) -> Entries {
    let mut entries = Entries::new();
    if recognise.thinking {
        for (index, pair) in grammar.thinking.iter().enumerate() {
            add(&mut entries, &pair.open, Action::OpenThinking(index));
        }
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
        add(&mut entries, &section.noise, Action::Part);
        for noise in grammar.noise.iter().filter(|_| section.content == Content::Text) {
            add(&mut entries, &noise.open, Action::Part);
        }
    } else {
        for (index, noise) in grammar.noise.iter().enumerate() {
            add(&mut entries, &noise.open, Action::OpenNoise(index));
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
        let open = grammar.forms[other].open.iter().filter(|pattern| !Pattern::is_empty(pattern));
        add(&mut entries, &open.cloned().collect(), Action::OpenCall(other));
    }
    if let Some(section) = section {
        add(&mut entries, &section.close, Action::CloseSection);
    }
    entries
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

/// What closes any call or section.
fn all_closers(grammar: &Grammar) -> Entries {
    let mut entries = Entries::new();
    grammar.forms.iter().for_each(|form| add(&mut entries, &form.close, Action::CloseCall));
    grammar.sections.iter().for_each(|it| add(&mut entries, &it.close, Action::CloseSection));
    entries
}

/// What opens any call or section, and takes bytes.
fn all_openers(grammar: &Grammar) -> Entries {
    let mut entries = Entries::new();
    for (index, section) in grammar.sections.iter().enumerate() {
        add(&mut entries, &section.open, Action::OpenSection(index));
    }
    for (index, form) in grammar.forms.iter().enumerate() {
        add(&mut entries, &form.open, Action::OpenCall(index));
    }
    entries.retain(|(pattern, _)| !pattern.is_empty());
    entries
}

/// JSON that names its tool itself, without an opener.
fn json_form(json: &Envelope) -> Form {
    let body = Body::Envelope(json.clone());
    Form { open: Spellings::new(), close: Spellings::new(), name: Name::Body, body }
}

/// What must stand behind the opener of such a call.
fn expects(form: &Form) -> Option<Expects> {
    let opens = form.open.iter().any(|pattern| !pattern.is_empty());
    match &form.name {
        Name::Body if opens => Some(Expects::Data),
        Name::Header(header) if header.names_by_template() => Some(Expects::Name),
        _ => None,
    }
}

fn compile_section(grammar: &Grammar, section: &Section, text: Entries) -> CompiledSection {
    let form = section.forms.first().copied().unwrap_or_default();
    let own = |index: &&usize| expects(&grammar.forms[**index]) == Some(Expects::Name);
    let headed = section.forms.iter().find(own).copied();
    let expects = if headed.is_some() { Expects::Name } else { Expects::Data };
    let openers = |index: &usize| {
        let open = grammar.forms[*index].open.iter();
        open.map(|pattern| (*index, pattern.clone())).collect::<Vec<_>>()
    };
    let openers: Vec<_> = section.forms.iter().flat_map(openers).collect();
    let mut doubted = text;
    for (index, pattern) in openers.iter().filter(|(index, _)| !grammar.bare.contains(index)) {
        doubted.push((pattern.clone(), Action::OpenCall(*index)));
    }
    let mut close = Entries::new();
    add(&mut close, &section.close, Action::CloseSection);
    let calls = openers.iter().map(|(index, open)| (open.clone(), Action::OpenCall(*index)));
    let calls = Matcher::new(calls.collect(), TEXT_TAG_LIMIT);
    CompiledSection {
        content: section.content,
        form,
        expects: (section.content == Content::Text).then_some(expects),
        headed,
        openers,
        doubted: Matcher::new(doubted, TEXT_TAG_LIMIT),
        close: Matcher::new(close, TEXT_TAG_LIMIT),
        calls,
    }
}

/// What ends any thinking: a call's opener, if the policy says so of this kind of thinking.
fn ends_thinking(grammar: &Grammar, ends: bool) -> Entries {
    if ends { openers(grammar, None) } else { Entries::new() }
}

fn compile_thinking(
    grammar: &Grammar,
    policy: CallInThinking,
    pair: &Thinking,
) -> CompiledThinking {
    match &pair.close {
        ThinkingClose::Fence => CompiledThinking::Fence,
        ThinkingClose::Marker(close) => {
            let mut entries = ends_thinking(grammar, policy == CallInThinking::Ends);
            add(&mut entries, close, Action::CloseThinking);
            CompiledThinking::Marker(Matcher::new(entries, TEXT_TAG_LIMIT))
        }
    }
}

fn prompted_thinking(grammar: &Grammar, policy: CallInThinking) -> Matcher<Action> {
    let mut entries = ends_thinking(grammar, policy != CallInThinking::Quoted);
    for pair in &grammar.thinking {
        if let ThinkingClose::Marker(close) = &pair.close {
            add(&mut entries, close, Action::CloseThinking);
        }
    }
    Matcher::new(entries, TEXT_TAG_LIMIT)
}

fn compile_noise(grammar: &Grammar, noise: &Noise) -> CompiledNoise {
    let calls = grammar.forms.iter().flat_map(|form| &form.close);
    let mut ends = calls.chain(grammar.sections.iter().flat_map(|section| &section.close));
    let closes = ends.any(|end| noise.open.contains(end));
    let mut close = Entries::new();
    add(&mut close, &noise.close, Action::CloseNoise);
    let until = (!close.is_empty()).then(|| Matcher::new(close, TEXT_TAG_LIMIT));
    CompiledNoise { until, closes }
}
