//! A grammar made of every shape, inputs made of its markers, and a sink that keeps what it is told.
//!
//! Shared by the tests, the benchmarks and the fuzz targets, which take from it what they need.

#![allow(dead_code)] // no user needs all of it
#![allow(clippy::string_slice)] // only code that may panic uses this

use std::sync::{Arc, OnceLock};

use toolspeak::call::bodies::{
    Body, Code, Elements, Envelope, Json, Nested, OpenerSays, Pairs, Quoted, Values,
};
use toolspeak::call::header::{Header, Rule};
use toolspeak::call::name::NameIn;
use toolspeak::grammar::data::{
    CallInThinking, Content, Form, Name, Noise, Section, Thinking, ThinkingClose,
};
use toolspeak::markers::action::Spellings;
use toolspeak::markers::pattern::{Part, Pattern, Sequence};
use toolspeak::markers::tag::{Names, Quotes, TagPattern};
use toolspeak::{
    Call, Compiled, Grammar, Heading, Limits, Oracle, Reason, Recognise, Scanner, Settings, Sink,
    Start, Whitespace,
};

fn literal(text: &str) -> Spellings {
    vec![Pattern::Literal(text.into())]
}

fn tag(name: &str, closing: bool) -> Spellings {
    vec![Pattern::Tag(TagPattern {
        heads: vec![if closing { "</" } else { "<" }.into()],
        names: Names::Listed(vec![name.into()]),
        end: ">".into(),
        closing,
        any_namespace: true,
        ignore_case: true,
        quotes: Quotes::Any,
        quotes_protect: true,
    })]
}

/// A marker that only shows where something begins.
fn shown(text: &str) -> Pattern {
    let parts = vec![Part::Marker(literal(text))];
    Pattern::Sequence(Sequence { parts, consumed: 0, at_end: false, trim: false })
}

fn header(end: &str) -> Header {
    Header {
        ends: [literal(end), vec![shown("{")]].concat(),
        through: Spellings::new(),
        bare: true,
        rule: Rule::Asked,
    }
}

/// A tag whose name is the tool's.
fn named_tag(head: &str, closing: bool) -> Spellings {
    vec![Pattern::Tag(TagPattern {
        heads: vec![head.into()],
        names: Names::Identifier,
        end: ">".into(),
        closing,
        any_namespace: false,
        ignore_case: false,
        quotes: Quotes::Double,
        quotes_protect: true,
    })]
}

/// Calls as JSON in a tag, as tags with values, as a header with JSON, as pairs, with quoted
/// literals, in code, as messages, as elements, and as elements behind a token.
fn forms() -> Vec<Form> {
    let followed = Pattern::Sequence(Sequence {
        parts: vec![
            Part::Marker(literal("</v>")),
            Part::Blanks(4),
            Part::Marker([literal("<k>"), literal("</pairs>")].concat()),
        ],
        consumed: 1,
        at_end: true,
        trim: false,
    });
    vec![
        Form {
            open: literal("<json>"),
            close: literal("</json>"),
            name: Name::Body,
            body: Body::Envelope(Envelope {
                names: vec!["name".into()],
                arguments: vec!["args".into()],
            }),
        },
        Form {
            open: tag("call", false),
            close: tag("call", true),
            name: Name::Opener(NameIn::Attribute("name".into())),
            body: Body::Values(Values {
                open: tag("value", false),
                close: tag("value", true),
                says: OpenerSays {
                    key: NameIn::Attribute("key".into()),
                    hint: Some("type".into()),
                    hint_default: None,
                },
                healed_close: Spellings::new(),
                newline: true,
                strict: false,
                null: Vec::new(),
            }),
        },
        Form {
            open: literal("[call]"),
            close: literal("[end]"),
            name: Name::Header(header("[args]")),
            body: Body::Json(Json),
        },
        Form {
            open: literal("<pairs>"),
            close: literal("</pairs>"),
            name: Name::Header(header("\n")),
            body: Body::Pairs(Pairs {
                key_open: literal("<k>"),
                key_close: literal("</k>"),
                value_open: literal("<v>"),
                value_close: literal("</v>"),
                healed_close: vec![followed],
                strict: true,
                null: Vec::new(),
            }),
        },
        Form {
            open: literal("<quoted>"),
            close: literal("</quoted>"),
            name: Name::Header(header("\n")),
            body: Body::Quoted(Quoted { quote: "<q>".into() }),
        },
        Form {
            open: Spellings::new(),
            close: Spellings::new(),
            name: Name::Header(header("(")),
            body: Body::Code(Code),
        },
        Form {
            open: vec![shown("@")],
            close: Spellings::new(),
            name: Name::Header(Header { through: literal("@"), ..header("[args]") }),
            body: Body::Json(Json),
        },
        Form {
            open: named_tag("<c:", false),
            close: named_tag("</c:", true),
            name: Name::Opener(NameIn::Tag),
            body: Body::Elements(Elements { text: "input".into() }),
        },
        Form {
            open: literal("<nested>"),
            close: literal("‹<~</nested>"),
            name: Name::Header(header("\n")),
            body: Body::Nested(Nested {
                token: "‹<~".into(),
                item: "item".into(),
                text: "$text".into(),
            }),
        },
    ]
}

