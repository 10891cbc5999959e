//! E-mail addresses, as far as a mail server must be able to trust them.
//!
//! An address becomes part of a line that is sent to a mail server. So it has no spaces, no line
//! breaks and no brackets, whoever wrote it. Whether it exists is for its own server to say.

/// The longest address that mail servers accept.
pub const ADDRESS_MAX: usize = 254;

/// The longest part before the `@`.
const LOCAL_MAX: usize = 64;

/// Whether a mail can be sent to this address: `local@domain` in ASCII, without quotes.
pub fn is_mail_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= ADDRESS_MAX && is_local_part(local) && is_domain(domain)
}

fn is_local_part(local: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
    (1..=LOCAL_MAX).contains(&local.len())
        && local.bytes().all(allowed)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

/// Whether this is the name of a domain in ASCII. Names in other scripts are written in their
/// `xn--` form.
pub fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    domain.len() <= 253 && domain.split('.').all(is_label)
}

/// The domain of an address.
pub fn domain_of(address: &str) -> &str {
    address.rsplit_once('@').map_or("", |(_, domain)| domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_word_that_no_server_misreads() {
        for address in ["a@b", "dana.whitfield+returns@mail.example.com", "o'neil@xn--bcher-kva.at"]
        {
            assert!(is_mail_address(address), "{address}");
        }
        let long = format!("{}@example.com", "a".repeat(65));
        for address in [
            "",
            "@",
            "a@",
            "@b",
            "a b@example.com",
            "a@b\r\nRCPT TO:<x@y>",
            "a@example.com\n",
            "<a@example.com>",
            "\"a b\"@example.com",
            "a@exa mple.com",
            "a..b@example.com",
            ".a@example.com",
            "jörg@example.com",
            "a@-example.com",
            "a@example..com",
            long.as_str(),
        ] {
            assert!(!is_mail_address(address), "{address}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_accepted_has_nothing_that_ends_a_command(text in ".{0,40}@.{0,40}") {
            if is_mail_address(&text) {
                let harmless = |byte: u8| byte.is_ascii_graphic() && !b"<>\"()[]\\,;:".contains(&byte);
                proptest::prop_assert!(text.bytes().all(harmless));
            }
        }
    }
}
