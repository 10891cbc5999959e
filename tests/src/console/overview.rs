//! The overview: its figures, and the notification of open pages.

use std::io::{BufRead, BufReader, Write};

use serde_json::json;

use crate::harness::{
    console::{Visitor, between},
    home::Home,
    http::Request,
    samples::{full_order, message, sample_order},
    shared,
};

/// The figure in the tile with this label.
fn figure(page: &str, label: &str) -> i64 {
    let tile = page.split_once(&format!(">{label}<")).unwrap_or_else(|| panic!("{label}: {page}"));
    let text = between(tile.1, "<p class=\"tile-figure\">", "<").unwrap();
    text.replace([',', '+'], "").parse().unwrap()
}

fn load_figures(visitor: &Visitor<'_>) -> [i64; 3] {
    let page = visitor.page("/console");
    ["Orders received", "Returns started", "Returns closed"].map(|label| figure(&page, label))
}

#[test]
fn orders_and_returns_are_counted_once() {
    let server = Home::new().serve(&[]);
    let visitor = server.visitor("operator");
    assert_eq!(load_figures(&visitor), [0, 0, 0]);
    let merchant = server.merchant("counted");
    let token = server.token(&merchant);
    let mut returnable = full_order();
    returnable["refunds"] = json!([]);
    returnable["tags"] = json!([]);
    for line in returnable["items"].as_array_mut().unwrap() {
        line["tags"] = json!([]);
        line["return_policy_end_date"] = json!("2126-01-01T00:00:00Z");
        line["quantity_refunded"] = json!(0);
    }
    let orders = message(&[returnable.clone(), sample_order("another")]);
    assert_eq!(server.publish(&token, &orders).status, 200);
    assert_eq!(server.publish(&token, &orders).status, 200, "the same again is nothing new");
    assert_eq!(load_figures(&visitor), [2, 0, 0]);

    let wanted = json!({
        "email": "dana.whitfield@example.com", "return_method": "mail-back",
        "items": [{
            "order_identifier": returnable["identifier"],
            "order_line_item_identifier": returnable["items"][0]["identifier"],
            "quantity": 1, "return_reason": "too_small", "resolution": "refund",
        }],
    });
    let start = Request::post("/returns").bearer(&token).json(wanted.to_string());
    let started = server.send(&start);
    assert_eq!(started.status, 201, "{}", started.said());
    assert_eq!(load_figures(&visitor), [2, 1, 0]);
    let rma = started.json()["rma_identifier"].as_str().unwrap().to_owned();
    let cancel = Request::post(&format!("/returns/{rma}/cancel")).bearer(&token);
    for _ in 0..2 {
        assert_eq!(server.send(&cancel).status, 200);
    }
    assert_eq!(load_figures(&visitor), [2, 1, 1]);
}

#[test]
fn the_figures_can_be_reloaded_without_the_page() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let part = visitor.page("/console/figures");
        assert!(part.starts_with("<div class=\"tiles\">"), "{part}");
        assert!(part.contains("<svg class=\"chart\"") && !part.contains("style="), "{part}");
        let refused = server.visitor("warehouse").get("/console/figures");
        assert_eq!(refused.status, 403);
    }
}

#[test]
fn an_open_page_is_notified_of_changes_until_the_server_stops() {
    let mut server = Home::new().serve(&[]);
    let cookie = server.visitor("operator").cookie;
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    let head =
        format!("GET /console/events HTTP/1.1\r\nHost: homeward\r\nCookie: {cookie}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.eq_ignore_ascii_case("content-type: text/event-stream")));

    server.merchant("watched");
    assert!(lines.any(|line| line == "event: changed"));
    server.stop();
    assert_eq!(lines.find(|line| line.starts_with("event")), None, "the stream has ended");
}
