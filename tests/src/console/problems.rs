//! Operators fix problems in the console: failed messages, refunds and receiving exceptions.

use serde_json::{Value, json};

use crate::harness::{
    console::{Visitor, form_request},
    eventually,
    home::text,
    http::Request,
    samples::{message, sample_order},
    stage::{Stage, servers},
};

/// The failures of one merchant.
fn failures_url(stage: &Stage<'_>) -> String {
    format!("/console/failures?merchant={}", stage.merchant.id)
}

/// The first page of a list that contains `text`.
fn find_page(visitor: &Visitor<'_>, first: &str, text: &str) -> Option<String> {
    let mut place = first.to_owned();
    loop {
        let page = visitor.page(&place);
        if page.contains(text) {
            return Some(page);
        }
        let before_next = page.split_once("\" rel=\"next\"")?.0;
        place = before_next.rsplit_once("href=\"")?.1.replace("&#38;", "&");
    }
}

fn is_audited(stage: &Stage<'_>, visitor: &Visitor<'_>, action: &str) -> bool {
    let trail = stage.get("/admin/audit?limit=500").json();
    let changes = trail["changes"].as_array().unwrap().clone();
    let by = |it: &Value| it["actor"] == visitor.name.as_str() && it["action"] == action;
    changes.iter().any(by)
}

#[test]
fn a_failure_is_found_and_retried_until_it_is_delivered() {
    for server in servers() {
        let (stage, _running, ids) = Stage::with_failures(server, 2);
        let visitor = server.visitor("operator");
        let list = visitor.page(&failures_url(&stage));
        assert!(ids.iter().all(|id| list.contains(id)), "{list}");
        assert!(list.contains("Status 503") && list.contains("2 messages"), "{list}");
        let other = visitor.page(&format!("{}&status=500", failures_url(&stage)));
        assert!(!other.contains(&ids[0]) && other.contains("No failures found"), "{other}");
        let wrong = visitor.get(&format!("{}&status=soon", failures_url(&stage)));
        assert_eq!(wrong.status, 422);
        assert!(wrong.text().contains("Enter a status from 0 to 599."), "{}", wrong.text());

        let inside = visitor.page(&format!("/console/messages/{}", ids[0]));
        assert!(inside.contains("webhook-id") && inside.contains("lane-0"), "{inside}");
        assert_eq!(inside.matches("<span class=\"state bad\">503</span>").count(), 6, "{inside}");

        let merchant = stage.merchant.id.as_str();
        let nothing = [("merchant", merchant), ("which", "ticked"), ("action", "retry")];
        let refused = visitor.post("/console/failures", &nothing);
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Select messages"), "{}", refused.text());

        let ticked = [nothing.as_slice(), &[("id", &ids[0])]].concat();
        let page = visitor.submit("/console/failures", &ticked);
        assert!(page.contains("Retrying 1 message."), "{page}");
        assert!(!page.contains(&ids[0]) && page.contains(&ids[1]), "{page}");
        stage.until(&ids[0], "delivered");
        let page = visitor.submit(&format!("/console/messages/{}/retry", ids[1]), &[]);
        assert!(page.contains("Retrying the message."), "{page}");
        stage.until(&ids[1], "delivered");
        let delivered = format!("/console/messages?merchant={merchant}&state=delivered");
        assert!(ids.iter().all(|id| visitor.page(&delivered).contains(id)));
        assert!(visitor.page(&failures_url(&stage)).contains("No failures found"));
        assert!(is_audited(&stage, &visitor, "message.retry"));
    }
}

#[test]
fn a_failure_is_discarded_with_a_reason_and_never_by_a_foreign_form() {
    for server in servers() {
        let (stage, _running, ids) = Stage::with_failures(server, 2);
        let visitor = server.visitor("operator");
        let target = format!("/console/messages/{}/discard", ids[0]);
        let reason = [("reason", "agreed by <phone>")];
        let strange = form_request(&target, &reason).header("Cookie", &visitor.cookie);
        assert_eq!(server.send(&strange).status, 403);
        let silent = visitor.post(&target, &[("reason", " ")]);
        assert_eq!(silent.status, 422);
        assert!(silent.text().contains("Enter a reason"), "{}", silent.text());
        assert_eq!(stage.message(&ids[0])["state"], "failed");

        let page = visitor.submit(&target, &reason);
        assert!(page.contains("agreed by &#60;phone&#62;"), "{page}");
        assert_eq!(stage.message(&ids[0])["discard_reason"], "agreed by <phone>");
        assert!(is_audited(&stage, &visitor, "message.discard"));
        let again = visitor.post(&target, &reason);
        assert_eq!(again.status, 409);
        assert!(again.text().contains("was discarded"), "{}", again.text());

        let fields = [
            ("merchant", stage.merchant.id.as_str()),
            ("which", "all"),
            ("action", "discard"),
            ("reason", "the merchant is gone"),
        ];
        let job = finish_job(&visitor, &fields);
        assert!(job.contains("1 of 1 message<"), "{job}");
        assert_eq!(stage.message(&ids[1])["discard_reason"], "the merchant is gone");
        assert!(is_audited(&stage, &visitor, "failures.discard"));
    }
}

