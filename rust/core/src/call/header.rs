//! The header of a call: text between its opener and its body, which names the tool.
//!
//! Where a header ends is told by markers; what it says by a rule that is data, or by the caller
//! where the grammar leaves it to him. It may turn out that no call was opened but a message of
//! another kind.

use crate::call::heading::Heading;
use crate::call::name::undressed;
use crate::call::reader::{Context, Step};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, Spellings};
use crate::markers::matcher::{Found, Matcher};
use crate::markers::read::{check_spellings, optional_marker};
use crate::oracle::Oracle;
use crate::sink::Sink;
use crate::text::slice::{blanks, slice};

/// Text between a call's opener and its body, which names the tool.
#[derive(Debug, Clone)]
pub struct Header {
    /// What ends the header; a marker that takes no bytes belongs to what follows.
    pub ends: Spellings,
    /// Markers that are part of the header.
    pub through: Spellings,
    /// Whether a call that ends inside its header is complete, without arguments.
    pub bare: bool,
    /// What the header says.
    pub rule: Rule,
}

/// How a header is read.
#[derive(Debug, Clone)]
pub enum Rule {
    /// It names the tool by a template.
    Template(Template),
    /// It is that of a message, which may be a call.
    Message(MessageRule),
    /// The caller reads it.
    Asked,
}

/// The name of the tool between fixed text, such as `functions.{name}:{index}`.
#[derive(Debug, Clone, Default)]
pub struct Template {
    /// What stands before the name.
    pub before: String,
    /// Whether that must be there.
    pub prefix: Prefix,
    /// What ends the name, if anything does.
    pub after: String,
    /// Which names can be read.
    pub names: Names,
    /// What the caller's tools have to say.
    pub tools: Tools,
    /// Names that are no tool's, unless it is listed.
    pub reserved: Vec<String>,
    /// Text which shows that the header names no tool.
    pub without: Vec<String>,
    /// Whether the whole header is the call's id.
    pub is_id: bool,
}

/// What stands before the name in a header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prefix {
    /// The template's text.
    #[default]
    Required,
    /// That, or nothing.
    Optional,
    /// Anything up to the last character of the template's text, or nothing.
    Any,
}

/// The characters that names have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Names {
    /// All.
    #[default]
    Any,
    /// Letters, digits, `_`, `.`, `:` and `-`.
    Word,
}

/// What the caller's list of tools decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tools {
    /// Nothing.
    #[default]
    Ignored,
    /// A header that holds a listed tool's name, however it is dressed, means that tool.
    First,
    /// Where there is a list, only its names count.
    Only,
}

/// The header of a message: who speaks, in which channel, to whom.
#[derive(Debug, Clone)]
pub struct MessageRule {
    /// Only what it says is for the reader; a message without a speaker is its as well.
    pub speaker: String,
    /// The marker before the name of the channel.
    pub channel: String,
    /// What stands before the recipient.
    pub recipient: String,
    /// What stands before the tool's name in a recipient.
    pub namespace: String,
    /// The channel whose messages are thinking.
    pub thinking: String,
}

impl Header {
    pub(crate) fn read<O: Object>(header: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self {
            ends: optional_marker(header, "ends")?,
            through: optional_marker(header, "through")?,
            bare: header.flag("bare")?,
            rule: Rule::read(
                &header.object("read", "a NameTemplate, a MessageHeader or a function")?,
            )?,
        })
    }

    pub(crate) fn check(&self, place: &str) -> Result<(), GrammarError> {
        check_spellings(&self.ends, &format!("{place}.ends"))?;
        check_spellings(&self.through, &format!("{place}.through"))?;
        if self.ends.is_empty() {
            return Err(GrammarError::new(place, "a header needs an end: give a marker as `ends`"));
        }
        Ok(())
    }

    /// Whether it holds a name and no more.
    pub(crate) fn names_by_template(&self) -> bool {
        matches!(self.rule, Rule::Template(_))
    }

    /// Markers that count in the header beside what ends the call.
    pub(crate) fn markers(&self) -> [(&Spellings, Action); 2] {
        [(&self.ends, Action::EndHeader), (&self.through, Action::Part)]
    }

    /// What a header of a call of the form with this index says.
    pub(crate) fn heading(&self, form: usize, text: &str, oracle: &dyn Oracle) -> Heading {
        match &self.rule {
            Rule::Template(template) => template.heading(text, oracle),
            Rule::Message(message) => message.heading(text, oracle),
            Rule::Asked => oracle.heading(form, text),
        }
    }
}

