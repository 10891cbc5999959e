//! Whatever merchants, shoppers and warehouses wrote stays text on every one of these pages.

use app::{
    access::sessions::Session,
    messages::{
        bulk_retry::RetryJob,
        failure_queue::{
            BulkResult, EndpointFailures, FailedMessage, FailureAction, FailurePage, FailureSummary,
        },
        message_log::{AttemptView, MessageState, MessageView, MessageWithAttempts, Messages},
        sent_request::SentRequest,
    },
    returns::{
        refund_case::{RefundCandidate, RefundCase, RefundFacts, RefundedLine},
        refund_problems::ProblemView,
    },
    warehouse::unit_questions::{UnitException, UnitExceptionPage},
};
use askama::Template;
use domain::{
    access::operator::{OperatorName, Role},
    messages::kind::MessageKind,
    warehouse::{
        asn_number::AsnNumber,
        unit::{
            ExceptionKind, MatchSign, ReceivingAnswer, ReceivingCandidate, ReceivingQuestion,
            UnitRecord,
        },
    },
};
use jiff::Timestamp;

use super::{failures, jobs, message};
use crate::access::visit::Visitor;
use crate::messages::list;
use crate::{returns::refunds, warehouse::exceptions};

const HOSTILE: &str = "\"><script>alert('x')</script><b onclick=x>&amp;";

fn hostile() -> String {
    HOSTILE.to_owned()
}

fn at() -> Timestamp {
    "2026-02-14T16:02:10Z".parse().unwrap()
}

fn visitor() -> Visitor {
    let name = OperatorName::parse("lena").unwrap();
    let session = Session::new(name, Role::Operator, "token".to_owned());
    Visitor { session, notice: Some(hostile()) }
}

/// The page is whole, and nothing of the text became markup.
fn assert_tame(page: &impl Template) -> String {
    let html = page.render().unwrap();
    assert!(!html.contains("<script>alert"), "{html}");
    assert!(!html.contains("<b onclick"), "{html}");
    assert!(!html.contains("style="), "{html}");
    assert!(html.contains("&#60;script&#62;alert"), "{html}");
    assert_eq!(html.matches("<h1>").count(), 1, "{html}");
    html
}

fn view(state: MessageState) -> MessageView {
    MessageView {
        id: "msg_acme_42".to_owned(),
        merchant: "acme".to_owned(),
        kind: MessageKind::Rma,
        reference: hostile(),
        sequence: 2,
        state,
        created_at: at(),
        due_at: Some(at()),
        discard_reason: Some(hostile()),
    }
}

#[test]
fn the_failure_queue_shows_text_as_text() {
    let failure = FailedMessage {
        id: hostile(),
        merchant: hostile(),
        kind: MessageKind::Rma,
        reference: hostile(),
        created_at: at(),
        failed_at: at(),
        status: None,
        error: Some(hostile()),
        superseded: true,
    };
    let endpoint = EndpointFailures {
        merchant: hostile(),
        kind: MessageKind::Rma,
        failures: 1_234,
        since: at(),
    };
    let found = failures::Found {
        summary: FailureSummary { failures: 1_234, endpoints: vec![endpoint] },
        page: FailurePage { failures: vec![failure], next: Some(hostile()) },
    };
    let search = failures::Search {
        merchant: hostile(),
        kind: hostile(),
        status: hostile(),
        from: hostile(),
        to: hostile(),
        after: hostile(),
    };
    let wrong = search.filter().unwrap_err();
    let chosen = failures::Chosen { reason: hostile(), ..failures::Chosen::default() };
    let fault = Some(failures::Fault::Reason(hostile()));

    let visitor = visitor();
    let page = failures::FailuresPage::new(&visitor, (&search, &wrong), (&chosen, fault), found);

    let html = assert_tame(&page);
    assert!(html.contains("1,234 messages"), "{html}");
    assert!(html.contains("Superseded"), "{html}");
    assert!(html.contains("aria-describedby=\"reason-fault\""), "{html}");
}

