//! Any bytes, cut into pieces of any size: nothing panics, events are in a sound order (the sink
//! asserts it), nothing is told that the input did not hold in that order, and nothing is lost.

#![no_main]

mod input;
#[path = "../../core/tests/shapes/mod.rs"]
mod shapes;

use input::Input;
use libfuzzer_sys::fuzz_target;
use shapes::{pieces_of, told};

/// What encloses text that the grammar drops.
const DROPPING: [&str; 5] = ["<calls>", "<list>", "```code", "<drop>", "skip"];

/// Characters that are part of no marker.
const CONTENT: [char; 2] = ['z', 'é'];

fn content(text: &str) -> usize {
    text.matches(CONTENT).count()
}

fuzz_target!(|data: &[u8]| {
    let Some(Input { policies, size, text }) = Input::new(data) else {
        return;
    };
    let told = told(&policies.compiled(), &policies.settings(), pieces_of(&text, size));
    let mut characters = text.chars();
    for kept in told.kept.chars() {
        assert!(characters.any(|character| character == kept), "{text:?} became {told:?}");
    }
    // What comes behind a limit, or behind a result that the model made up, is not told.
    let cut_off = |(kind, text): &(&str, String)| *kind == "stopped" || text.contains("Limit");
    let drops = DROPPING.iter().any(|marker| text.contains(marker));
    if !drops && !told.events.iter().any(cut_off) {
        assert_eq!(content(&told.kept), content(&text), "{text:?} became {told:?}");
    }
});
