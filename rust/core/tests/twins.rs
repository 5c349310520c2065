//! Fast paths against slow, plain twins that know the whole input.

#![allow(clippy::string_slice)] // a test may panic

use proptest::prelude::*;
use toolspeak::markers::matcher::{Found, Matcher};
use toolspeak::markers::pattern::Pattern;
use toolspeak::markers::tag::{Names, Quotes, TagPattern};
use toolspeak::text::json::{Progress, Structure, Unescape};
use toolspeak::text::utf8::Decoder;

/// Text made of pieces that matter to the markers below.
fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

/// The cuts of a text, as sorted character boundaries.
fn cuts(text: &str, seeds: &[usize]) -> Vec<usize> {
    let boundaries: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<usize> =
        seeds.iter().map(|seed| boundaries[seed % boundaries.len()]).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts
}

const MARKERS: [&str; 6] = ["<tool_call>", "<tool_calls>", "<think>", "</think>", "```", "```code"];
const MARKER_PIECES: &[&str] = &[
    "<tool_call>",
    "<tool_calls>",
    "<think>",
    "</think>",
    "```",
    "code",
    "<",
    "<to",
    "`",
    "a",
    "é",
    ">",
    "</",
    "s>",
];

fn literal_matcher() -> Matcher<usize> {
    let literal = |(index, text): (usize, &&str)| (Pattern::Literal((*text).into()), index);
    Matcher::new(MARKERS.iter().enumerate().map(literal).collect(), 256)
}

/// All markers of the whole text: at each place the longest, from left to right.
fn slow_literals(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let longest = MARKERS
            .iter()
            .filter(|marker| rest.starts_with(marker.as_bytes()))
            .max_by_key(|m| m.len());
        match longest {
            Some(marker) => {
                found.push((at, at + marker.len()));
                at += marker.len();
            }
            None => at += 1,
        }
    }
    found
}

/// All markers of a text that arrives in pieces; held bytes are searched again with the next.
fn pieces_found<A: Clone>(matcher: &Matcher<A>, text: &str, cuts: &[usize]) -> Vec<(usize, usize)> {
    let (mut found, mut held, mut resume) = (Vec::new(), 0, None);
    for &cut in cuts {
        let last = cut == text.len();
        loop {
            match matcher.find(&text[..cut], held, last, &mut resume) {
                Found::Nothing => held = cut,
                Found::Partial(start) => held = start,
                Found::Marker(marker) => {
                    found.push((marker.start, marker.end));
                    held = marker.end;
                    continue;
                }
            }
            break;
        }
    }
    found
}

fn tag(names: &[&str], closing: bool) -> TagPattern {
    TagPattern {
        heads: vec![if closing { "</" } else { "<" }.into()],
        names: Names::Listed(names.iter().map(|name| (*name).into()).collect()),
        end: ">".into(),
        closing,
        any_namespace: true,
        ignore_case: true,
        quotes: Quotes::Any,
        quotes_protect: true,
    }
}

const TAG_PIECES: &[&str] = &[
    "<",
    "</",
    "invoke",
    "INVOKE",
    "ns:",
    " ",
    "name=",
    "\"",
    "'",
    ">",
    "/>",
    "a",
    "=",
    "x>b",
    "\n",
    "parameter",
    "é",
];

/// Whether a tag stands at the beginning of `text`, and how long it is.
fn slow_tag(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('<')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let name_end = |rest: &str| rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let mut start = 1;
    let first = name_end(rest);
    if first > 0
        && first <= 32
        && rest[first..].starts_with(':')
        && !rest.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '_')
    {
        start += first + 1;
    }
    let name = text[start..].get(..6)?;
    if !name.eq_ignore_ascii_case("invoke") {
        return None;
    }
    let mut quote = None;
    let mut expected = false;
    for (offset, c) in text[start + 6..].char_indices() {
        if offset == 0 && !(c.is_ascii_whitespace() || c == '/' || c == '>') {
            return None;
        }
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '>' => return Some(start + 6 + offset + 1),
            None if c == '<' => return None,
            None if expected && (c == '"' || c == '\'') => {
                quote = Some(c);
                expected = false;
            }
            None if c.is_ascii_whitespace() => {}
            None => expected = c == '=',
        }
    }
    None
}

