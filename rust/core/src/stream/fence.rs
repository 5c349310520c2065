//! The end of a fenced thinking block.
//!
//! A line that begins with three or more backticks ends the block if it is bare or goes on as
//! prose (which then is text). One word after the backticks opens a nested fence, whose bare
//! closing line is still part of the block.

use crate::text::slice::count;

/// The longest run of backticks, and the longest word after it, that are waited for, in bytes.
const WAIT_LIMIT: usize = 64;

/// Where the reader of a fenced block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    line_start: bool,
    nested: usize,
}

/// What a step found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceStep {
    /// The block goes on at least up to here; what follows waits for more input.
    Open(usize),
    /// The block ends at the first position, its closing line's backticks at the second.
    Closed(usize, usize),
}

/// What a line with three or more backticks is.
enum Line {
    Bare,
    Word,
    Prose,
    Unfinished,
}

impl Fence {
    pub fn new() -> Self {
        Self { line_start: true, nested: 0 }
    }

    pub fn step(&mut self, input: &str, mut at: usize, last: bool) -> FenceStep {
        let bytes = input.as_bytes();
        while at < bytes.len() {
            if !self.line_start {
                let Some(newline) = memchr::memchr(b'\n', &bytes[at..]) else {
                    return FenceStep::Open(bytes.len());
                };
                at += newline + 1;
                self.line_start = true;
                continue;
            }
            let ticks = count(&bytes[at..], |byte| byte == b'`');
            let behind = at + ticks;
            if behind == bytes.len() && ticks <= WAIT_LIMIT && !last {
                return FenceStep::Open(at);
            }
            if (3..=WAIT_LIMIT).contains(&ticks) {
                match (line(&bytes[behind..], last), self.nested) {
                    (Line::Unfinished, _) => return FenceStep::Open(at),
                    (Line::Bare | Line::Prose, 0) => return FenceStep::Closed(at, behind),
                    (Line::Bare, _) => self.nested -= 1,
                    (Line::Word, _) => self.nested += 1,
                    (Line::Prose, _) => {}
                }
            }
            self.line_start = false;
            at = behind;
        }
        FenceStep::Open(at)
    }
}

/// What the rest of a line behind its backticks makes of it.
fn line(rest: &[u8], last: bool) -> Line {
    let word = count(rest, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.' | b'#')
    });
    let blank = count(&rest[word..], |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    match rest.get(word + blank) {
        _ if word + blank > WAIT_LIMIT => Line::Prose,
        None if !last => Line::Unfinished,
        Some(b'\n') | None if word == 0 => Line::Bare,
        Some(b'\n') => Line::Word,
        _ => Line::Prose,
    }
}
