//! What is being read, with all that reading needs beside the stream itself.

use crate::grammar::compiled::Compiled;
use crate::oracle::Oracle;

/// What is being read, with all that reading needs beside the stream itself.
pub(crate) struct Feed<'a, S> {
    pub grammar: &'a Compiled,
    pub input: &'a str,
    /// No more input will come.
    pub last: bool,
    pub sink: &'a mut S,
    pub oracle: &'a dyn Oracle,
}
