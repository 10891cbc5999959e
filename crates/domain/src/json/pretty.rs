//! JSON laid out for people. Only white space changes: every other character stays as it was sent.
//!
//! Parsing the text and writing the values again could turn 12.10 into 12.1, and the page would no
//! longer show what was sent.

const INDENT: &str = "  ";

/// `text` with a line for each element. Text that is not JSON is laid out oddly, but is complete.
pub fn pretty(text: &str) -> String {
    let mut pretty = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if in_string {
            pretty.push(letter);
            in_string = escaped || letter != '"';
            escaped = letter == '\\' && !escaped;
            continue;
        }
        match letter {
            '"' => {
                in_string = true;
                pretty.push(letter);
            }
            '{' | '[' => {
                pretty.push(letter);
                while letters.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = letters.next_if(|next| matches!(next, '}' | ']')) {
                    pretty.push(end);
                } else {
                    depth += 1;
                    new_line(&mut pretty, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut pretty, depth);
                pretty.push(letter);
            }
            ',' => {
                pretty.push(letter);
                new_line(&mut pretty, depth);
            }
            ':' => pretty.push_str(": "),
            letter if letter.is_ascii_whitespace() => (),
            letter => pretty.push(letter),
        }
    }
    pretty
}

/// Deeper levels are not indented further. No message has as many.
const DEPTH_MAX: usize = 32;

fn new_line(pretty: &mut String, depth: usize) {
    pretty.push('\n');
    pretty.push_str(&INDENT.repeat(depth.min(DEPTH_MAX)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_line_and_no_character_is_lost() {
        let text = r#"{"a":[1.10,{"b":"x, {y}: \"z\" \\"}],"c":{},"d": [ ],"e":null}"#;
        let expected = r#"{
  "a": [
    1.10,
    {
      "b": "x, {y}: \"z\" \\"
    }
  ],
  "c": {},
  "d": [],
  "e": null
}"#;
        assert_eq!(pretty(text), expected);
        assert_eq!(pretty(expected), expected);
    }

    #[test]
    fn text_that_is_not_json_is_shown_too() {
        assert_eq!(pretty("]]} oops"), "\n]\n]\n}oops");
        assert_eq!(pretty(""), "");
        assert_eq!(pretty("\"open \\"), "\"open \\");
    }
}
