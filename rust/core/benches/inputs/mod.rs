//! What the core's benchmarks read: each shape of call in a grammar of its own, and texts.
//!
//! A grammar of all shapes would have so many first bytes that no search could jump.

#![allow(dead_code)] // no user needs all of it

#[path = "../../tests/shapes/mod.rs"]
pub mod shapes;

use std::sync::Arc;

use toolspeak::{
    Call, Compiled, Grammar, Limits, Reason, Recognise, Scanner, Settings, Sink, Start, Whitespace,
};

pub const CHUNK: usize = 4;

const PROSE: &str = "The harbour lies behind the old customs house, and the ferry leaves at ten \
    past six. Whoever comes by bicycle should take the path along the canal: it is longer, but \
    level. Prices have not changed since 2019. A return ticket costs 7.50, children travel free. ";

const CODE: &str = "for (size_t i = 0; i < v.size(); ++i) if (v[i] < 10) m[v[i]] += 1; \
    std::vector<std::pair<T, int>> all; std::cout << '<' << all.size() << '>' << std::endl; ";

const ROWS: &str = r#"{"id": 17, "at": [52.25, 4.5], "open": true, "tags": ["ferry", null]}, "#;

/// One shape of call.
pub struct Shape {
    pub name: &'static str,
    /// Which of the forms of the shared grammar it is.
    form: usize,
    /// Up to the inside of a text argument.
    pub opening: &'static str,
}

pub const SHAPES: [Shape; 7] = [
    Shape { name: "json", form: 0, opening: r#"<json>{"name": "f", "args": {"body": ""# },
    Shape { name: "values", form: 1, opening: "<call name=\"f\"><value key=\"body\">" },
    Shape { name: "header", form: 2, opening: "[call]f[args]{\"body\": \"" },
    Shape { name: "pairs", form: 3, opening: "<pairs>f\n<k>body</k>\n<v>" },
    Shape { name: "quoted", form: 4, opening: "<quoted>f\n{body:<q>" },
    Shape { name: "code", form: 5, opening: "```code\nf(body=\"" },
    Shape { name: "elements", form: 7, opening: "<c:f>\n<body>" },
];

impl Shape {
    /// The grammar of this shape alone, with one pair of markers around thinking.
    pub fn compiled(&self) -> Arc<Compiled> {
        let all = shapes::grammar();
        let mut sections = all.sections;
        sections.retain(|section| section.forms == [self.form] && self.name == "code");
        for section in &mut sections {
            section.forms = vec![0];
        }
        let grammar = Grammar {
            forms: vec![all.forms[self.form].clone()],
            bare: if sections.is_empty() { vec![0] } else { vec![] },
            sections,
            thinking: all.thinking[..1].to_vec(),
            ..Grammar::default()
        };
        let recognise = Recognise { thinking: true, results: false, call_in_thinking: None };
        Arc::new(Compiled::new(&grammar, recognise).expect("a sound grammar"))
    }
}

/// A text, and what brings a scanner into the state in which it is read.
pub struct Workload {
    pub name: String,
    compiled: Arc<Compiled>,
    start: &'static str,
    pattern: &'static str,
}

impl Workload {
    /// This many bytes of the text, which is ASCII.
    pub fn text(&self, size: usize) -> String {
        let mut text = self.pattern.repeat(size / self.pattern.len() + 1);
        text.truncate(size);
        text
    }

    /// Reads a text at once, or in pieces of so many bytes.
    pub fn run(&self, text: &str, piece: Option<usize>) {
        let mut scanner = Scanner::new(Arc::clone(&self.compiled), settings());
        scanner.feed(self.start, &mut Null, &shapes::Anyone);
        for bytes in text.as_bytes().chunks(piece.unwrap_or(text.len()).max(1)) {
            let chunk = std::str::from_utf8(bytes).expect("ASCII");
            scanner.feed(std::hint::black_box(chunk), &mut Null, &shapes::Anyone);
        }
        scanner.flush(&mut Null, &shapes::Anyone);
    }
}

/// Prose, thinking, code and an argument of every shape, and a JSON body of many values.
pub fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for shape in &SHAPES {
        let compiled = shape.compiled();
        for (state, start, pattern) in [
            ("prose", "", PROSE),
            ("thinking", "<think>", PROSE),
            ("text full of <", "", CODE),
            ("argument", shape.opening, PROSE),
        ] {
            let name = format!("{}, {state}", shape.name);
            all.push(Workload { name, compiled: Arc::clone(&compiled), start, pattern });
        }
    }
    let start = r#"<json>{"name": "f", "args": {"rows": ["#;
    let name = "json, many values".to_owned();
    all.push(Workload { name, compiled: SHAPES[0].compiled(), start, pattern: ROWS });
    all
}

fn settings() -> Settings {
    Settings {
        start: Start::Text,
        whitespace: Whitespace::Keep,
        fenced_text: false,
        recover: false,
        limits: Limits { max_call_bytes: 1 << 30, max_calls: 1 << 20, max_depth: 200 },
    }
}

/// Takes no notice.
pub struct Null;

impl Sink for Null {
    fn text(&mut self, text: &str) {
        std::hint::black_box(text);
    }
    fn thinking_start(&mut self) {}
    fn thinking_delta(&mut self, delta: &str) {
        std::hint::black_box(delta);
    }
    fn thinking_end(&mut self, _block: &str) {}
    fn tool_start(&mut self, _call: &Call) {}
    fn argument_start(&mut self, _key: Option<&str>) {}
    fn argument_delta(&mut self, delta: &str) {
        std::hint::black_box(delta);
    }
    fn tool_end(&mut self, _call: Call) {}
    fn tool_abort(&mut self, _call: Call, _reason: Reason) {}
    fn stopped(&mut self, _marker: &str) {}
}