#[test]
fn a_message_shows_text_as_text_and_its_body_twice() {
    let attempt = AttemptView {
        at: at(),
        cycle: 2,
        attempt: 1,
        status: Some(503),
        error: Some(hostile()),
        latency_ms: 12.25,
        answer: Some(hostile()),
    };
    let body = "{\"note\":\"<script>alert('x')</script>\",\"cents\":1.10}".to_owned();
    let detail =
        MessageWithAttempts { message: view(MessageState::Failed), body, attempts: vec![attempt] };
    let request = SentRequest {
        url: Some(hostile()),
        paused: true,
        headers: vec![(hostile(), hostile())],
        refused: Some(hostile()),
    };
    let trouble = message::Trouble { refused: Some(hostile()), reason: Some(hostile()) };

    let visitor = visitor();
    let html = assert_tame(&message::MessagePage::new(&visitor, (&detail, &request), trouble));

    assert!(html.contains("&#34;cents&#34;: 1.10"), "laid out, to the digit: {html}");
    assert!(html.contains("&#34;cents&#34;:1.10"), "and as it is sent: {html}");
    assert!(html.contains("/console/messages/msg_acme_42/retry"), "{html}");
}

#[test]
fn a_message_that_is_not_in_the_queue_offers_nothing_to_do() {
    for state in [MessageState::Waiting, MessageState::Delivered, MessageState::Discarded] {
        let detail =
            MessageWithAttempts { message: view(state), body: String::new(), attempts: Vec::new() };
        let (visitor, request) = (visitor(), SentRequest::default());
        let trouble = message::Trouble::default();
        let html = assert_tame(&message::MessagePage::new(&visitor, (&detail, &request), trouble));
        assert!(!html.contains("/retry\""), "{html}");
        assert!(!html.contains("/discard\""), "{html}");
    }
}

#[test]
fn the_list_of_messages_shows_text_as_text() {
    let page =
        Messages { messages: vec![view(MessageState::Delivered)], next: Some("41".to_owned()) };
    let search = list::Search {
        merchant: "acme".to_owned(),
        kind: hostile(),
        state: hostile(),
        reference: hostile(),
        before: "99".to_owned(),
    };
    let visitor = visitor();
    let found = list::Found::Messages(page);
    let html = assert_tame(&list::MessagesPage::new(&visitor, &search, found));
    assert!(html.contains("before=41"), "{html}");
    assert_tame(&list::MessagesPage::new(&visitor, &search, list::Found::Wrong(hostile())));
}

#[test]
fn a_refund_shows_text_as_text_and_a_button_for_each_candidate() {
    let case = || RefundCase {
        problem: ProblemView {
            merchant: "acme".to_owned(),
            refund_identifier: hostile(),
            order_identifier: hostile(),
            state: "unmatched".to_owned(),
            noticed_at: at(),
            detail: hostile(),
        },
        refund: Some(RefundFacts {
            amount_cents: 4_610,
            currency: "USD".to_owned(),
            created_at: at(),
            note: Some(hostile()),
            rma_identifier: Some(hostile()),
            lines: vec![RefundedLine { identifier: hostile(), title: hostile(), quantity: 2 }],
        }),
        candidates: vec![RefundCandidate {
            rma_identifier: "RMA-7K3Q-9XWD-2M4T".to_owned(),
            status: "CREATED",
            created_at: at(),
            pays_for: 1,
            left_over: 1,
            short_of: 0,
        }],
    };
    let visitor = visitor();
    let refused = Some(hostile());
    let search = refunds::Search::default();
    let html = assert_tame(&refunds::RefundsPage::new(
        &visitor,
        &search,
        (vec![case()], Some(HOSTILE)),
        refused,
    ));
    assert!(html.contains("This pays for RMA-7K3Q-9XWD-2M4T"), "{html}");
    assert!(html.contains("46.10 USD"), "{html}");
    assert!(html.contains("Awaits 1 unit of it; 1 would be left over"), "{html}");

    let settled = refunds::Search { state: "settled".to_owned(), ..search };
    let page = refunds::RefundsPage::new(&visitor, &settled, (vec![case()], None), None);
    assert!(!assert_tame(&page).contains("This pays for"), "there is nothing to decide");
}

