//! The grammar of a dialect: as data, read from its owner's objects, checked, ready for scanning, and
//! as a guard that finds its markers in others' text.

pub mod compiled;
pub mod data;
pub mod guard;

mod check;
mod read;
