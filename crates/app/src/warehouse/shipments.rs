//! Goods that leave the warehouse: each unit once, told in as many messages as it takes.

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::{
    faults::Faults,
    identifier::MerchantId,
    json::Json,
    messages::kind::MessageKind,
    warehouse::{
        asn_number::AsnNumber,
        outbound_message::messages,
        shipment::{
            self, OutboundDetail, Shipment, ShipmentChange, ShipmentDecision, ShipmentReadContext,
            change,
        },
        unit::{UnitDecision, UnitEvent, UnitRecord, UnitRefusal, apply},
    },
};
use jiff::Timestamp;
use store::{Transaction, UnitRow, UnitSteps, Versioned};

use crate::{
    App, AppError,
    core::{
        commit_once::{commit_once, complete_once},
        scope::RequestScope,
    },
    messages::outbox::{self, About},
    warehouse::resolve_merchant::{merchant_required, resolve_merchant},
};

/// How many units a message has where the shipment does not say.
const DETAILS_PER_MESSAGE: i64 = 500;
/// Units that are looked up together.
const UNITS_AT_ONCE: usize = 1_000;
/// So many units that cannot leave are named.
const REFUSED_TOLD_MAX: usize = 20;

mod text;

pub use text::ShipmentText;

/// Reads a shipment as the warehouse sends it, or says everything wrong with it.
pub fn read_shipment(app: &App, document: &Json<'_>) -> Result<Shipment, Faults> {
    let context = ShipmentReadContext {
        asn_number: minted(app),
        max_details_per_message: DETAILS_PER_MESSAGE,
        now: app.world.now(),
    };
    shipment::read_shipment(document, &context)
}

