//! The same text whole, in pieces, and character by character tells the same.

#![no_main]

mod input;
#[path = "../../core/tests/shapes/mod.rs"]
mod shapes;

use input::Input;
use libfuzzer_sys::fuzz_target;
use shapes::{pieces_of, told};

fuzz_target!(|data: &[u8]| {
    let Some(Input { policies, size, text }) = Input::new(data) else {
        return;
    };
    let (compiled, settings) = (policies.compiled(), policies.settings());
    let whole = told(&compiled, &settings, [text.as_str()]);
    for size in [size, 1] {
        let cut = told(&compiled, &settings, pieces_of(&text, size));
        assert_eq!(cut, whole, "{text:?} in pieces of {size} under {policies:?}");
    }
});
