//! Markers in text that others wrote: every place where a grammar's markup shows, whatever state a
//! reader is in and whatever follows.
//!
//! A scanner asks which marker counts where it stands. A guard cannot know where its text will
//! stand, nor what comes behind it: a marker counts as soon as the matcher can no longer rule it
//! out. So a tag counts from its complete name on, closed or not; a sequence by its first part, without
//! what must follow that; and blanks around a literal do not matter.

use crate::fields::GrammarError;
use crate::grammar::check::check;
use crate::grammar::data::{Form, Grammar, ThinkingClose};
use crate::markers::action::CALL_TAG_LIMIT;
use crate::markers::matcher::Matcher;
use crate::markers::pattern::{Part, Pattern, Sequence};

/// What a marker is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It opens or closes a section.
    Section,
    /// It opens or closes a call.
    Call,
    /// It delimits the parts of a call's body.
    Value,
    /// It opens or closes thinking.
    Thinking,
    /// It opens a tool result.
    Results,
    /// It is dropped from text.
    Noise,
}

impl Kind {
    /// What the kind is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Call => "call",
            Self::Value => "value",
            Self::Thinking => "thinking",
            Self::Results => "results",
            Self::Noise => "noise",
        }
    }
}

/// The markers of grammars, wherever they stand.
#[derive(Debug)]
pub struct Guard {
    matcher: Matcher<Kind>,
}

impl Guard {
    /// A guard against the markers of all these grammars; what several of them have is of the first
    /// kind that it has.
    ///
    /// # Errors
    /// When a grammar is none that can be compiled.
    pub fn new(grammars: &[Grammar]) -> Result<Self, GrammarError> {
        let mut counting = Counting::default();
        for grammar in grammars {
            check(grammar)?;
            counting.grammar(grammar);
        }
        // The longest tag that counts anywhere.
        Ok(Self { matcher: Matcher::new(counting.patterns, CALL_TAG_LIMIT) })
    }

    /// Where markers begin in the text, in order: start, end and kind of the longest at each place.
    /// They may overlap.
    pub fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, Kind)> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.matcher.shown(text, from)?;
            from = found.0 + 1;
            Some(found)
        })
    }
}

/// The patterns that count, each once.
#[derive(Default)]
struct Counting {
    patterns: Vec<(Pattern, Kind)>,
}

impl Counting {
    fn grammar(&mut self, grammar: &Grammar) {
        for section in &grammar.sections {
            self.all(Kind::Section, &section.open);
            self.all(Kind::Section, &section.close);
        }
        for (index, form) in grammar.forms.iter().enumerate() {
            // What delimits a call in code is code, and the section's markers delimit that.
            if !form.body.is_code() {
                self.form(form, grammar.bare.contains(&index));
            }
        }
        for thinking in &grammar.thinking {
            self.all(Kind::Thinking, &thinking.open);
            // A fence is ordinary Markdown anywhere else.
            if let ThinkingClose::Marker(close) = &thinking.close {
                self.all(Kind::Thinking, close);
            }
        }
        self.all(Kind::Results, &grammar.results);
        for noise in &grammar.noise {
            self.all(Kind::Noise, &noise.open);
            self.all(Kind::Noise, &noise.close);
        }
    }

    /// What ends a header counts in a header alone, which is never others' text.
    fn form(&mut self, form: &Form, in_text: bool) {
        // An opener that takes no bytes may be as plain as `{`: it counts where no section is
        // needed.
        let open = form.open.iter().filter(|pattern| in_text || !pattern.is_empty());
        self.all(Kind::Call, open);
        self.all(Kind::Call, &form.close);
        self.all(Kind::Value, &form.body.delimiters());
    }

