//! Units that arrive against an ASN: received, or kept as a question for an operator.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    kind::Kind,
    returns::{receipt::Receipt, rma::apply},
    time::from_micros,
    warehouse::{
        receipt_message::{received, rejected},
        receiving::{
            Acceptance, Answered, AsnState, Decision, Scan, Scene, answer, license_plate, receive,
            returned,
        },
        unit::{Answer, UnitRecord},
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{StoreError, Transaction, UnitRow, Versioned};
use utoipa::ToSchema;

use crate::{
    App, AppError, audit_trail,
    authenticate::Caller,
    change_return::put,
    commit_once::{Request, commit_once},
    outbox::{self, About},
    whose::whose,
};

/// What a scan came to.
pub(crate) enum Scanned {
    Received,
    Repeat,
    /// An operator is asked, because of this.
    Asked(String),
}

/// Receives a unit against an ASN. `name` tells the receipt from others, where the unit has no license plate.
pub(crate) async fn receive_for_asn(
    app: &App,
    caller: &Caller,
    receipt: &Receipt,
    name: &str,
) -> Result<Scanned, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    let owners = app.store.merchants_of_asn(number).await?;
    // What nobody announced is the platform's until an operator says whose it is.
    let merchant = match whose(caller, None, &owners) {
        Ok(owner) => owner.unwrap_or_else(MerchantId::platform),
        Err(_) => fitting(app, &owners, receipt).await?,
    };
    loop {
        match scan(app, &merchant, receipt, name).await {
            Err(AppError::Store(StoreError::Conflict)) => (),
            done => return done,
        }
    }
}

/// The merchant whose ASN of a shared number announces what was scanned.
async fn fitting(
    app: &App,
    owners: &[MerchantId],
    receipt: &Receipt,
) -> Result<MerchantId, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    for owner in owners {
        let announces = |state: &Versioned<AsnState>| {
            state.value.asn.lines().any(|line| {
                let plate = line.detail.unit_identifier.is_some()
                    && line.detail.unit_identifier == receipt.unit_identifier;
                plate || Some(&line.detail.sku) == receipt.sku.as_ref()
            })
        };
        if app.store.asns(owner, number).await?.iter().any(announces) {
            return Ok(owner.clone());
        }
    }
    Ok(MerchantId::platform())
}

async fn scan(
    app: &App,
    merchant: &MerchantId,
    receipt: &Receipt,
    name: &str,
) -> Result<Scanned, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    let mut asns = app.store.asns(merchant, number).await?;
    let line = receipt.line_identifier.as_deref();
    let chosen = asns.iter().position(|it| line.is_some_and(|id| it.value.asn.line(id).is_some()));
    let asn = (!asns.is_empty()).then(|| asns.swap_remove(chosen.unwrap_or(0)));
    let state = asn.as_ref().map(|it| &it.value);
    let plate = license_plate(state, receipt, name).to_owned();
    let unit = app.store.units(merchant, [plate.as_str()].into_iter()).await?.pop();
    let mut others: Vec<AsnState> = asns.into_iter().map(|it| it.value).collect();
    let announced = unit.as_ref().and_then(|it| it.value.announcement.as_ref());
    if let Some(elsewhere) = announced.filter(|it| it.asn_number.as_str() != number) {
        let found = app.store.asns(merchant, elsewhere.asn_number.as_str()).await?;
        others.extend(found.into_iter().map(|it| it.value));
    }
    let scene = Scene { asn: state, others: &others, unit: unit.as_ref().map(|it| &it.value) };
    let scanned = Scan { unit_identifier: &plate, receipt };
    let replaces = unit.as_ref().map_or(0, |it| it.version);
    let mut transaction = Transaction::new("receiving a unit");
    match receive(&scene, &scanned, app.world.now()) {
        Decision::Repeat => return Ok(Scanned::Repeat),
        Decision::Exception(unit) => {
            let kind = unit.questions.last().map(|question| question.kind);
            let words = kind.map(|kind| kind.name().to_owned()).unwrap_or_default();
            transaction.put_units(merchant, vec![UnitRow { replaces, unit: *unit }]);
            app.commit(transaction).await?;
            return Ok(Scanned::Asked(words));
        }
        Decision::Accepted(acceptance) => {
            if let Some(asn) = asn {
                accept(app, merchant, (asn, &acceptance, replaces), &mut transaction).await?;
            }
        }
    }
    app.commit(transaction).await?;
    Ok(Scanned::Received)
}

