//! Code listings of the page; JSON is colored.

use askama::{Template, filters::HtmlSafe};
use serde_json::{Map, Value};

/// A list or an object without nested ones stays on one line up to this width.
const LINE_MAX: usize = 44;

const INDENT: &str = "  ";

#[derive(Template)]
#[template(path = "docs/code.html")]
pub(super) struct Code {
    tokens: Vec<Token>,
}

struct Token {
    /// The class in the style sheet. Empty for text without a color.
    class: &'static str,
    text: String,
}

impl HtmlSafe for Code {}

impl Code {
    /// `text` as it is, without colors.
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { tokens: vec![Token { class: "", text: text.into() }] }
    }

    /// `value`, formatted for reading. A plain text stays as it is.
    pub(super) fn json(value: &Value) -> Self {
        if let Value::String(text) = value {
            return Self::plain(text);
        }
        let mut code = Self { tokens: Vec::new() };
        code.write(value, 0);
        code
    }

    /// The code itself.
    pub(super) fn text(&self) -> String {
        self.tokens.iter().map(|token| token.text.as_str()).collect()
    }

    fn push(&mut self, class: &'static str, text: &str) {
        match self.tokens.last_mut() {
            Some(last) if last.class == class => last.text.push_str(text),
            _ => self.tokens.push(Token { class, text: text.to_owned() }),
        }
    }

    fn write(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(_) => self.push("string", &value.to_string()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.push("number", &value.to_string());
            }
            Value::Array(elements) => self.write_list(elements, Layout::of(value, depth)),
            Value::Object(fields) => self.write_object(fields, Layout::of(value, depth)),
        }
    }

    fn write_list(&mut self, elements: &[Value], layout: Layout) {
        self.push("", "[");
        for (position, element) in elements.iter().enumerate() {
            self.push("", if position == 0 { "" } else { "," });
            self.push("", &layout.before(position, ""));
            self.write(element, layout.depth + 1);
        }
        self.push("", &layout.after(elements.is_empty(), ""));
        self.push("", "]");
    }

    fn write_object(&mut self, fields: &Map<String, Value>, layout: Layout) {
        self.push("", "{");
        for (position, (name, value)) in fields.iter().enumerate() {
            self.push("", if position == 0 { "" } else { "," });
            self.push("", &layout.before(position, " "));
            self.push("key", &Value::from(name.as_str()).to_string());
            self.push("", ": ");
            self.write(value, layout.depth + 1);
        }
        self.push("", &layout.after(fields.is_empty(), " "));
        self.push("", "}");
    }
}

/// The layout of a list or an object: its depth, and whether it fits on one line.
#[derive(Clone, Copy)]
struct Layout {
    depth: usize,
    one_line: bool,
}

impl Layout {
    fn of(value: &Value, depth: usize) -> Self {
        let nested = |value: &Value| value.is_array() || value.is_object();
        let has_nested = match value {
            Value::Array(elements) => elements.iter().any(nested),
            Value::Object(fields) => fields.values().any(nested),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        let width = depth * INDENT.len() + value.to_string().len();
        Self { depth, one_line: !has_nested && depth > 0 && width <= LINE_MAX }
    }

    /// The space before the element at `position`; `padding` if it is the first on its line.
    fn before(self, position: usize, padding: &str) -> String {
        match (self.one_line, position) {
            (true, 0) => padding.to_owned(),
            (true, _) => " ".to_owned(),
            (false, _) => format!("\n{}", INDENT.repeat(self.depth + 1)),
        }
    }

    fn after(self, empty: bool, padding: &str) -> String {
        match (empty, self.one_line) {
            (true, _) => String::new(),
            (false, true) => padding.to_owned(),
            (false, false) => format!("\n{}", INDENT.repeat(self.depth)),
        }
    }
}
