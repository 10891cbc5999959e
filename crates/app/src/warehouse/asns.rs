//! A merchant announces goods that are on their way to the warehouse.
//!
//! An ASN may have a hundred thousand lines, so what is known of its units is looked at some at a time.

use domain::{
    faults::{FAULTS_MAX, FaultCode, Faults, FieldError},
    identifier::MerchantId,
    orders::intake::IntakeOutcome,
    warehouse::{
        asn::{AsnLine, InboundAsn},
        receiving::AsnState,
        unit::{Announcement, UnitEvent, UnitRecord, apply},
    },
};
use serde::{Deserialize, Serialize};
use store::{Transaction, UnitRow, Versioned};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    access::secrets,
    core::{commit_once::commit_once, scope::RequestScope},
};

/// Units that are looked up together.
const UNITS_AT_ONCE: usize = 1_000;

/// What became of an ASN.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AnnouncedAsn {
    /// The number that it was announced under.
    #[schema(example = "ASN-20260301-7")]
    pub asn_number: String,
    pub result: IntakeOutcome,
}

/// Announces an ASN. The same one again changes nothing; another one under its number is a conflict.
pub async fn announce_asn(
    scope: RequestScope<'_>,
    asn: InboundAsn,
) -> Result<AnnouncedAsn, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let asn_number = asn.asn_number.to_string();
    let fingerprint = hash_asn(&asn);
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

/// Changes the ASN `asn_number`, of which nothing was received yet.
pub async fn replace_asn(
    scope: RequestScope<'_>,
    asn_number: &str,
    asn: InboundAsn,
) -> Result<AnnouncedAsn, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    if asn.asn_number.as_str() != asn_number {
        let why = "the path and the body name different ASNs";
        return Err(AppError::Conflict(why.to_owned()));
    }
    let fingerprint = hash_asn(&asn);
    commit_once(scope, || async {
        let mut transaction = Transaction::new("changing an ASN");
        let before = find_asn(app, merchant, &asn).await?.ok_or(AppError::NotFound("ASN"))?;
        let replaced = before.value.replaced(asn.clone(), fingerprint.clone());
        let after = replaced.map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        if after.changed {
            announce_units(app, merchant, &after.state, &mut transaction).await?;
            transaction.replace_asn(merchant, &after.state, before.version);
        }
        let result = if after.changed { IntakeOutcome::Updated } else { IntakeOutcome::Unchanged };
        Ok((AnnouncedAsn { asn_number: asn_number.to_owned(), result }, transaction))
    })
    .await
}

/// The same for announcements that say the same.
fn hash_asn(asn: &InboundAsn) -> String {
    let text = serde_json::to_vec(asn).expect("an ASN has string keys");
    secrets::hexadecimal(&secrets::hash(&text))
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

/// Tells the units of which more is known that they are announced, and refuses those that another ASN announces.
/// All others are announced by their line.
async fn announce_units(
    app: &App,
    merchant: &MerchantId,
    state: &AsnState,
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    let mut lines: Vec<(&str, AsnLine<'_>)> = state
        .asn
        .lines()
        .filter_map(|line| Some((line.detail.unit_identifier.as_deref()?, line)))
        .collect();
    // In the order of their names, as everybody does who changes many units.
    lines.sort_unstable_by_key(|(unit, _)| *unit);
    let mut faults = Faults { errors: Vec::new(), total: 0 };
    for some in lines.chunks(UNITS_AT_ONCE) {
        let found = app.store.units(merchant, some.iter().map(|(unit, _)| *unit)).await?;
        let mut rows = Vec::new();
        for Versioned { value: unit, version } in found {
            let id = unit.unit_identifier.as_str();
            let Ok(place) = some.binary_search_by_key(&id, |(unit, _)| *unit) else { continue };
            let Some((_, line)) = some.get(place) else { continue };
            let announcement = Box::new(Announcement::of(line, state.announced_at));
            match apply(&unit, &UnitEvent::Announced(announcement), state.announced_at) {
                Ok(decision) if decision.changed && version > 0 => {
                    rows.push(UnitRow { replaces: version, unit: decision.unit });
                }
                Ok(_) => (),
                Err(refusal) => note(&mut faults, &unit, refusal.to_string()),
            }
        }
        transaction.put_units(merchant, rows);
    }
    if faults.total > 0 { Err(AppError::Invalid(faults)) } else { Ok(()) }
}

fn note(faults: &mut Faults, unit: &UnitRecord, reason: String) {
    faults.total += 1;
    if faults.errors.len() < FAULTS_MAX {
        let field = format!("$..details[?(@.unit_identifier=='{}')]", unit.unit_identifier);
        faults.errors.push(FieldError { field, code: FaultCode::Invalid, reason });
    }
}