/// A unit is here: it counts on its ASN, the merchant is told, and so is the return that it belongs to.
async fn accept(
    app: &App,
    merchant: &MerchantId,
    (mut asn, acceptance, replaces): (Versioned<AsnState>, &Acceptance, i64),
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    asn.value.count(acceptance);
    transaction.put_asn(merchant, &asn.value, asn.version);
    let unit = &acceptance.unit;
    transaction.put_units(merchant, vec![UnitRow { replaces, unit: unit.clone() }]);
    if let Some(message) = received(&asn.value.asn, unit) {
        owe(app, transaction, merchant, (&asn.value, unit), &message);
    }
    let line = acceptance.line_identifier.as_deref().and_then(|id| asn.value.asn.line(id));
    if let Some((id, event)) = line.and_then(|line| returned(&line, unit))
        && let Some(rma) = app.store.rma(merchant, &id).await?
        && let Ok(decision) = apply(&rma.value, &event, app.world.now())
        && decision.changed
    {
        put(app, transaction, merchant, (&decision.rma, rma.version));
    }
    Ok(())
}

/// Receipts of one ASN are told in order; each can be found by its unit.
fn owe(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    (asn, unit): (&AsnState, &UnitRecord),
    message: &impl Serialize,
) {
    let body = Bytes::from(serde_json::to_vec(message).expect("a message has string keys"));
    let sequence = i64::try_from(asn.told()).unwrap_or(i64::MAX);
    let about = About { kind: Kind::InventoryReceipt, reference: &unit.unit_identifier, sequence };
    // A number is unique within its program only.
    let lane = format!("{} {}", asn.asn.program_identifier, asn.asn.asn_number);
    transaction.owe(outbox::message_in_lane(app, merchant, &about, (&lane, body)));
}

/// A unit that an operator is asked about.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct UnitInDoubt {
    /// Whose unit it is; `platform` while nobody knows.
    #[schema(example = "acme")]
    pub merchant: String,
    /// Since when.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// The unit with its open questions and their candidates.
    pub unit: UnitRecord,
}

/// A page of units in doubt.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct UnitsInDoubt {
    /// The oldest question first.
    pub exceptions: Vec<UnitInDoubt>,
    /// Pass as `after` to read on; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

pub async fn units_in_doubt(
    app: &App,
    after: Option<&str>,
    limit: usize,
) -> Result<UnitsInDoubt, AppError> {
    let after = after.and_then(cursor).unwrap_or_default();
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = app.store.units_in_doubt(&after, rows).await?;
    let last = found
        .last()
        .map(|(since, merchant, unit)| format!("{since}_{merchant}_{}", unit.unit_identifier));
    let next = last.filter(|_| found.len() == limit);
    let view = |(since, merchant, unit): (i64, String, UnitRecord)| UnitInDoubt {
        merchant,
        since: from_micros(since).unwrap_or_default(),
        unit,
    };
    Ok(UnitsInDoubt { exceptions: found.into_iter().map(view).collect(), next })
}

fn cursor(text: &str) -> Option<(i64, String, String)> {
    let mut parts = text.splitn(3, '_');
    Some((parts.next()?.parse().ok()?, parts.next()?.to_owned(), parts.next()?.to_owned()))
}

/// Which question is answered: about whose unit, asked when it was scanned for which ASN.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub merchant: &'a MerchantId,
    pub unit: &'a str,
    pub asn_number: &'a str,
}

