//! Any bytes, cut into pieces of any size: nothing panics, events are in a sound order (the sink
//! asserts it), and nothing is told that the input did not hold in that order.

#![no_main]

mod input;
#[path = "../../core/tests/shapes/mod.rs"]
mod shapes;

use input::Input;
use libfuzzer_sys::fuzz_target;
use shapes::{pieces_of, told};

fuzz_target!(|data: &[u8]| {
    let Some(Input { policies, compiled, size, text }) = Input::new(data) else {
        return;
    };
    let told = told(&compiled, &policies.settings(), pieces_of(&text, size));
    let mut characters = text.chars();
    for kept in told.kept.chars() {
        assert!(characters.any(|character| character == kept), "{text:?} became {told:?}");
    }
});
