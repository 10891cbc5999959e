//! Orders and returns: searched, listed, shown and changed, with an audit record of every change.

use serde_json::json;
use sim::Behavior;

use super::fixture::{ConsoleFixture, console_fixtures};
use crate::harness::{console::between, eventually, home::text};

fn has_all(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_search_finds_orders_returns_parcels_shoppers_and_messages() {
    for console in console_fixtures() {
        let order = console.unique("A");
        let rma = console.start_return(&order, "refund");
        let number = console.wait_for_label(&rma);
        let merchant = console.merchant();
        let (at_order, at_return) = (console.order_url(&order), format!("/console/returns/{rma}"));

        assert_eq!(console.search_target(&order), at_order);
        assert_eq!(console.search_target(&format!("{merchant}/{order}")), at_order);
        assert_eq!(
            console.search_target(&format!("  {} ", console.email().to_uppercase())),
            at_order
        );
        assert_eq!(console.search_target(&rma), at_return);
        assert_eq!(console.search_target(&rma.to_lowercase().replace('-', "")), at_return);
        assert_eq!(console.search_target(&number), at_return);
        let message = format!("msg_{merchant}_1");
        assert_eq!(console.search_target(&message), format!("/console/messages/{message}"));
        for address in [at_order, at_return] {
            console.visitor.page(&address);
        }

        let nothing = console.visitor.page("/console/search?q=%3Cb%3Enobody");
        has_all(&nothing, &["No results for", "&#60;b&#62;nobody", "an order number"]);
        console.publish(&[console.order(&console.unique("B"))]);
        let query = console.email().replace('@', "%40");
        let two = console.visitor.page(&format!("/console/search?q={query}"));
        has_all(&two, &[&console.unique("A"), &console.unique("B"), "2 results for"]);
    }
}

#[test]
fn the_search_finds_exchange_orders_and_warehouse_units() {
    for console in console_fixtures() {
        let policy = json!({
            "window_days": 3650, "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 0 }
        });
        let target = format!("/admin/merchants/{}/policy", console.merchant());
        let put = crate::harness::http::Request::new("PUT", &target).bearer(&console.stage.admin);
        let reply = console.stage.server.send(&put.json(policy.to_string()));
        assert_eq!(reply.status, 200, "{}", reply.said());
        let order = console.unique("G");
        let rma = console.start_return(&order, "gift_card");
        let exchange = eventually("the exchange order is placed", || {
            let found = console.call("GET", "/exchange_orders?state=placed", &json!({})).json();
            found["exchange_orders"][0]["exchange_order_identifier"].as_str().map(str::to_owned)
        });

        assert_eq!(console.search_target(&exchange), format!("/console/returns/{rma}"));
        let page = console.visitor.page(&format!("/console/returns/{rma}"));
        has_all(&page, &[&exchange, "requested from the merchant", "Exchange order"]);
        has_all(&console.visitor.page(&console.order_url(&order)), &[&exchange, "exchange order"]);

        let (asn, plate) = (console.unique("ASN"), console.unique("LP"));
        let sample = domain::samples::inbound_asn_request()
            .replace("ASN-20260301-7", &asn)
            .replace("LP-0093321", &plate);
        console.call("POST", "/asns", &serde_json::from_str(&sample).unwrap());
        let at_unit = console.search_target(&plate);
        assert_eq!(at_unit, format!("/console/units/{}/{plate}", console.merchant()));
        has_all(&console.visitor.page(&at_unit), &[&asn, "Expected", "Announced by ASN"]);

        let at_asn = console.search_target(&asn);
        let expected = format!("/console/asns/{}/{asn}?program=returns-west", console.merchant());
        assert_eq!(at_asn, expected);
        has_all(&console.visitor.page(&at_asn), &[&asn]);
        let drop_ship = console.unique("DS");
        let sample = domain::samples::drop_ship_order_request().replace("DS-20417", &drop_ship);
        console.call("POST", "/drop_ship_orders", &serde_json::from_str(&sample).unwrap());
        let at_drop_ship = console.search_target(&drop_ship);
        assert_eq!(at_drop_ship, format!("/console/drop-ship/{}/{drop_ship}", console.merchant()));
        has_all(&console.visitor.page(&at_drop_ship), &[&drop_ship]);
    }
}

#[test]
fn orders_are_listed_newest_first_page_by_page() {
    for console in console_fixtures() {
        let name = |number: usize| console.unique(&format!("P{number:02}"));
        for number in 0..3 {
            console.publish(&[console.order(&name(number))]);
        }
        let many: Vec<_> = (3..55).map(|number| console.order(&name(number))).collect();
        console.publish(&many);

        let filter = format!("/console/orders?merchant={}", console.merchant());
        let first = console.visitor.page(&filter);
        assert_eq!(first.matches("<th scope=\"row\">").count(), 50);
        has_all(&first, &[&format!(">{}<", name(54)), "Older"]);
        assert!(!first.contains(&format!(">{}<", name(0))), "{first}");
        let older = between(&first, "href=\"/console/orders?", "\" rel=\"next\"").unwrap();
        let second =
            console.visitor.page(&format!("/console/orders?{}", older.replace("&#38;", "&")));
        has_all(&second, &[&format!(">{}<", name(0)), ">Newest<"]);
        assert!(!second.contains(">Older<"), "{second}");

        let shipped = console.visitor.page(&format!("{filter}&status=Shipped"));
        has_all(&shipped, &[&format!(">{}<", name(54))]);
        let none = console.visitor.page(&format!("{filter}&status=Cancelled"));
        has_all(&none, &["No orders found"]);
        has_all(&console.visitor.page("/console/orders"), &["Newest first"]);
    }
}

#[test]
fn an_order_is_shown_completely_and_downloaded_as_it_was_sent() {
    for console in console_fixtures() {
        let order = console.unique("A");
        let rma = console.start_return(&order, "refund");
        let page = console.visitor.page(&console.order_url(&order));
        has_all(&page, &[&console.email(), &rma, "Returnable units", "already returned", "Yes"]);

        let sent = console.visitor.get(&format!("{}/as-sent", console.order_url(&order)));
        assert_eq!(sent.json(), console.order(&order));
        let disposition = sent.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment; filename=\"order-A-of-"), "{disposition}");
        let missing = console.visitor.get(&console.order_url("no-such-order"));
        assert_eq!(missing.status, 404);
        assert!(missing.text().contains("Order not found."), "{}", missing.text());
    }
}

