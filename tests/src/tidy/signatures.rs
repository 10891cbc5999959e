//! How functions are declared and called: no tuple parameters, no result that has the name of the
//! function it comes from, and futures that are compiled once.

use super::files::{code_lines, files, sources};

/// The parameters of every function that `text` declares, each as its pattern and its type.
fn parameters(text: &str) -> Vec<(String, String)> {
    let text = code_lines(text).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (start, _) in text.match_indices("fn ") {
        let is_keyword = text[..start].ends_with([' ', '\n', '(']) || start == 0;
        let rest = &text[start + 3..];
        let name_end = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(0);
        if is_keyword && name_end > 0 {
            found.extend(split_list(&rest[name_end..]).iter().filter_map(|it| {
                let (pattern, kind) = it.split_once(": ")?;
                Some((pattern.trim().to_owned(), kind.trim().to_owned()))
            }));
        }
    }
    found
}

/// The elements of the parenthesized list that follows generics, which are skipped.
fn split_list(text: &str) -> Vec<String> {
    let (mut depth, mut started, mut elements) = (0_i32, false, vec![String::new()]);
    let mut before = ' ';
    for letter in text.chars() {
        let closes_arrow = letter == '>' && matches!(before, '-' | '=');
        before = letter;
        match letter {
            '(' if depth == 0 && !started => started = true,
            ')' if depth == 0 && started => return elements,
            '{' | ';' if depth == 0 => return elements,
            _ => {
                match letter {
                    '(' | '<' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth -= 1,
                    '>' if !closes_arrow => depth -= 1,
                    _ => (),
                }
                if started && letter == ',' && depth == 0 {
                    elements.push(String::new());
                } else if started {
                    elements.last_mut().unwrap().push(letter);
                }
            }
        }
    }
    elements
}

fn is_tuple(kind: &str) -> bool {
    let kind = kind.trim_start_matches(['&', ' ']);
    let kind = kind.strip_prefix("mut ").unwrap_or(kind);
    kind.starts_with('(') && kind.contains(',')
}

#[test]
fn tuple_parameters_are_recognized() {
    let of = |text: &str| parameters(text).iter().any(|(_, kind)| is_tuple(kind));
    assert!(of("fn a<T: Into<(u8, u8)>>(x: (u8, u8)) {}"));
    assert!(of(concat!(
        "    pub(crate) f",
        "n a(\n        &self,\n        (b, c): &(u8, Vec<u8>),\n    ) {"
    )));
    assert!(!of("fn a(x: impl Fn(u8, u8) -> (u8, u8), y: Path<(u8, u8)>, z: &[(u8, u8)]) {}"));
    assert!(!of("fn a(x: u8) -> (u8, u8) {}"));
}

#[test]
fn no_function_has_a_tuple_parameter() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for (pattern, kind) in parameters(&text) {
            if is_tuple(&kind) {
                wrong.push(format!("{}: {pattern}: {kind}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "give these a struct with named fields:\n{}", wrong.join("\n"));
}

#[test]
fn no_result_has_the_name_of_the_function_it_comes_from() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        for line in code_lines(&text) {
            let Some(rest) = line.trim_start().strip_prefix("let ") else { continue };
            let rest = rest.strip_prefix("mut ").unwrap_or(rest);
            let Some((name, value)) = rest.split_once(" = ") else { continue };
            let is_name = name.chars().all(|it| it.is_alphanumeric() || it == '_');
            let called = value.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
            if is_name && called {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "name the function by a verb:\n{}", wrong.join("\n"));
}

#[test]
fn what_other_crates_await_is_compiled_once() {
    let (mut wrong, mut boxed) = (Vec::new(), 0);
    for (path, text) in
        [files("crates/app/src", &[".rs"]), files("crates/store/src", &[".rs"])].concat()
    {
        let lines: Vec<&str> = text.lines().collect();
        let engine = path.starts_with("crates/store/src/engine");
        let tests = path.iter().any(|part| part == "conformance") || engine;
        for (number, line) in lines.iter().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix("pub async fn ") else { continue };
            let signature = rest.to_owned() + &lines[number + 1..].join("\n");
            let signature = signature.split_once(" {\n").map_or("", |(signature, _)| signature);
            let is_generic = signature.contains("impl ") || signature.contains("<T");
            let is_boxed = number > 0 && lines[number - 1].trim() == "#[boxed]";
            boxed += i32::from(is_boxed);
            if !is_boxed && !is_generic && !tests {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(boxed > 300, "{boxed}");
    assert!(wrong.is_empty(), "put #[boxed] before these, see crates/boxed:\n{}", wrong.join("\n"));
}
