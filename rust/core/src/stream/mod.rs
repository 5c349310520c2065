//! One stream's state: text in, events to a sink.
//!
//! `state` has the states and the table of transitions. Each state reads as far as the bytes decide;
//! what is undecided is held back and read again together with the next chunk. A decision never
//! depends on where a chunk ended, so the events are the same however the input is cut.

pub(crate) mod scan;
pub(crate) mod state;

mod beginning;
mod call;
mod code;
mod feed;
mod fence;
mod layout;
mod markdown;
mod open_call;
mod reread;
mod section;
mod section_lead;
mod thinking;
