//! The pages about messages, with hostile text in every field that others fill.

use app::messages::{
    bulk_retry::{JobState, RetryJob},
    failure_queue::{
        BulkResult, EndpointFailures, FailedMessage, FailureAction, FailurePage, FailureSummary,
    },
    message_log::{AttemptView, MessageState, MessageView, MessageWithAttempts, Messages},
    sent_request::SentRequest,
};
use domain::messages::kind::MessageKind;
use jiff::Timestamp;

use super::{failures, jobs, list, message};
use crate::core::fixtures::{HOSTILE, assert_is_text, hostile_message, sample_visitor};

fn hostile() -> String {
    HOSTILE.to_owned()
}

fn sample_message(state: MessageState) -> MessageView {
    MessageView {
        id: "msg_acme_42".to_owned(),
        merchant: "acme".to_owned(),
        sequence: 2,
        state,
        ..hostile_message()
    }
}

#[test]
fn the_failure_queue_stays_text() {
    let at = Timestamp::UNIX_EPOCH;
    let failure = FailedMessage {
        id: hostile(),
        merchant: hostile(),
        kind: MessageKind::Rma,
        reference: hostile(),
        created_at: at,
        failed_at: at,
        status: None,
        error: Some(hostile()),
        superseded: true,
    };
    let endpoint = EndpointFailures {
        merchant: hostile(),
        kind: MessageKind::Rma,
        failures: 1_234,
        since: at,
    };
    let search = failures::FailureSearch {
        merchant: hostile(),
        kind: hostile(),
        status: hostile(),
        from: hostile(),
        to: hostile(),
        after: hostile(),
    };
    let page = failures::QueuePage {
        faults: *search.filter().unwrap_err(),
        summary: FailureSummary { failures: 1_234, endpoints: vec![endpoint] },
        failures: FailurePage { failures: vec![failure], next: Some(hostile()) },
    };
    let form = failures::SelectionForm {
        selection: failures::Selection { reason: hostile(), ..failures::Selection::default() },
        fault: Some(failures::SelectionFault::Reason(hostile())),
    };

    let visitor = sample_visitor();
    let html = assert_is_text(&failures::FailuresPage::new(&visitor, &search, &form, page));

    assert!(html.contains("1,234 messages"), "{html}");
    assert!(html.contains("Superseded"), "{html}");
    assert!(html.contains("aria-describedby=\"reason-fault\""), "{html}");
}

#[test]
fn a_message_stays_text_and_shows_its_body_twice() {
    let attempt = AttemptView {
        at: Timestamp::UNIX_EPOCH,
        cycle: 2,
        attempt: 1,
        status: Some(503),
        error: Some(hostile()),
        latency_ms: 12.25,
        answer: Some(hostile()),
    };
    let body = "{\"note\":\"<script>alert('x')</script>\",\"cents\":1.10}".to_owned();
    let message = sample_message(MessageState::Failed);
    let detail = MessageWithAttempts { message, body, attempts: vec![attempt] };
    let request = SentRequest {
        url: Some(hostile()),
        paused: true,
        headers: vec![(hostile(), hostile())],
        refused: Some(hostile()),
    };
    let visitor = sample_visitor();
    for fault in [
        message::MessageFormFault::Conflict(hostile()),
        message::MessageFormFault::Reason(hostile()),
    ] {
        let page = message::MessagePage::new(&visitor, &detail, &request, Some(fault));
        let html = assert_is_text(&page);

        assert!(html.contains("&#34;cents&#34;: 1.10"), "formatted, with all digits: {html}");
        assert!(html.contains("&#34;cents&#34;:1.10"), "as it is sent: {html}");
        assert!(html.contains("/console/messages/msg_acme_42/retry"), "{html}");
    }
}

#[test]
fn a_message_outside_the_failure_queue_offers_no_actions() {
    for state in [MessageState::Waiting, MessageState::Delivered, MessageState::Discarded] {
        let message = sample_message(state);
        let detail = MessageWithAttempts { message, body: String::new(), attempts: Vec::new() };
        let (visitor, request) = (sample_visitor(), SentRequest::default());
        let page = message::MessagePage::new(&visitor, &detail, &request, None);
        let html = assert_is_text(&page);
        assert!(!html.contains("/retry\""), "{html}");
        assert!(!html.contains("/discard\""), "{html}");
    }
}

#[test]
fn the_list_of_messages_stays_text() {
    let messages = vec![sample_message(MessageState::Delivered)];
    let page = Messages { messages, next: Some("41".to_owned()) };
    let search = list::MessageSearch {
        merchant: "acme".to_owned(),
        kind: hostile(),
        state: hostile(),
        reference: hostile(),
        from: hostile(),
        to: hostile(),
        before: "99".to_owned(),
    };
    let visitor = sample_visitor();
    let results = list::MessageResults::Messages(page);
    let html = assert_is_text(&list::MessagesPage::new(&visitor, &search, results));
    assert!(html.contains("before=41"), "{html}");
    let fault = list::MessageResults::MerchantFault(hostile());
    assert_is_text(&list::MessagesPage::new(&visitor, &search, fault));
}

#[test]
fn a_job_shows_its_progress() {
    let job = |state| RetryJob {
        merchant: None,
        id: "k7w2mq9d4x".to_owned(),
        state,
        total: 12_000,
        retried: 500,
        discarded: 0,
        skipped: 10,
    };
    let visitor = sample_visitor();
    let running = assert_is_text(&jobs::JobPage::new(&visitor, &job(JobState::Running)));
    assert!(running.contains("510 of 12,000 messages"), "{running}");
    assert!(running.contains("max=\"12000\" value=\"510\""), "{running}");
    assert!(running.contains("Stop job"), "{running}");
    let ended = assert_is_text(&jobs::JobPage::new(&visitor, &job(JobState::Done)));
    assert!(!ended.contains("Stop job"), "{ended}");
}

#[test]
fn handled_and_skipped_messages_are_counted() {
    let several = |done, skipped: &[&str]| BulkResult {
        done,
        skipped: skipped.iter().map(|why| (*why).to_owned()).collect(),
    };
    let describe = |handled, action| failures::describe_result(&handled, action);
    let retry = FailureAction::Retry { force: false };
    assert_eq!(describe(several(3, &[]), &retry), "Retrying 3 messages.");
    let discard = FailureAction::Discard { reason: "x".to_owned() };
    assert_eq!(
        describe(several(1, &["it was delivered"]), &discard),
        "Discarded 1 message. 1 was skipped: It was delivered."
    );
    assert_eq!(
        describe(several(0, &["a", "b"]), &retry),
        "No messages were retried. 2 were skipped. The first reason: A."
    );
}
