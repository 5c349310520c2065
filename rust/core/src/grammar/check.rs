//! What is wrong with a grammar: markers that are empty or missing, indices that point nowhere, parts
//! that do not fit together.

use crate::fields::GrammarError;
use crate::grammar::data::{Content, Form, Grammar, Name, Section, ThinkingClose};
use crate::markers::read::{check_marker, check_spellings, check_taking, check_taking_marker};

/// The first thing that is wrong with a grammar.
pub(crate) fn check(grammar: &Grammar) -> Result<(), GrammarError> {
    for (index, form) in grammar.forms.iter().enumerate() {
        check_form(form, &format!("calls[{index}]"))?;
    }
    check_indices(&grammar.bare, grammar, "calls")?;
    if let Some(at) = grammar.bare.iter().position(|form| grammar.forms[*form].body.is_code()) {
        let place = format!("calls[{at}].body");
        return Err(error(&place, "calls in code need a section whose content is code"));
    }
    for (index, section) in grammar.sections.iter().enumerate() {
        let place = format!("sections[{index}]");
        check_taking_marker(&section.open, &format!("{place}.open"))?;
        check_taking_marker(&section.close, &format!("{place}.close"))?;
        check_indices(&section.forms, grammar, &format!("{place}.calls"))?;
        if section.forms.is_empty() {
            return Err(error(&format!("{place}.calls"), "a section needs a form of call"));
        }
        let code = |form: &usize| grammar.forms[*form].body.is_code();
        if section.content == Content::Code {
            check_code(section, grammar, &format!("{place}.calls"))?;
        } else if section.forms.iter().any(code) {
            let message = "calls in code need a section whose content is code";
            return Err(error(&format!("{place}.calls"), message));
        }
    }
    for (index, pair) in grammar.thinking.iter().enumerate() {
        check_taking_marker(&pair.open, &format!("thinking[{index}].open"))?;
        if let ThinkingClose::Marker(close) = &pair.close {
            check_taking_marker(close, &format!("thinking[{index}].close"))?;
        }
    }
    for (index, noise) in grammar.noise.iter().enumerate() {
        check_taking_marker(&noise.open, &format!("noise[{index}].open"))?;
        check_taking(&noise.close, &format!("noise[{index}].close"))?;
    }
    check_spellings(&grammar.results, "results")
}

fn check_code(section: &Section, grammar: &Grammar, place: &str) -> Result<(), GrammarError> {
    match section.forms[..] {
        [form] if grammar.forms[form].body.is_code() => Ok(()),
        [_] => Err(error(place, "the form of call in code has the body of code")),
        _ => Err(error(place, "code needs exactly one form of call")),
    }
}

fn check_name(form: &Form, place: &str) -> Result<(), GrammarError> {
    match (&form.name, &form.body) {
        (Name::Header(header), _) => header.check(place),
        (Name::Opener(_), _) => Ok(()),
        (Name::Body, body) if body.names_tool() => Ok(()),
        (Name::Body, _) => {
            Err(error(place, "say where the tool's name stands: in the opener or in a header"))
        }
    }
}

fn check_form(form: &Form, place: &str) -> Result<(), GrammarError> {
    if !form.body.is_code() {
        check_marker(&form.open, &format!("{place}.open"))?;
        check_spellings(&form.close, &format!("{place}.close"))?;
    }
    form.body.check(&format!("{place}.body"))?;
    check_name(form, &format!("{place}.name"))
}

fn error(place: &str, message: &str) -> GrammarError {
    GrammarError::new(place, message)
}

fn check_indices(forms: &[usize], grammar: &Grammar, place: &str) -> Result<(), GrammarError> {
    if forms.iter().any(|form| *form >= grammar.forms.len()) {
        return Err(error(place, "a form of call is named that the grammar does not have"));
    }
    Ok(())
}
