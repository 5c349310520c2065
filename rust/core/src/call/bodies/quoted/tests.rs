use proptest::prelude::*;

use crate::call::bodies::quoted::values::{Options, read_object};
use crate::value::{Node, Read, Unreadable};

const QUOTE: &str = r#"<|"|>"#;

fn character(name: &str) -> Option<char> {
    (name == "DIGIT ONE").then_some('1')
}

fn read_with<'a>(
    text: &'a str,
    names: &[&str],
    max_depth: usize,
    cut: bool,
) -> Result<Read<'a>, Unreadable> {
    let declares = |name: &str| names.is_empty() || names.contains(&name);
    let options =
        Options { quote: QUOTE, declares: &declares, character: &character, max_depth, cut };
    read_object(text, &options)
}

/// What is read, in the notation of Rust's own debug output; `None` if it is unreadable.
fn read(text: &str, cut: bool) -> Option<(String, bool)> {
    let text = text.replace("<Q>", QUOTE);
    let read = read_with(&text, &[], 200, cut).ok()?;
    Some((written(&read.tape), read.repaired))
}

/// A tape as JSON-like text; strings are in quotes, what is untyped in backticks.
fn written(tape: &[Node<'_>]) -> String {
    let mut out = String::new();
    let mut open = Vec::new();
    for node in tape {
        if !matches!(node, Node::End) && out.ends_with(|c| !"{[:".contains(c)) {
            out.push(',');
        }
        let piece = match node {
            Node::Null => "null".to_owned(),
            Node::Bool(truth) => truth.to_string(),
            Node::Int(number) => number.to_string(),
            Node::Float(number) => format!("{number:?}"),
            Node::Text(text) => format!("{text:?}"),
            Node::BigInt(text) | Node::Untyped(text) => format!("`{text}`"),
            Node::Key(key) => format!("{key}:"),
            Node::Merge | Node::Spread => unreachable!("this body has no such nodes"),
            Node::List => {
                open.push("]");
                "[".to_owned()
            }
            Node::Object => {
                open.push("}");
                "{".to_owned()
            }
            Node::End => open.pop().unwrap_or("too many ends").to_owned(),
        };
        out.push_str(&piece);
    }
    assert!(open.is_empty(), "{tape:?}");
    out
}

#[test]
fn well_formed_objects_are_read() {
    for (text, expected) in [
        ("{}", "{}"),
        (" { a : <Q> x <Q> , b : 1 } ", r#"{a:" x ",b:1}"#),
        ("{a:[1,[],{b:<Q><Q>}],c:-2.5e-7}", r#"{a:[1,[],{b:""}],c:-2.5e-7}"#),
        ("{a:True,b:null,c:a b,d:007,e:}", r#"{a:true,b:null,c:"a b",d:"007",e:""}"#),
        ("{a:99999999999999999999}", "{a:`99999999999999999999`}"),
        (r#"{"a":"x\n\u00e9",'b c':'\N{DIGIT ONE}\x41'}"#, r#"{a:"x\né",b c:"1A"}"#),
        ("{<Q>a b<Q>:1}", "{a b:1}"),
    ] {
        assert_eq!(read(text, false), Some((expected.to_owned(), false)), "{text}");
    }
}

#[test]
fn broken_objects_are_mended() {
    for (text, expected) in [
        ("{a:[1,2},b:3}", "{a:[1,2],b:3}"),
        ("{a:[{b:1],c:2}", "{a:[{b:1}],c:2}"),
        ("{a:<Q>x,b:<Q>y<Q>}", r#"{a:"x",b:"y"}"#),
        ("{o:{a:<Q>x},b:<Q>y<Q>}", r#"{o:{a:"x"},b:"y"}"#),
        ("{a:Paris, France<Q>,b:5}", r#"{a:"Paris, France",b:5}"#),
        ("{a:<Q>f(<Q>x<Q>)<Q>,b:1}", r#"{a:"f(\"x\")",b:1}"#),
        (r#"{a:"\ud83d"}"#, "{a:\"\u{fffd}\"}"),
        ("{a=1} behind", "{a:1}"),
        ("{a:[1", "{a:[1]}"),
    ] {
        assert_eq!(read(text, false), Some((expected.to_owned(), true)), "{text}");
    }
}

#[test]
fn what_is_no_object_is_unreadable() {
    for text in ["", "a", "[1]", "{a:<Q>x"] {
        assert_eq!(read(text, false), None, "{text}");
    }
}

#[test]
fn of_cut_text_only_what_is_complete_counts() {
    for (text, expected) in [
        ("{a:1,b:2", "{a:1}"),
        ("{a:1,b:{c:1,d:[2,", "{a:1}"),
        ("{a:<Q>x<Q>,b:<Q>y", r#"{a:"x"}"#),
        ("{a", "{}"),
    ] {
        assert_eq!(read(text, true), Some((expected.to_owned(), true)), "{text}");
    }
}

#[test]
fn a_declared_name_tells_where_a_string_ends() {
    let text = r#"{a:Paris, note: sunny<|"|>,b:1}"#;
    let known = read_with(text, &["a", "b"], 200, false).expect("an object");
    assert_eq!(written(&known.tape), r#"{a:"Paris, note: sunny",b:1}"#);
}

#[test]
fn depth_costs_no_stack_and_is_bounded() {
    let depth = 300_000;
    let text = format!("{{a:{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(read_with(&text, &[], depth + 1, false).is_ok_and(|read| !read.repaired));
    assert!(read_with(&text, &[], depth, false).is_err());
    // Each closer is the wrong one for all that is open.
    let text = format!("{{a:{}{}", "[".repeat(depth), "}".repeat(depth));
    assert!(read_with(&text, &[], depth + 1, false).is_ok());
    assert!(read_with("{}", &[], 0, false).is_err());
}

#[test]
fn strings_that_need_no_change_are_borrowed() {
    let text = r#"{k:<|"|>a<|"|>,l:"b",m:c}"#;
    for node in read_with(text, &[], 200, false).expect("an object").tape {
        if let Node::Key(text) | Node::Text(text) = node {
            assert!(matches!(text, std::borrow::Cow::Borrowed(_)), "{text}");
        }
    }
}

const PIECES: &[&str] = &[
    QUOTE, QUOTE, QUOTE, "<|\"", "{", "}", "[", "]", ":", ",", "=", "\"", "'", "\\", "\\u", "d83d",
    "\\x4", "\\N{", " ", "\n", "\u{a0}", "é", "😀", "a", "b", ",b:", "1", "-", "0.5", "true",
];

/// A value in well-formed text.
fn value() -> impl Strategy<Value = String> {
    let string = prop::collection::vec(prop::sample::select(&PIECES[4..]), 0..6)
        .prop_map(|pieces| format!("{QUOTE}{}{QUOTE}", pieces.concat()));
    let leaf = prop_oneof![
        string,
        prop::sample::select(vec!["1", "-2.5", "true", "null", "word", "\"x\\n\""])
            .prop_map(str::to_owned)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(inner, 0..4).prop_map(|values| object(&values)),
        ]
    })
}

fn object(values: &[String]) -> String {
    let members = values.iter().enumerate().map(|(index, value)| format!("k{index}:{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// No text panics, and each tape is one whole object.
    #[test]
    fn any_text_is_an_object_or_unreadable(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
        declared in any::<bool>(),
        cut in any::<bool>(),
        max_depth in 0_usize..6,
    ) {
        let text = format!("{{{}", pieces.concat());
        let declared: &[&str] = if declared { &["a"] } else { &[] };
        match read_with(&text, declared, max_depth, cut) {
            Ok(read) => {
                let (mut depth, mut deepest) = (0_usize, 0);
                for node in &read.tape {
                    match node {
                        Node::List | Node::Object => depth += 1,
                        Node::End => depth -= 1,
                        _ => {}
                    }
                    deepest = deepest.max(depth);
                }
                prop_assert_eq!(depth, 0);
                prop_assert!(deepest <= max_depth);
                written(&read.tape);
            }
            Err(Unreadable) if cut && max_depth == 5 && pieces.len() < 5 => {
                prop_assert!(false, "cut text is never without an end");
            }
            Err(Unreadable) => {}
        }
    }

    /// A cut text never gives members that the whole does not.
    #[test]
    fn cut_text_gives_the_first_members(
        values in prop::collection::vec(value(), 0..5),
        at in any::<prop::sample::Index>(),
    ) {
        let text = object(&values);
        // A string that holds its own quote token, or what looks like one, is another matter.
        let whole = read_with(&text, &[], 200, false).expect("an object");
        prop_assert!(!whole.repaired, "{}", text);
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|at| *at > 0).collect();
        prop_assume!(!places.is_empty());
        let cut = text.get(..places[at.index(places.len())]).unwrap_or_default();
        let part = read_with(cut, &[], 200, true).expect("an object");
        let (_, members) = part.tape.split_last().expect("an object");
        prop_assert!(whole.tape.starts_with(members), "{cut}: {members:?}");
    }
}
