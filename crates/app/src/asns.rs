//! A merchant announces goods that are on their way to the warehouse.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    faults::{Code, Faults, FieldError},
    identifier::MerchantId,
    intake::Outcome,
    warehouse::{
        asn::{DetailsType, InboundAsn, Line},
        receiving::AsnState,
        unit::{Announcement, UnitEvent, UnitRecord, apply},
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{Transaction, UnitRow, Versioned};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    commit_once::{Request, commit_once},
};

/// What became of an ASN.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AnnouncedAsn {
    /// The number that it was announced under.
    #[schema(example = "ASN-20260301-7")]
    pub asn_number: String,
    pub result: Outcome,
}

/// Announces an ASN. The same one again changes nothing; another one under its number is a conflict.
pub async fn announce_asn(
    app: &App,
    merchant: &MerchantId,
    request: Request<'_>,
    asn: &InboundAsn,
) -> Result<AnnouncedAsn, AppError> {
    commit_once(app, request, || async {
        let mut transaction = Transaction::new("announcing an ASN");
        let result = match known(app, merchant, asn).await? {
            Some(known) if known.value.asn == *asn => Outcome::Unchanged,
            Some(_) => {
                let why = "an ASN with this number exists in the program; change it with PUT";
                return Err(AppError::Conflict(why.to_owned()));
            }
            None => {
                let state = AsnState::announced(asn.clone(), app.world.now());
                transaction.put_asn(merchant, &state, 0);
                announce_units(app, merchant, (&state, None), &mut transaction).await?;
                Outcome::Created
            }
        };
        Ok((AnnouncedAsn { asn_number: asn.asn_number.to_string(), result }, transaction))
    })
    .await
}

/// Changes an ASN of which nothing was received yet.
pub async fn replace_asn(
    app: &App,
    merchant: &MerchantId,
    request: Request<'_>,
    asn: &InboundAsn,
) -> Result<AnnouncedAsn, AppError> {
    commit_once(app, request, || async {
        let mut transaction = Transaction::new("changing an ASN");
        let before = known(app, merchant, asn).await?.ok_or(AppError::NotFound("ASN"))?;
        let replaced = before.value.replaced(asn.clone());
        let after = replaced.map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        if after.changed {
            transaction.put_asn(merchant, &after.state, before.version);
            let change = (&after.state, Some(&before.value));
            announce_units(app, merchant, change, &mut transaction).await?;
        }
        let result = if after.changed { Outcome::Updated } else { Outcome::Unchanged };
        Ok((AnnouncedAsn { asn_number: asn.asn_number.to_string(), result }, transaction))
    })
    .await
}

async fn known(
    app: &App,
    merchant: &MerchantId,
    asn: &InboundAsn,
) -> Result<Option<Versioned<AsnState>>, AppError> {
    let same_number = app.store.asns(merchant, asn.asn_number.as_str()).await?;
    let same = |it: &Versioned<AsnState>| it.value.asn.program_identifier == asn.program_identifier;
    Ok(same_number.into_iter().find(same))
}

/// Begins the story of every unit that is announced by name, and forgets those that no longer are.
async fn announce_units(
    app: &App,
    merchant: &MerchantId,
    (state, before): (&AsnState, Option<&AsnState>),
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    let gone = before.map(|before| names(&before.asn)).unwrap_or_default();
    let here = names(&state.asn);
    let ids: BTreeSet<&str> = gone.union(&here).copied().collect();
    let found = app.store.units(merchant, ids.into_iter()).await?;
    let found: BTreeMap<&str, &Versioned<UnitRecord>> =
        found.iter().map(|it| (it.value.unit_identifier.as_str(), it)).collect();
    let forgotten = gone.difference(&here).filter_map(|id| found.get(id).copied());
    let forgotten = forgotten.filter(|it| it.value.story.len() <= 1);
    transaction.delete_units(
        merchant,
        forgotten.map(|it| (it.value.unit_identifier.as_str(), it.version)),
    );
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    for line in state.asn.lines() {
        let Some(id) = unit_of(&state.asn, &line) else { continue };
        let known = found.get(id).copied();
        match announced(&line, known.map(|it| &it.value), (id, state.announced_at)) {
            Ok(Some(unit)) => {
                rows.push(UnitRow { replaces: known.map_or(0, |it| it.version), unit });
            }
            Ok(None) => (),
            Err(reason) => errors.push(FieldError {
                field: format!("$..details[?(@.unit_identifier=='{id}')]"),
                code: Code::Invalid,
                reason,
            }),
        }
    }
    if !errors.is_empty() {
        let total = errors.len();
        errors.truncate(domain::faults::FAULTS_MAX);
        return Err(AppError::Invalid(Faults { errors, total }));
    }
    transaction.put_units(merchant, rows);
    Ok(())
}

/// The unit once it is announced; None when it was before.
fn announced(
    line: &Line<'_>,
    known: Option<&UnitRecord>,
    (id, at): (&str, Timestamp),
) -> Result<Option<UnitRecord>, String> {
    let fresh = UnitRecord::new(id);
    let event = UnitEvent::Announced(Box::new(Announcement::of(line, at)));
    let decision = apply(known.unwrap_or(&fresh), &event, at).map_err(|it| it.to_string())?;
    Ok(decision.changed.then_some(decision.unit))
}

fn names(asn: &InboundAsn) -> BTreeSet<&str> {
    asn.lines().filter_map(|line| unit_of(asn, &line)).collect()
}

fn unit_of<'a>(asn: &InboundAsn, line: &Line<'a>) -> Option<&'a str> {
    let by_unit = asn.details_type == DetailsType::Unit;
    line.detail.unit_identifier.as_deref().filter(|_| by_unit)
}