impl Rule {
    fn read<O: Object>(rule: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(match rule.optional_text("kind")?.as_deref() {
            Some("template") => Self::Template(Template::read(rule)?),
            Some("message") => Self::Message(MessageRule::read(rule)?),
            _ => Self::Asked,
        })
    }
}

impl Template {
    fn read<O: Object>(rule: &Placed<O>) -> Result<Self, GrammarError> {
        let prefixes =
            [("required", Prefix::Required), ("optional", Prefix::Optional), ("any", Prefix::Any)];
        let tools = [("ignored", Tools::Ignored), ("first", Tools::First), ("only", Tools::Only)];
        Ok(Self {
            before: rule.text("before")?,
            prefix: rule.word("prefix", &prefixes)?,
            after: rule.text("after")?,
            names: rule.word("names", &[("any", Names::Any), ("word", Names::Word)])?,
            tools: rule.word("tools", &tools)?,
            reserved: rule.texts("reserved")?,
            without: rule.texts("without")?,
            is_id: rule.flag("is_id")?,
        })
    }

    fn heading(&self, header: &str, oracle: &dyn Oracle) -> Heading {
        let header = header.trim();
        if self.without.iter().any(|text| header.contains(text.as_str())) {
            return Heading::Unreadable;
        }
        let call = |name: &str| {
            let id = self.is_id.then(|| header.to_owned());
            Heading::Call { name: name.to_owned(), id }
        };
        let listed = match self.tools {
            Tools::Ignored => None,
            _ if !oracle.has_tools() => None,
            Tools::First => self.dressed(header).find(|name| oracle.is_tool(name)),
            Tools::Only => {
                let bare = header.strip_prefix(&self.before).unwrap_or(header);
                match [bare, header].into_iter().find(|name| oracle.is_tool(name)) {
                    Some(name) => Some(name),
                    None => return Heading::Unreadable,
                }
            }
        };
        match listed.or_else(|| self.name(header)) {
            Some(name) => call(name),
            None => Heading::Unreadable,
        }
    }

    /// The name in a header, by the template alone.
    fn name<'a>(&self, header: &'a str) -> Option<&'a str> {
        let header = match header.split_once(&self.after) {
            Some((name, _)) if !self.after.is_empty() => name,
            _ => header,
        };
        let name = match (self.prefix, header.strip_prefix(&self.before)) {
            (Prefix::Required, stripped) => stripped?,
            (Prefix::Optional, stripped) => stripped.unwrap_or(header),
            (Prefix::Any, _) => {
                let last = self.before.chars().next_back();
                last.and_then(|last| header.rsplit(last).next()).unwrap_or(header)
            }
        };
        // `name({…})` names the tool as well.
        let name = name.trim_start().trim_end_matches(['(', ' ']);
        let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
        let readable = !name.is_empty()
            && (self.names == Names::Any || name.chars().all(of_word))
            && !self.reserved.iter().any(|reserved| reserved == name);
        readable.then_some(name)
    }

    /// What a tool's name might be in a header that dresses it otherwise than the template: with
    /// another counter, with or without what stands before it, or with more.
    fn dressed<'a>(&'a self, header: &'a str) -> impl Iterator<Item = &'a str> {
        let uncounted = without_counter(header);
        let named = if self.after.is_empty() { header } else { first_part(header, &self.after) };
        [header, uncounted, named].into_iter().flat_map(move |name| {
            let bare = name.strip_prefix(&self.before).unwrap_or(name);
            // `functions_f` is `functions.f` where dots are not allowed.
            let word = self.before.strip_suffix('.').filter(|word| !word.is_empty());
            let joined = word.and_then(|word| bare.strip_prefix(word)?.strip_prefix('_'));
            let tails = name.match_indices('.').map(move |(at, _)| slice(name, at + 1, name.len()));
            [name, joined.unwrap_or(bare)].into_iter().chain(tails)
        })
    }
}

fn first_part<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or(text, |(first, _)| first)
}

/// The text without the number at its end and the separator before that.
fn without_counter(text: &str) -> &str {
    let bare = text.trim_end_matches(|c: char| c.is_numeric());
    let separator = bare.chars().next_back().filter(|_| bare.len() < text.len());
    match separator {
        Some(c) if c == '_' || !(c.is_alphanumeric() || matches!(c, '.' | '-')) => {
            slice(bare, 0, bare.len() - c.len_utf8())
        }
        _ => text,
    }
}

impl MessageRule {
    fn read<O: Object>(rule: &Placed<O>) -> Result<Self, GrammarError> {
        Ok(Self {
            speaker: rule.text("speaker")?,
            channel: rule.text("channel")?,
            recipient: rule.text("recipient")?,
            namespace: rule.text("namespace")?,
            thinking: rule.text("thinking")?,
        })
    }