fn question(kind: ExceptionKind, answer: Option<ReceivingAnswer>) -> ReceivingQuestion {
    let scanned = domain::samples::received_unit().receipt.unwrap().scanned;
    let scanned = domain::returns::receipt::Receipt {
        sku: Some(hostile()),
        serial_number: Some(hostile()),
        user_login: Some(hostile()),
        ..scanned
    };
    let candidate = ReceivingCandidate {
        asn_number: AsnNumber::parse("ASN-1").unwrap(),
        line_identifier: hostile(),
        sku: hostile(),
        awaited: 2,
        why: vec![MatchSign::SameSku, MatchSign::SameCarton],
    };
    ReceivingQuestion {
        asn_number: format!("{kind:?} {HOSTILE}"),
        kind,
        raised_at: at(),
        scanned,
        candidates: vec![candidate],
        answer,
    }
}

#[test]
fn a_unit_in_doubt_shows_text_as_text_and_asks_only_what_is_open() {
    let mut unit = UnitRecord::new(HOSTILE);
    unit.questions = vec![
        question(ExceptionKind::Overage, Some(ReceivingAnswer::Surplus)),
        question(ExceptionKind::WrongSku, None),
        question(ExceptionKind::AlreadyReceivedElsewhere, None),
    ];
    let doubt = UnitException { merchant: "platform".to_owned(), since: at(), unit };
    let found = UnitExceptionPage { exceptions: vec![doubt], next: Some(hostile()) };

    let visitor = visitor();
    let html = assert_tame(&exceptions::ExceptionsPage::new(&visitor, &found, Some(hostile())));

    assert!(!html.contains("One too many"), "{html}");
    assert!(html.contains("Another article") && html.contains("Known already"), "{html}");
    assert_eq!(html.matches("value=\"surplus\"").count(), 1, "what is known cannot count again");
    assert_eq!(html.matches("value=\"reject\"").count(), 2, "{html}");
    assert!(html.contains("SKU, carton"), "{html}");
}

#[test]
fn a_job_says_how_far_it_got() {
    let job = |state: &str| RetryJob {
        id: "k7w2mq9d4x".to_owned(),
        state: state.to_owned(),
        total: 12_000,
        retried: 500,
        discarded: 0,
        skipped: 10,
    };
    let visitor = visitor();
    let running = assert_tame(&jobs::JobPage::new(&visitor, &job("running")));
    assert!(running.contains("510 of 12,000 messages"), "{running}");
    assert!(running.contains("max=\"12000\" value=\"510\""), "{running}");
    assert!(running.contains("Stop here"), "{running}");
    let ended = assert_tame(&jobs::JobPage::new(&visitor, &job("done")));
    assert!(!ended.contains("Stop here"), "{ended}");
}

#[test]
fn what_was_done_and_what_was_left_is_told() {
    let several = |done, left: &[&str]| BulkResult {
        done,
        left: left.iter().map(|why| (*why).to_owned()).collect(),
    };
    let retry = FailureAction::Retry { force: false };
    let told = |several, action| failures::told(&several, action);
    assert_eq!(told(several(3, &[]), &retry), "3 messages are tried again.");
    let discard = FailureAction::Discard { reason: "x".to_owned() };
    assert_eq!(
        told(several(1, &["it was delivered"]), &discard),
        "1 message is discarded. One \
        was left: It was delivered."
    );
    assert_eq!(
        told(several(0, &["a", "b"]), &retry),
        "Nothing is tried again. 2 were left; the \
        first of them: A."
    );
}
