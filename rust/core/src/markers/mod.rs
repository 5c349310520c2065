//! Markers: how they are spelled, and finding the ones that mean something where a scanner stands.

pub mod matcher;
pub mod pattern;
pub mod tag;

pub mod action;
pub(crate) mod candidates;
pub(crate) mod name;
pub(crate) mod read;
