//! The path of a value in its document, written as JSONPath (RFC 9535).

use std::fmt::Write as _;

/// One step down from a value.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

/// A chain of steps, each of which links to the one before it.
#[derive(Clone, Copy)]
pub(super) struct FieldPath<'a> {
    /// None at the root.
    last: Option<(&'a FieldPath<'a>, PathStep<'a>)>,
}

impl FieldPath<'_> {
    pub(super) fn root() -> Self {
        Self { last: None }
    }

    pub(super) fn then<'b>(&'b self, step: PathStep<'b>) -> FieldPath<'b> {
        FieldPath { last: Some((self, step)) }
    }

    /// The position in its list of the value that this path leads to.
    pub(super) fn position(&self) -> Option<usize> {
        match self.last {
            Some((_, PathStep::Index(position))) => Some(position),
            Some((_, PathStep::Key(_))) | None => None,
        }
    }

    /// The text of this path, extended by `steps`.
    pub(super) fn below(&self, steps: &[PathStep<'_>]) -> String {
        let mut text = String::new();
        self.write(&mut text);
        for step in steps {
            write_step(*step, &mut text);
        }
        text
    }

    fn write(&self, text: &mut String) {
        match self.last {
            Some((parent, step)) => {
                parent.write(text);
                write_step(step, text);
            }
            None => text.push('$'),
        }
    }
}

fn write_step(step: PathStep<'_>, text: &mut String) {
    match step {
        PathStep::Index(position) => {
            write!(text, "[{position}]").expect("writing to a string does not fail");
        }
        PathStep::Key(key) if is_plain(key) => {
            text.push('.');
            text.push_str(key);
        }
        PathStep::Key(key) => {
            text.push_str("['");
            for character in key.chars() {
                write_escaped(character, text);
            }
            text.push_str("']");
        }
    }
}

/// Whether the key may follow a dot.
fn is_plain(key: &str) -> bool {
    let starts = key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn write_escaped(character: char, text: &mut String) {
    match character {
        '\'' | '\\' => text.extend(['\\', character]),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\u{8}' => text.push_str("\\b"),
        '\u{c}' => text.push_str("\\f"),
        '\0'..='\u{1f}' => {
            let code = u32::from(character);
            write!(text, "\\u{code:04x}").expect("writing to a string does not fail");
        }
        _ => text.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_every_step_from_the_root() {
        let root = FieldPath::root();
        let orders = root.then(PathStep::Key("orders"));
        let order = orders.then(PathStep::Index(12));

        assert_eq!(root.below(&[]), "$");
        assert_eq!(
            order.below(&[PathStep::Key("items"), PathStep::Index(0)]),
            "$.orders[12].items[0]"
        );
        assert_eq!(order.position(), Some(12));
        assert_eq!(orders.position(), None);
    }

    #[test]
    fn keys_that_are_not_plain_words_are_in_brackets_and_quotes() {
        let written = |key| FieldPath::root().below(&[PathStep::Key(key)]);

        assert_eq!(written("_snake_Case9"), "$._snake_Case9");
        assert_eq!(written("the service"), "$['the service']");
        assert_eq!(written(""), "$['']");
        assert_eq!(written("9lives"), "$['9lives']");
        assert_eq!(written("größe"), "$['größe']");
        assert_eq!(written(r"it's \ here"), r"$['it\'s \\ here']");
        assert_eq!(written("a\n\r\t\u{8}\u{c}\0\u{1f}"), r"$['a\n\r\t\b\f\u0000\u001f']");
    }
}
