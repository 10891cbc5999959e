//! Units that did not fit when they were received: a question each, with the likely answers.

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
    warehouse::{
        asn_number::AsnNumber,
        unit::{ExceptionKind, MatchSign, ReceivingAnswer, ReceivingCandidate, ReceivingQuestion},
    },
};
use serde::Deserialize;

use crate::core::format::{WORDS_MAX, When, counted, reason};
use crate::{
    access::visit::{Visitor, Worker, WorkerForm},
    core::{
        form::Form,
        frame::{Frame, Section, done, page},
        problem::sentence,
        words::address,
    },
};
use server::{Web, error::ApiError, query::Query};

/// Each has a card of its own.
const PAGE: usize = 20;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/exceptions", get(show).post(decide))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Search {
    after: String,
}

#[derive(Template)]
#[template(path = "warehouse/exceptions.html", whitespace = "minimize")]
pub(crate) struct ExceptionsPage<'a> {
    frame: Frame<'a>,
    refused: Option<String>,
    cards: Vec<QuestionCard>,
    next: Option<String>,
    words_max: usize,
}

struct QuestionCard {
    /// Tells this card from the others of the page.
    number: usize,
    merchant: String,
    /// Whether nobody knows yet whose it is.
    stray: bool,
    unit: String,
    asn_number: String,
    title: &'static str,
    words: &'static str,
    raised: When,
    /// What was scanned, by name.
    facts: Vec<(&'static str, String)>,
    candidates: Vec<CandidateRow>,
    /// Whether it can still be received, or only be refused.
    receivable: bool,
}

struct CandidateRow {
    asn_number: String,
    line: String,
    sku: String,
    awaited: String,
    why: String,
}

/// What happened, in a few words and in a sentence.
const fn told(kind: ExceptionKind) -> (&'static str, &'static str) {
    match kind {
        ExceptionKind::Overage => {
            ("One too many", "More units came than the ASN announces of this.")
        }
        ExceptionKind::UnknownUnit => {
            ("Not announced", "The ASN announces no such unit, and nothing else told what it is.")
        }
        ExceptionKind::WrongSku => {
            ("Another article", "The unit is not of the SKU that the ASN announces.")
        }
        ExceptionKind::UnknownAsn => (
            "Unknown ASN",
            "No ASN with this number awaits goods: there is none, or it was cancelled.",
        ),
        ExceptionKind::AlreadyReceivedElsewhere => (
            "Known already",
            "A unit with this license plate was received, refused or shipped before. It cannot \
             count again.",
        ),
    }
}

const fn sign(sign: MatchSign) -> &'static str {
    match sign {
        MatchSign::SameUnitIdentifier => "license plate",
        MatchSign::SameClientUnitIdentifier => "merchant's unit number",
        MatchSign::SameSerialNumber => "serial number",
        MatchSign::SameLine => "line",
        MatchSign::SameSku => "SKU",
        MatchSign::SameUpc => "UPC",
        MatchSign::SameTrackingNumber => "tracking number",
        MatchSign::SameCarton => "carton",
    }
}

fn candidate_row(candidate: &ReceivingCandidate) -> CandidateRow {
    let why: Vec<&str> = candidate.why.iter().map(|it| sign(*it)).collect();
    CandidateRow {
        asn_number: candidate.asn_number.to_string(),
        line: candidate.line_identifier.clone(),
        sku: candidate.sku.clone(),
        awaited: counted(candidate.awaited, "unit", "units"),
        why: if why.is_empty() { "nothing".to_owned() } else { why.join(", ") },
    }
}

