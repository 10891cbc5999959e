//! Orders and returns: found by what is in hand, looked at, changed by hand, and every change in
//! the trail.

use serde_json::json;
use sim::Behavior;

use super::desk::{Desk, desks};
use crate::harness::{console::between, eventually, home::text};

fn has_all(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn one_box_finds_orders_returns_parcels_shoppers_and_messages() {
    for desk in desks() {
        let order = desk.own("A");
        let rma = desk.returned(&order, "refund");
        let number = desk.label(&rma);
        let merchant = desk.merchant();
        let (at_order, at_return) = (desk.order_address(&order), format!("/console/returns/{rma}"));

        assert_eq!(desk.found(&order), at_order);
        assert_eq!(desk.found(&format!("{merchant}/{order}")), at_order);
        assert_eq!(desk.found(&format!("  {} ", desk.email().to_uppercase())), at_order);
        assert_eq!(desk.found(&rma), at_return);
        assert_eq!(desk.found(&rma.to_lowercase().replace('-', "")), at_return);
        assert_eq!(desk.found(&number), at_return);
        let message = format!("msg_{merchant}_1");
        assert_eq!(desk.found(&message), format!("/console/messages/{message}"));
        for address in [at_order, at_return] {
            desk.visitor.page(&address);
        }

        let nothing = desk.visitor.page("/console/search?q=%3Cb%3Enobody");
        has_all(&nothing, &["No results for", "&#60;b&#62;nobody", "an order number"]);
        desk.publish(&[desk.order(&desk.own("B"))]);
        let query = desk.email().replace('@', "%40");
        let two = desk.visitor.page(&format!("/console/search?q={query}"));
        has_all(&two, &[&desk.own("A"), &desk.own("B"), "2 results for"]);
    }
}

#[test]
fn one_box_finds_exchange_orders_and_units_of_the_warehouse() {
    for desk in desks() {
        let policy = json!({
            "window_days": 3650, "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 0 }
        });
        let target = format!("/admin/merchants/{}/policy", desk.merchant());
        let put = crate::harness::http::Request::new("PUT", &target).bearer(&desk.stage.admin);
        let reply = desk.stage.server.send(&put.json(policy.to_string()));
        assert_eq!(reply.status, 200, "{}", reply.said());
        let order = desk.own("G");
        let rma = desk.returned(&order, "gift_card");
        let exchange = eventually("the exchange order is placed", || {
            let found = desk.ask("GET", "/exchange_orders?state=placed", &json!({})).json();
            found["exchange_orders"][0]["exchange_order_identifier"].as_str().map(str::to_owned)
        });

        assert_eq!(desk.found(&exchange), format!("/console/returns/{rma}"));
        let page = desk.visitor.page(&format!("/console/returns/{rma}"));
        has_all(&page, &[&exchange, "requested from the merchant", "Exchange order"]);
        has_all(&desk.visitor.page(&desk.order_address(&order)), &[&exchange, "exchange order"]);

        let (asn, plate) = (desk.own("ASN"), desk.own("LP"));
        let sample = domain::samples::inbound_asn_request()
            .replace("ASN-20260301-7", &asn)
            .replace("LP-0093321", &plate);
        desk.ask("POST", "/asns", &serde_json::from_str(&sample).unwrap());
        let at_unit = desk.found(&plate);
        assert_eq!(at_unit, format!("/console/units/{}/{plate}", desk.merchant()));
        has_all(&desk.visitor.page(&at_unit), &[&asn, "Expected", "Announced by ASN"]);
    }
}

#[test]
fn orders_are_listed_newest_first_page_by_page() {
    for desk in desks() {
        let name = |number: usize| desk.own(&format!("P{number:02}"));
        for number in 0..3 {
            desk.publish(&[desk.order(&name(number))]);
        }
        let many: Vec<_> = (3..55).map(|number| desk.order(&name(number))).collect();
        desk.publish(&many);

        let filter = format!("/console/orders?merchant={}", desk.merchant());
        let first = desk.visitor.page(&filter);
        assert_eq!(first.matches("<th scope=\"row\">").count(), 50);
        has_all(&first, &[&format!(">{}<", name(54)), "Older"]);
        assert!(!first.contains(&format!(">{}<", name(0))), "{first}");
        let older = between(&first, "href=\"/console/orders?", "\" rel=\"next\"").unwrap();
        let second = desk.visitor.page(&format!("/console/orders?{}", older.replace("&#38;", "&")));
        has_all(&second, &[&format!(">{}<", name(0)), ">Newest<"]);
        assert!(!second.contains(">Older<"), "{second}");

        let shipped = desk.visitor.page(&format!("{filter}&status=Shipped"));
        has_all(&shipped, &[&format!(">{}<", name(54))]);
        let none = desk.visitor.page(&format!("{filter}&status=Cancelled"));
        has_all(&none, &["No orders found"]);
        has_all(&desk.visitor.page("/console/orders"), &["Newest first"]);
    }
}

#[test]
fn an_order_is_shown_whole_and_given_back_as_it_was_sent() {
    for desk in desks() {
        let order = desk.own("A");
        let rma = desk.returned(&order, "refund");
        let page = desk.visitor.page(&desk.order_address(&order));
        has_all(&page, &[&desk.email(), &rma, "Returnable units", "already returned", "Yes"]);

        let sent = desk.visitor.get(&format!("{}/as-sent", desk.order_address(&order)));
        assert_eq!(sent.json(), desk.order(&order));
        let disposition = sent.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment; filename=\"order-A-of-"), "{disposition}");
        let missing = desk.visitor.get(&desk.order_address("no-such-order"));
        assert_eq!(missing.status, 404);
        assert!(missing.text().contains("There is no such order."), "{}", missing.text());
    }
}

