//! Arguments of Python calls as values.

#![allow(clippy::string_slice)] // a test may panic

use std::borrow::Cow;

use crate::call::bodies::code::values::read_keywords;
use crate::text::python_string::unescape;
use crate::value::{Node, Read, Unreadable};
use proptest::prelude::*;

const DEPTH: usize = 200;

fn character(name: &str) -> Option<char> {
    (name == "BULLET").then_some('•')
}

fn read(text: &str, cut: bool) -> Result<Read<'_>, Unreadable> {
    read_keywords(text, DEPTH, cut, &character)
}

/// A tape as text, much as Python would write it.
fn shown(tape: &[Node<'_>]) -> String {
    let nodes = tape.iter().map(|node| match node {
        Node::Null => "None".to_owned(),
        Node::Bool(truth) => truth.to_string(),
        Node::Int(number) => number.to_string(),
        Node::BigInt(digits) => digits.to_string(),
        Node::Float(number) => format!("{number:?}"),
        Node::Text(text) | Node::Untyped(text) => format!("{text:?}"),
        Node::Merge | Node::Spread => unreachable!("this body has no such nodes"),
        Node::List => "[".to_owned(),
        Node::Object => "{".to_owned(),
        Node::Key(key) => format!("{key}:"),
        Node::End => "end".to_owned(),
    });
    nodes.collect::<Vec<_>>().join(" ")
}

#[test]
fn values_are_written_flat() {
    for (text, tape) in [
        ("", "{ end"),
        ("a=1, b='x'", r#"{ a: 1 b: "x" end"#),
        ("a=[1, (2,), {3}]", "{ a: [ 1 [ 2 end [ 3 end end end"),
        ("a={'k': {}, 1: None}", "{ a: { k: { end 1: None end end"),
        ("a=((1), ([2]))", "{ a: [ 1 [ 2 end end end"),
        ("a=[((3))], b={k: 1}", "{ a: [ 3 end b: { k: 1 end end"),
        ("a=f'plain'", r#"{ a: "plain" end"#),
        ("a={(1): ((2))}", "{ a: { (1): 2 end end"),
        ("a=0x8000000000000000", "{ a: 0x8000000000000000 end"),
        ("a=-1_0, b=-.5e1", "{ a: -10 b: -5.0 end"),
    ] {
        assert_eq!(read(text, false).map(|read| shown(&read.tape)), Ok(tape.to_owned()), "{text}");
    }
}

#[test]
fn code_to_be_evaluated_is_unreadable() {
    let values = ["x", "f(1)", "x.y", "1 + 2", "-'s'", "f'{x}'", "lambda: 1", "[(1) + 2]", "{x}"];
    for value in values.into_iter().chain(["[(1), [(2)] for x in y]", "not True", "[*x]"]) {
        assert_eq!(read(&format!("a={value}"), false), Err(Unreadable), "{value}");
    }
    for text in ["'x'", "1, a=2", "a=1, 'x'"] {
        assert_eq!(read(text, false), Err(Unreadable), "{text}: an argument without a name");
    }
}

#[test]
fn text_without_escapes_is_that_of_the_call() {
    let text = r#"a="plain", b=r"\d", c='z', d={"k": "say "hi" now"}"#;
    let tape = read(text, false).map(|read| read.tape).unwrap_or_default();
    let is_borrowed = |node: &Node<'_>| match node {
        Node::Text(text) | Node::Key(text) => matches!(text, Cow::Borrowed(_)),
        _ => true,
    };
    assert_eq!(tape.len(), 13);
    assert!(tape.iter().all(is_borrowed));
}

#[test]
fn depth_costs_no_stack() {
    let depth = 100_000;
    for (opened, closed) in [("[", "]"), ("(", ")"), ("{1:", "}")] {
        let text = format!("a={}{}", opened.repeat(depth), closed.repeat(depth));
        assert!(read_keywords(&text, depth + 1, false, &character).is_ok());
        assert!(read_keywords(&text, depth, false, &character).is_err());
    }
}

#[test]
fn escapes_stand_for_characters() {
    for (text, is_bytes, expected, mended) in [
        (r"\n\t\\\'\101\0\x41", false, "\n\t\\'A\0A", false),
        (r"\q\é\", false, r"\q\é\", false),
        ("a\\\nb\\\r\nc", false, "abc", false),
        (r"\N{BULLET}\u2022\U00002022", false, "•••", false),
        (r"\N{NONE}\N{\x4\u12\U00110000", false, r"\N{NONE}\N{\x4\u12\U00110000", true),
        (r"\ud83d\ude00", false, "😀", true),
        ("\\ud83d\\\n\\ude00", false, "😀", true),
        (r"\ud83d \ude00\ud83d", false, "\u{FFFD} \u{FFFD}\u{FFFD}", true),
        (r"\777\u0041\N{BULLET}\xff", true, "ÿ\\u0041\\N{BULLET}ÿ", false),
    ] {
        let found = unescape(text, is_bytes, &character);
        assert_eq!(found, (Cow::Borrowed(expected), mended), "{text}");
    }
}

const PIECES: &[&str] = &[
    "a=",
    "b = ",
    "c-d=",
    "é=",
    ", ",
    ",",
    ":",
    "=",
    "*",
    "(",
    "[",
    "{",
    ")",
    "]",
    "}",
    "(",
    "[",
    "{",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "r'",
    "b\"",
    "\\",
    "\\\n",
    "\\N{",
    "BULLET}",
    "\\ud83d",
    "\\x4",
    "\n",
    "\r\n",
    "\u{a0}",
    " ",
    "#",
    "# c\n",
    " for ",
    "lambda ",
    "x",
    "é",
    "😀",
    "1",
    "-1.5e3",
    "0xF",
    "1_0",
    "99999999999999999999",
    "True",
    "'x'",
    "'k': 1",
    "[1, 2]",
    "{'a': 1}",
    "(1)",
    " + ",
    " and ",
    ".",
]; // one of each kind that means something to the reader

fn code() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// The keywords on a tape; panics if it is no tape of one object.
fn keywords<'t>(tape: &'t [Node<'_>]) -> Vec<&'t str> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let mut after_key = false;
    for (at, node) in tape.iter().enumerate() {
        let in_object = open.last() == Some(&true);
        match node {
            Node::Key(key) => {
                assert!(in_object && !after_key);
                if open.len() == 1 {
                    found.push(key.as_ref());
                }
            }
            Node::End => assert!(!after_key && open.pop().is_some()),
            _ => {
                assert!(at == 0 || (!open.is_empty() && after_key == in_object));
                match node {
                    Node::List => open.push(false),
                    Node::Object => open.push(true),
                    _ => {}
                }
            }
        }
        after_key = matches!(node, Node::Key(_));
        assert!(!open.is_empty() || at + 1 == tape.len());
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_text_is_one_object_or_unreadable(text in code(), depth in 0..6_usize, cut: bool) {
        if let Ok(read) = read_keywords(&text, depth, cut, &character) {
            keywords(&read.tape);
        }
    }

    #[test]
    fn what_can_be_read_whole_is_read_alike_when_it_may_be_cut(text in code()) {
        if let Ok(whole) = read(&text, false) {
            let followed = format!("{text},");
            let cut = read(&followed, true).map(|read| shown(&read.tape));
            // A comment or a backslash at the end takes the comma in.
            let takes_in = text.contains('#') || text.ends_with('\\') || text.contains("lambda");
            prop_assert!(takes_in || cut == Ok(shown(&whole.tape)));
        }
    }

    #[test]
    fn what_is_cut_has_the_first_members_of_the_whole(text in code(), seed: usize) {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        if let Ok(whole) = read(&text, true) {
            let part = read(&text[..ends[seed % ends.len()]], true);
            let part = part.expect("less is no deeper");
            let (mut body, mut part) = (whole.tape, part.tape);
            prop_assert_eq!((body.pop(), part.pop()), (Some(Node::End), Some(Node::End)));
            prop_assert!(shown(&body).starts_with(&shown(&part)));
        }
    }

    #[test]
    fn how_a_string_is_spelled_does_not_matter(text in ".{0,12}", quote in "'|\"|'''|\"\"\"") {
        let escapes = text.chars().map(|found| format!("\\U{:08x}", u32::from(found)));
        let escaped = escapes.collect::<Vec<_>>().concat();
        let plain = text.replace('\\', "\\\\").replace('\'', "\\'").replace('"', "\\\"");
        let parts = plain.split(' ').collect::<Vec<_>>().join(&format!(" {quote} {quote}"));
        for inside in [escaped, plain, parts] {
            let call = format!("a=[{quote}{inside}{quote}]");
            let tape = read(&call, false).map(|read| read.tape);
            let expected = [
                Node::Object,
                Node::Key(Cow::Borrowed("a")),
                Node::List,
                Node::Text(Cow::Borrowed(text.as_str())),
                Node::End,
                Node::End,
            ];
            prop_assert_eq!(tape.as_deref(), Ok(expected.as_slice()));
        }
    }

    #[test]
    fn any_text_is_unescaped(text in "(\\\\|[uUxN01{}a\n\r'd8é😀]){0,24}", is_bytes: bool) {
        let (found, mended) = unescape(&text, is_bytes, &character);
        prop_assert!(text.contains('\\') || (matches!(found, Cow::Borrowed(_)) && !mended));
    }
}