fn slow_tags(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        match text.is_char_boundary(at).then(|| slow_tag(&text[at..])).flatten() {
            Some(length) => {
                found.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// Where the first JSON value of `text` ends, told by trying every prefix.
fn slow_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let (mut string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        let ends = match (string, byte) {
            (true, _) if escaped => {
                escaped = false;
                false
            }
            (true, b'\\') => {
                escaped = true;
                false
            }
            (_, b'"') => {
                string = !string;
                !string
            }
            (false, b'{' | b'[') => {
                depth += 1;
                false
            }
            (false, b'}' | b']') => {
                depth -= 1;
                true
            }
            _ => false,
        };
        if ends && depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn json() -> impl Strategy<Value = String> {
    let text = || {
        soup(&[
            "a",
            "é",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "</tool_call>",
            "\\\"",
            "\\\\",
            "\\n",
            "\n",
            " ",
        ])
    };
    let string = text().prop_map(|text| format!("\"{text}\""));
    let leaf = prop_oneof![
        string,
        Just("12.5e-3".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned())
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        let member =
            (text(), inner.clone()).prop_map(|(key, value)| format!("\"{key}\" : {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec(member, 0..4)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn literals_are_found_as_in_the_whole_text(text in soup(MARKER_PIECES), seeds: Vec<usize>) {
        let found = pieces_found(&literal_matcher(), &text, &cuts(&text, &seeds));
        prop_assert_eq!(found, slow_literals(&text));
    }

    #[test]
    fn tags_are_found_as_in_the_whole_text(text in soup(TAG_PIECES), seeds: Vec<usize>) {
        let matcher = Matcher::new(vec![(Pattern::Tag(tag(&["invoke"], false)), ())], 256);
        let found = pieces_found(&matcher, &text, &cuts(&text, &seeds));
        prop_assert_eq!(found, slow_tags(&text));
    }

    #[test]
    fn a_json_value_ends_where_its_brackets_do(value in json(), tail in ".{0,8}", seeds: Vec<usize>) {
        prop_assume!(value.starts_with(['{', '[', '"']));
        let text = format!("{value}{tail}");
        let mut structure = Structure::new(64);
        let mut end = None;
        for pair in cuts(&text, &seeds).windows(2) {
            let (at, progress) = structure.read(&text.as_bytes()[..pair[1]], pair[0]);
            if progress != Progress::Open {
                end = Some((at, progress));
                break;
            }
        }
        prop_assert_eq!(end, slow_end(&text).map(|end| (end, Progress::Closed)));
    }

    #[test]
    fn structure_reads_alike_however_it_is_cut(text in soup(&["{", "}", "[", "]", "\"", "\\", ",", ":", "a", "1", " ", "<", "'"]), seeds: Vec<usize>) {
        let whole = Structure::new(8).read(text.as_bytes(), 0);
        let mut structure = Structure::new(8);
        let mut cut = (0, Progress::Open);
        for pair in cuts(&text, &seeds).windows(2) {
            cut = structure.read(&text.as_bytes()[..pair[1]], pair[0]);
            if cut.1 != Progress::Open {
                break;
            }
        }
        prop_assert_eq!(cut, whole);
    }

    #[test]
    fn a_string_is_unescaped_alike_however_it_is_cut(
        text in soup(&["a", "é", "\\n", "\\\\", "\\\"", "\\u00e9", "\\ud83d", "\\ude00", "\\u12", "\\", "u", "d83d"]),
        seeds: Vec<usize>,
    ) {
        let unescaped = |cuts: &[usize]| {
            let (mut unescape, mut out) = (Unescape::default(), String::new());
            for pair in cuts.windows(2) {
                unescape.push(&text[pair[0]..pair[1]], &mut out);
            }
            unescape.finish(&mut out);
            out
        };
        prop_assert_eq!(unescaped(&cuts(&text, &seeds)), unescaped(&[0, text.len()]));
    }

    #[test]
    fn bytes_are_decoded_as_a_whole(bytes: Vec<u8>, text in ".{0,12}", cut in 0_usize..64) {
        let mut bytes = bytes;
        bytes.extend_from_slice(text.as_bytes());
        let cut = cut.min(bytes.len());
        let mut decoder = Decoder::default();
        let mut decoded = decoder.decode(&bytes[..cut]).into_owned();
        decoded += &decoder.decode(&bytes[cut..]);
        decoded += decoder.finish();
        prop_assert_eq!(decoded, String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_surrogate_pair_is_one_character() {
    let (mut unescape, mut out) = (Unescape::default(), String::new());
    for piece in ["hi \\ud8", "3d\\ude", "00!"] {
        unescape.push(piece, &mut out);
        assert!(!out.contains(char::REPLACEMENT_CHARACTER));
    }
    assert_eq!(out, "hi 😀!");
}

#[test]
fn broken_json_is_told_at_the_byte_that_breaks_it() {
    for (text, at) in [("{'a': 1}", 1), (r#"{"a": "b"c"}"#, 9), ("[1, 2}", 5), (r#"{"a": <"#, 6)] {
        assert_eq!(Structure::new(8).read(text.as_bytes(), 0), (at, Progress::Broken), "{text}");
    }
    assert_eq!(Structure::new(2).read(b"[[[", 0), (2, Progress::TooDeep));
}
