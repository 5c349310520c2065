//! The Python module `toolspeak._core`: the scanner core behind Python objects.
//!
//! `grammar` and `options` take the records of Python to the core, `oracle` answers the core's
//! questions. `events` holds the event classes, `sink` builds them, `ids` names calls; `scanner` is
//! the class that users feed. `batch` reads whole outputs, each from a `source` by a `record` to a
//! message. `decode` gives arguments their meaning, with `value`, `json` and `fit` or by asking
//! Python; `alone` reads parts of calls without a scanner.

mod ahead;
mod alone;
mod batch;
mod decode;
mod events;
mod fit;
mod grammar;
mod ids;
mod json;
mod options;
mod oracle;
mod record;
mod scanner;
mod sink;
mod source;
mod value;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The scanning core of toolspeak. Use it through the package `toolspeak`.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::alone::{read_header, read_text};
    #[pymodule_export]
    use crate::events::{
        Stopped, Text, ThinkingDelta, ThinkingEnd, ThinkingStart, ToolAbort, ToolArgDelta, ToolEnd,
        ToolStart,
    };
    #[pymodule_export]
    use crate::grammar::{CompiledGrammar, PyGuard};
    #[pymodule_export]
    use crate::json::{mend_json, parse_strict_json};
    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::oracle::ToolShape;

    #[pymodule_export]
    use crate::scanner::Scanner;
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // the name that Python programs look for
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
