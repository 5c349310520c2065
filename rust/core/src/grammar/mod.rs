//! The grammar of a dialect: as data, read from its owner's objects, checked, and ready for scanning.

pub mod compiled;
pub mod data;

mod check;
mod read;
