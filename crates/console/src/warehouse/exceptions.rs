//! Received units that did not match, each with the lines that it could belong to.

mod find;
#[cfg(test)]
mod tests;

use app::{
    AppError,
    warehouse::unit_questions::{
        QuestionKey, UnitException, UnitExceptionPage, answer_question, list_unit_exceptions,
    },
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    returns::identifier::RmaId,
    warehouse::{
        asn_number::AsnNumber,
        unit::{ExceptionKind, MatchSign, ReceivingAnswer, ReceivingCandidate, ReceivingQuestion},
    },
};
use serde::Deserialize;

use crate::{
    access::{
        visit::{Worker, WorkerForm},
        visitor::Visitor,
    },
    core::{
        form::{Form, NOTE_MAX, check_reason, non_empty},
        format::{TimeElement, format_count, to_sentence},
        frame::{Frame, Section, redirect_with_notice, render_page},
        lists::Paging,
    },
};
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/exceptions";
/// Fewer than in other lists, because each exception has a card.
const CARDS_MAX: usize = 20;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(show).post(resolve)).merge(find::routes())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ExceptionQuery {
    after: String,
}

#[derive(Template)]
#[template(path = "warehouse/exceptions.html", whitespace = "minimize")]
struct ExceptionsPage<'a> {
    frame: Frame<'a>,
    /// Why the last decision was refused.
    refusal: Option<String>,
    cards: Vec<ExceptionCard>,
    /// Where this page of the list begins.
    after: String,
    paging: Paging,
    note_max: usize,
}

/// Why a decision was refused, and what was entered for it.
struct RefusedDecision<'a> {
    why: String,
    form: &'a Form,
}

/// What was entered on a card.
#[derive(Default)]
struct EnteredDecision {
    asn_number: String,
    line: String,
    reason: String,
}

impl EnteredDecision {
    /// Whether a line that is not proposed was entered.
    fn has_line(&self) -> bool {
        !(self.asn_number.is_empty() && self.line.is_empty())
    }

    /// What was entered for this question, if the form is about it.
    fn read(form: &Form, doubt: &UnitException, question: &ReceivingQuestion) -> Self {
        let is_here = form.raw("merchant") == doubt.merchant
            && form.raw("unit") == doubt.unit.unit_identifier
            && form.raw("asn_number") == question.asn_number;
        let text = |name: &str, is_entered: bool| {
            if is_here && is_entered { form.text(name).to_owned() } else { String::new() }
        };
        // A proposed line is not entered, but chosen by its button.
        let is_line_entered = form.is_set("other_line");
        Self {
            asn_number: text("to_asn_number", is_line_entered),
            line: text("to_line", is_line_entered),
            reason: text("reason", true),
        }
    }
}

struct ExceptionCard {
    /// Makes the identifiers of the card unique on the page.
    number: usize,
    merchant: String,
    /// Whether it is unknown which merchant the unit belongs to.
    merchant_unknown: bool,
    unit: String,
    asn_number: String,
    title: &'static str,
    explanation: &'static str,
    raised: TimeElement,
    /// What was scanned: labels and values.
    facts: Vec<(&'static str, String)>,
    candidates: Vec<CandidateLine>,
    /// Whether it can still be received, or only be rejected.
    receivable: bool,
    /// Where its return can be found.
    find_url: String,
    /// What was entered, if the decision was refused.
    entered: EnteredDecision,
}

struct CandidateLine {
    asn_number: String,
    line: String,
    sku: String,
    open: String,
    signs: String,
}

/// What happened, in a few words.
const fn exception_title(kind: ExceptionKind) -> &'static str {
    match kind {
        ExceptionKind::Overage => "Too many",
        ExceptionKind::UnknownUnit => "Not announced",
        ExceptionKind::WrongSku => "Wrong SKU",
        ExceptionKind::UnknownAsn => "Unknown ASN",
        ExceptionKind::AlreadyReceivedElsewhere => "Already known",
    }
}

