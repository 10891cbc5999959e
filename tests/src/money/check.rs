//! `homeward doctor --deep`: every return against its journal and its postings, and every ledger.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    home::{Home, text},
    stage::{QUICK, Stage},
};
use crate::returns::scene::{Scene, refund, request, sample_order, scenes};

/// What the deep check says about the books, and whether it is good.
fn list_findings(home: &Home) -> Vec<Value> {
    let ran = home.run(&["--json", "doctor", "--deep"]);
    let findings: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let all = findings.as_array().unwrap().iter();
    let healthy = all.clone().all(|it| it["ok"] == true);
    assert_eq!(ran.code, Some(i32::from(!healthy)));
    all.filter(|it| it["check"] == "books").cloned().collect()
}

/// Refunds, rejects and closes what a return can go through.
fn act(scene: &Scene<'_>) {
    let (kept, rejected) = (scene.start_tee(), scene.start_tee());
    for rma in [&kept, &rejected] {
        scene.label(rma);
    }
    scene.happens(&kept, "in_transit");
    let mut paid = refund("RF-1", Some(&kept), &[("tee", 1)]);
    paid["total_refund_amount_cents"] = json!(4_609);
    scene.publish_refunds(&sample_order("A"), &[paid]);
    assert_eq!(scene.cancel(&rejected).status, 200);
}

#[test]
fn a_deep_check_of_sound_books_finds_nothing_while_the_server_runs() {
    for scene in scenes() {
        act(&scene);
        let findings = list_findings(&scene.stage.server.home);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let detail = text(&findings[0]["detail"]);
        assert!(detail.ends_with(" ledgers agree with their journals"), "{detail}");
    }
}

#[test]
fn a_deep_check_names_every_return_whose_row_journal_or_postings_were_changed() {
    let server = Home::sqlite().serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    for order in ["A", "B"] {
        scene.publish(&sample_order(order));
    }
    let start = |order: &str, line: &str| {
        let rma = scene.start(&request("mail-back", &[(order, line, 1)]));
        scene.label(&rma);
        rma
    };
    let [row, owed, event] = [("A", "tee"), ("A", "tee"), ("A", "mug")].map(|it| start(it.0, it.1));
    let [posting, sum, gone] =
        [("B", "tee"), ("B", "tee"), ("B", "mug")].map(|it| start(it.0, it.1));
    let database = rusqlite::Connection::open(server.home.data_dir().join("homeward.db")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    database.pragma_update(None, "ignore_check_constraints", 1).unwrap();
    let change = |table: &str, change: &str, rma: &str, first: &str| {
        let sql = format!("UPDATE {table} SET {change} WHERE rma_id = ?1 {first}");
        assert_eq!(database.execute(&sql, [rma]).unwrap(), 1, "{sql}");
    };
    let first = "AND number = 1";
    change("returns", "body = json_set(body, '$.fee_cents', 7)", &row, "");
    change("returns", "owed_cents = owed_cents + 100", &owed, "");
    let price = "body = json_set(body, '$.units[0].amounts.price_cents', 2500)";
    change("return_events", price, &event, first);
    change("postings", "goods = goods + 1, promised = promised - 1", &posting, first);
    change("postings", "tax = tax + 1", &sum, first);
    change("postings", "at_us = at_us + 1", &gone, first);

    let findings = list_findings(&server.home);

    let said = |rma: &str| -> String {
        let found = findings.iter().filter(|it| it["rma_identifier"] == json!(rma));
        found.map(|it| text(&it["problem"]) + "\n").collect()
    };
    let expected = [
        (&row, "differs from the result of its journal: fee_cents is 7 instead of 0\n"),
        (&row, "is listed as owing 46.10 EUR and owes 46.03 EUR\n"),
        (&owed, "is listed as owing 47.10 EUR and owes 46.10 EUR\n"),
        (&event, "units[0].amounts.price_cents is 2400 instead of 2500\n"),
        (&event, "event 1 posted 24.00 EUR to goods instead of 25.00 EUR\n"),
        (&posting, "event 1 posted 42.51 EUR to goods instead of 42.50 EUR\n"),
        (&posting, "event 1 posted −46.11 EUR to promised instead of −46.10 EUR\n"),
        (&sum, "event 1 posted 3.61 EUR to tax instead of 3.60 EUR\n"),
        (&sum, "the entries of event 1 sum to 0.01 EUR, not to zero\n"),
        (&gone, "event 1 posted 0.00 EUR to goods instead of 24.00 EUR\n"),
        (&gone, "has entries of event 1, which did not happen then\n"),
    ];
    for (rma, problem) in expected {
        assert!(said(rma).contains(problem), "{problem} not in {findings:#?}");
    }
    let merchant = findings.iter().find(|it| it.get("rma_identifier").is_none()).unwrap();
    assert_eq!(text(&merchant["problem"]), "its trial balance is 0.01 EUR instead of zero");
    let words = server.home.run(&["doctor", "--deep"]);
    assert_eq!(words.code, Some(1));
    assert!(words.out.contains(&format!("{owed} of {}: is listed", scene.stage.merchant.id)));

    // Whatever is wrong, the check leaves it as it is.
    assert_eq!(list_findings(&server.home), findings);
}

#[test]
fn a_deep_check_names_every_ledger_that_differs_from_returns_and_refunds() {
    let server = Home::sqlite().serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    let mut returns = Vec::new();
    for order in ["A", "B", "C"] {
        scene.publish(&sample_order(order));
        returns.push(scene.start(&request("mail-back", &[(order, "tee", 1)])));
    }
    scene.publish_refunds(&sample_order("D"), &[refund("RF-9", None, &[("mug", 1)])]);
    let database = rusqlite::Connection::open(server.home.data_dir().join("homeward.db")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let change = |order: &str, change: &str| {
        let sql = format!("UPDATE ledgers SET body = {change} WHERE order_id = ?1");
        assert_eq!(database.execute(&sql, [order]).unwrap(), 1, "{sql}");
    };
    change("A", "json_set(body, '$.lines.tee[0].unit', 1)");
    change("B", "json_remove(body, '$.lines.tee')");
    change("C", "json_set(body, '$.rmas', json_array())");
    change("D", "json_set(body, '$.lines.mug[0].refund_identifier', 'RF-8')");

    let findings = list_findings(&server.home);

    let problems: Vec<String> = findings.iter().map(|it| text(&it["problem"])).collect();
    let (a, b) = (&returns[0], &returns[1]);
    for expected in [
        format!("the ledger of order A has unit 1 of line tee on {a}, which does not say so"),
        format!("the ledger of order A does not have unit 0 of line tee as {a} says"),
        format!("the ledger of order B does not have unit 0 of line tee as {b} says"),
        "is not in the ledger of order C".to_owned(),
        "the ledger of order D has units paid by RF-8, which is not recorded".to_owned(),
    ] {
        assert!(problems.contains(&expected), "{expected}: {problems:#?}");
    }
}
