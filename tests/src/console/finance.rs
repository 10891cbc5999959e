//! Money at the console: refunds that differ from the promise, the finance page, and the statement
//! of a return at any time.

use super::fixture::{ConsoleFixture, console_fixtures};
use crate::harness::console::form_request;

/// A return whose refund is a cent short: the order and the return.
fn create_difference(console: &ConsoleFixture) -> [String; 2] {
    let order = console.unique("D");
    let rma = console.start_return(&order, "refund");
    console.wait_for_label(&rma);
    assert!(console.pay_a_cent_short(&order, &rma) > 100);
    [order, rma]
}

fn refunds_url(console: &ConsoleFixture, state: &str) -> String {
    format!("/console/refunds?merchant={}&state={state}", console.merchant())
}

fn finance_url(console: &ConsoleFixture) -> String {
    format!("/console/finance?merchant={}", console.merchant())
}

#[test]
fn a_difference_is_accepted_by_one_click() {
    for console in console_fixtures() {
        let [order, rma] = create_difference(&console);
        let (visitor, refund) = (&console.visitor, format!("RF-{order}"));
        for state in ["", "open", "short_paid"] {
            let page = visitor.page(&refunds_url(&console, state));
            assert!(page.contains("<dt>Missing</dt><dd><strong>0.01 "), "{state}: {page}");
            assert!(page.contains(&format!("/console/returns/{rma}")), "{page}");
            assert!(page.contains(">Paid too little</span>"), "{page}");
        }
        assert!(!visitor.page(&refunds_url(&console, "over_paid")).contains(&refund));
        assert!(visitor.page(&console.order_url(&order)).contains("Paid too little: RF-"));

        let of = [("merchant", console.merchant()), ("refund", refund.as_str())];
        let answer = |answer| [of.as_slice(), &[("answer", answer)]].concat();
        let asked = visitor.submit("/console/refunds/difference", &answer("ask"));
        assert!(asked.contains(&format!("The merchant is asked about refund {refund}.")));
        assert!(visitor.page(&refunds_url(&console, "asked")).contains(&refund));
        let page = visitor.submit("/console/refunds/difference", &answer("accept"));
        assert!(page.contains(&format!("The difference of refund {refund} is accepted.")));

        assert!(!visitor.page(&refunds_url(&console, "open")).contains(&refund));
        let settled = visitor.page(&refunds_url(&console, "settled"));
        assert!(settled.contains("Accepted: no note."), "{settled}");
        let page = visitor.page(&format!("/console/returns/{rma}"));
        assert!(page.contains("<dt>Accepted differences</dt><dd>−0.01 "), "{page}");
        assert!(page.contains("<dt>Balance</dt><dd>0.00 "), "{page}");
        let again = visitor.post("/console/refunds/difference", &answer("accept"));
        assert_eq!(again.status, 409);
        assert!(again.text().contains("The difference is already settled."), "{}", again.text());
        let trail = console.stage.server.home.json(&["audit", "--merchant", console.merchant()]);
        let trail = trail["changes"].as_array().unwrap();
        let decided = trail.iter().find(|it| it["action"] == "refund.difference").unwrap();
        assert_eq!(decided["actor"], visitor.name.as_str());
    }
}

#[test]
fn a_difference_is_decided_only_by_forms_of_operators() {
    for console in console_fixtures() {
        let [order, _] = create_difference(&console);
        let (visitor, refund) = (&console.visitor, format!("RF-{order}"));
        let target = "/console/refunds/difference";
        let fields = [("merchant", console.merchant()), ("refund", &refund), ("answer", "accept")];
        let worker = console.stage.server.visitor("warehouse");
        assert_eq!(worker.post(target, &fields).status, 403);
        let foreign = [&[("form_token", "another")], fields.as_slice()].concat();
        let foreign = form_request(target, &foreign).header("Cookie", &visitor.cookie);
        assert_eq!(console.stage.server.send(&foreign).status, 403);
        let elsewhere = form_request(target, &fields);
        let reply = console.stage.server.send(&elsewhere);
        assert_eq!((reply.status, reply.header("location")), (303, Some("/console/login")));
        let unclear = visitor.post(target, &fields[..2]);
        assert_eq!(unclear.status, 409);
        assert!(unclear.text().contains("Choose what to do"), "{}", unclear.text());
        let unknown = [fields[0], ("refund", "RF-unknown"), fields[2]];
        assert_eq!(visitor.post(target, &unknown).status, 404);

        assert!(visitor.page(&refunds_url(&console, "short_paid")).contains(&refund));
    }
}

