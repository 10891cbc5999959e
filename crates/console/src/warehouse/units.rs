//! The page of one unit in the warehouse.

use app::warehouse::unit_story::{UnitStory, load_story_of_unit};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, receipt::Condition},
    warehouse::unit::{StoryEvent, UnitRecord},
};

use crate::{
    access::{visit::Operator, visitor::Visitor},
    core::{
        badge::Badge,
        format::TimeElement,
        frame::{Frame, Section, render_page},
        urls::return_url,
    },
    messages::lines::MessageLine,
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
    /// Labels and values.
    facts: Vec<(&'static str, String)>,
    /// The return that it was announced for.
    rma: Option<UnitReturn>,
    events: Vec<UnitEvent>,
    messages: Vec<MessageLine>,
}

struct UnitReturn {
    identifier: String,
    url: String,
}

struct UnitEvent {
    at: TimeElement,
    text: String,
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Path((merchant, unit)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let missing = |_| ApiError::App(app::AppError::NotFound("merchant"));
    let owner = MerchantId::parse_stored(&merchant).map_err(missing)?;
    let story = load_story_of_unit(&web.app, &owner, &unit).await?;
    Ok(render_page(&visitor, StatusCode::OK, &unit_page(&visitor, &merchant, &story)))
}

fn unit_page<'a>(visitor: &'a Visitor, merchant: &'a str, story: &UnitStory) -> UnitPage<'a> {
    let unit = &story.unit;
    let reference = unit.announcement.as_ref().and_then(|it| it.reference.as_ref());
    let rma = reference.and_then(|it| RmaId::parse(&it.identifier));
    let event = |at, event| UnitEvent { at: TimeElement(at), text: describe_event(event) };
    UnitPage {
        frame: Frame::new(visitor, Section::Search, format!("Unit {}", unit.unit_identifier)),
        merchant,
        state: unit_badge(unit),
        facts: unit_facts(unit),
        rma: rma
            .map(|rma| UnitReturn { identifier: rma.to_string(), url: return_url(rma.as_str()) }),
        events: unit.story.iter().map(|it| event(it.at, &it.happened)).collect(),
        messages: story.messages.iter().map(MessageLine::new).collect(),
    }
}

fn unit_badge(unit: &UnitRecord) -> Badge {
    if unit.asked_since().is_some() {
        Badge::warn("Exception")
    } else if unit.has_left() {
        Badge::plain("Shipped")
    } else if unit.rejected_because().is_some() {
        Badge::bad("Rejected")
    } else if unit.is_here() {
        Badge::good("In the warehouse")
    } else {
        Badge::cool("Expected")
    }
}

fn unit_facts(unit: &UnitRecord) -> Vec<(&'static str, String)> {
    let announced = unit.announcement.as_ref();
    let receipt = unit.receipt.as_ref();
    let facts = [
        ("SKU", announced.map(|it| it.sku.clone())),
        ("UPC", announced.and_then(|it| it.upc.clone())),
        ("ASN", announced.map(|it| it.asn_number.to_string())),
        ("Line", announced.map(|it| it.line_identifier.clone())),
        ("Program", announced.map(|it| it.program_identifier.clone())),
        ("Merchant’s unit number", announced.and_then(|it| it.client_unit_identifier.clone())),
        ("Serial number", announced.and_then(|it| it.serial_number.clone())),
        ("Received for", receipt.map(|it| it.asn_number.clone())),
        ("Condition", unit.condition.map(Condition::name).map(str::to_owned)),
        ("Channel", unit.channel.clone()),
        ("Location", unit.location_identifier.clone()),
        ("Shipment", unit.departure.as_ref().map(|it| it.asn_number.to_string())),
        ("Reason for rejection", unit.rejected_because().map(str::to_owned)),
    ];
    facts.into_iter().filter_map(|(label, value)| Some((label, value?))).collect()
}

fn describe_event(event: &StoryEvent) -> String {
    let optional = |before: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!("{before}{value}")).unwrap_or_default()
    };
    let by = |login: &Option<String>| optional(" by ", login);
    let because = |reason: &Option<String>| optional(": ", reason);
    match event {
        StoryEvent::Announced { asn_number, line_identifier } => {
            format!("Announced by ASN {asn_number}, line {line_identifier}")
        }
        StoryEvent::Questioned { asn_number, kind } => {
            let kind = kind.name().replace('_', " ");
            format!("Scanned for {asn_number}, which caused an exception: {kind}")
        }
        StoryEvent::Answered { asn_number, .. } => {
            format!("An operator resolved the exception for {asn_number}")
        }
        StoryEvent::Received { asn_number, line_identifier, user_login, reject_reason } => {
            let line = optional(", line ", line_identifier);
            let rejected = optional(", and rejected: ", reject_reason);
            format!("Received for {asn_number}{line}{}{rejected}", by(user_login))
        }
        StoryEvent::Corrected { corrected, user_login } => {
            let to = corrected.as_ref().map_or_else(
                || "not received after all".to_owned(),
                |it| {
                    format!(
                        "{}{}",
                        it.condition.name(),
                        optional(", rejected: ", &it.reject_reason)
                    )
                },
            );
            format!("Receipt corrected{}: {to}", by(user_login))
        }
        StoryEvent::Graded { condition, reason, user_login } => {
            format!("Graded {}{}{}", condition.name(), by(user_login), because(reason))
        }
        StoryEvent::Moved { location_identifier, channel, reason, user_login } => {
            let location = optional(" to ", location_identifier);
            let channel = optional(" into channel ", channel);
            format!("Moved{location}{channel}{}{}", by(user_login), because(reason))
        }
        StoryEvent::Packed { asn_number } => format!("Reserved for shipment {asn_number}"),
        StoryEvent::Unpacked { asn_number } => format!("Shipment {asn_number} was canceled"),
        StoryEvent::Shipped { asn_number } => format!("Shipped with shipment {asn_number}"),
    }
}

#[cfg(test)]
mod tests {
    use domain::warehouse::unit::StoryStep;
    use jiff::Timestamp;

    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn a_unit_stays_text() {
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
                reject_reason: Some(hostile()),
            }),
        ];
        let visitor = sample_visitor();
        let story = UnitStory { unit, messages: Vec::new() };
        assert_is_text(&unit_page(&visitor, HOSTILE, &story));
    }
}