    fn all<'a>(&mut self, kind: Kind, patterns: impl IntoIterator<Item = &'a Pattern>) {
        for pattern in patterns {
            match pattern {
                Pattern::Literal(text) => self.add(kind, Pattern::Literal(text.trim().into())),
                Pattern::Tag(_) => self.add(kind, pattern.clone()),
                Pattern::Sequence(sequence) => self.sequence(kind, sequence),
            }
        }
    }

    /// The first part of the marker that is not blank: the others are plain text without it.
    fn sequence(&mut self, kind: Kind, sequence: &Sequence) {
        let own = sequence.parts.iter().take(sequence.consumed.max(1));
        let markers = own.filter_map(|part| match part {
            Part::Marker(patterns) => Some(patterns),
            _ => None,
        });
        let mut shown = markers.filter(|patterns| !patterns.iter().all(is_blank));
        if let Some(patterns) = shown.next() {
            self.all(kind, patterns);
        }
    }

    fn add(&mut self, kind: Kind, pattern: Pattern) {
        let blank = matches!(&pattern, Pattern::Literal(text) if text.is_empty());
        if !blank && !self.patterns.iter().any(|(known, _)| *known == pattern) {
            self.patterns.push((pattern, kind));
        }
    }
}

fn is_blank(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Literal(text) if text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::bodies::{Body, Json, OpenerSays, Quoted, Values};
    use crate::call::name::NameIn;
    use crate::grammar::data::{Name, Noise, Section, Thinking};
    use crate::markers::tag::{Names, Quotes, TagPattern};
    use crate::text::slice::slice;

    fn literal(text: &str) -> Pattern {
        Pattern::Literal(text.into())
    }

    fn tag(head: &str, names: Names) -> Pattern {
        Pattern::Tag(TagPattern {
            heads: vec![head.into()],
            names,
            end: ">".into(),
            closing: head.ends_with('/'),
            any_namespace: true,
            ignore_case: true,
            quotes: Quotes::Any,
            quotes_protect: true,
        })
    }

    fn listed(names: &[&str]) -> Names {
        Names::Listed(names.iter().map(|name| Box::from(*name)).collect())
    }

    fn sequence(parts: Vec<Part>, consumed: usize) -> Pattern {
        Pattern::Sequence(Sequence { parts, consumed, at_end: false, trim: false })
    }

    fn found(grammar: &Grammar, text: &str) -> Vec<(usize, usize, Kind)> {
        Guard::new(std::slice::from_ref(grammar)).unwrap().find(text).collect()
    }

    /// The texts of these markers, which are dropped as noise, in a text.
    fn shown<'a>(markers: &[Pattern], text: &'a str) -> Vec<&'a str> {
        let noise = vec![Noise { open: markers.to_vec(), ..Noise::default() }];
        let found = found(&Grammar { noise, ..Grammar::default() }, text);
        found.iter().map(|(start, end, _)| slice(text, *start, *end)).collect()
    }

    fn form(open: Vec<Pattern>, body: Body) -> Form {
        Form { open, close: vec![literal("</c>")], name: Name::Opener(NameIn::Tag), body }
    }

    #[test]
    fn literals_count_whole_and_without_the_blanks_around_them() {
        assert_eq!(shown(&[literal("\n<a> ")], "x<a>y <a"), ["<a>"]);
        assert_eq!(shown(&[literal(" \n")], "x \n y"), [""; 0]);
        assert_eq!(shown(&[literal("aba")], "ababa"), ["aba", "aba"]);
        assert_eq!(shown(&[literal("ab"), literal("abc"), literal("b")], "abc"), ["abc", "b"]);
    }

    #[test]
    fn tags_count_from_their_complete_name_on() {
        let tags = [tag("<", listed(&["in", "invoke"])), tag("</", listed(&["invoke"]))];
        assert_eq!(shown(&tags, "<invoke a='>'>"), ["<invoke a='>'>"]);
        assert_eq!(shown(&tags, "<x:INVOKE a='>"), ["<x:INVOKE"]);
        assert_eq!(shown(&tags, "<invoke"), ["<invoke"]);
        assert_eq!(shown(&tags, "</invoke\n"), ["</invoke"]);
        for none in ["<invo", "<x:", "<invokes", "<invoke-", "< invoke>", "</ invoke>"] {
            assert_eq!(shown(&tags, none), [""; 0], "{none}");
        }
    }

    #[test]
    fn what_can_be_no_tag_any_more_is_none() {
        let tags = [tag("<", listed(&["invoke"])), tag("</", listed(&["invoke"]))];
        assert_eq!(shown(&tags, "<invoke <b>"), [""; 0]);
        assert_eq!(shown(&tags, "<invoke a=\"<b>\""), ["<invoke"]);
        let long = format!("<invoke {}>", "x".repeat(CALL_TAG_LIMIT));
        assert_eq!(shown(&tags, &long), [""; 0]);
    }

    #[test]
    fn free_names_count() {
        let identifier = [tag("<call:", Names::Identifier)];
        assert_eq!(shown(&identifier, "<call:f-1"), ["<call:f-1"]);
        assert_eq!(shown(&identifier, "<call:f/> <call: <call:1"), ["<call:f/>"]);
        let line = [tag("<f=", Names::Line)];
        assert_eq!(shown(&line, "<f=a b>c <f=a b"), ["<f=a b>", "<f=a b"]);
        assert_eq!(shown(&line, "<f=a\n> <f=> <f=a<f="), [""; 0]);
    }

    #[test]
    fn sequences_count_by_their_first_part_that_is_not_blank() {
        let parts = || {
            vec![
                Part::Marker(vec![literal("A")]),
                Part::Blanks(3),
                Part::Marker(vec![literal("B")]),
            ]
        };
        assert_eq!(shown(&[sequence(parts(), 1)], "A B"), ["A"]);
        assert_eq!(shown(&[sequence(parts(), 3)], "xB yA"), ["A"]);
        let mut behind_a_line = parts();
        behind_a_line.insert(0, Part::Marker(vec![literal("\n")]));
        assert_eq!(shown(&[sequence(behind_a_line, 4)], "B \n A"), ["A"]);
    }

    #[test]
    fn an_opener_that_takes_nothing_counts_where_no_section_is_needed() {
        let open = vec![sequence(vec![Part::Marker(vec![literal("{")])], 0)];
        let mut grammar =
            Grammar { forms: vec![form(open, Body::Json(Json))], ..Grammar::default() };
        grammar.sections = vec![Section {
            open: vec![literal("<s>")],
            close: vec![literal("</s>")],
            forms: vec![0],
            content: crate::grammar::data::Content::Text,
            noise: Vec::new(),
        }];
        assert_eq!(found(&grammar, "{<s>"), [(1, 4, Kind::Section)]);
        grammar.bare = vec![0];
        assert_eq!(found(&grammar, "{<s>"), [(0, 1, Kind::Call), (1, 4, Kind::Section)]);
    }

    #[test]
    fn bodies_delimiters_thinking_and_results_count() {
        let values = Values {
            open: vec![literal("<v>")],
            close: vec![literal("</v>")],
            says: OpenerSays { key: NameIn::Tag, hint: None, hint_default: None },
            healed_close: Vec::new(),
            newline: false,
            strict: false,
            null: Vec::new(),
        };
        let grammar = Grammar {
            forms: vec![
                form(vec![literal("<c>")], Body::Values(values)),
                form(vec![literal("<d>")], Body::Quoted(Quoted { quote: "<q>".into() })),
            ],
            bare: vec![0, 1],
            thinking: vec![Thinking { open: vec![literal("```t")], close: ThinkingClose::Fence }],
            results: vec![literal("<r>")],
            ..Grammar::default()
        };
        let kinds: Vec<&str> = found(&grammar, "<c><v></v></c><d><q>```t ```<r>")
            .iter()
            .map(|(_, _, kind)| kind.name())
            .collect();
        let expected = ["call", "value", "value", "call", "call", "value", "thinking", "results"];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn of_equal_markers_the_first_tells_the_kind() {
        let grammar = Grammar {
            results: vec![literal("<x>")],
            noise: vec![Noise { open: vec![literal("<x>")], ..Noise::default() }],
            ..Grammar::default()
        };
        assert_eq!(found(&grammar, "é<x>"), [(2, 5, Kind::Results)]);
    }

    #[test]
    fn a_grammar_that_cannot_be_compiled_is_refused() {
        let results = vec![literal("")];
        let error = Guard::new(&[Grammar { results, ..Grammar::default() }]).unwrap_err();
        assert_eq!(error.place, "results");
    }
}