/// Sends goods away: the units are set aside or gone, and the merchant is told.
pub async fn create_shipment(
    scope: RequestScope<'_>,
    asked: Shipment,
) -> Result<ShipmentText, AppError> {
    let app = scope.app;
    let owners = match asked.units().next() {
        Some(unit) => app.store.merchants_of_unit(&unit.unit_identifier).await?,
        None => Vec::new(),
    };
    let merchant = resolve_merchant(scope.merchant, &owners)?
        .ok_or_else(|| merchant_required("must be named, because the units are unknown"))?;
    app.store.merchant(&merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let merchant = &merchant;
    let text = ShipmentText::of(&asked);
    drop(asked);
    complete_once(scope, text, |text| async move {
        let mut shipment = text.read();
        drop(text);
        if app.store.shipment(merchant, shipment.asn_number.as_str()).await?.is_some() {
            return Err(AppError::Conflict(format!(
                "shipment {} already exists",
                shipment.asn_number
            )));
        }
        let mut transaction = Transaction::new("sending goods away");
        move_units(app, merchant, &mut shipment, &mut transaction).await?;
        let parts = shipment.messages();
        let numbers: Vec<AsnNumber> =
            (1..=parts).filter_map(|part| shipment.message_number(part)).collect();
        let numbers = numbers.iter().map(AsnNumber::as_str);
        let taken = app.store.taken_shipment_numbers(merchant, numbers.clone()).await?;
        if let Some(number) = taken.first() {
            let why = format!("number {number} belongs to another shipment");
            return Err(AppError::Conflict(why));
        }
        let text = ShipmentText::of(&shipment);
        transaction.insert_shipment(merchant, text.stored_for(&shipment), numbers);
        enqueue_asn(app, &mut transaction, merchant, &shipment);
        Ok((text, transaction))
    })
    .await
}

/// Changes the date or the status of a shipment; the merchant is told again.
pub async fn change_shipment(
    scope: RequestScope<'_>,
    asn_number: &str,
    asked: &ShipmentChange,
) -> Result<Shipment, AppError> {
    let app = scope.app;
    let owners = app.store.merchants_of_shipment(asn_number).await?;
    let missing = || AppError::NotFound("shipment");
    let merchant = resolve_merchant(scope.merchant, &owners)?.ok_or_else(missing)?;
    commit_once(scope, || async {
        let before = app.store.shipment(&merchant, asn_number).await?.ok_or_else(missing)?;
        let decision = change(before.value, asked, app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        let ShipmentDecision { mut shipment, changed } = decision;
        let mut transaction = Transaction::new("changing a shipment");
        if changed {
            move_units(app, &merchant, &mut shipment, &mut transaction).await?;
            let text = ShipmentText::of(&shipment);
            transaction.update_shipment(&merchant, text.stored_for(&shipment), before.version);
            enqueue_asn(app, &mut transaction, &merchant, &shipment);
        }
        Ok((shipment, transaction))
    })
    .await
}

/// A shipment as it stands.
pub async fn load_shipment(
    app: &App,
    merchant: Option<&MerchantId>,
    asn_number: &str,
) -> Result<Shipment, AppError> {
    let owners = app.store.merchants_of_shipment(asn_number).await?;
    let missing = || AppError::NotFound("shipment");
    let merchant = resolve_merchant(merchant, &owners)?.ok_or_else(missing)?;
    Ok(app.store.shipment(&merchant, asn_number).await?.ok_or_else(missing)?.value)
}

/// What befalls the units of a shipment, and what is known of them and not told by it; one that cannot leave keeps
/// all of them here. Looks at some units at a time: there may be very many.
async fn move_units(
    app: &App,
    merchant: &MerchantId,
    shipment: &mut Shipment,
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    let event = shipment.unit_event();
    let details = shipment.cartons.iter_mut().flat_map(|carton| &mut carton.details);
    let mut details: Vec<&mut OutboundDetail> = details.collect();
    // In the order of their names, as everybody does who changes many units.
    details.sort_unstable_by(|a, b| a.unit_identifier.cmp(&b.unit_identifier));
    let mut refused = Vec::new();
    for some in details.chunks_mut(UNITS_AT_ONCE) {
        let names = some.iter().map(|detail| detail.unit_identifier.as_str());
        let known = app.store.units(merchant, names).await?;
        let known: BTreeMap<&str, &Versioned<UnitRecord>> =
            known.iter().map(|it| (it.value.unit_identifier.as_str(), it)).collect();
        let mut moved = Moved::default();
        for detail in some {
            let unit = known.get(detail.unit_identifier.as_str()).copied();
            if let Some(unit) = unit {
                detail.complete(&unit.value);
            }
            if let Err(refusal) = moved.add(&detail.unit_identifier, unit, &event, app.world.now())
            {
                refused.push(format!("{}: {refusal}", detail.unit_identifier));
            }
        }
        moved.put(merchant, &known, transaction);
    }
    if !refused.is_empty() {
        refused.truncate(REFUSED_TOLD_MAX);
        return Err(AppError::Conflict(format!("units cannot be shipped: {}", refused.join("; "))));
    }
    Ok(())
}

/// Units to which something happened.
#[derive(Default)]
struct Moved {
    /// Of which nothing was known, or only that they are announced.
    fresh: Vec<UnitRow>,
    others: Vec<UnitRecord>,
}

impl Moved {
    fn add(
        &mut self,
        id: &str,
        known: Option<&Versioned<UnitRecord>>,
        event: &UnitEvent,
        now: Timestamp,
    ) -> Result<(), UnitRefusal> {
        let unknown = UnitRecord::new(id);
        let UnitDecision { unit, changed } =
            apply(known.map_or(&unknown, |it| &it.value), event, now)?;
        match known.map_or(0, |it| it.version) {
            _ if !changed => (),
            0 => self.fresh.push(UnitRow { replaces: 0, unit }),
            _ => self.others.push(unit),
        }
        Ok(())
    }

    fn put(
        self,
        merchant: &MerchantId,
        known: &BTreeMap<&str, &Versioned<UnitRecord>>,
        transaction: &mut Transaction,
    ) {
        let steps: Vec<UnitSteps<'_>> = self
            .others
            .iter()
            .filter_map(|unit| Some(steps(unit, known.get(unit.unit_identifier.as_str())?)))
            .collect();
        transaction.put_unit_steps(merchant, &steps);
        transaction.put_units(merchant, self.fresh);
    }
}

/// What happened to a unit since it was as it is known.
fn steps<'a>(unit: &'a UnitRecord, known: &Versioned<UnitRecord>) -> UnitSteps<'a> {
    let (unit_id, steps) = (unit.unit_identifier.as_str(), unit.since(&known.value));
    UnitSteps { unit_id, replaces: known.version, steps }
}

fn enqueue_asn(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    shipment: &Shipment,
) {
    for message in messages(shipment) {
        let body = serde_json::to_vec(&message).expect("a message has string keys");
        // Without the room to grow, which many large messages would have kept.
        let body = Bytes::from(body.into_boxed_slice());
        let reference = message.asn_number.as_str();
        let sequence = shipment.announcements;
        let about = About { kind: MessageKind::OutboundAsn, reference, sequence };
        transaction.enqueue(outbox::message(app, merchant, &about, body));
    }
}

/// A number for a shipment that has none.
fn minted(app: &App) -> AsnNumber {
    let number = format!("OUT-{}", app.world.readable::<12>().to_uppercase());
    AsnNumber::parse(&number).expect("letters, digits and a hyphen make a number")
}