#[test]
fn the_finance_of_a_merchant_is_shown_and_downloaded() {
    for console in console_fixtures() {
        let visitor = &console.visitor;
        let place = finance_url(&console);
        let empty = visitor.page(&place);
        assert!(empty.contains("Nothing was promised or paid"), "{empty}");
        assert!(visitor.page("/console/finance").contains("Choose a merchant"));

        let [order, rma] = create_difference(&console);
        let page = visitor.page(&place);
        for part in [
            "Less than 30 days</th><td>1 return</td><td class=\"number\">0.01 ",
            ">Balanced</span>",
            &format!("/console/returns/{rma}"),
            &format!("RF-{order}"),
            &format!("/console/refunds?merchant={}", console.merchant()),
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let file = |period: &str| {
            let merchant = console.merchant();
            visitor.get(&format!("/console/finance/entries.csv?merchant={merchant}&{period}"))
        };
        let all = file("from=&to=");
        assert_eq!(all.status, 200, "{}", all.said());
        let name = format!("attachment; filename=\"entries-{}.csv\"", console.merchant());
        assert_eq!(all.header("content-disposition"), Some(name.as_str()));
        assert_eq!(all.header("content-type"), Some("text/csv; charset=utf-8"));
        let mut rows = all.text().lines();
        assert_eq!(rows.next(), Some("at,rma_identifier,event,account,currency,amount_cents"));
        let amounts = rows.map(|row| row.rsplit(',').next().unwrap().parse::<i64>().unwrap());
        let amounts: Vec<i64> = amounts.collect();
        assert!(amounts.len() >= 4, "{}", all.text());
        assert_eq!(amounts.iter().sum::<i64>(), 0, "{}", all.text());
        assert_eq!(file("from=2020-01-01&to=2020-12-31").text().lines().count(), 1);
        assert_eq!(file("from=2020-01-01").text(), all.text());
        assert_eq!(file("from=tomorrow").status, 400);
    }
}

#[test]
fn the_finance_of_a_merchant_is_for_operators_only() {
    for console in console_fixtures() {
        let worker = console.stage.server.visitor("warehouse");
        let file = format!("/console/finance/entries.csv?merchant={}", console.merchant());
        for target in [finance_url(&console), file] {
            assert_eq!(worker.get(&target).status, 403, "{target}");
            let request = crate::harness::http::Request::get(&target);
            let reply = console.stage.server.send(&request);
            assert_eq!(reply.status, 303, "{target}: {}", reply.said());
            let unknown = target.replace(console.merchant(), "no-such-shop");
            assert_eq!(console.visitor.get(&unknown).status, 404, "{unknown}");
        }
        assert!(!worker.page("/console/exceptions").contains("/console/finance"));
    }
}

#[test]
fn a_return_is_shown_as_it_was_after_each_of_its_events() {
    for console in console_fixtures() {
        let [order, rma] = create_difference(&console);
        let (visitor, place) = (&console.visitor, format!("/console/returns/{rma}"));
        let newest = visitor.page(&place);
        assert!(newest.contains(&format!("Refund <strong>RF-{order}</strong>")), "{newest}");
        assert!(newest.contains(&format!("{place}?event=1")), "{newest}");

        let first = visitor.page(&format!("{place}?event=1"));
        assert!(first.contains("State after event 1 of 3, <time"), "{first}");
        assert!(first.contains("Nothing yet."), "{first}");
        assert!(!first.contains("Cancel return"), "{first}");
        assert!(first.contains(&format!("{place}?event=2\" rel=\"next\"")), "{first}");
        let last = visitor.page(&format!("{place}?event=3"));
        assert!(last.contains("Newest state, after event 3."), "{last}");
        assert_eq!(visitor.get(&format!("{place}?event=4")).status, 404);
        assert_eq!(visitor.get(&format!("{place}?event=x")).status, 400);
    }
}
