//! Command lines for curl.

/// Where the examples find the service: its address when nothing is configured.
const SERVER: &str = "http://127.0.0.1:8080";

/// A command under construction.
pub(super) struct Curl {
    lines: Vec<String>,
}

impl Curl {
    /// `target` is a path with its query; `body` says that one will follow.
    pub(super) fn new(method: &str, target: &str, body: bool) -> Self {
        let address = quoted(&format!("{SERVER}{target}"));
        // A command without a body is a GET unless it says otherwise, and one with a body a POST.
        let implied = if body { "POST" } else { "GET" };
        let first = if method == implied {
            format!("curl {address}")
        } else {
            format!("curl -X {method} {address}")
        };
        Self { lines: vec![first] }
    }

    /// A variable of the shell in `value` is put in.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.lines.push(format!("-H \"{name}: {value}\""));
        self
    }

    /// `text` as the body, in the command itself.
    pub(super) fn data(mut self, text: &str) -> Self {
        self.lines.push(format!("-d {}", quoted(text)));
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

/// `text` such that the shell takes it as it stands.
fn quoted(text: &str) -> String {
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
    fn the_shell_takes_what_is_quoted_as_it_stands() {
        assert_eq!(quoted("it's a & b"), r"'it'\''s a & b'");
    }
}
