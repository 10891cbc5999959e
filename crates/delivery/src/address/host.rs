//! The host of an address: an IP address in its one usual form, or a name.
//!
//! Resolvers accept IPv4 addresses in forms that no person writes by accident (`0x7f.1`,
//! `2130706433`, `0177.0.0.1`). They are refused here rather than understood: a host with a
//! number as its last label is four plain decimal numbers or it is refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Refused;

const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// Where a call goes, before any resolving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Address(IpAddr),
    /// In lower case, without a dot at the end.
    Name(String),
}

impl Host {
    pub(crate) fn parse(text: &str) -> Result<Self, Refused> {
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return match inner.parse::<Ipv6Addr>() {
                Ok(address) => Ok(Self::Address(address.into())),
                Err(_) => refuse("its host is not an IPv6 address"),
            };
        }
        if text.is_empty() || text.len() > NAME_BYTES_MAX {
            return refuse("its host is empty or too long");
        }
        if !text.split('.').all(is_label) {
            return refuse("its host is not a name that can be looked up");
        }
        if text.rsplit('.').next().is_some_and(is_number) {
            return match text.parse::<Ipv4Addr>() {
                Ok(address) => Ok(Self::Address(address.into())),
                Err(_) => refuse("its host is not an IPv4 address of four decimal numbers"),
            };
        }
        Ok(Self::Name(text.to_ascii_lowercase()))
    }
}

fn refuse<T>(why: &'static str) -> Result<T, Refused> {
    Err(Refused::Malformed(why))
}

fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LABEL_BYTES_MAX).contains(&label.len())
        && label.bytes().all(plain)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Whether a resolver might take the label for a number: decimal, octal or hexadecimal.
fn is_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => label.bytes().all(|byte| byte.is_ascii_digit()),
    }
}