/// Starts a job, waits for its end, and returns its page.
fn finish_job(visitor: &Visitor<'_>, fields: &[(&str, &str)]) -> String {
    let begun = visitor.post("/console/failures", fields);
    assert_eq!(begun.status, 303, "{}", begun.said());
    let place = begun.header("location").unwrap().to_owned();
    assert!(place.starts_with("/console/failures/jobs/"), "{place}");
    eventually("the job ends", || {
        let reply = visitor.get(&place);
        let running = reply.text().contains("Stop job");
        assert_eq!(reply.header("refresh").is_some(), running, "a running job reloads its page");
        (!running).then(|| reply.text().to_owned())
    })
}

#[test]
fn everything_that_matches_is_retried_in_the_background_with_progress() {
    const LANES: usize = 30;
    for server in servers() {
        let (stage, _running, ids) = Stage::with_failures(server, LANES);
        let visitor = server.visitor("operator");
        let fields = [
            ("merchant", stage.merchant.id.as_str()),
            ("kind", "rma"),
            ("status", "503"),
            ("which", "all"),
            ("action", "retry"),
        ];

        let page = finish_job(&visitor, &fields);

        assert!(page.contains("30 of 30 messages"), "{page}");
        assert!(page.contains("<dt>Retried</dt><dd>30</dd>"), "{page}");
        for id in &ids {
            stage.until(id, "delivered");
        }
        assert!(is_audited(&stage, &visitor, "failures.retry"));
        assert_eq!(visitor.get("/console/failures/jobs/nothing").status, 404);
        assert_eq!(visitor.post("/console/failures/jobs/nothing/cancel", &[]).status, 404);
    }
}

#[test]
fn a_superseded_message_is_skipped_unless_it_is_forced() {
    for server in servers() {
        let (stage, _running, ids) = Stage::with_failures(server, 1);
        stage.until(&stage.test("lane-0", 2), "delivered");
        let visitor = server.visitor("operator");
        assert!(visitor.page(&failures_url(&stage)).contains("Superseded"));
        let merchant = stage.merchant.id.as_str();
        let fields =
            [("merchant", merchant), ("which", "ticked"), ("id", &ids[0]), ("action", "retry")];

        let page = visitor.submit("/console/failures", &fields);
        assert!(
            page.contains("No messages were retried. 1 was skipped: A newer message"),
            "{page}"
        );
        let target = format!("/console/messages/{}/retry", ids[0]);
        let refused = visitor.post(&target, &[]);
        assert_eq!(refused.status, 409);
        assert!(refused.text().contains("A newer message about lane-0"), "{}", refused.text());

        visitor.submit(&target, &[("force", "yes")]);
        stage.until(&ids[0], "delivered");
    }
}

#[test]
fn a_message_shows_the_headers_that_are_sent_but_no_secret() {
    for server in servers() {
        let stage = Stage::set(server);
        let auth = json!({ "type": "bearer", "token": "hush-hush-token" });
        stage.point_to("https://hooks.example.com", &auth);
        stage.turn("pause");
        let id = stage.test("lane", 7);
        let page = server.visitor("operator").page(&format!("/console/messages/{id}"));

        assert!(page.contains("POST https://hooks.example.com/rmas"), "{page}");
        assert!(page.contains("authorization") && page.contains("(secret)"), "{page}");
        assert!(page.contains("x-service-sequence</code></th><td><code>7<"), "{page}");
        assert!(page.contains("The endpoint is paused."), "{page}");
        assert!(!page.contains("hush-hush"), "{page}");
        assert!(!page.contains(&stage.signing_secret), "{page}");
    }
}

