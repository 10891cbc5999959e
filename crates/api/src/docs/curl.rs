//! Command lines for curl.

/// The default address of the service.
const SERVER: &str = "http://127.0.0.1:8080";

/// A command under construction.
pub(super) struct Curl {
    lines: Vec<String>,
}

impl Curl {
    /// `target` is a path with its query; `body` is whether the command has a body.
    pub(super) fn new(method: &str, target: &str, body: bool) -> Self {
        let address = quote(&format!("{SERVER}{target}"));
        // By default curl sends a GET without a body, and a POST with one.
        let implied = if body { "POST" } else { "GET" };
        let first = if method == implied {
            format!("curl {address}")
        } else {
            format!("curl -X {method} {address}")
        };
        Self { lines: vec![first] }
    }

    /// The shell expands variables in `value`.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.lines.push(format!("-H \"{name}: {value}\""));
        self
    }

    /// `text` as the body, in the command itself.
    pub(super) fn data(mut self, text: &str) -> Self {
        self.lines.push(format!("-d {}", quote(text)));
        self
    }

    /// The file `name` as the body, byte by byte.
    pub(super) fn file(mut self, name: &str) -> Self {
        self.lines.push(format!("--data-binary @{name}"));
        self
    }

    pub(super) fn text(&self) -> String {
        self.lines.join(" \\\n  ")
    }
}

/// Quotes `text` so that the shell does not change it.
fn quote(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+,=".contains(&byte);
    if text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_method_only_where_curl_would_choose_another() {
        assert_eq!(Curl::new("GET", "/a", false).text(), "curl http://127.0.0.1:8080/a");
        assert_eq!(Curl::new("POST", "/a", true).text(), "curl http://127.0.0.1:8080/a");
        assert_eq!(Curl::new("POST", "/a", false).text(), "curl -X POST http://127.0.0.1:8080/a");
        assert_eq!(Curl::new("PATCH", "/a", true).text(), "curl -X PATCH http://127.0.0.1:8080/a");
    }

    #[test]
    fn the_shell_does_not_change_quoted_text() {
        assert_eq!(quote("it's a & b"), r"'it'\''s a & b'");
    }
}
