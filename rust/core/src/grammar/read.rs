//! A grammar from the objects that its owner keeps it in.

use crate::call::bodies::{Body, Envelope};
use crate::call::header::Header;
use crate::call::name::NameIn;
use crate::call::shape::Shape;
use crate::fields::{GrammarError, Object, Placed};
use crate::grammar::data::{
    CallInThinking, Content, Form, Grammar, Name, Noise, Section, Thinking, ThinkingClose,
};
use crate::markers::read::{marker, markers, optional_marker};

type Result<T> = std::result::Result<T, GrammarError>;

impl CallInThinking {
    /// The policies, as records call them.
    pub const WORDS: [(&str, Self); 3] =
        [("quoted", Self::Quoted), ("ends_prompted", Self::EndsPrompted), ("ends", Self::Ends)];
}

impl Grammar {
    /// Reads a grammar.
    ///
    /// # Errors
    /// Where a field is missing, or holds what does not belong there.
    pub fn read<O: Object>(object: O) -> Result<Self> {
        let grammar = Placed::root(object);
        let mut forms = Forms { sources: Vec::new(), forms: Vec::new() };
        let bare = forms.indices(&grammar)?;
        let mut sections = Vec::new();
        for section in grammar.objects("sections", "Sections")? {
            sections.push(Section {
                open: marker(&section, "open")?,
                close: marker(&section, "close")?,
                forms: forms.indices(&section)?,
                content: section.word("content", &CONTENTS)?,
                noise: optional_marker(&section, "noise")?,
            });
        }
        let thinking = grammar.objects("thinking", "Thinking pairs")?;
        let noise = grammar.objects("noise", "Noise")?;
        let json = grammar.optional_object("json", "an Envelope")?;
        Ok(Self {
            forms: forms.forms,
            bare,
            sections,
            thinking: thinking.iter().map(read_thinking).collect::<Result<_>>()?,
            call_in_thinking: grammar.word("call_in_thinking", &CallInThinking::WORDS)?,
            results: markers(&grammar, "results")?,
            noise: noise.iter().map(read_noise).collect::<Result<_>>()?,
            json: json.as_ref().map(Envelope::read).transpose()?,
        })
    }
}

const CONTENTS: [(&str, Content); 3] =
    [("text", Content::Text), ("noise", Content::Noise), ("code", Content::Code)];

fn read_thinking<O: Object>(pair: &Placed<O>) -> Result<Thinking> {
    let close = match pair.optional_object("close", "a marker or None")? {
        None => ThinkingClose::Fence,
        Some(_) => ThinkingClose::Marker(marker(pair, "close")?),
    };
    Ok(Thinking { open: marker(pair, "open")?, close })
}

fn read_noise<O: Object>(noise: &Placed<O>) -> Result<Noise> {
    Ok(Noise { open: marker(noise, "open")?, close: optional_marker(noise, "close")? })
}

/// The forms of call of a grammar; one that is used in several places is one form.
struct Forms<O> {
    sources: Vec<O>,
    forms: Vec<Form>,
}

impl<O: Object> Forms<O> {
    /// The forms that `calls` of this object names.
    fn indices(&mut self, owner: &Placed<O>) -> Result<Vec<usize>> {
        owner.objects("calls", "CallForms")?.into_iter().map(|call| self.index(call)).collect()
    }

    fn index(&mut self, call: Placed<O>) -> Result<usize> {
        if let Some(index) = self.sources.iter().position(|source| source.is(&call.object)) {
            return Ok(index);
        }
        self.forms.push(Form {
            open: optional_marker(&call, "open")?,
            close: optional_marker(&call, "close")?,
            name: read_name(&call)?,
            body: Body::read(&call.object("body", "a body such as Json()")?)?,
        });
        self.sources.push(call.object);
        Ok(self.forms.len() - 1)
    }
}

fn read_name<O: Object>(call: &Placed<O>) -> Result<Name> {
    let Some(name) = call.optional_object("name", "a NameIn, a Header or None")? else {
        return Ok(Name::Body);
    };
    match name.optional_text("kind")?.as_deref() {
        Some("header") => Header::read(&name).map(Name::Header),
        _ => NameIn::read(&name).map(Name::Opener),
    }
}
