//! Markers from the objects that their owner keeps them in, and what is checked of them.

use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::Spellings;
use crate::markers::pattern::{Part, Pattern, Sequence};
use crate::markers::tag::{Names, Quotes, TagPattern};

type Result<T> = std::result::Result<T, GrammarError>;

const A_MARKER: &str = "a marker such as Exact(\"<x>\")";

/// The spellings of the marker in this field.
pub(crate) fn marker<O: Object>(owner: &Placed<O>, name: &str) -> Result<Spellings> {
    spellings(&owner.object(name, A_MARKER)?)
}

/// The same, and none for no marker.
pub(crate) fn optional_marker<O: Object>(owner: &Placed<O>, name: &str) -> Result<Spellings> {
    match owner.optional_object(name, A_MARKER)? {
        Some(marker) => spellings(&marker),
        None => Ok(Spellings::new()),
    }
}

/// The spellings of all markers in this field.
pub(crate) fn markers<O: Object>(owner: &Placed<O>, name: &str) -> Result<Spellings> {
    let markers = owner.objects(name, A_MARKER)?;
    let spellings = markers.iter().map(spellings).collect::<Result<Vec<_>>>()?;
    Ok(spellings.concat())
}

fn spellings<O: Object>(marker: &Placed<O>) -> Result<Spellings> {
    let mut spellings = Spellings::new();
    for mut pattern in marker.objects("patterns", A_MARKER)? {
        pattern.place.clone_from(&marker.place);
        let pattern = read_pattern(&pattern)?;
        spellings.extend(with_line_ends(&pattern));
        spellings.push(pattern);
    }
    Ok(spellings)
}

/// The same with other ends of lines, if it has any.
fn with_line_ends(pattern: &Pattern) -> Option<Pattern> {
    match pattern {
        Pattern::Literal(text) if text.contains('\n') => {
            Some(Pattern::Literal(text.replace('\n', "\r\n").into()))
        }
        _ => None,
    }
}

fn read_pattern<O: Object>(pattern: &Placed<O>) -> Result<Pattern> {
    match pattern.text("kind")?.as_str() {
        "literal" => Ok(Pattern::Literal(pattern.text("text")?.into())),
        "tag" => Ok(Pattern::Tag(read_tag(pattern)?)),
        _ => Ok(Pattern::Sequence(read_sequence(pattern)?)),
    }
}

fn boxed(texts: Vec<String>) -> Vec<Box<str>> {
    texts.into_iter().map(String::into_boxed_str).collect()
}

fn read_tag<O: Object>(tag: &Placed<O>) -> Result<TagPattern> {
    let names = match tag.optional_text("free")?.as_deref() {
        None => Names::Listed(boxed(tag.texts("names")?)),
        Some("identifier") => Names::Identifier,
        Some("line") => Names::Line,
        Some(other) => {
            let message = format!("{other:?} is not known; use \"identifier\" or \"line\"");
            return Err(GrammarError::new(&tag.at("free"), message));
        }
    };
    Ok(TagPattern {
        heads: boxed(tag.texts("heads")?),
        names,
        end: tag.text("end")?.into(),
        closing: tag.flag("closing")?,
        any_namespace: tag.flag("any_namespace")?,
        ignore_case: tag.flag("ignore_case")?,
        quotes: tag.word("quotes", &[("any", Quotes::Any), ("double", Quotes::Double)])?,
        quotes_protect: tag.flag("quotes_protect")?,
    })
}

fn read_sequence<O: Object>(sequence: &Placed<O>) -> Result<Sequence> {
    let parts = sequence.objects("parts", A_MARKER)?;
    Ok(Sequence {
        parts: parts.iter().map(read_part).collect::<Result<_>>()?,
        consumed: sequence.number("consumed")?,
        at_end: sequence.flag("at_end")?,
        trim: sequence.flag("trim")?,
    })
}

fn read_part<O: Object>(part: &Placed<O>) -> Result<Part> {
    match part.optional_text("kind")?.as_deref() {
        Some("blanks") => Ok(Part::Blanks(part.number("blanks")?)),
        Some("word") => Ok(Part::Word(part.number("characters")?)),
        _ => Ok(Part::Marker(spellings(part)?)),
    }
}

// --- checks -------------------------------------------------------------------------------------

/// A marker that there must be.
pub(crate) fn check_marker(spellings: &Spellings, place: &str) -> Result<()> {
    if spellings.is_empty() {
        return Err(GrammarError::new(place, "the marker has no spelling; give at least one"));
    }
    check_spellings(spellings, place)
}

/// A marker that is dropped takes its bytes with it: one without any would be met for ever.
pub(crate) fn check_taking(spellings: &Spellings, place: &str) -> Result<()> {
    if spellings.iter().any(Pattern::is_empty) {
        let message = "the marker takes no bytes; let it consume its first part";
        return Err(GrammarError::new(place, message));
    }
    check_spellings(spellings, place)
}

/// A marker that there must be, and that takes bytes.
pub(crate) fn check_taking_marker(spellings: &Spellings, place: &str) -> Result<()> {
    check_taking(spellings, place)?;
    check_marker(spellings, place)
}

pub(crate) fn check_spellings(spellings: &Spellings, place: &str) -> Result<()> {
    spellings.iter().try_for_each(|pattern| check_pattern(pattern, place))
}

fn check_pattern(pattern: &Pattern, place: &str) -> Result<()> {
    let error = |message: &str| Err(GrammarError::new(place, message));
    match pattern {
        Pattern::Literal(text) if text.is_empty() => {
            error("a spelling is empty; a marker needs at least one character")
        }
        Pattern::Literal(_) => Ok(()),
        Pattern::Tag(tag) => check_tag(tag, place),
        Pattern::Sequence(sequence) => {
            if !matches!(sequence.parts.first(), Some(Part::Marker(_))) {
                return error("what begins a sequence is a marker");
            }
            let markers = sequence.parts.iter().filter_map(|part| match part {
                Part::Marker(patterns) => Some(patterns),
                _ => None,
            });
            markers.into_iter().try_for_each(|patterns| check_marker(patterns, place))
        }
    }
}

fn check_tag(tag: &TagPattern, place: &str) -> Result<()> {
    let error = |message: &str| Err(GrammarError::new(place, message));
    if tag.heads.is_empty() || tag.heads.iter().any(|head| head.is_empty()) || tag.end.is_empty() {
        return error("a tag's syntax needs an opener and an end, neither of them empty");
    }
    match &tag.names {
        Names::Listed(names) if names.is_empty() || names.iter().any(|name| name.is_empty()) => {
            error("a tag needs at least one name, none of them empty")
        }
        _ => Ok(()),
    }
}
