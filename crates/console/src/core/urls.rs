//! Builds the addresses of the console's pages.

use domain::returns::identifier::RmaId;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that need no encoding in a query or a segment of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The path with a query. Values can be any text; empty ones are left out.
pub(crate) fn add_query(path: &str, query: &[(&str, &str)]) -> String {
    let mut url = path.to_owned();
    for (name, value) in query.iter().filter(|(_, value)| !value.is_empty()) {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(name);
        url.push('=');
        url.extend(utf8_percent_encode(value, PLAIN));
    }
    url
}

/// The path of these segments, which can be any text.
fn join_path(segments: &[&str]) -> String {
    let mut path = String::new();
    for segment in segments {
        path.push('/');
        path.extend(utf8_percent_encode(segment, PLAIN));
    }
    path
}

pub(crate) fn merchant_url(merchant: &str) -> String {
    join_path(&["console", "merchants", merchant])
}

/// A version of a merchant's policy. Version 0 is the default, which has no page of its own.
pub(crate) fn policy_url(merchant: &str, version: i64) -> String {
    match version {
        0 => join_path(&["console", "merchants", merchant, "policy"]),
        _ => join_path(&["console", "merchants", merchant, "policy", &version.to_string()]),
    }
}

pub(crate) fn order_url(merchant: &str, order: &str) -> String {
    join_path(&["console", "orders", merchant, order])
}

/// The order as the merchant sent it.
pub(crate) fn original_order_url(merchant: &str, order: &str) -> String {
    join_path(&["console", "orders", merchant, order, "as-sent"])
}

pub(crate) fn disposition_url(merchant: &str) -> String {
    join_path(&["console", "merchants", merchant, "disposition"])
}

/// The label with the license plate of a unit.
pub(crate) fn plate_url(merchant: &str, unit: &str) -> String {
    join_path(&["console", "plates", merchant, unit])
}

pub(crate) fn return_url(rma: &str) -> String {
    join_path(&["console", "returns", rma])
}

/// The return as it was after one of its events.
pub(crate) fn return_state_url(rma: &str, event: i64) -> String {
    add_query(&return_url(rma), &[("event", &event.to_string())])
}

/// Where the page of a return sends one of its messages again.
pub(crate) fn return_retry_url(rma: &str, message: &str) -> String {
    join_path(&["console", "returns", rma, "retry", message])
}

pub(crate) fn message_url(message: &str) -> String {
    join_path(&["console", "messages", message])
}

pub(crate) fn unit_url(merchant: &str, unit: &str) -> String {
    join_path(&["console", "units", merchant, unit])
}

/// The list of withdrawals with only this one.
pub(crate) fn withdrawal_url(merchant: &str, withdrawal: &str) -> String {
    let query = [("merchant", merchant), ("withdrawal", withdrawal)];
    add_query("/console/withdrawals", &query)
}

pub(crate) fn drop_ship_url(merchant: &str, identifier: &str) -> String {
    join_path(&["console", "drop-ship", merchant, identifier])
}

/// An ASN of a program; of the only one if the program is empty.
pub(crate) fn asn_url(merchant: &str, asn_number: &str, program: &str) -> String {
    add_query(&join_path(&["console", "asns", merchant, asn_number]), &[("program", program)])
}

pub(crate) fn shipment_url(merchant: &str, asn_number: &str) -> String {
    join_path(&["console", "shipments", merchant, asn_number])
}

pub(crate) fn warehouse_url(identifier: &str) -> String {
    join_path(&["console", "warehouses", identifier])
}

/// What a message is about: the page of a return, or else a search for the reference.
pub(crate) fn reference_url(reference: &str) -> String {
    match RmaId::parse(reference) {
        Some(rma) => return_url(rma.as_str()),
        None => add_query("/console/search", &[("q", reference)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_can_contain_any_value() {
        let query = [("q", "x&y=1 #ü"), ("empty", ""), ("next", "/console?a=b")];
        let expected = "/console?q=x%26y%3D1%20%23%C3%BC&next=%2Fconsole%3Fa%3Db";
        assert_eq!(add_query("/console", &query), expected);
    }

    #[test]
    fn a_segment_of_a_path_can_contain_any_value() {
        assert_eq!(return_url("a/b?c#ü"), "/console/returns/a%2Fb%3Fc%23%C3%BC");
    }
}
