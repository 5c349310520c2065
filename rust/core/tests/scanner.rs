//! The scanner over a grammar made of every shape: what it tells must not depend on the cuts.

#![allow(clippy::string_slice)] // a test may panic

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use toolspeak::grammar::{
    Body, Content, Form, Grammar, Header, Name, NameIn, Section, Spellings, Thinking, ThinkingClose,
};
use toolspeak::matcher::{Part, Pattern, Sequence};
use toolspeak::tag::{Names, Quotes, TagPattern};
use toolspeak::{
    Call, Compiled, Limits, Payload, Reason, Recognise, Scanner, Settings, Sink, Start, Whitespace,
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
        ends: literal(end),
        stops: Spellings::new(),
        through: Spellings::new(),
        body_start: Some('{'),
        bare: true,
        then: None,
    }
}

/// Calls as JSON in a tag, as tags with values, as a header with JSON, as pairs, with quoted
/// literals, and in code.
fn grammar() -> Grammar {
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
    let forms = vec![
        Form {
            open: literal("<json>"),
            close: literal("</json>"),
            name: Name::Body,
            body: Body::Envelope { names: vec!["name".into()], arguments: vec!["args".into()] },
        },
        Form {
            open: tag("call", false),
            close: tag("call", true),
            name: Name::Opener(NameIn::Attribute("name".into())),
            body: Body::Values {
                open: tag("value", false),
                close: tag("value", true),
                key: NameIn::Attribute("key".into()),
                hint: Some("type".into()),
                hint_default: None,
                newline: true,
            },
        },
        Form {
            open: literal("[call]"),
            close: literal("[end]"),
            name: Name::Header(header("[args]")),
            body: Body::Json,
        },
        Form {
            open: literal("<pairs>"),
            close: literal("</pairs>"),
            name: Name::Header(header("\n")),
            body: Body::Pairs {
                key_open: literal("<k>"),
                key_close: literal("</k>"),
                value_open: literal("<v>"),
                value_close: vec![followed],
            },
        },
        Form {
            open: literal("<quoted>"),
            close: literal("</quoted>"),
            name: Name::Header(header("\n")),
            body: Body::Quoted { quote: "<q>".into() },
        },
        Form {
            open: Spellings::new(),
            close: Spellings::new(),
            name: Name::Header(header("(")),
            body: Body::Code,
        },
        Form {
            open: vec![shown("@")],
            close: Spellings::new(),
            name: Name::Header(Header { through: literal("@"), ..header("[args]") }),
            body: Body::Json,
        },
    ];
    Grammar {
        forms,
        bare: vec![0, 1, 2, 3, 4, 6],
        sections: vec![
            Section {
                open: literal("<calls>"),
                close: literal("</calls>"),
                forms: vec![1],
                content: Content::Noise,
            },
            Section {
                open: literal("```code"),
                close: literal("```"),
                forms: vec![5],
                content: Content::Code,
            },
        ],
        thinking: vec![
            Thinking {
                open: literal("<think>"),
                close: ThinkingClose::Marker(literal("</think>")),
            },
            Thinking { open: literal("```think\n"), close: ThinkingClose::Fence },
        ],
        stray: literal("</json>"),
        control: literal("<eos>"),
        dropped: vec![(literal("<drop>"), literal("</drop>"))],
        ..Grammar::default()
    }
}

const PIECES: &[&str] = &[
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
];

/// What was told, with adjacent pieces of one kind joined.
#[derive(Debug, Default, PartialEq)]
struct Told {
    stream: String,
    events: Vec<(&'static str, String)>,
    open: usize,
}

impl Told {
    fn add(&mut self, kind: &'static str, text: &str) {
        match self.events.last_mut() {
            Some((last, joined)) if *last == kind && kind.ends_with("delta") => {
                joined.push_str(text);
            }
            _ => self.events.push((kind, text.to_owned())),
        }
    }