/// What happened, in a sentence.
const fn exception_explanation(kind: ExceptionKind) -> &'static str {
    match kind {
        ExceptionKind::Overage => "More units arrived than the ASN announces.",
        ExceptionKind::UnknownUnit => {
            "The ASN does not announce this unit, and its codes do not identify it."
        }
        ExceptionKind::WrongSku => "The SKU of the unit is not the one that the ASN announces.",
        ExceptionKind::UnknownAsn => {
            "No ASN with this number is open. It does not exist, or it was canceled."
        }
        ExceptionKind::AlreadyReceivedElsewhere => {
            "A unit with this license plate was already received, rejected or shipped. It cannot \
             be received again."
        }
    }
}

const fn sign_label(sign: MatchSign) -> &'static str {
    match sign {
        MatchSign::SameUnitIdentifier => "license plate",
        MatchSign::SameClientUnitIdentifier => "merchant’s unit number",
        MatchSign::SameSerialNumber => "serial number",
        MatchSign::SameLine => "line",
        MatchSign::SameSku => "SKU",
        MatchSign::SameUpc => "UPC",
        MatchSign::SameAsin => "ASIN",
        MatchSign::SameTrackingNumber => "tracking number",
        MatchSign::SameCarton => "carton",
    }
}

fn candidate_line(candidate: &ReceivingCandidate) -> CandidateLine {
    let signs: Vec<&str> = candidate.why.iter().map(|it| sign_label(*it)).collect();
    CandidateLine {
        asn_number: candidate.asn_number.to_string(),
        line: candidate.line_identifier.clone(),
        sku: candidate.sku.clone(),
        open: format_count(candidate.awaited, "unit", "units"),
        signs: if signs.is_empty() { "nothing".to_owned() } else { signs.join(", ") },
    }
}

fn scanned_facts(question: &ReceivingQuestion) -> Vec<(&'static str, String)> {
    let scanned = &question.scanned;
    let all = [
        ("SKU", scanned.sku.clone()),
        ("UPC", scanned.upc.clone()),
        ("Line", scanned.line_identifier.clone()),
        ("Serial number", scanned.serial_number.clone()),
        ("Condition", Some(scanned.condition.name().to_owned())),
        ("Channel", scanned.channel.clone()),
        ("Carton", scanned.carton_identifier.clone()),
        ("Tracking number", scanned.tracking_number.clone()),
        ("Location", scanned.location_identifier.clone()),
        ("Batch", scanned.batch_number.clone()),
        ("Scanned by", scanned.user_login.clone()),
    ];
    all.into_iter().filter_map(|(label, value)| Some((label, value?))).collect()
}

fn exception_card(
    number: usize,
    doubt: &UnitException,
    question: &ReceivingQuestion,
    entered: EnteredDecision,
) -> ExceptionCard {
    ExceptionCard {
        number,
        merchant: doubt.merchant.clone(),
        merchant_unknown: doubt.merchant == MerchantId::platform().as_str(),
        unit: doubt.unit.unit_identifier.clone(),
        asn_number: question.asn_number.clone(),
        title: exception_title(question.kind),
        explanation: exception_explanation(question.kind),
        raised: TimeElement(question.raised_at),
        facts: scanned_facts(question),
        candidates: question.candidates.iter().map(candidate_line).collect(),
        receivable: question.kind != ExceptionKind::AlreadyReceivedElsewhere,
        find_url: find::url(&doubt.merchant, &doubt.unit.unit_identifier, &question.asn_number),
        entered,
    }
}