/// Two returns of one unit each of the same order, and a refund that could pay for either.
pub(crate) fn create_unmatched_refund(stage: &Stage<'_>) -> [String; 2] {
    let token = stage.server.token(&stage.merchant);
    let mut order = sample_order("A");
    order["items"][0]["quantity"] = json!(2);
    order["items"][0]["quantity_shipped"] = json!(2);
    order["items"][0]["unit_price_amount_cents"] = json!(4_610);
    order["items"][0]["product_amount_cents"] = json!(9_220);
    order["items"][0]["return_policy_end_date"] = json!("2126-04-30");
    assert_eq!(stage.server.publish(&token, &message(&[order.clone()])).status, 200);
    let wanted = json!({
        "email": "lena.brandt@example.com", "return_method": "mail-back",
        "items": [{
            "order_identifier": "A", "order_line_item_identifier": "1", "quantity": 1,
            "return_reason": "too_small", "resolution": "refund",
        }],
    });
    let start = || {
        let request = Request::post("/returns").bearer(&token).json(wanted.to_string());
        let reply = stage.server.send(&request);
        assert_eq!(reply.status, 201, "{}", reply.said());
        text(&reply.json()["rma_identifier"])
    };
    let both = [start(), start()];
    order["updated_at"] = json!("2126-03-01T08:00:00Z");
    order["refunds"] = json!([{
        "identifier": "RF-1", "total_refund_amount_cents": 4610,
        "created_at": "2126-03-01T08:00:00Z", "note": "<b>paid</b>",
        "refund_line_items": [
            { "identifier": "RF-1-1", "quantity": 1, "order_item_identifier": "1" }
        ],
    }]);
    let published = stage.server.publish(&token, &message(&[order]));
    assert_eq!(published.status, 200, "{}", published.said());
    both
}

#[test]
fn an_unmatched_refund_is_matched_to_one_of_the_possible_returns() {
    for server in servers() {
        let (stage, _running) = Stage::with_receiver(server);
        let [one, two] = create_unmatched_refund(&stage);
        let visitor = server.visitor("operator");
        let page = find_page(&visitor, "/console/refunds", &one).unwrap();
        assert!(page.contains(&format!("Match to {one}")), "{page}");
        assert!(page.contains(&format!("Match to {two}")), "{page}");
        assert!(page.contains("46.10 ") && page.contains("&#60;b&#62;paid"), "{page}");

        let merchant = stage.merchant.id.as_str();
        let of = [("merchant", merchant), ("refund", "RF-1"), ("state", "unmatched")];
        let silent = visitor.post("/console/refunds", &of);
        assert_eq!(silent.status, 409);
        assert!(silent.text().contains("Enter a note"), "{}", silent.text());
        let page = visitor.submit("/console/refunds", &[of.as_slice(), &[("rma", &two)]].concat());

        assert!(page.contains(&format!("Refund RF-1 is matched to {two}.")), "{page}");
        assert_eq!(find_page(&visitor, "/console/refunds", &one), None, "it is settled");
        let token = server.token(&stage.merchant);
        let show = Request::get(&format!("/returns/{two}")).bearer(&token);
        assert_eq!(server.send(&show).json()["status"], "REFUNDED");
        assert!(is_audited(&stage, &visitor, "refund.match"));
        let again = [of.as_slice(), &[("rma", &one)]].concat();
        let refused = visitor.post("/console/refunds", &again);
        assert_eq!(refused.status, 409);
        assert!(refused.text().contains("already resolved"), "{}", refused.text());
        let settled = find_page(&visitor, "/console/refunds?state=settled", merchant);
        assert!(settled.is_some_and(|page| page.contains(&format!("Matched to {two}."))));
    }
}

#[test]
fn an_unmatched_refund_is_accepted_as_it_is_with_a_note() {
    for server in servers() {
        let (stage, _running) = Stage::with_receiver(server);
        let [one, _] = create_unmatched_refund(&stage);
        let visitor = server.visitor("operator");
        let merchant = stage.merchant.id.as_str();
        let fields = [("merchant", merchant), ("refund", "RF-1"), ("note", "a gesture")];

        let page = visitor.submit("/console/refunds", &fields);

        assert!(page.contains("Refund RF-1 is left unchanged: a gesture."), "{page}");
        assert_eq!(find_page(&visitor, "/console/refunds", &one), None);
    }
}

