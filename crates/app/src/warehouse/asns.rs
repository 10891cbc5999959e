//! A merchant announces goods that are on their way to the warehouse.
//!
//! An ASN may have a hundred thousand lines, so its units are loaded in chunks.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    faults::{FAULTS_MAX, FaultCode, Faults, FieldError},
    identifier::MerchantId,
    orders::intake::IntakeOutcome,
    warehouse::{
        asn::{AsnLine, InboundAsn},
        receiving::AsnState,
        unit::{Announcement, UnitEvent, apply},
    },
};
use serde::{Deserialize, Serialize};
use store::{Transaction, UnitRow, Versioned};
use utoipa::ToSchema;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    access::secrets,
    core::{commit_once::commit_once, scope::RequestScope},
};

/// How many units are loaded at once.
const UNITS_AT_ONCE: usize = 1_000;

/// What happened to an ASN.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AnnouncedAsn {
    /// The number of the ASN.
    #[schema(example = "ASN-20260301-7")]
    pub asn_number: String,
    pub result: IntakeOutcome,
}

replayable!(AnnouncedAsn);

/// Announces an ASN. The same ASN again changes nothing; another one with its number is a conflict.
#[boxed]
pub async fn announce_asn(
    scope: RequestScope<'_>,
    mut asn: InboundAsn,
) -> Result<AnnouncedAsn, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let asn_number = asn.asn_number.to_string();
    let fingerprint = hash_asn(&mut asn);
    let state = AsnState::announced(asn, fingerprint, app.world.now());
    commit_once(scope, || async {
        let mut transaction = Transaction::new("announcing an ASN");
        let result = match find_asn(app, merchant, &state.asn).await? {
            Some(known) if known.value.fingerprint == state.fingerprint => IntakeOutcome::Unchanged,
            Some(_) => {
                let why =
                    "an ASN with this number already exists in the program; change it with PUT";
                return Err(AppError::Conflict(why.to_owned()));
            }
            None => {
                announce_units(app, merchant, &state, &mut transaction).await?;
                transaction.insert_asn(merchant, &state);
                IntakeOutcome::Created
            }
        };
        Ok((AnnouncedAsn { asn_number: asn_number.clone(), result }, transaction))
    })
    .await
}

/// Replaces the ASN `asn_number`. Possible until one of its units is received.
#[boxed]
pub async fn replace_asn(
    scope: RequestScope<'_>,
    asn_number: &str,
    mut asn: InboundAsn,
) -> Result<AnnouncedAsn, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    if asn.asn_number.as_str() != asn_number {
        let why = "the path and the body name different ASNs";
        return Err(AppError::Conflict(why.to_owned()));
    }
    let fingerprint = hash_asn(&mut asn);
    commit_once(scope, || async {
        let mut transaction = Transaction::new("changing an ASN");
        let before = find_asn(app, merchant, &asn).await?.ok_or(AppError::NotFound("ASN"))?;
        let replaced = before.value.replaced(asn.clone(), fingerprint.clone());
        let after = replaced.map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        if after.changed {
            announce_units(app, merchant, &after.state, &mut transaction).await?;
            let now_us = app.world.now_us();
            transaction.replace_asn(merchant, &after.state, before.version, now_us);
        }
        let result = if after.changed { IntakeOutcome::Updated } else { IntakeOutcome::Unchanged };
        Ok((AnnouncedAsn { asn_number: asn_number.to_owned(), result }, transaction))
    })
    .await
}

/// The same for ASNs with the same content. When it was sent is no content: an ASN that is sent
/// again has another time.
fn hash_asn(asn: &mut InboundAsn) -> String {
    let message_timestamp = asn.message_timestamp.take();
    let text = asn.to_json();
    asn.message_timestamp = message_timestamp;
    secrets::hexadecimal(&secrets::hash(text.as_bytes()))
}

async fn find_asn(
    app: &App,
    merchant: &MerchantId,
    asn: &InboundAsn,
) -> Result<Option<Versioned<AsnState>>, AppError> {
    let same_number = app.store.asn_heads(merchant, asn.asn_number.as_str()).await?;
    let same = |it: &Versioned<AsnState>| it.value.asn.program_identifier == asn.program_identifier;
    Ok(same_number.into_iter().find(same))
}

/// Announces the units that are stored already, and refuses those that another ASN announces. All
/// other units are announced by their line.
async fn announce_units(
    app: &App,
    merchant: &MerchantId,
    state: &AsnState,
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    let mut lines = list_unit_lines(&state.asn);
    // In the order of their identifiers, like everything that changes many units.
    lines.sort_unstable_by_key(|it| it.unit);
    let mut faults = Faults { errors: Vec::new(), total: 0 };
    for chunk in lines.chunks(UNITS_AT_ONCE) {
        let stored = app.store.units(merchant, chunk.iter().map(|it| it.unit)).await?;
        let mut rows = Vec::new();
        for Versioned { value: unit, version } in stored {
            let id = unit.unit_identifier.as_str();
            let Ok(position) = chunk.binary_search_by_key(&id, |it| it.unit) else { continue };
            let Some(known) = chunk.get(position) else { continue };
            let announcement = Box::new(Announcement::of(&known.line, state.announced_at));
            match apply(&unit, &UnitEvent::Announced(announcement), state.announced_at) {
                Ok(decision) if decision.changed && version > 0 => {
                    rows.push(UnitRow { replaces: version, unit: decision.unit });
                }
                Ok(_) => (),
                Err(refusal) => add_fault(&mut faults, known, refusal.to_string()),
            }
        }
        transaction.put_units(merchant, rows);
    }
    if faults.total > 0 { Err(AppError::Invalid(faults)) } else { Ok(()) }
}

/// A line that announces a unit, and its place in the ASN.
struct UnitLine<'a> {
    unit: &'a str,
    line: AsnLine<'a>,
    carton_position: usize,
    detail_position: usize,
}

fn list_unit_lines(asn: &InboundAsn) -> Vec<UnitLine<'_>> {
    let mut lines = Vec::new();
    for (carton_position, carton) in asn.cartons.iter().enumerate() {
        for (detail_position, detail) in carton.details.iter().enumerate() {
            let Some(unit) = detail.unit_identifier.as_deref() else { continue };
            let line = AsnLine { asn, carton, detail };
            lines.push(UnitLine { unit, line, carton_position, detail_position });
        }
    }
    lines
}

fn add_fault(faults: &mut Faults, line: &UnitLine<'_>, reason: String) {
    faults.total += 1;
    if faults.errors.len() < FAULTS_MAX {
        let UnitLine { carton_position, detail_position, .. } = line;
        let field =
            format!("$.cartons[{carton_position}].details[{detail_position}].unit_identifier");
        faults.errors.push(FieldError { field, code: FaultCode::Invalid, reason });
    }
}
