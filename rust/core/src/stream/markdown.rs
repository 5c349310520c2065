//! Whether text stands in a Markdown code fence, where a marker may be an example.

/// The fence that text stands in, line by line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Markdown {
    /// The mark of the open fence and how many opened it.
    fence: Option<(u8, usize)>,
    line: Line,
}

/// What the current line has shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    /// Nothing yet.
    #[default]
    Start,
    /// This many spaces, fewer than four: with more the line is no fence.
    Indent(usize),
    /// This many of these marks, and perhaps blanks behind them.
    Marks { mark: u8, count: usize, blanks: bool },
    /// Marks and an info string, which only an opening fence can have.
    Info { mark: u8, count: usize },
    /// Anything else.
    Rest,
}

/// A fence has at least so many marks.
const SHORTEST: usize = 3;

impl Markdown {
    pub fn in_fence(&self) -> bool {
        self.fence.is_some()
    }

    /// Reads text that is shown to the user.
    pub fn read(&mut self, text: &str) {
        let mut bytes = text.as_bytes();
        while let Some((&byte, rest)) = bytes.split_first() {
            if self.line == Line::Rest && byte != b'\n' {
                let newline = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
                bytes = bytes.get(newline..).unwrap_or_default();
                continue;
            }
            bytes = rest;
            self.line = if byte == b'\n' { self.end_line() } else { self.line.read(byte) };
        }
    }

    fn end_line(&mut self) -> Line {
        match (self.line, self.fence) {
            (Line::Marks { mark, count, .. } | Line::Info { mark, count }, None)
                if count >= SHORTEST =>
            {
                self.fence = Some((mark, count));
            }
            (Line::Marks { mark, count, .. }, Some((opened, least)))
                if mark == opened && count >= least =>
            {
                self.fence = None;
            }
            _ => {}
        }
        Line::Start
    }
}

impl Line {
    fn read(self, byte: u8) -> Self {
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        match self {
            Self::Start if byte == b' ' => Self::Indent(1),
            Self::Indent(columns) if byte == b' ' && columns < 3 => Self::Indent(columns + 1),
            Self::Start | Self::Indent(_) if matches!(byte, b'`' | b'~') => {
                Self::Marks { mark: byte, count: 1, blanks: false }
            }
            Self::Marks { mark, count, .. } if blank => Self::Marks { mark, count, blanks: true },
            Self::Marks { mark, count, blanks: false } if byte == mark => {
                Self::Marks { mark, count: count + 1, blanks: false }
            }
            // Backticks behind backticks are inline code.
            Self::Marks { mark: b'`', .. } | Self::Info { mark: b'`', .. } if byte == b'`' => {
                Self::Rest
            }
            Self::Marks { mark, count, .. } | Self::Info { mark, count } => {
                Self::Info { mark, count }
            }
            Self::Start | Self::Indent(_) | Self::Rest => Self::Rest,
        }
    }
}
