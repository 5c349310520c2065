//! The tags of elements: `<name a="x" b=5 c>`, `<name/>`, `</name>`.
//!
//! A name is a letter of any script or `_`, then letters, digits, `_`, `-` and `.`; an attribute's
//! may hold `:` as well. An attribute's value stands in either quotes, or bare up to a blank or the
//! end of the tag. What is not wholly such a tag is text. A closer has no blanks in it.

/// An opening tag, at the beginning of some text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ElementTag<'a> {
    pub name: &'a str,
    pub attributes: Vec<(&'a str, Option<&'a str>)>,
    /// Whether it closes itself.
    pub empty: bool,
    /// Its length in bytes.
    pub length: usize,
}

/// What the text at one place is, as far as it has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen<T> {
    No,
    /// More text decides.
    Unfinished,
    Yes(T),
}

/// The longest tag, in bytes, and how much of a body decides what it holds. No more is held back.
pub(crate) const TAG_LIMIT: usize = 256;

/// Whether a character is white space, as Python's `str.isspace` has it.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

fn begins_name(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn continues_name(character: char) -> bool {
    matches!(character, '_' | '.' | '-') || character.is_alphanumeric()
}

/// Whether a character behind a name shows that it begins a tag.
pub(crate) fn ends_name(character: char) -> bool {
    matches!(character, '/' | '>') || is_blank(character)
}

/// The name at the beginning of `text`; empty if there is none.
fn name(text: &str) -> &str {
    if !text.starts_with(begins_name) {
        return "";
    }
    // Most names are plain bytes up to one that ends them.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    match text.bytes().enumerate().find(|(_, byte)| !plain(*byte)) {
        Some((end, byte)) if byte.is_ascii() => text.get(..end).unwrap_or_default(),
        _ => text.split(|character| !continues_name(character)).next().unwrap_or_default(),
    }
}

/// The beginning of `text` that a tag may take, and whether more than that has come.
pub(crate) fn window(text: &str) -> (&str, bool) {
    let mut end = text.len().min(TAG_LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (text.get(..end).unwrap_or_default(), text.len() >= TAG_LIMIT)
}

/// The opening tag at the beginning of `text`. With `last`, no more text will come.
pub(crate) fn opening_tag(text: &str, last: bool) -> Seen<ElementTag<'_>> {
    let (text, full) = window(text);
    match TagReader::new(text).read() {
        Seen::Unfinished if full || last => Seen::No,
        seen => seen,
    }
}

/// Whether `text` begins with the closer of this element.
pub(crate) fn closer(text: &str, name: &str, last: bool) -> Seen<()> {
    let rest = text.strip_prefix("</");
    match rest {
        Some(rest) => match rest.strip_prefix(name) {
            Some(rest) if rest.starts_with('>') => Seen::Yes(()),
            Some("") if !last => Seen::Unfinished,
            None if name.starts_with(rest) && !last => Seen::Unfinished,
            _ => Seen::No,
        },
        None if "</".starts_with(text) && !last => Seen::Unfinished,
        None => Seen::No,
    }
}

/// The name of the tag that `text` begins, if what follows it ends a name.
pub(crate) fn tag_name(text: &str, last: bool) -> Seen<&str> {
    let unfinished = if last { Seen::No } else { Seen::Unfinished };
    let Some(rest) = text.strip_prefix('<') else {
        return if text.is_empty() { unfinished } else { Seen::No };
    };
    let name = name(rest);
    match rest.get(name.len()..).and_then(|rest| rest.chars().next()) {
        None => unfinished,
        Some(next) if !name.is_empty() && ends_name(next) => Seen::Yes(name),
        Some(_) => Seen::No,
    }
}