#[test]
fn an_operator_cancels_a_return_with_a_reason() {
    for console in console_fixtures() {
        let rma = console.start_return(&console.unique("A"), "refund");
        console.wait_for_label(&rma);
        let at_return = format!("/console/returns/{rma}");
        let page = console.visitor.page(&at_return);
        has_all(
            &page,
            &["Return started: 1 unit", "Label created for 1 unit", "Policy version", "too_small"],
        );

        let cancel = format!("{at_return}/cancel");
        let refused = console.visitor.post(&cancel, &[("reason", " ")]);
        assert_eq!(refused.status, 422);
        has_all(refused.text(), &["Enter a reason", "aria-invalid"]);

        let page = console.visitor.submit(&cancel, &[("reason", "requested by <b>phone</b>")]);
        has_all(&page, &["Return canceled.", "Status: CANCELED", "Canceled by an operator"]);
        has_all(&page, &["requested by &#60;b&#62;phone", &format!("by {}", console.visitor.name)]);
        assert!(!page.contains(&format!("{cancel}\"")), "it cannot be canceled again: {page}");

        let trail = console.visitor.page(&format!("/console/audit?actor={}", console.visitor.name));
        has_all(&trail, &["return.cancel", &rma, "requested by &#60;b&#62;phone"]);
        let elsewhere = console.visitor.page("/console/audit?actor=nobody");
        has_all(&elsewhere, &["No changes found"]);
        let filter = format!("merchant={}", console.merchant());
        has_all(&console.visitor.page(&format!("/console/audit?{filter}")), &["return.cancel"]);
        let canceled = console.visitor.page(&format!("/console/returns?{filter}&status=CANCELED"));
        has_all(&canceled, &[&rma]);
        let open = console.visitor.page(&format!("/console/returns?{filter}&status=CREATED"));
        has_all(&open, &["No returns found"]);
    }
}

