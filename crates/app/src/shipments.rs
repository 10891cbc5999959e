//! Goods that leave the warehouse: each unit once, told in as many messages as it takes.

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    json::Json,
    kind::Kind,
    warehouse::{
        asn_number::AsnNumber,
        outbound_message::messages,
        shipment::{ReadContext, Shipment, ShipmentChange, change, read_shipment},
        unit::{UnitRecord, apply},
    },
};
use store::{Transaction, UnitRow, Versioned};

use crate::{
    App, AppError,
    authenticate::Caller,
    commit_once::{Request, commit_once},
    outbox::{self, About},
    whose::{unclear, whose},
};

/// How many units a message has where the shipment does not say.
const DETAILS_PER_MESSAGE: i64 = 500;

/// Sends goods away: the units are set aside or gone, and the merchant is told.
pub async fn create_shipment(
    app: &App,
    caller: &Caller,
    request: Request<'_>,
    (named, document): (Option<&MerchantId>, &Json<'_>),
) -> Result<Shipment, AppError> {
    let context = ReadContext {
        asn_number: minted(app),
        max_details_per_message: DETAILS_PER_MESSAGE,
        now: app.world.now(),
    };
    let asked = read_shipment(document, &context).map_err(AppError::Invalid)?;
    let owners = match asked.units().next() {
        Some(unit) => app.store.merchants_of_unit(&unit.unit_identifier).await?,
        None => Vec::new(),
    };
    let merchant = whose(caller, named, &owners)?
        .ok_or_else(|| unclear("must be named, because nothing is known of the units"))?;
    app.store.merchant(&merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    commit_once(app, request, || async {
        if app.store.shipment(&merchant, asked.asn_number.as_str()).await?.is_some() {
            return Err(AppError::Conflict(format!("a shipment {} exists", asked.asn_number)));
        }
        let mut shipment = asked.clone();
        let known = units(app, &merchant, &shipment).await?;
        for detail in shipment.cartons.iter_mut().flat_map(|carton| &mut carton.details) {
            if let Some(unit) = known.get(&detail.unit_identifier) {
                detail.complete(&unit.value);
            }
        }
        let mut transaction = Transaction::new("sending goods away");
        let parts = shipment.messages();
        let numbers: Vec<AsnNumber> =
            (1..=parts).filter_map(|part| shipment.message_number(part)).collect();
        let numbers = numbers.iter().map(AsnNumber::as_str);
        let taken = app.store.taken_shipment_numbers(&merchant, numbers.clone()).await?;
        if let Some(number) = taken.first() {
            let why = format!("the number {number} is that of another shipment");
            return Err(AppError::Conflict(why));
        }
        transaction.insert_shipment(&merchant, &shipment, numbers);
        move_units(app, &merchant, (&shipment, &known), &mut transaction)?;
        owe(app, &mut transaction, &merchant, &shipment);
        Ok((shipment, transaction))
    })
    .await
}

/// Changes the date or the status of a shipment; the merchant is told again.
pub async fn change_shipment(
    app: &App,
    caller: &Caller,
    request: Request<'_>,
    (named, asn_number): (Option<&MerchantId>, &str),
    asked: &ShipmentChange,
) -> Result<Shipment, AppError> {
    let owners = app.store.merchants_of_shipment(asn_number).await?;
    let missing = || AppError::NotFound("shipment");
    let merchant = whose(caller, named, &owners)?.ok_or_else(missing)?;
    commit_once(app, request, || async {
        let before = app.store.shipment(&merchant, asn_number).await?.ok_or_else(missing)?;
        let decision = change(&before.value, asked, app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        let mut transaction = Transaction::new("changing a shipment");
        if decision.changed {
            let known = units(app, &merchant, &decision.shipment).await?;
            transaction.update_shipment(&merchant, &decision.shipment, before.version);
            move_units(app, &merchant, (&decision.shipment, &known), &mut transaction)?;
            owe(app, &mut transaction, &merchant, &decision.shipment);
        }
        Ok((decision.shipment, transaction))
    })
    .await
}

/// A shipment as it stands.
pub async fn held_shipment(
    app: &App,
    caller: &Caller,
    named: Option<&MerchantId>,
    asn_number: &str,
) -> Result<Shipment, AppError> {
    let owners = app.store.merchants_of_shipment(asn_number).await?;
    let missing = || AppError::NotFound("shipment");
    let merchant = whose(caller, named, &owners)?.ok_or_else(missing)?;
    Ok(app.store.shipment(&merchant, asn_number).await?.ok_or_else(missing)?.value)
}

async fn units(
    app: &App,
    merchant: &MerchantId,
    shipment: &Shipment,
) -> Result<BTreeMap<String, Versioned<UnitRecord>>, AppError> {
    let ids = shipment.units().map(|unit| unit.unit_identifier.as_str());
    let found = app.store.units(merchant, ids).await?;
    Ok(found.into_iter().map(|it| (it.value.unit_identifier.clone(), it)).collect())
}

/// What befalls the units of a shipment; one that cannot leave keeps all of them here.
fn move_units(
    app: &App,
    merchant: &MerchantId,
    (shipment, known): (&Shipment, &BTreeMap<String, Versioned<UnitRecord>>),
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    let event = shipment.unit_event();
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    for detail in shipment.units() {
        let id = &detail.unit_identifier;
        let fresh = UnitRecord::new(id);
        let unit = known.get(id);
        match apply(unit.map_or(&fresh, |it| &it.value), &event, app.world.now()) {
            Ok(decision) if decision.changed => rows
                .push(UnitRow { replaces: unit.map_or(0, |it| it.version), unit: decision.unit }),
            Ok(_) => (),
            Err(refusal) => refused.push(format!("{id}: {refusal}")),
        }
    }
    if !refused.is_empty() {
        refused.truncate(20);
        return Err(AppError::Conflict(format!("units cannot leave: {}", refused.join("; "))));
    }
    transaction.put_units(merchant, rows);
    Ok(())
}

fn owe(app: &App, transaction: &mut Transaction, merchant: &MerchantId, shipment: &Shipment) {
    for message in messages(shipment) {
        let body = Bytes::from(serde_json::to_vec(&message).expect("a message has string keys"));
        let reference = message.asn_number.as_str();
        let sequence = shipment.announcements;
        let about = About { kind: Kind::OutboundAsn, reference, sequence };
        transaction.owe(outbox::message(app, merchant, &about, body));
    }
}

/// A number for a shipment that has none.
fn minted(app: &App) -> AsnNumber {
    let number = format!("OUT-{}", app.world.readable::<12>().to_uppercase());
    AsnNumber::parse(&number).expect("letters, digits and a hyphen make a number")
}