/// These calls, some of them also or only in sections, and one of everything else.
pub fn grammar() -> Grammar {
    Grammar {
        forms: forms(),
        bare: vec![0, 1, 2, 3, 4, 6, 7, 8],
        sections: vec![
            Section {
                open: literal("<calls>"),
                close: literal("</calls>"),
                forms: vec![1],
                content: Content::Text,
                noise: Vec::new(),
            },
            Section {
                open: literal("```code"),
                close: literal("```"),
                forms: vec![5],
                content: Content::Code,
                noise: Vec::new(),
            },
            Section {
                open: literal("<list>"),
                close: literal("</list>"),
                forms: vec![0, 3],
                content: Content::Noise,
                noise: Vec::new(),
            },
        ],
        thinking: vec![
            Thinking {
                open: literal("<think>"),
                close: ThinkingClose::Marker(literal("</think>")),
            },
            Thinking { open: literal("```think\n"), close: ThinkingClose::Fence },
        ],
        results: literal("<result>"),
        noise: vec![
            Noise { open: literal("</json>"), ..Noise::default() },
            Noise { open: literal("<eos>"), ..Noise::default() },
            Noise { open: literal("<drop>"), close: literal("</drop>") },
        ],
        ..Grammar::default()
    }
}

pub const PIECES: &[&str] = &[
    "<json>",
    "</json>",
    "{",
    "}",
    "\"name\"",
    ":",
    "\"f\"",
    ",",
    "\"args\"",
    "{\"a\": 1}",
    "\"",
    "\\",
    "<call name=\"f\">",
    "<call name=f/>",
    "</call>",
    "<value key='a'>",
    "<x:VALUE key=a type=\"t\">",
    "</value>",
    "\n",
    " ",
    "@",
    "[call]",
    "[args]",
    "[end]",
    "f",
    "<pairs>",
    "</pairs>",
    "<k>",
    "</k>",
    "<v>",
    "</v>",
    "<quoted>",
    "</quoted>",
    "<q>",
    "[",
    "]",
    "<calls>",
    "</calls>",
    "```code",
    "```",
    "f(a=",
    ")",
    "'",
    "# c",
    "<think>",
    "</think>",
    "```think\n",
    "<eos>",
    "<drop>",
    "</drop>",
    "é",
    "<",
    "a",
    "<list>",
    "</list>",
    "<result>",
    "<c:f>",
    "<c:f a=\"b\"/>",
    "</c:f>",
    "<a>",
    "</a>",
    "<nested>f\n‹<~<a>",
    "‹<~</nested>",
    "‹",
    "<~",
    "‹<~</a>",
    "‹<~<a>‹<~<item>",
    "‹<~</item>",
    "‹<~<b/>",
    "text",
    "thinking",
    "skip",
    ">",
];

/// Everything that a caller can choose beside the grammar.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // independent choices
pub struct Policies {
    pub no_thinking: bool,
    pub prompted: bool,
    pub trim: bool,
    pub fenced_text: bool,
    pub recover: bool,
    pub results: bool,
    pub small: bool,
    pub call_in_thinking: Option<CallInThinking>,
}

impl Policies {
    /// The grammar of all shapes under these policies, compiled once: that takes longer than most
    /// inputs do.
    pub fn compiled(self) -> Arc<Compiled> {
        static COMPILED: [OnceLock<Arc<Compiled>>; 16] = [const { OnceLock::new() }; 16];
        let inside = self.call_in_thinking.map_or(0, |policy| 1 + policy as usize);
        let key = inside << 2 | usize::from(self.no_thinking) << 1 | usize::from(self.results);
        let recognise = Recognise {
            thinking: !self.no_thinking,
            results: self.results,
            call_in_thinking: self.call_in_thinking,
        };
        let compile = || Arc::new(Compiled::new(&grammar(), recognise).expect("a sound grammar"));
        Arc::clone(COMPILED[key].get_or_init(compile))
    }