impl<'a> ExceptionsPage<'a> {
    fn new(
        visitor: &'a Visitor,
        query: &ExceptionQuery,
        found: &UnitExceptionPage,
        refusal: Option<RefusedDecision<'_>>,
    ) -> Self {
        let entered = |doubt: &UnitException, question: &ReceivingQuestion| {
            let sent = refusal.as_ref().map(|it| EnteredDecision::read(it.form, doubt, question));
            sent.unwrap_or_default()
        };
        let open = found
            .exceptions
            .iter()
            .flat_map(|doubt| doubt.unit.open_questions().map(move |question| (doubt, question)));
        let cards: Vec<ExceptionCard> = open
            .enumerate()
            .map(|(number, (doubt, question))| {
                exception_card(number, doubt, question, entered(doubt, question))
            })
            .collect();
        Self {
            frame: Frame::new(visitor, Section::Exceptions, "Receiving exceptions"),
            refusal: refusal.map(|it| to_sentence(&it.why)),
            cards,
            after: query.after.clone(),
            paging: Paging::in_order(PATH, &[], &query.after, found.next.as_deref()),
            note_max: NOTE_MAX,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(query): Query<ExceptionQuery>,
) -> Result<Response, ApiError> {
    let found = list_unit_exceptions(&web.app, non_empty(&query.after), CARDS_MAX).await?;
    let content = ExceptionsPage::new(&visitor, &query, &found, None);
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

/// The same page again, with the reason why nothing was decided, and with what was entered.
async fn render_refusal(
    web: &Web,
    visitor: &Visitor,
    refusal: RefusedDecision<'_>,
) -> Result<Response, ApiError> {
    let query = ExceptionQuery { after: refusal.form.raw("after").to_owned() };
    let found = list_unit_exceptions(&web.app, non_empty(&query.after), CARDS_MAX).await?;
    let content = ExceptionsPage::new(visitor, &query, &found, Some(refusal));
    Ok(render_page(visitor, StatusCode::CONFLICT, &content))
}

async fn resolve(
    State(web): State<Web>,
    WorkerForm { visitor, form, .. }: WorkerForm,
) -> Result<Response, ApiError> {
    let ExceptionDecision { merchant, answer } = match read_decision(&form) {
        Ok(decision) => decision,
        Err(why) => {
            return render_refusal(&web, &visitor, RefusedDecision { why, form: &form }).await;
        }
    };
    let (unit, asn_number) = (form.raw("unit"), form.raw("asn_number"));
    let key = QuestionKey { merchant: &merchant, unit, asn_number };
    match answer_question(visitor.session.scope(&web.app), key, &answer).await {
        Ok(_) => Ok(redirect_with_notice(&web, PATH, &describe_decision(unit, &answer))),
        Err(AppError::Conflict(why)) => {
            render_refusal(&web, &visitor, RefusedDecision { why, form: &form }).await
        }
        Err(error) => Err(error.into()),
    }
}

fn describe_decision(unit: &str, answer: &ReceivingAnswer) -> String {
    match answer {
        ReceivingAnswer::Match { asn_number, line_identifier } => {
            format!("Unit {unit} was received on line {line_identifier} of {asn_number}.")
        }
        ReceivingAnswer::MatchReturn { rma_identifier, line_identifier } => {
            format!("Unit {unit} was received on line {line_identifier} of {rma_identifier}.")
        }
        ReceivingAnswer::Surplus => format!("Unit {unit} was received as surplus."),
        ReceivingAnswer::Reject { .. } => format!("Unit {unit} was rejected."),
    }
}

/// The merchant of a unit, and what is decided about the unit.
struct ExceptionDecision {
    merchant: MerchantId,
    answer: ReceivingAnswer,
}

fn read_decision(form: &Form) -> Result<ExceptionDecision, String> {
    let merchant = MerchantId::parse_stored(form.raw("merchant"))?;
    let answer = match form.raw("answer") {
        "match" => {
            let asn_number = AsnNumber::parse(form.text("to_asn_number"));
            let line_identifier = form.text("to_line").to_owned();
            let asn_number = asn_number.filter(|_| !line_identifier.is_empty());
            let asn_number = asn_number.ok_or("Enter an ASN number and a line.")?;
            ReceivingAnswer::Match { asn_number, line_identifier }
        }
        "match-return" => {
            let chosen = form.text("chosen").split_once(' ');
            let chosen = chosen.and_then(|(rma, line)| Some((RmaId::parse(rma)?, line.to_owned())));
            let (rma_identifier, line_identifier) = chosen.ok_or("Choose a return.")?;
            ReceivingAnswer::MatchReturn { rma_identifier, line_identifier }
        }
        "surplus" => ReceivingAnswer::Surplus,
        "reject" => ReceivingAnswer::Reject { reason: check_reason(form.text("reason"))? },
        _ => return Err("Press one of the buttons of the card.".to_owned()),
    };
    Ok(ExceptionDecision { merchant, answer })
}
