//! The ways that messages go: what the dispatcher asks before it sends.

use std::sync::Arc;

use delivery::{AddressBook, AddressLookup, Target};
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use store::with_causes;

use crate::{
    App, AppError,
    carriers::desk::find_courier,
    messages::{endpoint_target::find_target, mail::find_mail_channel},
};

impl AddressBook for App {
    fn look_up(&self, merchant: MerchantId, kind: MessageKind) -> AddressLookup<'_> {
        Box::pin(async move {
            let target = find_channel(self, &merchant, kind).await;
            target.map_err(|error| with_causes(&error))
        })
    }
}

/// The way that messages of a kind go.
async fn find_channel(
    app: &App,
    merchant: &MerchantId,
    kind: MessageKind,
) -> Result<Option<Target>, AppError> {
    if kind == MessageKind::Mail {
        return find_mail_channel(app, merchant).await;
    }
    if kind.goes_to_merchant() {
        let target = find_target(app, merchant, kind).await?;
        return Ok(target.map(|it| Target::Endpoint(it.into())));
    }
    if app.store.endpoints(merchant).await?.value.paused.contains(&kind) {
        return Ok(None);
    }
    let courier = find_courier(app, merchant).await?;
    Ok(courier.map(|courier| Target::Courier(Arc::new(courier))))
}
