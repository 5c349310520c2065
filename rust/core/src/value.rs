//! Values as a body's own syntax spells them, written down flat.
//!
//! A `Tape` is a value from left to right: `[1, {"a": 2}]` is `List`, `Int(1)`, `Object`, `Key("a")`,
//! `Int(2)`, `End`, `End`. So depth costs no stack, neither to write nor to read nor to drop, and a
//! reader that finds out that a bracket was no literal takes back what it wrote behind a place.

use std::borrow::Cow;

/// One step of a tape.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<'a> {
    /// Nothing: JSON's `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that is no `i64`: digits, perhaps behind `-` and one of `0x`, `0o` and `0b`.
    BigInt(Cow<'a, str>),
    /// A number that is no integer.
    Float(f64),
    /// Text.
    Text(Cow<'a, str>),
    /// Text that no quotes bound: JSON if it is JSON, and so on; the caller says what it means.
    Untyped(Cow<'a, str>),
    /// A list begins; its items follow, up to its `End`.
    List,
    /// An object begins; for each of its members a `Key` and a value follow, up to its `End`. Of
    /// members with one key the last counts.
    Object,
    /// The key of a member, in an object.
    Key(Cow<'a, str>),
    /// In an object, before a last value without a key. If that is an object, its members are added
    /// to those that stand there; if not, it stands for the whole object, which had to be mended.
    Merge,
    /// In a list, before its only item. If that is a list, its items are meant, which had to be
    /// mended.
    Spread,
    /// The innermost open list or object ends.
    End,
}

/// A value, from left to right.
pub type Tape<'a> = Vec<Node<'a>>;

/// What a body's text says: the arguments as one object, and whether something had to be mended.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<'a> {
    /// The object that the arguments are.
    pub tape: Tape<'a>,
    /// Whether the text was no valid spelling and was read as what it most likely means.
    pub repaired: bool,
}

/// The text cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;