/// Announces two units of SKU A under this number, and scans units of other SKUs for it.
pub(crate) fn create_exceptions(stage: &Stage<'_>, number: &str) -> [String; 3] {
    let asn = json!({
        "program_identifier": "returns-west", "asn_number": number, "status": "shipped",
        "details_type": "sku", "from": { "identifier": 12, "type": "store" },
        "to": { "identifier": "EAST", "type": "warehouse" },
        "cartons": [{ "details": [{ "line_identifier": "1", "sku": "A", "quantity": 2 }] }],
    });
    let token = stage.server.token(&stage.merchant);
    let announced = Request::post("/asns").bearer(&token).json(asn.to_string());
    assert_eq!(stage.server.send(&announced).status, 202);
    let plates = ["B", "C", "D"].map(|sku| format!("{number}-{sku}"));
    let receipts = plates.each_ref().map(|plate| {
        json!({
            "asn_number": number, "unit_identifier": plate, "sku": plate, "condition": "A",
            "channel": "RTS", "user_login": "<i>mk</i>",
        })
    });
    let body = json!({ "receipts": receipts }).to_string();
    let scanned = stage.server.send(&Request::post("/receipts").bearer(&stage.admin).json(body));
    assert_eq!(scanned.status, 200, "{}", scanned.said());
    plates
}

#[test]
fn warehouse_workers_resolve_exceptions() {
    for server in servers() {
        let (stage, _running) = Stage::with_receiver(server);
        let number = format!("ASN-{}", stage.merchant.id);
        let [matched, surplus, rejected] = create_exceptions(&stage, &number);
        let visitor = server.visitor("warehouse");
        let page = find_page(&visitor, "/console/exceptions", &matched).unwrap();
        assert!(page.contains("Wrong SKU"), "{page}");
        assert!(page.contains("&#60;i&#62;mk&#60;/i&#62;"), "{page}");
        let merchant = stage.merchant.id.as_str();
        let about = [("merchant", merchant), ("asn_number", number.as_str())];
        let fields = |unit: &str, more: &[(&str, &str)]| {
            let pairs = [about.as_slice(), &[("unit", unit)], more].concat();
            visitor.post("/console/exceptions", &pairs)
        };
        let line =
            |line| [("answer", "match"), ("to_asn_number", number.as_str()), ("to_line", line)];

        let refused = fields(&matched, &line("9"));
        assert_eq!(refused.status, 409);
        assert!(refused.text().contains("has no line 9."), "{}", refused.text());
        assert_eq!(fields(&matched, &line("1")).status, 303);
        assert_eq!(fields(&surplus, &[("answer", "surplus")]).status, 303);
        assert_eq!(fields(&rejected, &[("answer", "reject")]).status, 409, "not without a reason");
        let reason = [("answer", "reject"), ("reason", "not our article")];
        assert_eq!(fields(&rejected, &reason).status, 303);

        assert_eq!(find_page(&visitor, "/console/exceptions", &number), None);
        let story = |unit: &str| {
            let token = server.token(&stage.merchant);
            server.send(&Request::get(&format!("/units/{unit}")).bearer(&token)).json()
        };
        assert_eq!(story(&matched)["receipt"]["line_identifier"], "1");
        assert_eq!(story(&surplus)["receipt"]["line_identifier"], Value::Null);
        assert_eq!(story(&rejected)["reject_reason"], "not our article");
        assert!(is_audited(&stage, &visitor, "unit.answer"));
    }
}

#[test]
fn warehouse_workers_change_no_messages_and_no_refunds() {
    for server in servers() {
        let (stage, _running, ids) = Stage::with_failures(server, 1);
        let visitor = server.visitor("warehouse");
        let id = &ids[0];
        for address in ["failures", "messages", "refunds", "failures/jobs/any"] {
            assert_eq!(visitor.get(&format!("/console/{address}")).status, 403, "{address}");
        }
        assert_eq!(visitor.get(&format!("/console/messages/{id}")).status, 403);
        for address in ["failures", "refunds", "failures/jobs/any/cancel"] {
            let sent = visitor.post(&format!("/console/{address}"), &[("which", "all")]);
            assert_eq!(sent.status, 403, "{address}");
        }
        for verb in ["retry", "discard"] {
            let sent = visitor.post(&format!("/console/messages/{id}/{verb}"), &[("reason", "x")]);
            assert_eq!(sent.status, 403, "{verb}");
        }
        assert_eq!(stage.message(id)["state"], "failed");
        let page = visitor.page("/console/exceptions");
        assert!(!page.contains("href=\"/console/failures\""), "{page}");
    }
}
