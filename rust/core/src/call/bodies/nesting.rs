//! Markers inside a tagged value: data, or what shows that the value has ended.
//!
//! A value is literal up to its closer. Tags of the call's own kind that are balanced in it are data,
//! their closers too. A closer counts without doubt only with what can follow it: that of a value
//! inside such tags, that of the call where the value's own is missing, and a closing tag of the
//! parameter's name in place of the right one.

use crate::call::places::Places;
use crate::call::reader::Step;
use crate::markers::action::{Action, Entries, Outer, PerOuter, Spellings, add};
use crate::markers::matcher::{Found, Marker, Matcher};
use crate::markers::pattern::Pattern;
use crate::text::slice::{blanks, slice};

/// What counts inside a value, and behind what may end it.
#[derive(Debug)]
pub(super) struct Nesting {
    inside: PerOuter,
    behind_value: PerOuter,
    behind_call: PerOuter,
}

/// How many tags are open inside a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Depth {
    values: usize,
    calls: usize,
}

/// What a marker inside a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It belongs to the value.
    Data,
    /// So does its first character; a marker may stand in what looked like a tag.
    NoTag,
    /// It closes the value; `wrong` if it is not the marker that should.
    Closes { wrong: bool },
    /// It closes the call, whose value has no closer.
    ClosesCall,
    /// More input decides.
    Undecided,
}

/// The most blanks between a closer and what confirms it, in bytes.
const BLANKS: usize = 64;

/// Where a value is read.
pub(super) struct Here<'a> {
    pub input: &'a str,
    pub last: bool,
    pub outer: Outer,
    /// The parameter's name.
    pub key: &'a str,
}

impl Nesting {
    /// For values between tags; what else closes a value tells itself what must follow.
    pub fn new(places: &Places<'_>, open: &Spellings, close: &Spellings) -> Option<Self> {
        let is_tag = |pattern: &Pattern| matches!(pattern, Pattern::Tag(_));
        if !close.iter().all(is_tag) {
            return None;
        }
        let mut inside = Entries::new();
        add(&mut inside, close, Action::CloseValue);
        add(&mut inside, open, Action::OpenValue);
        for pattern in close {
            if let Pattern::Tag(tag) = pattern {
                inside.push((Pattern::Tag(tag.with_any_name()), Action::CloseKey));
            }
        }
        let mut opener = Entries::new();
        add(&mut opener, open, Action::OpenValue);
        let closes_call = |action| matches!(action, Action::CloseCall);
        let opens_call = |action| matches!(action, Action::OpenCall(_));
        let ends_call = |action| matches!(action, Action::OpenCall(_) | Action::CloseSection);
        Some(Self {
            inside: places.some(|action| closes_call(action) || opens_call(action), &inside),
            behind_value: places.some(closes_call, &opener),
            behind_call: places.some(ends_call, &Entries::new()),
        })
    }

    pub fn inside(&self, outer: Outer) -> &Matcher<Action> {
        self.inside.at(outer)
    }

    /// What this marker is in a value with so many open tags, which are counted on.
    pub fn meaning(&self, depth: &mut Depth, here: &Here<'_>, marker: &Marker<Action>) -> Meaning {
        let opens = matches!(marker.action, Action::OpenValue | Action::OpenCall(_));
        if opens && slice(here.input, marker.start + 1, marker.end).contains('<') {
            return Meaning::NoTag;
        }
        let confirmed = match marker.action {
            Action::OpenValue => {
                depth.values += 1;
                return Meaning::Data;
            }
            Action::OpenCall(_) => {
                depth.calls += 1;
                return Meaning::Data;
            }
            Action::CloseValue if depth.values == 0 => return Meaning::Closes { wrong: false },
            Action::CloseValue => self.follows_value(here, marker.end, depth.calls > 0),
            Action::CloseKey => {
                let name = marker.tag.as_ref().map(|tag| slice(here.input, tag.name.0, tag.name.1));
                if *depth != Depth::default() || name != Some(here.key) {
                    return Meaning::Data;
                }
                self.follows_value(here, marker.end, false)
            }
            _ if depth.calls > 0 => Some(false),
            _ => follows(self.behind_call.at(here.outer), here, marker.end),
        };
        match (confirmed, marker.action) {
            (None, _) => Meaning::Undecided,
            (Some(true), Action::CloseCall) => Meaning::ClosesCall,
            (Some(true), action) => Meaning::Closes { wrong: action == Action::CloseKey },
            (Some(false), Action::CloseValue) => {
                depth.values -= 1;
                Meaning::Data
            }
            (Some(false), Action::CloseCall) => {
                depth.calls = depth.calls.saturating_sub(1);
                Meaning::Data
            }
            (Some(false), _) => Meaning::Data,
        }
    }

    /// Whether behind `at` stands what can follow a value; with `whole`, the call's end and what can
    /// follow that. `None` if more input decides.
    fn follows_value(&self, here: &Here<'_>, at: usize, whole: bool) -> Option<bool> {
        match follower(self.behind_value.at(here.outer), here, at) {
            Found::Partial(_) => None,
            Found::Nothing => Some(false),
            Found::Marker(marker) if whole && marker.action == Action::CloseCall => {
                follows(self.behind_call.at(here.outer), here, marker.end)
            }
            Found::Marker(_) => Some(!whole),
        }
    }
}

/// Whether one of these markers stands behind `at` and blanks; `None` if more input decides.
fn follows(matcher: &Matcher<Action>, here: &Here<'_>, at: usize) -> Option<bool> {
    match follower(matcher, here, at) {
        Found::Partial(_) => None,
        found => Some(matches!(found, Found::Marker(_))),
    }
}

/// The marker that stands behind `at` and blanks.
fn follower(matcher: &Matcher<Action>, here: &Here<'_>, at: usize) -> Found<Action> {
    let behind = at + blanks(here.input.as_bytes().get(at..).unwrap_or_default());
    if behind - at > BLANKS {
        return Found::Nothing;
    }
    match matcher.find_at(here.input, behind, here.last, &mut None) {
        _ if behind == here.input.len() && !here.last => Found::Partial(behind),
        Found::Partial(_) if here.last => Found::Nothing,
        found => found,
    }
}

impl Meaning {
    /// How a step goes on behind this marker.
    pub fn step(self, marker: &Marker<Action>) -> Step {
        match self {
            Self::Undecided => Step::Wait(marker.start),
            Self::ClosesCall => Step::Close(marker.start, marker.end),
            Self::NoTag => Step::Go(marker.start + 1),
            Self::Data | Self::Closes { .. } => Step::Go(marker.end),
        }
    }
}