/// Reads one tag from left to right.
struct TagReader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> TagReader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    fn read(mut self) -> Seen<ElementTag<'a>> {
        let name = match tag_name(self.text, false) {
            Seen::Yes(name) => name,
            Seen::No => return Seen::No,
            Seen::Unfinished => return Seen::Unfinished,
        };
        self.take("<".len() + name.len());
        let mut attributes = Vec::new();
        loop {
            let blanks = self.blanks();
            if self.rest.is_empty() || self.rest == "/" {
                return Seen::Unfinished;
            }
            let empty = self.rest.starts_with("/>");
            if empty || self.rest.starts_with('>') {
                self.take(1 + usize::from(empty));
                let length = self.text.len() - self.rest.len();
                return Seen::Yes(ElementTag { name, attributes, empty, length });
            }
            if blanks == 0 {
                return Seen::No;
            }
            match self.attribute() {
                Seen::Yes(attribute) => attributes.push(attribute),
                Seen::No => return Seen::No,
                Seen::Unfinished => return Seen::Unfinished,
            }
        }
    }

    fn attribute(&mut self) -> Seen<(&'a str, Option<&'a str>)> {
        if !self.rest.starts_with(begins_name) {
            return Seen::No;
        }
        let ends = |character| character != ':' && !continues_name(character);
        let Some(length) = self.rest.find(ends) else {
            return Seen::Unfinished;
        };
        let name = self.take(length);
        let behind_name = self.rest;
        self.blanks();
        if !self.rest.starts_with('=') {
            self.rest = behind_name;
            return Seen::Yes((name, None));
        }
        self.take(1);
        self.blanks();
        let value = match self.rest.chars().next() {
            None => return Seen::Unfinished,
            Some(quote @ ('"' | '\'')) => {
                self.take(1);
                let Some(length) = self.rest.find(quote) else {
                    return Seen::Unfinished;
                };
                let value = self.take(length);
                self.take(1);
                value
            }
            Some(_) => match self.bare_value() {
                Seen::Yes(value) => value,
                Seen::No => return Seen::No,
                Seen::Unfinished => return Seen::Unfinished,
            },
        };
        Seen::Yes((name, Some(value)))
    }

    /// A value without quotes: up to a blank, `>` or `/>`.
    fn bare_value(&mut self) -> Seen<&'a str> {
        for (at, character) in self.rest.char_indices() {
            let rest = self.rest.get(at..).unwrap_or_default();
            match character {
                '<' | '"' | '\'' => return Seen::No,
                '/' if rest == "/" => return Seen::Unfinished,
                _ if is_blank(character) || character == '>' || rest.starts_with("/>") => {
                    return Seen::Yes(self.take(at));
                }
                _ => {}
            }
        }
        Seen::Unfinished
    }

    /// Skips blanks; answers how many bytes they have.
    fn blanks(&mut self) -> usize {
        let rest = self.rest.trim_start_matches(is_blank);
        let length = self.rest.len() - rest.len();
        self.rest = rest;
        length
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str) -> Option<Vec<(&str, Option<&str>)>> {
        match opening_tag(text, true) {
            Seen::Yes(tag) => Some(tag.attributes),
            _ => None,
        }
    }

    #[test]
    fn attributes_are_quoted_in_all_ways() {
        assert_eq!(
            attributes(r#"<a b="x>y" c='"' d=e/f g h = "i" j= k:l=1/>"#),
            Some(vec![
                ("b", Some("x>y")),
                ("c", Some("\"")),
                ("d", Some("e/f")),
                ("g", None),
                ("h", Some("i")),
                ("j", Some("k:l=1")),
            ])
        );
        assert_eq!(attributes("<ü é=ñ>"), Some(vec![("é", Some("ñ"))]));
        assert_eq!(attributes("<a b=/>"), Some(vec![("b", Some(""))]));
        for text in ["<a b=\"x>", "<a b=x\"y>", "<a\"b\">", "<a b='x'c>", "<1>", "< a>", "<a / >"] {
            assert_eq!(attributes(text), None, "{text}");
        }
    }

    #[test]
    fn every_beginning_of_a_tag_waits() {
        let text = "<ünit a='x>' b = c/d e />";
        for (at, _) in text.char_indices() {
            let beginning = text.get(..at).unwrap_or_default();
            assert_eq!(opening_tag(beginning, false), Seen::Unfinished, "{at}");
            assert_eq!(opening_tag(beginning, true), Seen::No, "{at}");
        }
        let Seen::Yes(tag) = opening_tag(text, false) else { panic!("a tag") };
        assert_eq!((tag.name, tag.empty, tag.length), ("ünit", true, text.len()));
        let long = format!("<a {}", " ".repeat(TAG_LIMIT));
        assert_eq!(opening_tag(&long, false), Seen::No);
    }

    #[test]
    fn closers_are_exact() {
        assert_eq!(closer("</a>", "a", true), Seen::Yes(()));
        for text in ["</a >", "</ab>", "</b>", "<a>", "x"] {
            assert_eq!(closer(text, "a", false), Seen::No, "{text}");
        }
        for text in ["<", "</", "</a"] {
            assert_eq!(closer(text, "a", false), Seen::Unfinished, "{text}");
            assert_eq!(closer(text, "a", true), Seen::No, "{text}");
        }
    }
}
