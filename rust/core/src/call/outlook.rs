//! Whether what stands behind an opener can still be a call, or shows that the opener was text.
//!
//! A call's first characters tell it from prose that speaks of its opener: data or another tag
//! begins at once, or a single word stands there, a name. Two words side by side are prose. The text
//! is read character by character, so the answer comes with the first one that decides.

/// What may stand behind an opener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expects {
    /// A name, and then anything.
    Name,
    /// Data; before it perhaps a name.
    Data,
}

/// What is known so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// Nothing but blanks has come; `apart` if there were any.
    Blank { apart: bool },
    /// So many backticks, fewer than a fence has.
    Ticks(usize),
    /// A word; `apart` if a blank stands before it.
    Word { apart: bool },
    /// A word that ends in a colon, and perhaps blanks, which do not end it.
    Colon { apart: bool },
    /// Blanks behind a word; `apart` as before.
    BehindWord { apart: bool },
    /// A `<` behind a word that stands apart.
    TagBehindWord,
    /// It can be a call, whatever follows.
    Call,
}

/// What a piece of text decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It can still be a call.
    Open,
    /// It was text, as the character at this position shows.
    Text(usize),
}

const FENCE: usize = 3;

impl Default for Outlook {
    fn default() -> Self {
        Self::Blank { apart: false }
    }
}

impl Outlook {
    /// Reads what follows.
    pub fn read(&mut self, expects: Expects, text: &str) -> Verdict {
        for (at, next) in text.char_indices() {
            if *self == Self::Call {
                break;
            }
            match self.after(expects, next) {
                Some(outlook) => *self = outlook,
                None => return Verdict::Text(at),
            }
        }
        Verdict::Open
    }

    /// What is known with the next character; `None` if it was text.
    fn after(self, expects: Expects, next: char) -> Option<Self> {
        let begins_data = matches!(next, '{' | '[' | '(' | '"' | '\'');
        match self {
            Self::Blank { apart } => match next {
                '`' => Some(Self::Ticks(1)),
                '<' => Some(Self::Call),
                _ if begins_data => Some(Self::Call),
                _ if next.is_whitespace() => Some(Self::Blank { apart: apart || is_space(next) }),
                _ if is_of_word(next) => Some(Self::Word { apart }),
                _ => None,
            },
            Self::Ticks(count) if next != '`' || count >= FENCE => None,
            Self::Ticks(count) if count + 1 == FENCE => Some(Self::Call),
            Self::Ticks(count) => Some(Self::Ticks(count + 1)),
            Self::Colon { .. } if next.is_whitespace() => Some(self),
            Self::Word { apart } | Self::Colon { apart } => match next {
                ':' => Some(Self::Colon { apart }),
                '`' => Some(Self::Ticks(1)),
                _ if is_of_word(next) => Some(Self::Word { apart }),
                _ if next.is_whitespace() && expects == Expects::Data => {
                    Some(Self::BehindWord { apart })
                }
                _ if next.is_whitespace() && apart && is_space(next) => {
                    Some(Self::BehindWord { apart })
                }
                ',' | ';' | ')' => None,
                _ if apart && matches!(next, '!' | '?' | '\'' | '"') => None,
                _ if expects == Expects::Data && !begins_data && next != '<' => None,
                _ => Some(Self::Call),
            },
            Self::BehindWord { apart } => match next {
                '<' if apart => Some(Self::TagBehindWord),
                '`' => Some(Self::Ticks(1)),
                '<' => Some(Self::Call),
                _ if begins_data || matches!(next, '=' | ':') => Some(Self::Call),
                _ if next.is_whitespace() => Some(self),
                _ => None,
            },
            Self::TagBehindWord if next == '/' => None,
            Self::TagBehindWord | Self::Call => Some(Self::Call),
        }
    }
}

/// Whether a blank sets a word apart on its line.
fn is_space(next: char) -> bool {
    matches!(next, ' ' | '\t')
}

/// Whether names have such characters.
fn is_of_word(next: char) -> bool {
    next.is_alphanumeric() || matches!(next, '_' | '.' | '-' | '/' | '|' | '$' | '#')
}

#[cfg(test)]
mod tests {
    use super::{Expects, Outlook, Verdict};

    fn read(expects: Expects, text: &str) -> (Verdict, Outlook) {
        let mut outlook = Outlook::default();
        let verdict = outlook.read(expects, text);
        (verdict, outlook)
    }

    #[test]
    fn what_begins_as_a_call_is_open() {
        let data = [
            "", " \n", "{", "\n[", "\"name\"", "```json", "<x", "read{", "read ({", "read\n{",
            "f```",
        ];
        for text in data {
            assert_eq!(read(Expects::Data, text).0, Verdict::Open, "{text:?}");
        }
        let names = [
            "read",
            "read\n",
            " read",
            "functions.read:0",
            "f!166",
            "read<",
            "I will call x.",
            " call: x {",
        ];
        for text in names {
            assert_eq!(read(Expects::Name, text).0, Verdict::Open, "{text:?}");
        }
    }

    #[test]
    fn prose_is_text_at_the_character_that_shows_it() {
        let cases = [
            (Expects::Data, "` element", 1),
            (Expects::Data, ", then", 0),
            (Expects::Data, "tags are used", 5),
            (Expects::Data, " and </x>", 6),
            (Expects::Name, "` element, then", 1),
            (Expects::Name, " element, then", 8),
            (Expects::Name, " token opens", 7),
            (Expects::Name, " and </x>", 6),
            (Expects::Name, ", then", 0),
        ];
        for (expects, text, at) in cases {
            let (found, _) = read(expects, text);
            assert!(matches!(found, Verdict::Text(found) if found == at), "{text:?}: {found:?}");
        }
    }
}
