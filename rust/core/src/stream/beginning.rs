//! How calls begin whose openers are missing.
//!
//! JSON is read as calls that name their tools themselves; where calls have headers, as a call from
//! its header on; and an opener that lacks nothing but its end counts as one.

use crate::grammar::compiled::Compiled;
use crate::markers::action::Outer;

/// A call that stands in a section without its opener.
pub(super) struct Beginning {
    /// The form of call.
    pub form: usize,
    /// The opener as it should be, if some of it stands there.
    pub opener: String,
    /// How long what stands there of it is.
    pub written: usize,
}

impl Beginning {
    /// What call begins here, in a section of this index.
    pub fn of(grammar: &Compiled, section: Outer, text: &str) -> Option<Self> {
        let compiled = grammar.section(section)?;
        let bare = |form| Self { form, opener: String::new(), written: 0 };
        if text.starts_with(['{', '[', '`']) {
            return grammar.json().map(bare);
        }
        let mended = compiled.openers.iter().find_map(|(form, opener)| {
            let (opener, written) = opener.mended(text)?;
            Some(Self { form: *form, opener, written })
        });
        mended.or_else(|| compiled.headed.filter(|_| !text.starts_with('<')).map(bare))
    }
}
