//! Notifies people of problems by mail: a merchant's technical contact, and the operators.
//!
//! A problem is remembered in the transaction that enqueues the mails about it, so people are
//! notified once, whatever the number of nodes, and once more when it has ended.

use std::collections::BTreeSet;

use boxed::boxed;
use delivery::EndpointStatus;
use domain::{
    identifier::MerchantId,
    messages::{
        alert::{CERTIFICATE_DAYS, FoundProblem, Problem, is_alarming},
        kind::MessageKind,
    },
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use store::{FailingEndpoint, OpenAlert, StoreError, Transaction};

use crate::{
    App, AppError,
    messages::outbox::{self, About},
};

/// More failures of one endpoint are not counted, and more problems are reported later.
const FAILURES_MAX: i64 = 1_000;
const PROBLEMS_MAX: usize = 1_000;
const SUSPENDED: &str = "suspended";

/// Looks for problems, and notifies of those that have begun or ended. `certificate_ends` is the
/// end of the certificate of this server.
#[boxed]
pub async fn check_problems(
    app: &App,
    certificate_ends: Option<Timestamp>,
) -> Result<(), AppError> {
    if app.mail.server.is_none() {
        return Ok(());
    }
    let open = app.store.open_alerts(PROBLEMS_MAX).await?;
    let found = find_problems(app, &open, certificate_ends).await?;
    for problem in found.iter().filter(|it| !open.iter().any(|alert| is_about(alert, it))) {
        notify_people(app, problem, None).await?;
    }
    for alert in open.iter().filter(|it| !found.iter().any(|problem| is_about(it, problem))) {
        if let Some(problem) = Problem::parse(&alert.problem)
            && has_ended(app, &alert.merchant, &problem).await?
        {
            let detail = alert.detail.clone();
            let ended = FoundProblem { merchant: alert.merchant.clone(), problem, detail };
            notify_people(app, &ended, Some(alert)).await?;
        }
    }
    Ok(())
}

fn is_about(alert: &OpenAlert, problem: &FoundProblem) -> bool {
    alert.merchant == problem.merchant && alert.problem == problem.problem.name()
}

async fn find_problems(
    app: &App,
    open: &[OpenAlert],
    certificate_ends: Option<Timestamp>,
) -> Result<Vec<FoundProblem>, AppError> {
    let limit = i64::try_from(PROBLEMS_MAX).unwrap_or(i64::MAX);
    let failing = app.store.failing_endpoints(FAILURES_MAX, limit).await?;
    let mut found: Vec<FoundProblem> =
        failing.iter().filter_map(|it| judge_failures(open, it)).collect();
    let suspended = app.dispatcher.suspended_endpoints().await;
    found.extend(suspended.into_iter().map(|it| {
        let detail = format!("{} messages wait.", it.waiting);
        let problem = Problem::EndpointSuspended(it.kind);
        FoundProblem { merchant: it.merchant, problem, detail }
    }));
    let soon = app.world.now() + SignedDuration::from_hours(24 * CERTIFICATE_DAYS);
    found.extend(certificate_ends.filter(|ends| *ends < soon).map(|ends| FoundProblem {
        merchant: MerchantId::platform(),
        problem: Problem::CertificateEnds,
        detail: format!("It ends at {ends}."),
    }));
    Ok(found)
}

fn judge_failures(open: &[OpenAlert], failing: &FailingEndpoint) -> Option<FoundProblem> {
    let FailingEndpoint { merchant, kind, failures } = failing;
    let merchant = MerchantId::parse_stored(merchant).ok()?;
    let found = FoundProblem {
        merchant,
        problem: Problem::of_failures(*kind),
        detail: match failures {
            1 => "1 message is in the failure queue.".to_owned(),
            _ => format!("{failures} messages are in the failure queue."),
        },
    };
    let was_open = open.iter().any(|alert| is_about(alert, &found));
    is_alarming(*kind, *failures, was_open).then_some(found)
}

/// Whether this node knows that a problem that it does not find any more has ended.
async fn has_ended(app: &App, merchant: &MerchantId, problem: &Problem) -> Result<bool, AppError> {
    match problem {
        Problem::EndpointSuspended(kind) => {
            let statuses = app.dispatcher.endpoint_statuses(merchant).await;
            let status = statuses.iter().find(|it| it.kind == *kind);
            Ok(works_again(status, app.store.shared_clock_us().await?.is_none()))
        }
        Problem::FailuresGrow(_) | Problem::CarrierFails | Problem::CertificateEnds => Ok(true),
    }
}

/// Whether an endpoint that was suspended works again, or nothing waits for it any more. Only the
/// node that sends to it knows that, and after a start not before a message was accepted: breakers
/// are in memory, alerts are not.
fn works_again(status: Option<&EndpointStatus>, is_only_node: bool) -> bool {
    match status {
        Some(status) => status.breaker != SUSPENDED && status.is_known_to_work,
        None => is_only_node,
    }
}

/// Enqueues the mails about a problem, or about its end.
async fn notify_people(
    app: &App,
    found: &FoundProblem,
    ended: Option<&OpenAlert>,
) -> Result<(), AppError> {
    let FoundProblem { merchant, problem, detail } = found;
    let mut transaction = Transaction::new("notifying people of a problem");
    let title = problem.title(merchant);
    let (subject, text) = if ended.is_some() {
        transaction.close_alert(merchant, &problem.name());
        (format!("Over: {title}"), "This problem is over.".to_owned())
    } else {
        transaction.open_alert(&OpenAlert {
            merchant: merchant.clone(),
            problem: problem.name(),
            since_us: app.world.now_us(),
            detail: detail.clone(),
        });
        (title, format!("{detail}\n\n{}", problem.advice()))
    };
    for recipient in find_recipients(app, merchant).await? {
        enqueue_alert(app, &mut transaction, &recipient, &subject, &text);
    }
    match app.commit(transaction).await {
        // Another node has reported it.
        Ok(()) | Err(StoreError::Conflict) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn find_recipients(app: &App, merchant: &MerchantId) -> Result<BTreeSet<String>, AppError> {
    let settings = app.store.mail_settings(merchant).await?.value;
    Ok(settings.technical_contact.into_iter().chain(app.mail.operators.clone()).collect())
}

/// Mails about problems are the platform's own, so that a merchant's server that fails is no
/// obstacle.
fn enqueue_alert(
    app: &App,
    transaction: &mut Transaction,
    recipient: &str,
    subject: &str,
    text: &str,
) {
    let paragraphs = text.replace("\n\n", "</p><p>");
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{subject}</title>\
         </head><body><main><h1>{subject}</h1><p>{paragraphs}</p></main></body></html>\n"
    );
    let body = json!({
        "mail": "alert", "recipient": recipient, "subject": subject, "text": text, "html": html,
    });
    let about = About { kind: MessageKind::Mail, reference: recipient, sequence: 1 };
    let message = outbox::message(app, &MerchantId::platform(), &about, body.to_string().into());
    transaction.enqueue(message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suspended_endpoint_is_over_when_it_is_known_to_work_and_not_because_the_server_started() {
        let endpoint = |breaker: &'static str, is_known_to_work: bool| EndpointStatus {
            merchant: MerchantId::parse("acme").unwrap(),
            kind: MessageKind::Rma,
            breaker,
            is_known_to_work,
            waiting: 2_000,
            in_flight: 1,
            limit: 1,
        };
        assert!(!works_again(Some(&endpoint("closed", false)), true), "it was not called yet");
        assert!(!works_again(Some(&endpoint("throttled", false)), true));
        assert!(!works_again(Some(&endpoint("suspended", true)), true));
        assert!(works_again(Some(&endpoint("closed", true)), true));
        assert!(works_again(None, true), "nothing waits");
        assert!(!works_again(None, false), "another node may know more");
    }
}