#[test]
fn an_operator_closes_receiving() {
    for console in console_fixtures() {
        let target = format!("/admin/merchants/{}", console.merchant());
        let patch =
            crate::harness::http::Request::new("PATCH", &target).bearer(&console.stage.admin);
        let change = json!({ "managed_receiving": true }).to_string();
        assert_eq!(console.stage.server.send(&patch.json(change)).status, 200);
        let rma = console.start_return(&console.unique("A"), "refund");

        let page = console.visitor.submit(&format!("/console/returns/{rma}/close-receiving"), &[]);

        has_all(&page, &["Receiving closed.", "Receiving closed: 1 unit never arrived"]);
        has_all(&page, &[&format!("by {}", console.visitor.name), "Not received"]);
    }
}

#[test]
fn a_failed_message_is_retried_from_the_timeline_of_its_return() {
    for console in console_fixtures() {
        console.running.merchant().behave(&[Behavior::status(503)]).unwrap();
        let rma = console.start_return(&console.unique("A"), "refund");
        // The label, too: a message is not retried after a newer one was delivered.
        let failures = console.stage.until_failed(2);
        let message = text(&failures[0]["id"]);
        let page = console.visitor.page(&format!("/console/returns/{rma}"));
        has_all(&page, &[&format!("Retry {message}"), ">503<", "Failed"]);
        console.running.merchant().behave_normally();

        let retry = format!("/console/returns/{rma}/retry/{message}");
        let page = console.visitor.submit(&retry, &[]);

        has_all(&page, &[&format!("Retrying {message}."), "retried"]);
        console.stage.until(&message, "delivered");
        let page = console.visitor.page(&format!("/console/returns/{rma}"));
        has_all(&page, &["Delivered", "attempt 2.1", ">200<"]);
        let again = console.visitor.post(&retry, &[]);
        assert_eq!(again.status, 409, "{}", again.said());
    }
}

/// The pages about orders and returns.
fn addresses(console: &ConsoleFixture) -> Vec<String> {
    let order = console.order_url(&console.unique("A"));
    let pages = ["/console/search?q=x", "/console/orders", "/console/returns", "/console/audit"];
    let mut all: Vec<String> = pages.map(str::to_owned).into();
    all.extend([format!("{order}/as-sent"), order, "/console/units/acme/LP-1".to_owned()]);
    all
}

#[test]
fn warehouse_workers_see_no_orders_and_no_returns() {
    for console in console_fixtures() {
        let rma = console.start_return(&console.unique("A"), "refund");
        let worker = console.stage.server.visitor("warehouse");
        for address in addresses(&console) {
            assert_eq!(worker.get(&address).status, 403, "{address}");
        }
        assert_eq!(worker.get(&format!("/console/returns/{rma}")).status, 403);
        for form in ["cancel", "close-receiving", "retry/msg_acme_1"] {
            let sent = worker.post(&format!("/console/returns/{rma}/{form}"), &[("reason", "x")]);
            assert_eq!(sent.status, 403, "{form}");
        }
        assert!(!worker.page("/console/password").contains("role=\"search\""));
    }
}

#[test]
fn text_from_a_merchant_stays_text_on_every_page() {
    for console in console_fixtures() {
        let script = "<script>alert(1)</script>";
        let identifier = console.unique("<i>A</i>&\"'/?#");
        let mut order = console.order(&identifier);
        for field in ["note", "raw_status", "concept", "secondary_identifier"] {
            order[field] = json!(script);
        }
        order["tags"] = json!([script]);
        for address in ["shipping_address", "billing_address"] {
            for part in ["name", "street1", "city", "zip_code", "state"] {
                order[address][part] = json!(script);
            }
        }
        order["customer"]["first_name"] = json!(script);
        order["items"][0]["title"] = json!(script);
        order["items"][0]["sku"] = json!(script);
        console.publish(&[order]);

        let address = console.search_target(&identifier);
        let list =
            console.visitor.page(&format!("/console/orders?merchant={}", console.merchant()));
        for page in [console.visitor.page(&address), list] {
            assert!(!page.contains("<script>alert") && !page.contains("<i>A"), "{page}");
            has_all(&page, &["&#60;script&#62;", "&#60;i&#62;A"]);
        }
    }
}
