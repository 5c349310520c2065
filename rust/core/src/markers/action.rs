//! What a marker means in the state whose matcher found it, and tables of markers with meanings.

use crate::markers::matcher::Matcher;
use crate::markers::pattern::Pattern;

/// All spellings of one marker.
pub type Spellings = Vec<Pattern>;

/// What a marker means in the state whose matcher found it. Forms of call, sections, thinking pairs
/// and noise are named by their index in the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    OpenSection(usize),
    CloseSection,
    OpenCall(usize),
    CloseCall,
    EndHeader,
    OpenKey,
    CloseKey,
    OpenValue,
    CloseValue,
    /// The same where the value's own closer is missing, wrong or there twice.
    HealValue,
    OpenThinking(usize),
    CloseThinking,
    OpenNoise(usize),
    CloseNoise,
    Result,
    /// It belongs to what it stands in.
    Part,
}

/// Markers with what they mean.
pub(crate) type Entries = Vec<(Pattern, Action)>;

pub(crate) fn add(entries: &mut Entries, spellings: &Spellings, action: Action) {
    entries.extend(spellings.iter().map(|pattern| (pattern.clone(), action)));
}

/// Where a scanner is outside calls and thinking: in text, or in the section with this index.
pub(crate) type Outer = Option<usize>;

/// One matcher for text and one for each section.
#[derive(Debug)]
pub(crate) struct PerOuter(Vec<Matcher<Action>>);

impl PerOuter {
    /// `entries` tells for each place which markers count there; no tag is longer than `tag_limit`.
    pub fn new(sections: usize, tag_limit: usize, entries: impl Fn(Outer) -> Entries) -> Self {
        let outers = std::iter::once(None).chain((0..sections).map(Some));
        Self(outers.map(|outer| Matcher::new(entries(outer), tag_limit)).collect())
    }

    /// The matcher for this place.
    pub fn at(&self, outer: Outer) -> &Matcher<Action> {
        &self.0[outer.map_or(0, |section| section + 1)]
    }
}

/// The longest tag in text, in bytes: nothing longer is held back.
pub(crate) const TEXT_TAG_LIMIT: usize = 256;
/// The longest tag inside a call, outside values: parameters may have long names.
pub(crate) const CALL_TAG_LIMIT: usize = 1024;