/// An operator decides about a unit that did not fit.
pub async fn answer_question(
    app: &App,
    request: Request<'_>,
    asked: Asked<'_>,
    decided: &Answer,
) -> Result<UnitRecord, AppError> {
    commit_once(app, request, || async {
        let unit = app.store.units(asked.merchant, [asked.unit].into_iter()).await?.pop();
        let unit = unit.ok_or(AppError::NotFound("unit"))?;
        let (owner, mut asns) = scene_of(app, asked, decided).await?;
        let (subject, replaces) = subject(app, (asked, decided), &owner, &unit).await?;
        let states: Vec<AsnState> = asns.iter().map(|it| it.value.clone()).collect();
        let scene = Scene { asn: None, others: &states, unit: Some(&subject) };
        let answered = answer(&scene, asked.asn_number, decided, app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        let mut transaction = Transaction::new("answering a question about a unit");
        let after = match answered {
            Answered::Unchanged => unit.value.clone(),
            Answered::Rejected(unit) => {
                reject(app, &owner, (asns.first_mut(), &unit), &mut transaction);
                *unit
            }
            Answered::Accepted(acceptance) => {
                let line = acceptance.line_identifier.as_deref();
                let has = |asn: &AsnState| line.is_none_or(|line| asn.asn.line(line).is_some());
                let chosen = asns.iter().position(|it| has(&it.value));
                if let Some(chosen) = chosen {
                    let asn = asns.swap_remove(chosen);
                    accept(app, &owner, (asn, &acceptance, replaces), &mut transaction).await?;
                }
                if chosen.is_some() && owner == *asked.merchant {
                    note(app, &mut transaction, request, (asked, decided));
                    return Ok((acceptance.unit, transaction));
                }
                acceptance.unit
            }
        };
        let row = UnitRow { replaces: unit.version, unit: after.clone() };
        transaction.put_units(asked.merchant, vec![row]);
        note(app, &mut transaction, request, (asked, decided));
        Ok((after, transaction))
    })
    .await
}

/// The unit that is decided about, and the version of its owner's record that the decision
/// replaces. A unit that becomes a merchant's may be known to that merchant already, and is one and
/// the same then.
async fn subject(
    app: &App,
    (asked, decided): (Asked<'_>, &Answer),
    owner: &MerchantId,
    unit: &Versioned<UnitRecord>,
) -> Result<(UnitRecord, i64), AppError> {
    if *owner == *asked.merchant {
        return Ok((unit.value.clone(), unit.version));
    }
    match decided {
        Answer::Reject { .. } => Ok((unit.value.clone(), 0)),
        Answer::Match { .. } | Answer::Surplus => {
            let known = app.store.units(owner, [asked.unit].into_iter()).await?.pop();
            Ok(known.map_or_else(
                || (unit.value.clone(), 0),
                |known| (known.value.joined(&unit.value), known.version),
            ))
        }
    }
}

/// A unit that came for an ASN is refused: the merchant is told.
fn reject(
    app: &App,
    merchant: &MerchantId,
    (asn, unit): (Option<&mut Versioned<AsnState>>, &UnitRecord),
    transaction: &mut Transaction,
) {
    let Some(asn) = asn else { return };
    if rejected(&asn.value.asn, unit).is_none() {
        return;
    }
    asn.value.rejected.insert(unit.unit_identifier.clone());
    transaction.put_asn(merchant, &asn.value, asn.version);
    if let Some(message) = rejected(&asn.value.asn, unit) {
        owe(app, transaction, merchant, (&asn.value, unit), &message);
    }
}

fn note(
    app: &App,
    transaction: &mut Transaction,
    request: Request<'_>,
    (asked, decided): (Asked<'_>, &Answer),
) {
    let detail = json!({ "unit": asked.unit, "asn": asked.asn_number, "answer": decided });
    audit_trail::note(app, transaction, request.client, (asked.merchant, "unit.answer", detail));
}

/// The ASNs that an answer is about, and whose they are: of a unit that nobody announced, the merchant of
/// the ASN that it is matched to.
async fn scene_of(
    app: &App,
    asked: Asked<'_>,
    decided: &Answer,
) -> Result<(MerchantId, Vec<Versioned<AsnState>>), AppError> {
    let (number, line) = match decided {
        Answer::Match { asn_number, line_identifier } => {
            (asn_number.as_str(), Some(line_identifier.as_str()))
        }
        Answer::Surplus | Answer::Reject { .. } => (asked.asn_number, None),
    };
    let asns = app.store.asns(asked.merchant, number).await?;
    if *asked.merchant != MerchantId::platform() {
        return Ok((asked.merchant.clone(), asns));
    }
    let mut found = (asked.merchant.clone(), asns);
    // Merchants may share a number: the first that has the line is meant.
    for owner in app.store.merchants_of_asn(number).await?.into_iter().rev() {
        let asns = app.store.asns(&owner, number).await?;
        let has = |it: &Versioned<AsnState>| line.is_none_or(|id| it.value.asn.line(id).is_some());
        if asns.iter().any(has) {
            found = (owner, asns);
        }
    }
    Ok(found)
}
