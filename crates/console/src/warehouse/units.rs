//! One unit in the warehouse's books: what is known of it, and its story.

use app::warehouse::unit_story::{UnitStory, load_story_of_unit};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, receipt::Condition},
    warehouse::unit::{StoryEvent, UnitRecord},
};

use crate::{
    access::visit::{Operator, Visitor},
    core::{
        frame::{Frame, Section, page},
        lists::{Badge, MessageLine, Moment},
        words::path,
    },
};
use server::{Web, error::ApiError, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/units/{merchant}/{unit}", get(show))
}

#[derive(Template)]
#[template(path = "warehouse/unit.html", whitespace = "minimize")]
struct UnitPage<'a> {
    frame: Frame<'a>,
    merchant: &'a str,
    state: Badge,
    /// What is known, by name.
    facts: Vec<(&'static str, String)>,
    /// The return that it was announced for.
    rma: Option<(String, String)>,
    story: Vec<(Moment, String)>,
    messages: Vec<MessageLine>,
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path((merchant, unit)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let missing = |_| ApiError::App(app::AppError::NotFound("merchant"));
    let owner = MerchantId::parse_stored(&merchant).map_err(missing)?;
    let story = load_story_of_unit(&web.app, &owner, &unit).await?;
    Ok(page(&visitor, StatusCode::OK, &unit_page(&visitor, &merchant, &story)))
}

fn unit_page<'a>(visitor: &'a Visitor, merchant: &'a str, story: &UnitStory) -> UnitPage<'a> {
    let unit = &story.unit;
    let announced = unit.announcement.as_ref();
    let reference = announced.and_then(|it| it.reference.as_ref());
    let rma = reference.and_then(|it| RmaId::parse(&it.identifier));
    UnitPage {
        frame: Frame::new(visitor, Section::Search, format!("Unit {}", unit.unit_identifier)),
        merchant,
        state: state(unit),
        facts: facts(unit),
        rma: rma.map(|rma| (path(&["console", "returns", rma.as_str()]), rma.to_string())),
        story: unit.story.iter().map(|it| (Moment(it.at), words(&it.happened))).collect(),
        messages: story.messages.iter().map(MessageLine::new).collect(),
    }
}

fn state(unit: &UnitRecord) -> Badge {
    let (class, words) = if unit.asked_since().is_some() {
        ("warn", "In question")
    } else if unit.has_left() {
        ("", "Has left")
    } else if unit.is_here() {
        ("good", "In the warehouse")
    } else if unit.reject_reason.is_some() {
        ("bad", "Rejected")
    } else {
        ("cool", "Awaited")
    };
    Badge { class, words }
}

fn facts(unit: &UnitRecord) -> Vec<(&'static str, String)> {
    let announced = unit.announcement.as_ref();
    let receipt = unit.receipt.as_ref();
    let facts = [
        ("SKU", announced.map(|it| it.sku.clone())),
        ("UPC", announced.and_then(|it| it.upc.clone())),
        ("Announced by ASN", announced.map(|it| it.asn_number.to_string())),
        ("Line", announced.map(|it| it.line_identifier.clone())),
        ("Program", announced.map(|it| it.program_identifier.clone())),
        ("Merchant's own name", announced.and_then(|it| it.client_unit_identifier.clone())),
        ("Serial number", announced.and_then(|it| it.serial_number.clone())),
        ("Received against", receipt.map(|it| it.asn_number.clone())),
        ("Condition", unit.condition.map(Condition::name).map(str::to_owned)),
        ("Place", unit.location_identifier.clone()),
        ("Shipment", unit.departure.as_ref().map(|it| it.asn_number.to_string())),
        ("Rejected because", unit.reject_reason.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn words(happened: &StoryEvent) -> String {
    let said = |words: &str, it: &Option<String>| {
        it.as_ref().map(|it| format!("{words}{it}")).unwrap_or_default()
    };
    let by = |login: &Option<String>| said(" by ", login);
    let why = |reason: &Option<String>| said(": ", reason);
    match happened {
        StoryEvent::Announced { asn_number, line_identifier } => {
            format!("Announced by ASN {asn_number}, line {line_identifier}")
        }
        StoryEvent::Questioned { asn_number, kind } => {
            format!("Scanned for {asn_number}, and a person must look: {}", plain(kind.name()))
        }
        StoryEvent::Answered { asn_number, .. } => format!("An operator decided, for {asn_number}"),
        StoryEvent::Received { asn_number, line_identifier, user_login } => {
            let line = line_identifier.as_ref().map(|it| format!(", line {it}"));
            let line = line.unwrap_or_default();
            format!("Received against {asn_number}{line}{}", by(user_login))
        }
        StoryEvent::Graded { condition, reason, user_login } => {
            format!("Graded {}{}{}", condition.name(), by(user_login), why(reason))
        }
        StoryEvent::Moved { location_identifier, channel, reason, user_login } => {
            let place = location_identifier.as_ref().map(|it| format!(" to {it}"));
            let channel = channel.as_ref().map(|it| format!(" into channel {it}"));
            let (place, channel) = (place.unwrap_or_default(), channel.unwrap_or_default());
            format!("Moved{place}{channel}{}{}", by(user_login), why(reason))
        }
        StoryEvent::Packed { asn_number } => format!("Set aside for shipment {asn_number}"),
        StoryEvent::Unpacked { asn_number } => format!("Shipment {asn_number} was canceled"),
        StoryEvent::Shipped { asn_number } => format!("Left with shipment {asn_number}"),
    }
}

fn plain(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use domain::warehouse::unit::StoryStep;
    use jiff::Timestamp;

    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, visitor};

    #[test]
    fn whatever_a_unit_is_called_stays_text() {
        let hostile = || HOSTILE.to_owned();
        let mut unit = UnitRecord::new(HOSTILE);
        unit.reject_reason = Some(hostile());
        unit.location_identifier = Some(hostile());
        let step = |happened| StoryStep { at: Timestamp::UNIX_EPOCH, happened };
        unit.story = vec![
            step(StoryEvent::Moved {
                location_identifier: Some(hostile()),
                channel: Some(hostile()),
                reason: Some(hostile()),
                user_login: Some(hostile()),
            }),
            step(StoryEvent::Received {
                asn_number: hostile(),
                line_identifier: Some(hostile()),
                user_login: Some(hostile()),
            }),
        ];
        let visitor = visitor();
        let story = UnitStory { unit, messages: Vec::new() };
        assert_is_text(&unit_page(&visitor, HOSTILE, &story));
    }
}
