//! Whether text stands in a Markdown code fence, where a marker may be an example.

/// The fence that text stands in, line by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Markdown {
    /// How many backticks or tildes opened the fence; 0 outside.
    open: usize,
    mark: u8,
    line: Line,
}

/// What the current line has shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    /// Only blanks.
    #[default]
    Start,
    /// This many of these marks.
    Marks(u8, usize),
    /// Anything else.
    Rest,
}

/// A fence has at least so many marks.
const SHORTEST: usize = 3;

impl Markdown {
    pub fn in_fence(&self) -> bool {
        self.open > 0
    }

    /// Reads text that is shown to the user.
    pub fn read(&mut self, text: &str) {
        let mut bytes = text.as_bytes();
        while let Some((&byte, rest)) = bytes.split_first() {
            bytes = rest;
            if self.line == Line::Rest && byte != b'\n' {
                let newline = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
                bytes = bytes.get(newline..).unwrap_or_default();
                continue;
            }
            self.line = match (self.line, byte) {
                (Line::Marks(mark, count), b'\n') => {
                    self.fence(mark, count);
                    Line::Start
                }
                (_, b'\n') | (Line::Start, b' ' | b'\t' | b'\r') => Line::Start,
                (Line::Start, b'`' | b'~') => Line::Marks(byte, 1),
                (Line::Marks(mark, count), other) if mark == other => Line::Marks(mark, count + 1),
                (Line::Marks(mark, count), _) => {
                    // An info string may follow an opening fence, never a closing one.
                    if self.open == 0 {
                        self.fence(mark, count);
                    }
                    Line::Rest
                }
                _ => Line::Rest,
            };
        }
    }

    fn fence(&mut self, mark: u8, count: usize) {
        if self.open == 0 && count >= SHORTEST {
            (self.open, self.mark) = (count, mark);
        } else if mark == self.mark && count >= self.open {
            self.open = 0;
        }
    }
}
