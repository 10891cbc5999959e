//! Addresses that others reach a server at. Paths are appended to them.

use hyper::Uri;

/// What is wrong with `text` as such an address, as the rest of a sentence that begins with its
/// name.
pub(crate) fn check_public_url(text: &str) -> Result<(), String> {
    let is_address = |uri: Uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.authority().is_some_and(|it| !it.host().is_empty() && !it.as_str().contains('@'))
    };
    // A path behind either of them would not be a path.
    if !text.contains(['?', '#']) && text.parse().is_ok_and(is_address) {
        return Ok(());
    }
    // A login would have its password in the log.
    let refused = if text.contains('@') { String::new() } else { format!(", not {text}") };
    Err(format!(
        "must be an address such as https://returns.example.com, without ?, # or a login{refused}"
    ))
}

/// For arguments of commands.
pub(crate) fn parse_public_url(text: &str) -> Result<String, String> {
    check_public_url(text).map(|()| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_be_appended_to_an_accepted_address() {
        for text in ["https://a.example", "http://127.0.0.1:8080/", "https://a.example/returns"] {
            assert_eq!(check_public_url(text), Ok(()), "{text}");
        }
        for text in [
            "",
            "a.example",
            "ftp://a.example",
            "https://",
            "https://a.example?x=1",
            "https://a.example/?x=1",
            "https://a.example/#top",
            "https://user:word@a.example",
            "https://a b",
        ] {
            assert!(check_public_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_refusal_repeats_the_address_unless_it_may_have_a_password() {
        let refuse = |text: &str| check_public_url(text).unwrap_err();
        assert!(refuse("ftp://a.example").ends_with(" or a login, not ftp://a.example"));
        for text in ["https://user:word@a.example", "user:word@a.example", "https://a:word@b c"] {
            assert!(refuse(text).ends_with(" or a login"), "{text}");
        }
    }
}