    pub fn settings(self) -> Settings {
        let max_call_bytes = if self.small { 24 } else { 1 << 20 };
        Settings {
            start: if self.prompted { Start::Thinking } else { Start::Text },
            whitespace: if self.trim { Whitespace::Trim } else { Whitespace::Keep },
            fenced_text: self.fenced_text,
            recover: self.recover,
            limits: Limits { max_call_bytes, max_calls: 6, max_depth: 4 },
        }
    }
}

/// What was told, with adjacent pieces of one kind joined.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    /// What has been fed.
    stream: String,
    /// Kind and content of each event.
    pub events: Vec<(&'static str, String)>,
    /// Text, thinking and the calls' raw texts, in order.
    pub kept: String,
    /// Whether a call has begun and not ended.
    open: bool,
    stopped: bool,
}

impl Told {
    fn add(&mut self, kind: &'static str, text: &str) {
        assert!(!self.stopped, "told after the stream was stopped");
        match self.events.last_mut() {
            Some((last, joined)) if *last == kind && kind.ends_with("delta") => {
                joined.push_str(text);
            }
            _ => self.events.push((kind, text.to_owned())),
        }
    }

    fn finish(
        &mut self,
        grammar: &Compiled,
        kind: &'static str,
        call: &Call,
        reason: Option<Reason>,
    ) {
        assert!(self.stream[call.start()..].starts_with(call.raw()), "{call:?}");
        let arguments = grammar.arguments(call, &Anyone, 4, reason.is_some());
        let text = format!("{:?} {:?} {:?} {arguments:?}", call.name(), call.raw(), reason);
        self.add(kind, &text);
        self.kept.push_str(call.raw());
        self.open = false;
    }
}

/// Knows how to read headers.
pub struct Anyone;

impl Oracle for Anyone {
    fn heading(&self, _form: usize, header: &str) -> Heading {
        match header.trim() {
            "" => Heading::Unreadable,
            "text" => Heading::Text,
            "thinking" => Heading::Thinking,
            "skip" => Heading::Skip,
            name => Heading::Call { name: name.to_owned(), id: None },
        }
    }
}

/// Keeps what it is told, and reads the arguments of calls.
pub struct Listener<'a> {
    pub told: Told,
    pub grammar: &'a Compiled,
}

impl Sink for Listener<'_> {
    fn text(&mut self, text: &str) {
        assert!(!text.is_empty() && !self.told.open);
        self.told.add("text delta", text);
        self.told.kept.push_str(text);
    }
    fn thinking_start(&mut self) {
        self.told.add("thinking start", "");
    }
    fn thinking_delta(&mut self, delta: &str) {
        self.told.add("thinking delta", delta);
        self.told.kept.push_str(delta);
    }
    fn thinking_end(&mut self, block: &str) {
        self.told.add("thinking end", block);
    }
    fn tool_start(&mut self, call: &Call) {
        assert!(!self.told.open, "a call in a call");
        self.told.open = true;
        self.told.add("start", call.name().unwrap_or_default());
    }
    fn argument_start(&mut self, key: Option<&str>) {
        assert!(self.told.open, "an argument of no call");
        self.told.add("argument", key.unwrap_or("-"));
    }
    fn argument_delta(&mut self, delta: &str) {
        assert!(self.told.open, "an argument of no call");
        self.told.add("argument delta", delta);
    }
    fn tool_end(&mut self, call: Call) {
        assert_eq!(self.told.open, call.name().is_some(), "only a call with a name has begun");
        self.told.finish(self.grammar, "end", &call, None);
    }
    fn tool_abort(&mut self, call: Call, reason: Reason) {
        self.told.finish(self.grammar, "abort", &call, Some(reason));
    }
    fn stopped(&mut self, marker: &str) {
        self.told.add("stopped", marker);
        self.told.stopped = true;
    }
}

/// What a new scanner tells of a stream that comes in these pieces.
pub fn told<'a>(
    compiled: &Arc<Compiled>,
    settings: &Settings,
    pieces: impl IntoIterator<Item = &'a str>,
) -> Told {
    let mut scanner = Scanner::new(Arc::clone(compiled), settings.clone());
    let mut listener = Listener { told: Told::default(), grammar: compiled };
    for piece in pieces {
        listener.told.stream.push_str(piece);
        scanner.feed(piece, &mut listener, &Anyone);
    }
    scanner.flush(&mut listener, &Anyone);
    listener.told
}

/// The text cut at these character boundaries, counted modulo their number.
pub fn cut_at<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let boundaries: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| boundaries[cut % boundaries.len()]).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

/// The text in pieces of so many characters.
pub fn pieces_of(text: &str, size: usize) -> Vec<&str> {
    let cuts: Vec<usize> = (size..text.chars().count()).step_by(size).collect();
    cut_at(text, &cuts)
}
