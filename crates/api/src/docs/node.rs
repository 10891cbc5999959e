//! A node in the description of the API.
//!
//! The description is a JSON tree in which any part may be absent or a reference to a part under
//! `components`. This type reads it: absent parts are empty, and [`Node::resolved`] follows
//! references.

use serde_json::{Map, Value};

/// Chains of references are followed up to this length.
const HOPS_MAX: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    document: &'a Value,
    pub(super) value: &'a Value,
}

impl<'a> Node<'a> {
    /// The root of `document`.
    pub(super) fn root(document: &'a Value) -> Self {
        Self { document, value: document }
    }

    /// The root of the document that this node belongs to.
    pub(super) fn top(self) -> Self {
        Self::root(self.document)
    }

    pub(super) fn get(self, key: &str) -> Option<Self> {
        self.value.get(key).map(|value| Self { value, ..self })
    }

    /// The text under `key`, or an empty one.
    pub(super) fn text(self, key: &str) -> &'a str {
        self.value.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn flag(self, key: &str) -> bool {
        self.value.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The entries of the object under `key`.
    pub(super) fn entries(self, key: &str) -> impl Iterator<Item = (&'a str, Self)> {
        let entries = self.value.get(key).and_then(Value::as_object);
        let entries = entries.into_iter().flat_map(Map::iter);
        entries.map(move |(name, value)| (name.as_str(), Self { value, ..self }))
    }

    /// The elements of the list under `key`.
    pub(super) fn elements(self, key: &str) -> impl Iterator<Item = Self> {
        let elements = self.value.get(key).and_then(Value::as_array);
        elements.into_iter().flatten().map(move |value| Self { value, ..self })
    }

    /// The target of this reference, or the node itself if it is not a reference.
    pub(super) fn resolved(self) -> Self {
        let mut node = self;
        for _ in 0..HOPS_MAX {
            let target = node.text("$ref").strip_prefix('#');
            match target.and_then(|pointer| self.document.pointer(pointer)) {
                Some(value) => node = Self { value, ..node },
                None => break,
            }
        }
        node
    }

    /// The description of this node, or of the target of its reference.
    pub(super) fn description(self) -> &'a str {
        match self.text("description") {
            "" => self.resolved().text("description"),
            description => description,
        }
    }

    /// The example of a parameter, a body or a field.
    pub(super) fn example(self) -> Option<&'a Value> {
        let first = || self.value.get("examples").and_then(|examples| examples.get(0));
        self.value.get("example").or_else(first)
    }
}
