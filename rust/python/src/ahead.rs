//! The events of what a prompt has opened, which are told with the first events behind it.

use pyo3::prelude::*;
use pyo3::types::PyList;
use toolspeak::Begun;

use crate::events::{ThinkingStart, ToolAbort, ToolEnd, ToolStart};

/// What is to be told first, given the events of the prompt and what it has opened.
pub fn ahead(events: &Bound<'_, PyList>, begun: Begun) -> PyResult<Vec<Py<PyAny>>> {
    Ok(match begun {
        Begun::Nothing => Vec::new(),
        Begun::Thinking => vec![Bound::new(events.py(), ThinkingStart {})?.into_any().unbind()],
        Begun::Call => open_call(events),
    })
}

/// The events of the call that is open behind these.
fn open_call(events: &Bound<'_, PyList>) -> Vec<Py<PyAny>> {
    let mut open = Vec::new();
    for event in events {
        if event.is_instance_of::<ToolEnd>() || event.is_instance_of::<ToolAbort>() {
            open.clear();
        } else if event.is_instance_of::<ToolStart>() || !open.is_empty() {
            open.push(event.unbind());
        }
    }
    open
}