    fn finish(&mut self, kind: &'static str, call: &Call, reason: Option<Reason>) {
        assert!(self.stream[call.start()..].starts_with(call.raw()), "{call:?}");
        let values = match call.payload() {
            Payload::Values(arguments) => format!("{arguments:?}"),
            payload => format!("{payload:?}"),
        };
        let text = format!("{:?} {:?} {:?} {values}", call.name(), call.raw(), reason);
        self.add(kind, &text);
    }
}

impl Sink for Told {
    fn text(&mut self, text: &str) {
        assert!(!text.is_empty());
        self.add("text delta", text);
    }
    fn thinking_start(&mut self) {
        self.add("thinking start", "");
    }
    fn thinking_delta(&mut self, delta: &str) {
        self.add("thinking delta", delta);
    }
    fn thinking_end(&mut self, block: &str) {
        self.add("thinking end", block);
    }
    fn tool_start(&mut self, call: &Call) {
        self.open += 1;
        self.add("start", call.name().unwrap_or_default());
    }
    fn argument_start(&mut self, key: Option<&str>) {
        self.add("argument", key.unwrap_or("-"));
    }
    fn argument_delta(&mut self, delta: &str) {
        self.add("argument delta", delta);
    }
    fn tool_end(&mut self, call: &mut Call) {
        self.finish("end", call, None);
    }
    fn tool_abort(&mut self, call: &mut Call, reason: Reason) {
        self.finish("abort", call, Some(reason));
    }
    fn stopped(&mut self, marker: &str) {
        self.add("stopped", marker);
    }
}

fn told(compiled: &Arc<Compiled>, settings: &Settings, text: &str, cuts: &[usize]) -> Told {
    let mut scanner = Scanner::new(Arc::clone(compiled), settings.clone());
    let mut told = Told { stream: text.to_owned(), ..Told::default() };
    let mut boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    boundaries.push(text.len());
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| boundaries[cut % boundaries.len()]).collect();
    cuts.sort_unstable();
    cuts.push(text.len());
    let mut start = 0;
    for cut in cuts {
        scanner.feed(&text[start..cut], &mut told);
        start = cut;
    }
    scanner.flush(&mut told);
    told
}

fn settings(start: Start, whitespace: Whitespace, fenced_text: bool, bytes: usize) -> Settings {
    let limits = Limits { max_call_bytes: bytes, max_calls: 6, max_depth: 4 };
    Settings { start, whitespace, fenced_text, recover: false, limits }
}

static COMPILED: LazyLock<Arc<Compiled>> = LazyLock::new(|| {
    let recognise = Recognise { thinking: true, results: false, call_in_thinking: None };
    Arc::new(Compiled::new(&grammar(), recognise).expect("a sound grammar"))
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_cuts_make_no_difference(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        cuts in prop::collection::vec(any::<usize>(), 0..40),
        prompted: bool,
        trim: bool,
        fenced: bool,
        bytes in prop::sample::select(vec![24_usize, 1 << 20]),
    ) {
        let text = pieces.concat();
        let start = if prompted { Start::Thinking } else { Start::Text };
        let whitespace = if trim { Whitespace::Trim } else { Whitespace::Keep };
        let settings = settings(start, whitespace, fenced, bytes);
        let whole = told(&COMPILED, &settings, &text, &[]);
        prop_assert_eq!(told(&COMPILED, &settings, &text, &cuts), whole);
    }
}

#[test]
fn a_bad_grammar_is_told_by_its_place() {
    let mut bad = grammar();
    bad.sections[0].close = literal("");
    let recognise = Recognise { thinking: true, results: false, call_in_thinking: None };
    let error = Compiled::new(&bad, recognise).expect_err("an empty marker");
    assert_eq!(error.place, "sections[0].close");
    bad.sections[0].close = Spellings::new();
    assert!(Compiled::new(&bad, recognise).is_err());
    bad.sections.clear();
    bad.bare = vec![9];
    assert_eq!(Compiled::new(&bad, recognise).expect_err("a missing form").place, "calls");
}

#[test]
fn a_search_that_stopped_in_a_tag_is_forgotten_with_the_tag() {
    let settings = settings(Start::Text, Whitespace::Keep, false, 1 << 20);
    // The header's search stops in the second opener, and then the body begins before it.
    let text = "<quoted>{{\"a\": 1}</v>é<call name=\"f\"><x";
    let whole = told(&COMPILED, &settings, text, &[]);
    for cut in 0..text.chars().count() {
        assert_eq!(told(&COMPILED, &settings, text, &[cut]), whole, "cut at {cut}");
    }
}