fn facts(question: &ReceivingQuestion) -> Vec<(&'static str, String)> {
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
        ("Put at", scanned.location_identifier.clone()),
        ("Scanned by", scanned.user_login.clone()),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn question_card(
    number: usize,
    doubt: &UnitException,
    question: &ReceivingQuestion,
) -> QuestionCard {
    let (title, words) = told(question.kind);
    QuestionCard {
        number,
        merchant: doubt.merchant.clone(),
        stray: doubt.merchant == MerchantId::platform().as_str(),
        unit: doubt.unit.unit_identifier.clone(),
        asn_number: question.asn_number.clone(),
        title,
        words,
        raised: When(question.raised_at),
        facts: facts(question),
        candidates: question.candidates.iter().map(candidate_row).collect(),
        receivable: question.kind != ExceptionKind::AlreadyReceivedElsewhere,
    }
}

impl<'a> ExceptionsPage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        found: &UnitExceptionPage,
        refused: Option<String>,
    ) -> Self {
        let open = found
            .exceptions
            .iter()
            .flat_map(|doubt| doubt.unit.open_questions().map(move |question| (doubt, question)));
        let cards = open
            .enumerate()
            .map(|(number, (doubt, question))| question_card(number, doubt, question));
        Self {
            frame: Frame::new(visitor, Section::Exceptions, "Units that did not fit"),
            refused,
            cards: cards.collect(),
            next: found.next.as_deref().map(|it| address("/console/exceptions", &[("after", it)])),
            words_max: WORDS_MAX,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(search): Query<Search>,
) -> Result<Response, ApiError> {
    shown(&web, &visitor, &search, None).await
}

async fn shown(
    web: &Web,
    visitor: &Visitor,
    search: &Search,
    refused: Option<String>,
) -> Result<Response, ApiError> {
    let after = Some(search.after.as_str()).filter(|after| !after.is_empty());
    let found = list_unit_exceptions(&web.app, after, PAGE).await?;
    let status = if refused.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(page(visitor, status, &ExceptionsPage::new(visitor, &found, refused)))
}

async fn decide(
    State(web): State<Web>,
    WorkerForm { visitor, form, .. }: WorkerForm,
) -> Result<Response, ApiError> {
    let (merchant, answer) = match wanted(&form) {
        Ok(wanted) => wanted,
        Err(why) => return shown(&web, &visitor, &Search::default(), Some(why)).await,
    };
    let (unit, asn_number) = (form.raw("unit"), form.raw("asn_number"));
    let asked = QuestionKey { merchant: &merchant, unit, asn_number };
    match answer_question(&web.app, visitor.session.request(), asked, &answer).await {
        Ok(_) => Ok(done(&web, "/console/exceptions", &decided(unit, &answer))),
        Err(AppError::Conflict(why)) => {
            shown(&web, &visitor, &Search::default(), Some(sentence(&why))).await
        }
        Err(error) => Err(error.into()),
    }
}

fn decided(unit: &str, answer: &ReceivingAnswer) -> String {
    match answer {
        ReceivingAnswer::Match { asn_number, line_identifier } => {
            format!("{unit} is received on line {line_identifier} of {asn_number}.")
        }
        ReceivingAnswer::Surplus => format!("{unit} is received as surplus."),
        ReceivingAnswer::Reject { .. } => format!("{unit} is rejected."),
    }
}

/// What the form says: about whose unit, and what is decided.
fn wanted(form: &Form) -> Result<(MerchantId, ReceivingAnswer), String> {
    let merchant = MerchantId::parse_stored(form.raw("merchant")).map_err(|why| sentence(&why))?;
    let answer = match form.raw("answer") {
        "match" => {
            let asn_number = AsnNumber::parse(form.text("to_asn_number"));
            let line_identifier = form.text("to_line").to_owned();
            let named = asn_number.filter(|_| !line_identifier.is_empty());
            let asn_number = named.ok_or("Name an ASN and a line of it.")?;
            ReceivingAnswer::Match { asn_number, line_identifier }
        }
        "surplus" => ReceivingAnswer::Surplus,
        "reject" => ReceivingAnswer::Reject { reason: reason(form.text("reason"))? },
        _ => return Err("Press one of the buttons.".to_owned()),
    };
    Ok((merchant, answer))
}
