//! Shipments: goods that leave the warehouse. Each unit leaves once. A large shipment is reported
//! in several messages.

use std::collections::BTreeMap;

use boxed::boxed;
use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    faults::Faults,
    identifier::MerchantId,
    json::Json,
    messages::kind::MessageKind,
    warehouse::{
        asn_number::AsnNumber,
        outbound_message::messages,
        settings::Warehouse,
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

/// How many units a message contains, if the shipment does not say.
const DETAILS_PER_MESSAGE: i64 = 500;
/// How many units are loaded at once.
const UNITS_AT_ONCE: usize = 1_000;
/// The most units that an error names.
const REFUSED_NAMED_MAX: usize = 20;

mod text;

pub use text::ShipmentText;

/// Reads a shipment as the warehouse sends it, and reports everything that is wrong with it.
/// `warehouses` are those that are configured.
pub fn read_shipment(
    app: &App,
    warehouses: Vec<Warehouse>,
    document: &Json<'_>,
) -> Result<Shipment, Faults> {
    let context = ShipmentReadContext {
        asn_number: generate_number(app),
        max_details_per_message: DETAILS_PER_MESSAGE,
        warehouses,
        now: app.world.now(),
    };
    shipment::read_shipment(document, &context)
}

/// Creates a shipment: its units are reserved or shipped, and the merchant gets messages.
#[boxed]
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
        let mut transaction = Transaction::new("creating a shipment");
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
        enqueue_messages(app, &mut transaction, merchant, &shipment);
        Ok((text, transaction))
    })
    .await
}

/// Changes the date or the status of a shipment. The merchant gets new messages.
#[boxed]
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
            enqueue_messages(app, &mut transaction, &merchant, &shipment);
        }
        Ok((shipment, transaction))
    })
    .await
}

#[boxed]
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

/// Applies the shipment to its units, and completes its details with what is stored about them. If
/// one unit cannot be shipped, nothing is. Loads the units in chunks, because there may be very
/// many.
async fn move_units(
    app: &App,
    merchant: &MerchantId,
    shipment: &mut Shipment,
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    let event = shipment.unit_event();
    let details = shipment.cartons.iter_mut().flat_map(|carton| &mut carton.details);
    let mut details: Vec<&mut OutboundDetail> = details.collect();
    // In the order of their identifiers, like everything that changes many units.
    details.sort_unstable_by(|a, b| a.unit_identifier.cmp(&b.unit_identifier));
    let mut refused = Vec::new();
    for chunk in details.chunks_mut(UNITS_AT_ONCE) {
        let names = chunk.iter().map(|detail| detail.unit_identifier.as_str());
        let known = app.store.units(merchant, names).await?;
        let known: BTreeMap<&str, &Versioned<UnitRecord>> =
            known.iter().map(|it| (it.value.unit_identifier.as_str(), it)).collect();
        let mut moved = MovedUnits::default();
        for detail in chunk {
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
        refused.truncate(REFUSED_NAMED_MAX);
        return Err(AppError::Conflict(format!("units cannot be shipped: {}", refused.join("; "))));
    }
    Ok(())
}

/// Units that a shipment changes.
#[derive(Default)]
struct MovedUnits {
    /// Units that were not stored before, or only announced.
    new: Vec<UnitRow>,
    known: Vec<UnitRecord>,
}

impl MovedUnits {
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
            0 => self.new.push(UnitRow { replaces: 0, unit }),
            _ => self.known.push(unit),
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
            .known
            .iter()
            .filter_map(|unit| Some(new_steps(unit, known.get(unit.unit_identifier.as_str())?)))
            .collect();
        transaction.put_unit_steps(merchant, &steps);
        transaction.put_units(merchant, self.new);
    }
}

/// The steps of a unit that are not stored yet.
fn new_steps<'a>(unit: &'a UnitRecord, known: &Versioned<UnitRecord>) -> UnitSteps<'a> {
    let (unit_id, steps) = (unit.unit_identifier.as_str(), unit.since(&known.value));
    UnitSteps { unit_id, replaces: known.version, steps }
}

fn enqueue_messages(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    shipment: &Shipment,
) {
    for message in messages(shipment) {
        // Releases spare capacity, because there may be many large messages.
        let body = Bytes::from(message.to_json().into_bytes().into_boxed_slice());
        let reference = message.asn_number.as_str();
        let sequence = shipment.announcements;
        let about = About { kind: MessageKind::OutboundAsn, reference, sequence };
        transaction.enqueue(outbox::message(app, merchant, &about, body));
    }
}

/// A number for a shipment that has none.
fn generate_number(app: &App) -> AsnNumber {
    let number = format!("OUT-{}", app.world.readable::<12>().to_uppercase());
    AsnNumber::parse(&number).expect("letters, digits and a hyphen make a number")
}
