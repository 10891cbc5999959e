//! The history of a unit: announced, received, graded, moved, shipped, and the messages about it.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    warehouse::{
        asn_number::AsnNumber,
        unit::{StoryEvent, UnitRecord},
    },
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    App, AppError,
    messages::message_log::{MessageView, filter_by_reference, view_message},
    warehouse::resolve_merchant::resolve_merchant,
};

/// The most messages with one reference that are shown.
const MESSAGES_MAX: usize = 100;

/// A unit with its history.
#[derive(Serialize, ToSchema)]
pub struct UnitStory {
    #[serde(flatten)]
    pub unit: UnitRecord,
    /// The messages about the unit, newest first.
    pub messages: Vec<MessageView>,
}

#[boxed]
pub async fn load_unit_story(
    app: &App,
    merchant: Option<&MerchantId>,
    unit_id: &str,
) -> Result<UnitStory, AppError> {
    let owners = app.store.merchants_of_unit(unit_id).await?;
    let missing = || AppError::NotFound("unit");
    let merchant = resolve_merchant(merchant, &owners)?.ok_or_else(missing)?;
    load_story_of_unit(app, &merchant, unit_id).await
}

/// The history of a unit of this merchant. Units that were not announced belong to the platform.
#[boxed]
pub async fn load_story_of_unit(
    app: &App,
    merchant: &MerchantId,
    unit_id: &str,
) -> Result<UnitStory, AppError> {
    let found = app.store.units(merchant, [unit_id].into_iter()).await?.pop();
    let unit = found.ok_or(AppError::NotFound("unit"))?.value;
    let mut messages = Vec::new();
    for reference in list_references(app, merchant, &unit).await? {
        let filter = filter_by_reference(&reference, MESSAGES_MAX);
        let found = app.store.messages(merchant, &filter).await?.0;
        messages.extend(found.into_iter().map(view_message));
    }
    Ok(UnitStory { unit, messages })
}

/// What messages about the unit refer to, newest first: the part of each shipment that the unit was
/// packed for, and the unit itself.
async fn list_references(
    app: &App,
    merchant: &MerchantId,
    unit: &UnitRecord,
) -> Result<Vec<String>, AppError> {
    let mut shipments: Vec<&AsnNumber> = Vec::new();
    for step in unit.story.iter().rev() {
        if let StoryEvent::Packed { asn_number } | StoryEvent::Shipped { asn_number } =
            &step.happened
            && !shipments.contains(&asn_number)
        {
            shipments.push(asn_number);
        }
    }
    let mut references = Vec::new();
    for number in shipments {
        let shipment = app.store.shipment(merchant, number.as_str()).await?;
        let part = shipment.and_then(|it| it.value.message_about(&unit.unit_identifier));
        references.extend(part.map(|part| part.to_string()));
    }
    references.push(unit.unit_identifier.clone());
    Ok(references)
}
