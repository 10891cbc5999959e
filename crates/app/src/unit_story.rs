//! A unit's story: announced, received, graded, moved, shipped, and what its merchant was told.

use domain::{identifier::MerchantId, warehouse::unit::UnitRecord};
use serde::Serialize;
use store::MessageFilter;
use utoipa::ToSchema;

use crate::{
    App, AppError,
    authenticate::Caller,
    message_log::{MessageView, view},
    whose::whose,
};

/// How many messages of one reference are shown.
const MESSAGES_MAX: usize = 100;

/// What became of one piece.
#[derive(Serialize, ToSchema)]
pub struct UnitStory {
    #[serde(flatten)]
    pub unit: UnitRecord,
    /// The messages in which the merchant was told of it, newest first.
    pub messages: Vec<MessageView>,
}

pub async fn unit_story(
    app: &App,
    caller: &Caller,
    named: Option<&MerchantId>,
    unit_id: &str,
) -> Result<UnitStory, AppError> {
    let owners = app.store.merchants_of_unit(unit_id).await?;
    let missing = || AppError::NotFound("unit");
    let merchant = whose(caller, named, &owners)?.ok_or_else(missing)?;
    let found = app.store.units(&merchant, [unit_id].into_iter()).await?.pop();
    let unit = found.ok_or_else(missing)?.value;
    let left = unit.departure.as_ref().map(|departure| departure.asn_number.to_string());
    let mut messages = Vec::new();
    for reference in left.into_iter().chain([unit_id.to_owned()]) {
        let filter = MessageFilter {
            before: i64::MAX,
            state: None,
            kind: None,
            reference: Some(reference),
            limit: MESSAGES_MAX,
        };
        let found = app.store.messages(&merchant, &filter).await?.0;
        messages.extend(found.into_iter().map(view));
    }
    Ok(UnitStory { unit, messages })
}
