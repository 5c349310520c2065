//! Text: its bytes, its characters, and the structure of JSON in it. Nothing here knows of markers.

pub mod json;
pub mod mend;
pub mod utf8;

pub(crate) mod code;
pub(crate) mod number;
pub(crate) mod python_string;
pub(crate) mod search;
pub(crate) mod slice;
