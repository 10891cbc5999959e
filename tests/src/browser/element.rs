//! An element of a page, as the rules look at it.

/// An element with its place in the document: all elements lie in one list, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// Where its parent is in the list.
    pub(super) parent: Option<usize>,
    /// Part of a drawing, which has rules of its own.
    pub(super) foreign: bool,
    /// All text in it, with that of its children.
    pub(super) text: String,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn is(&self, names: &[&str]) -> bool {
        !self.foreign && names.contains(&self.name.as_str())
    }

    /// Something to fill in or to choose, that a person sees.
    pub(super) fn is_field(&self) -> bool {
        let unseen = ["hidden", "submit", "button", "reset", "image"];
        let unseen = self.attribute("type").is_some_and(|kind| unseen.contains(&kind));
        self.is(&["select", "textarea"]) || (self.is(&["input"]) && !unseen)
    }

    /// The beginning of the tag, to find it by.
    pub(super) fn tag(&self) -> String {
        let attributes = self.attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\""));
        format!("<{}{}>", self.name, attributes.collect::<String>())
    }
}
