//! The shapes of a call's body, one file each: what a shape is, its markers, its reader, and how its
//! text becomes arguments. The table at the end of this file lists them; a new shape is a file and a
//! row there, and the compiler names what is missing.

use crate::call::arguments::{Arguments, Encoding};
use crate::call::places::Places;
use crate::call::reader::{AtEnd, Context, Inside, Step};
use crate::call::record::Call;
use crate::call::shape::{Compiled, Meaning, Reader, Shape};
use crate::fields::{GrammarError, Object, Placed};
use crate::markers::action::{Action, PerOuter, Spellings};
use crate::markers::matcher::Marker;
use crate::markers::tag::TagPattern;
use crate::sink::Sink;

mod code;
mod elements;
mod envelope;
mod json;
mod nested;
mod nesting;
mod open_value;
mod pairs;
mod quoted;
mod value_markers;
mod values;

pub use value_markers::OpenerSays;

macro_rules! shapes {
    ($($(#[$doc:meta])* $shape:ident in $module:ident),* $(,)?) => {
        $(pub use $module::$shape;)*

        /// How the arguments of a call are written.
        #[derive(Debug, Clone)]
        pub enum Body {
            $($(#[$doc])* $shape($shape),)*
        }

        /// A body ready for scanning.
        #[derive(Debug)]
        pub(crate) enum CompiledBody {
            $($shape(Compiled<$shape>),)*
        }

        /// The reader of the open call's body.
        #[derive(Debug, Clone)]
        pub(crate) enum BodyReader {
            $($shape(<$shape as Shape>::Reader),)*
        }

        impl Body {
            pub(crate) fn read<O: Object>(record: &Placed<O>) -> Result<Self, GrammarError> {
                match record.optional_text("shape")?.as_deref() {
                    $(Some($shape::NAME) => $shape::read(record).map(Self::$shape),)*
                    _ => {
                        let known = [$($shape::NAME),*].join(", ");
                        let message = format!("expected a body, whose shape is one of {known}");
                        Err(GrammarError::new(&record.place, message))
                    }
                }
            }

            pub(crate) fn check(&self, place: &str) -> Result<(), GrammarError> {
                match self {
                    $(Self::$shape(shape) => shape.check(place),)*
                }
            }

            /// Whether the tool's name can stand in the body.
            pub(crate) fn names_tool(&self) -> bool {
                match self {
                    $(Self::$shape(_) => $shape::NAMES_TOOL,)*
                }
            }

            /// Whether the body stands in code, between parentheses.
            pub(crate) fn is_code(&self) -> bool {
                match self {
                    $(Self::$shape(_) => $shape::IS_CODE,)*
                }
            }

            /// What delimits the parts of the body.
            pub(crate) fn delimiters(&self) -> Spellings {
                match self {
                    $(Self::$shape(shape) => shape.delimiters(),)*
                }
            }

            pub(crate) fn compile(&self, places: &Places<'_>) -> (CompiledBody, PerOuter) {
                match self {
                    $(Self::$shape(shape) => {
                        let markers = shape.markers(places);
                        let compiled = Compiled { shape: shape.clone(), markers };
                        (CompiledBody::$shape(compiled), places.with_entries(&shape.openers()))
                    })*
                }
            }
        }

        impl CompiledBody {
            pub fn reader(&self, call: &Call) -> BodyReader {
                match self {
                    $(Self::$shape(body) => {
                        BodyReader::$shape(Reader::<$shape>::new((&body.shape, &body.markers), call))
                    })*
                }
            }

            pub fn names_tool(&self) -> bool {
                match self {
                    $(Self::$shape(_) => $shape::NAMES_TOOL,)*
                }
            }

            pub fn encoding(&self) -> Encoding {
                match self {
                    $(Self::$shape(_) => $shape::ENCODING,)*
                }
            }

            pub fn reads_cut_strings(&self) -> bool {
                match self {
                    $(Self::$shape(_) => $shape::READS_CUT_STRINGS,)*
                }
            }

            pub fn arguments<'a>(&'a self, call: &'a Call, meaning: &Meaning<'_>) -> Arguments<'a> {
                match self {
                    $(Self::$shape(body) => body.shape.arguments(call, meaning),)*
                }
            }
        }

        impl BodyReader {
            pub fn opener<S: Sink>(
                &mut self,
                cx: &mut Context<'_, S>,
                input: &str,
                marker: &Marker<Action>,
                pattern: Option<&TagPattern>,
            ) {
                match self {
                    $(Self::$shape(it) => {
                        Reader::<$shape>::opener(it, cx, input, marker, pattern);
                    })*
                }
            }

            pub fn step<S: Sink>(
                &mut self,
                body: &CompiledBody,
                cx: &mut Context<'_, S>,
                input: &str,
                at: usize,
            ) -> Step {
                match (self, body) {
                    $((Self::$shape(it), CompiledBody::$shape(body)) => {
                        it.step((&body.shape, &body.markers), cx, input, at)
                    })*
                    _ => Step::Go(input.len()), // a body makes its own readers
                }
            }

            pub fn at_end(&self) -> AtEnd {
                match self {
                    $(Self::$shape(it) => Reader::<$shape>::at_end(it),)*
                }
            }

            pub fn end(&self) -> Option<usize> {
                match self {
                    $(Self::$shape(it) => Reader::<$shape>::end(it),)*
                }
            }

            pub fn inside(&self) -> Inside {
                match self {
                    $(Self::$shape(it) => Reader::<$shape>::inside(it),)*
                }
            }

            pub fn lacks_closers(
                &self,
                body: &CompiledBody,
                tail: &str,
                rest_closes: &dyn Fn(&str) -> bool,
            ) -> bool {
                match (self, body) {
                    $((Self::$shape(it), CompiledBody::$shape(body)) => {
                        it.lacks_closers(&body.markers, tail, rest_closes)
                    })*
                    _ => false,
                }
            }
        }
    };
}

shapes! {
    /// A JSON object with the tool's name and the arguments, in any order.
    Envelope in envelope,
    /// One JSON value.
    Json in json,
    /// One tagged value for each argument.
    Values in values,
    /// Keys and values, each between its own markers.
    Pairs in pairs,
    /// An object of literals whose strings stand between quote tokens.
    Quoted in quoted,
    /// The arguments of a Python call.
    Code in code,
    /// Attributes of the call's own tag, then child elements or verbatim text.
    Elements in elements,
    /// Elements with elements in them, and a token before every tag.
    Nested in nested,
}