#[test]
fn a_return_is_canceled_by_hand_with_a_reason_that_stays() {
    for desk in desks() {
        let rma = desk.returned(&desk.own("A"), "refund");
        desk.label(&rma);
        let at_return = format!("/console/returns/{rma}");
        let page = desk.visitor.page(&at_return);
        has_all(
            &page,
            &["Return started: 1 unit", "Label created for 1 unit", "Policy version", "too_small"],
        );

        let cancel = format!("{at_return}/cancel");
        let refused = desk.visitor.post(&cancel, &[("reason", " ")]);
        assert_eq!(refused.status, 422);
        has_all(refused.text(), &["Enter a reason", "aria-invalid"]);

        let page = desk.visitor.submit(&cancel, &[("reason", "asked by <b>telephone</b>")]);
        has_all(&page, &["Return canceled.", "Status: CANCELED", "Canceled by an operator"]);
        has_all(&page, &["asked by &#60;b&#62;telephone", &format!("by {}", desk.visitor.name)]);
        assert!(!page.contains(&format!("{cancel}\"")), "it cannot be canceled again: {page}");

        let trail = desk.visitor.page(&format!("/console/audit?actor={}", desk.visitor.name));
        has_all(&trail, &["return.cancel", &rma, "asked by &#60;b&#62;telephone"]);
        let elsewhere = desk.visitor.page("/console/audit?actor=nobody");
        has_all(&elsewhere, &["No changes found"]);
        let filter = format!("merchant={}", desk.merchant());
        has_all(&desk.visitor.page(&format!("/console/audit?{filter}")), &["return.cancel"]);
        let canceled = desk.visitor.page(&format!("/console/returns?{filter}&status=CANCELED"));
        has_all(&canceled, &[&rma]);
        let open = desk.visitor.page(&format!("/console/returns?{filter}&status=CREATED"));
        has_all(&open, &["No returns found"]);
    }
}

#[test]
fn receiving_is_closed_by_hand() {
    for desk in desks() {
        let target = format!("/admin/merchants/{}", desk.merchant());
        let patch = crate::harness::http::Request::new("PATCH", &target).bearer(&desk.stage.admin);
        let change = json!({ "managed_receiving": true }).to_string();
        assert_eq!(desk.stage.server.send(&patch.json(change)).status, 200);
        let rma = desk.returned(&desk.own("A"), "refund");

        let page = desk.visitor.submit(&format!("/console/returns/{rma}/close-receiving"), &[]);

        has_all(&page, &["Receiving closed.", "Receiving closed: 1 unit never arrived"]);
        has_all(&page, &["Receiving closed by an operator", "Not received"]);
    }
}

#[test]
fn a_message_that_failed_is_sent_again_from_the_time_line_of_its_return() {
    for desk in desks() {
        desk.running.merchant().behave(&[Behavior::status(503)]).unwrap();
        let rma = desk.returned(&desk.own("A"), "refund");
        let failures = desk.stage.until_failed(1);
        let message = text(&failures[0]["id"]);
        let page = desk.visitor.page(&format!("/console/returns/{rma}"));
        has_all(&page, &[&format!("Retry {message}"), ">503<", "Failed"]);
        desk.running.merchant().behave_normally();

        let retry = format!("/console/returns/{rma}/retry/{message}");
        let page = desk.visitor.submit(&retry, &[]);

        has_all(&page, &[&format!("Retrying {message}."), "retried"]);
        desk.stage.until(&message, "delivered");
        let page = desk.visitor.page(&format!("/console/returns/{rma}"));
        has_all(&page, &["Delivered", "attempt 2.1", ">200<"]);
        let again = desk.visitor.post(&retry, &[]);
        assert_eq!(again.status, 409, "{}", again.said());
    }
}

/// Every page and form of this part, with names of this desk in them.
fn addresses(desk: &Desk) -> Vec<String> {
    let order = desk.order_address(&desk.own("A"));
    let pages = ["/console/search?q=x", "/console/orders", "/console/returns", "/console/audit"];
    let mut all: Vec<String> = pages.map(str::to_owned).into();
    all.extend([format!("{order}/as-sent"), order, "/console/units/acme/LP-1".to_owned()]);
    all
}

#[test]
fn warehouse_workers_see_nothing_of_it() {
    for desk in desks() {
        let rma = desk.returned(&desk.own("A"), "refund");
        let worker = desk.stage.server.visitor("warehouse");
        for address in addresses(&desk) {
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
fn whatever_a_merchant_writes_into_an_order_is_text_on_every_page() {
    for desk in desks() {
        let script = "<script>alert(1)</script>";
        let identifier = desk.own("<i>A</i>&\"'/?#");
        let mut order = desk.order(&identifier);
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
        desk.publish(&[order]);

        let address = desk.found(&identifier);
        let list = desk.visitor.page(&format!("/console/orders?merchant={}", desk.merchant()));
        for page in [desk.visitor.page(&address), list] {
            assert!(!page.contains("<script>alert") && !page.contains("<i>A"), "{page}");
            has_all(&page, &["&#60;script&#62;", "&#60;i&#62;A"]);
        }
    }
}