    /// The recipient may stand anywhere and decides; then the channel.
    fn heading(&self, header: &str, oracle: &dyn Oracle) -> Heading {
        let mut parts = header.split(self.channel.as_str());
        let speaker = parts.next().and_then(|role| role.split_whitespace().next());
        let is_ours =
            |word: &str| word.starts_with(&self.speaker) || word.starts_with(&self.recipient);
        if speaker.is_some_and(|word| !is_ours(word)) {
            return Heading::Skip;
        }
        let name = |to| self.called(to, oracle);
        if let Some(name) = self.recipient(header).and_then(name) {
            return match name {
                name if name.is_empty() || name.contains('{') => Heading::Unreadable,
                name => Heading::Call { name: name.to_owned(), id: None },
            };
        }
        let channel = parts.last().and_then(|part| part.split_whitespace().next());
        match channel {
            Some(word) if word.starts_with(&self.thinking) => Heading::Thinking,
            _ => Heading::Text,
        }
    }

    /// The tool that a recipient names: in the namespace, or a listed one without it.
    fn called<'a>(&self, recipient: &'a str, oracle: &dyn Oracle) -> Option<&'a str> {
        recipient.strip_prefix(&self.namespace).or_else(|| undressed(recipient, oracle))
    }

    /// The first recipient: a word behind `recipient`, which stands at the beginning, behind a
    /// blank or before a token; it ends at a token, which begins with `<|`.
    fn recipient<'a>(&self, header: &'a str) -> Option<&'a str> {
        let words = header.split_whitespace();
        let recipients = words.filter_map(|word| {
            let name = word.strip_prefix(&self.recipient)?;
            let name = name.split("<|").next().unwrap_or(name);
            (!name.is_empty()).then_some(name)
        });
        recipients.into_iter().next()
    }
}

// --- reading ------------------------------------------------------------------------------------

/// The longest header that is read, in bytes; what is longer names no tool.
const HEADER_LIMIT: usize = 1024;

/// Where the reader of a header stands: where the header begins in the raw text; nowhere while only
/// blanks have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HeaderReader {
    start: Option<usize>,
}

/// What a step in a header found out.
pub(crate) enum HeaderStep {
    /// Nothing yet.
    On(Step),
    /// The header ended, and this is what it says. The body begins at this position of the input.
    Ended(usize, Heading),
    /// The call ended inside its header.
    Over(Step, Heading),
}

impl HeaderReader {
    /// Reads on from `at` in a header of the form with this index; `matcher` finds what counts.
    pub fn step<S: Sink>(
        &mut self,
        (header, form): (&Header, usize),
        matcher: &Matcher<Action>,
        cx: &mut Context<'_, S>,
        input: &str,
        at: usize,
    ) -> HeaderStep {
        if self.start.is_none() {
            let blanks = blanks(&input.as_bytes()[at..]);
            if blanks > 0 {
                return HeaderStep::On(Step::Go(at + blanks));
            }
        }
        let start = *self.start.get_or_insert(cx.call.raw.len());
        let marker = match matcher.find(input, at, cx.last, cx.resume) {
            Found::Nothing => return HeaderStep::On(Step::Go(input.len())),
            Found::Partial(start) => return HeaderStep::On(Step::Wait(start)),
            Found::Marker(marker) => marker,
        };
        if marker.action == Action::Part {
            return HeaderStep::On(Step::Go(marker.end));
        }
        let ends = marker.action == Action::EndHeader;
        let heading = if ends || header.bare {
            let kept = cx.call.raw.get(start..).unwrap_or_default();
            let before = slice(input, at, marker.start);
            if cx.call.muted || kept.len() + before.len() > HEADER_LIMIT {
                Heading::Unreadable
            } else {
                header.heading(form, &(kept.to_owned() + before), cx.oracle)
            }
        } else {
            Heading::Unreadable
        };
        match marker.action {
            Action::EndHeader => HeaderStep::Ended(marker.end, heading),
            Action::CloseCall => HeaderStep::Over(Step::Close(marker.start, marker.end), heading),
            _ => HeaderStep::Over(Step::Leave(marker.start, marker.action), heading),
        }
    }

    /// The header as far as it came, where the input ends inside it.
    pub fn unfinished<'a>(&self, raw: &'a str) -> &'a str {
        let header = self.start.and_then(|start| raw.get(start..)).unwrap_or_default();
        if header.len() > HEADER_LIMIT { "" } else { header }
    }
}
