//! The scanner over a grammar made of every shape: what it tells must not depend on the cuts.

mod shapes;

use proptest::prelude::*;
use shapes::{PIECES, Policies, cut_at, grammar, pieces_of, told};
use toolspeak::grammar::data::CallInThinking;
use toolspeak::markers::action::Spellings;
use toolspeak::markers::pattern::Pattern;
use toolspeak::{Compiled, Recognise};

/// Any choice of policies.
fn policies() -> impl Strategy<Value = Policies> {
    let inside = prop::sample::select(vec![
        None,
        Some(CallInThinking::Quoted),
        Some(CallInThinking::EndsPrompted),
        Some(CallInThinking::Ends),
    ]);
    (any::<[bool; 7]>(), inside).prop_map(|(choices, call_in_thinking)| {
        let [no_thinking, prompted, trim, fenced_text, recover, results, small] = choices;
        Policies {
            no_thinking,
            prompted,
            trim,
            fenced_text,
            recover,
            results,
            small,
            call_in_thinking,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_cuts_make_no_difference(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        cuts in prop::collection::vec(any::<usize>(), 0..40),
        policies in policies(),
    ) {
        let text = pieces.concat();
        let (compiled, settings) = (policies.compiled(), policies.settings());
        let whole = told(&compiled, &settings, [text.as_str()]);
        prop_assert_eq!(told(&compiled, &settings, cut_at(&text, &cuts)), whole);
    }
}

#[test]
fn a_bad_grammar_is_told_by_its_place() {
    let mut bad = grammar();
    bad.sections[0].close = vec![Pattern::Literal("".into())];
    let recognise = Recognise { thinking: true, results: false, call_in_thinking: None };
    let error = Compiled::new(&bad, recognise).expect_err("an empty marker");
    assert_eq!(error.place, "sections[0].close");
    bad.sections[0].close = Spellings::new();
    assert!(Compiled::new(&bad, recognise).is_err());
    bad.sections.clear();
    bad.bare = vec![9];
    assert_eq!(Compiled::new(&bad, recognise).expect_err("a missing form").place, "calls");
}

/// What is told of the text does not depend on one cut, nor on cutting everywhere.
fn assert_cut_anywhere(policies: Policies, text: &str) {
    let (compiled, settings) = (policies.compiled(), policies.settings());
    let whole = told(&compiled, &settings, [text]);
    for cut in 0..text.chars().count() {
        assert_eq!(told(&compiled, &settings, cut_at(text, &[cut])), whole, "cut at {cut}");
    }
    assert_eq!(told(&compiled, &settings, pieces_of(text, 1)), whole);
}

#[test]
fn a_search_that_stopped_in_a_tag_is_forgotten_with_the_tag() {
    // The header's search stops in the second opener, and then the body begins before it.
    let text = "<quoted>{{\"a\": 1}</v>é<call name=\"f\"><x";
    assert_cut_anywhere(Policies::default(), text);
}

#[test]
fn a_limit_is_reached_at_the_same_place_however_the_input_is_cut() {
    let policies = Policies { small: true, ..Policies::default() };
    assert_cut_anywhere(policies, "<json></think>[call]</pairs>[args]");
}
