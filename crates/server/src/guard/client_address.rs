//! The address of the client, also behind proxies.
//!
//! Every proxy appends the address that called it to `X-Forwarded-For`. Anything before that can be
//! forged by the caller. So the operator configures the number of trusted proxies, and the client
//! is the entry that the outermost of them wrote: that many from the right. Entries further left
//! are ignored. An unreadable entry is not skipped, because the count would then reach the part
//! that anyone can write. In case of doubt the result is the peer, which cannot be forged.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The client behind `trusted_hops` proxies, or `peer` if the header does not contain it.
/// `forwarded_for` must be all values of the header, in order.
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded_for: impl Iterator<Item = &'a str>,
    trusted_hops: usize,
) -> IpAddr {
    let Some(from_the_right) = trusted_hops.checked_sub(1) else {
        return peer;
    };
    let entries: Vec<&str> = forwarded_for.flat_map(|value| value.split(',')).collect();
    entries.iter().rev().nth(from_the_right).and_then(|entry| parse(entry)).unwrap_or(peer)
}

/// The same from the headers of a request. If a value is not ASCII, its entries cannot be counted,
/// so the whole header is ignored.
pub fn client_address_of(peer: IpAddr, headers: &HeaderMap, trusted_hops: usize) -> IpAddr {
    let values: Result<Vec<&str>, _> =
        headers.get_all(FORWARDED_FOR).iter().map(axum::http::HeaderValue::to_str).collect();
    values.map_or(peer, |values| client_address(peer, values.into_iter(), trusted_hops))
}

/// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`.
fn parse(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    bare.parse().ok().or_else(|| entry.parse().ok().map(|with_port: SocketAddr| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn seen(values: &[&str], trusted_hops: usize) -> String {
        client_address(ip("10.0.0.9"), values.iter().copied(), trusted_hops).to_string()
    }

    #[test]
    fn without_trusted_hops_the_header_is_ignored() {
        assert_eq!(seen(&["192.0.2.1"], 0), "10.0.0.9");
    }

    #[test]
    fn each_trusted_hop_counts_one_entry_from_the_right() {
        let values = ["192.0.2.1, 192.0.2.2", "192.0.2.3"];

        assert_eq!(seen(&values, 1), "192.0.2.3");
        assert_eq!(seen(&values, 2), "192.0.2.2");
        assert_eq!(seen(&values, 3), "192.0.2.1");
    }

    #[test]
    fn too_few_entries_give_the_peer() {
        assert_eq!(seen(&[], 1), "10.0.0.9");
        assert_eq!(seen(&["192.0.2.1"], 2), "10.0.0.9");
        assert_eq!(seen(&["192.0.2.1"], usize::MAX), "10.0.0.9");
    }

    #[test]
    fn ports_brackets_and_spaces_are_read() {
        for (entry, address) in [
            ("  192.0.2.1 ", "192.0.2.1"),
            ("192.0.2.1:4711", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            (" [2001:db8::1]:4711", "2001:db8::1"),
        ] {
            assert_eq!(seen(&[entry], 1), address, "{entry}");
        }
    }

    #[test]
    fn an_unreadable_entry_gives_the_peer_and_is_not_skipped() {
        for entry in ["", "unknown", "192.0.2", "192.0.2.1:port", "[192.0.2.1", "fe80::1%eth0"] {
            let value = format!("6.6.6.6, {entry}");
            assert_eq!(seen(&[value.as_str()], 1), "10.0.0.9", "{entry}");
        }
    }

    #[test]
    fn a_forged_entry_stays_to_the_left_of_what_the_proxy_wrote() {
        assert_eq!(seen(&["6.6.6.6, 192.0.2.1"], 1), "192.0.2.1");
        assert_eq!(seen(&["6.6.6.6", "6.6.6.7, 192.0.2.1"], 1), "192.0.2.1");
        assert_eq!(seen(&["6.6.6.6,,,", "192.0.2.1"], 1), "192.0.2.1");
        assert_eq!(seen(&["6.6.6.6, 192.0.2.1, 10.0.0.2"], 2), "192.0.2.1");
    }

    #[test]
    fn the_headers_of_a_request_are_read_in_order() {
        let mut headers = HeaderMap::new();
        headers.append(FORWARDED_FOR, HeaderValue::from_static("6.6.6.6"));
        headers.append(FORWARDED_FOR, HeaderValue::from_static("192.0.2.1"));

        assert_eq!(client_address_of(ip("10.0.0.9"), &headers, 1), ip("192.0.2.1"));
    }

    #[test]
    fn bytes_that_hide_the_number_of_entries_do_not_help_a_forger() {
        let mut headers = HeaderMap::new();
        headers.append(FORWARDED_FOR, HeaderValue::from_static("6.6.6.6"));
        let appended = HeaderValue::from_bytes(b"\xff, 192.0.2.1, 10.0.0.2").unwrap();
        headers.append(FORWARDED_FOR, appended);

        assert_eq!(client_address_of(ip("10.0.0.9"), &headers, 2), ip("10.0.0.9"));
    }
}
