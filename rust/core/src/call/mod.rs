//! Calls: the record of one, the header that may name its tool, and the shapes of its body.
//!
//! `record` is what is known of a call, `reader` what readers of its parts share, `header` and
//! `bodies` the parts. What opens and ends a call is the grammar's; see `stream::open_call`.

pub mod arguments;
pub mod bodies;
pub mod header;
pub mod heading;
pub mod name;
pub mod record;

pub(crate) mod outlook;
pub(crate) mod places;
pub(crate) mod reader;
pub(crate) mod shape;
pub(crate) mod telling;
