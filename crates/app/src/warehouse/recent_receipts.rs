//! What was received from a parcel a few minutes ago and can still be corrected, for a worker who
//! comes back to the parcel.

use std::collections::BTreeSet;

use boxed::boxed;
use domain::{
    messages::kind::MessageKind,
    warehouse::{
        parcel::{Parcel, ParcelKind},
        unit::UnitRecord,
    },
};
use jiff::Timestamp;
use store::MessageFilter;

use crate::{
    App, AppError,
    warehouse::corrections::{CORRECTABLE_S, is_correctable},
};

/// The most receipts of a merchant, of all its parcels, that are examined.
const EXAMINED_MAX: usize = 100;

/// The license plates of the units that were received from a parcel and can still be corrected,
/// newest first, at most `limit`.
#[boxed]
pub async fn find_correctable_plates(
    app: &App,
    parcel: &Parcel,
    limit: usize,
) -> Result<Vec<String>, AppError> {
    let mut received: Vec<(Timestamp, String)> = match parcel.kind {
        ParcelKind::Return => {
            parcel.here.iter().map(|(plate, here)| (here.at, plate.clone())).collect()
        }
        ParcelKind::Announced => find_announced(app, parcel).await?,
        ParcelKind::Unknown => Vec::new(),
    };
    let now = app.world.now();
    received.retain(|(at, _)| is_correctable(*at, now));
    received.sort_unstable_by(|a, b| b.cmp(a));
    Ok(received.into_iter().take(limit).map(|(_, plate)| plate).collect())
}

/// Units of an ASN are found by the messages about them: every receipt has one, and they are sorted
/// by time.
async fn find_announced(app: &App, parcel: &Parcel) -> Result<Vec<(Timestamp, String)>, AppError> {
    let filter = MessageFilter {
        kind: Some(MessageKind::InventoryReceipt),
        from_us: app.world.now_us() - CORRECTABLE_S * 1_000_000,
        limit: EXAMINED_MAX,
        ..MessageFilter::default()
    };
    let (messages, _) = app.store.messages(&parcel.merchant, &filter).await?;
    let plates: BTreeSet<&str> = messages.iter().map(|it| it.reference.as_str()).collect();
    let units = app.store.stored_units(&parcel.merchant, &plates).await?;
    let receipt_here = |unit: UnitRecord| {
        let receipt = unit.receipt.filter(|it| it.asn_number == parcel.number)?;
        Some((receipt.received_at, unit.unit_identifier))
    };
    Ok(units.into_iter().filter_map(|unit| receipt_here(unit.value)).collect())
}
