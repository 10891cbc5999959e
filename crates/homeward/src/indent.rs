//! JSON made readable without changing it: only the white space between its parts is new.
//!
//! Reading the text into values and writing those would turn 12.10 into 12.1, and what is shown
//! would no longer be what was sent.

use serde::de::IgnoredAny;

/// `text` in lines and steps; None when it is no JSON.
pub(crate) fn indented(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let mut page = Page::default();
    let mut in_string = false;
    let mut escaped = false;
    for letter in text.chars() {
        if in_string {
            page.text.push(letter);
            in_string = escaped || letter != '"';
            escaped = letter == '\\' && !escaped;
        } else if !letter.is_ascii_whitespace() {
            in_string = letter == '"';
            page.put(letter);
        }
    }
    Some(page.text)
}

#[derive(Default)]
struct Page {
    text: String,
    depth: usize,
    /// Whether something was opened of which it is not known yet whether it is empty.
    opened: bool,
}

impl Page {
    /// Writes the first letter of a string, or any letter outside one.
    fn put(&mut self, letter: char) {
        let opened = std::mem::take(&mut self.opened);
        match letter {
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                if !opened {
                    self.begin_line();
                }
            }
            _ if opened => self.begin_line(),
            _ => (),
        }
        self.text.push(letter);
        match letter {
            '{' | '[' => {
                self.depth += 1;
                self.opened = true;
            }
            ',' => self.begin_line(),
            ':' => self.text.push(' '),
            _ => (),
        }
    }

    fn begin_line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", self.depth));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_is_added() {
        let text = r#"{"a":[1,12.10, {}],"b" : "x, \"y\": [ \\","c":[ ]}"#;
        let wanted = r#"{
  "a": [
    1,
    12.10,
    {}
  ],
  "b": "x, \"y\": [ \\",
  "c": []
}"#;
        assert_eq!(indented(text).as_deref(), Some(wanted));
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        assert_eq!(indented("busy"), None);
        assert_eq!(indented("7").as_deref(), Some("7"));
    }
}
