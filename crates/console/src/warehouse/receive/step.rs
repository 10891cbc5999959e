//! Decides what comes next at the bench.

use app::warehouse::{
    parcel_search::{MatchingParcel, find_parcels},
    workbench::{ScannedUnit, UnitLocation, load_scanned_units, locate_unit},
};
use domain::{
    identifier::MerchantId,
    warehouse::{
        parcel::{CodeMeaning, ExpectedLine, ParcelKind},
        scanned_code::ScannedCode,
    },
};

use super::result::BenchResult;
use super::state::{BenchState, CORRECT_KEY, CodeKind};
use server::{Web, error::ApiError};

pub(super) enum Step {
    /// Scan a parcel.
    Start,
    /// The code is not a parcel. It may belong to known units.
    UnknownParcel(Vec<UnitLocation>),
    /// The code has several meanings.
    ChooseParcel(Vec<MatchingParcel>),
    /// Scan a unit of this parcel.
    ScanUnit(MatchingParcel, Option<BenchResult>),
    /// Enter the condition of the unit, which belongs to this line or is set aside.
    GradeUnit(MatchingParcel, Option<Box<ExpectedLine>>),
    AskAboutUnit(MatchingParcel, Mismatch),
    ConfirmClose(MatchingParcel),
    /// Correct what was said about this unit.
    CorrectUnit(MatchingParcel, Box<ScannedUnit>),
    Redirect(String),
}

/// Why a unit cannot simply be received.
pub(super) enum Mismatch {
    /// Nothing can be received from this parcel.
    NotReceivable(&'static str),
    /// All units of this product are received.
    AllReceived(Box<ExpectedLine>),
    /// The product has several units with license plates.
    SeveralUnits(Vec<ExpectedLine>),
    /// The unit is not in this parcel. It may be known elsewhere.
    NotInParcel(Vec<UnitLocation>),
}

pub(super) async fn decide_step(web: &Web, state: &BenchState) -> Result<Step, ApiError> {
    if state.parcel.is_empty() {
        return Ok(Step::Start);
    }
    // The keyboard shortcut for a parcel that is not known.
    if state.parcel == "?" && !state.asked.is_empty() {
        let opened = state.at_other_parcel(&state.asked, MerchantId::platform().as_str());
        return Ok(Step::Redirect(opened.url()));
    }
    let mut found =
        find_parcels(&web.app, state.merchant().as_ref(), &state.parcel, state.unit_code()).await?;
    if found.len() > 1 {
        return Ok(Step::ChooseParcel(found));
    }
    let Some(found) = found.pop() else {
        return Ok(Step::UnknownParcel(locate_unit(&web.app, &state.parcel).await?));
    };
    if !state.fixing.is_empty() {
        return decide_correction(web, state, found).await;
    }
    let Some(code) = state.unit.as_deref() else {
        let closing = !state.closing.is_empty() && can_be_closed(&found);
        return Ok(if closing {
            Step::ConfirmClose(found)
        } else {
            Step::ScanUnit(found, state.result())
        });
    };
    match code {
        "" => Ok(Step::Redirect(next_parcel_url(state))),
        // The keyboard shortcut for a mistake with the last unit.
        CORRECT_KEY if !state.recent.is_empty() => {
            let last = state.recent_plates().into_iter().next().unwrap_or_default();
            Ok(Step::Redirect(state.with_correction(last).url()))
        }
        // The keyboard shortcut for a unit that cannot be identified.
        "?" if !state.asked.is_empty() => {
            let kind = likely_code_kind(&found, &state.asked);
            Ok(Step::Redirect(state.with_unit_set_aside(&state.asked, kind).url()))
        }
        code => decide_unit(web, state, found, code).await,
    }
}

/// A unit can be corrected for some minutes.
async fn decide_correction(
    web: &Web,
    state: &BenchState,
    found: MatchingParcel,
) -> Result<Step, ApiError> {
    let scanned = load_scanned_units(&web.app, &found.parcel, &[&state.fixing]).await?;
    let scanned = scanned.into_iter().find(|it| it.correctable);
    Ok(match scanned {
        Some(scanned) => Step::CorrectUnit(found, Box::new(scanned)),
        None => Step::ScanUnit(found, Some(BenchResult::NotCorrectable)),
    })
}

/// Only a return with missing units can be closed.
pub(super) fn can_be_closed(found: &MatchingParcel) -> bool {
    let parcel = &found.parcel;
    parcel.kind == ParcelKind::Return && parcel.refusal.is_none() && parcel.awaited() > 0
}

/// What the code of a unit that does not match probably identifies. An unknown code is taken for a
/// license plate if all lines of the parcel have one, unless it is the number of an article.
pub(super) fn likely_code_kind(found: &MatchingParcel, code: &str) -> CodeKind {
    let lines = &found.parcel.lines;
    let all_have_plates = !lines.is_empty() && lines.iter().all(|line| line.plate.is_some());
    let is_unit = match found.parcel.meaning(code) {
        CodeMeaning::Expected(line) | CodeMeaning::Full(line) => {
            line.plate.as_deref() == Some(code)
        }
        CodeMeaning::Received(_) => true,
        CodeMeaning::Units(_) => false,
        CodeMeaning::Unexpected => all_have_plates && !ScannedCode::parse(code).is_article(),
    };
    if is_unit { CodeKind::Unit } else { CodeKind::Product }
}

async fn decide_unit(
    web: &Web,
    state: &BenchState,
    found: MatchingParcel,
    code: &str,
) -> Result<Step, ApiError> {
    let parcel = &found.parcel;
    if state.unexpected_code().is_some() {
        return Ok(Step::GradeUnit(found, None));
    }
    if code == state.parcel || code == parcel.number {
        return Ok(Step::ScanUnit(found, None));
    }
    let mismatch = match (parcel.refusal, parcel.meaning(code)) {
        (_, CodeMeaning::Received(_)) => {
            return Ok(Step::ScanUnit(found, Some(BenchResult::AlreadyReceived)));
        }
        (_, CodeMeaning::Unexpected) => return decide_unknown_code(web, state, found, code).await,
        (Some(refusal), _) => Mismatch::NotReceivable(refusal),
        (None, CodeMeaning::Expected(line)) => {
            let line = line.clone();
            return Ok(Step::GradeUnit(found, Some(line.into())));
        }
        (None, CodeMeaning::Full(line)) => Mismatch::AllReceived(line.clone().into()),
        (None, CodeMeaning::Units(lines)) => {
            Mismatch::SeveralUnits(lines.into_iter().cloned().collect())
        }
    };
    Ok(Step::AskAboutUnit(found, mismatch))
}

/// A code that is unknown in this parcel can be the next parcel, or a unit of another one.
async fn decide_unknown_code(
    web: &Web,
    state: &BenchState,
    found: MatchingParcel,
    code: &str,
) -> Result<Step, ApiError> {
    if !find_parcels(&web.app, None, code, "").await?.is_empty() {
        return Ok(Step::Redirect(state.at_other_parcel(code, "").url()));
    }
    let elsewhere = locate_unit(&web.app, code).await?;
    let parcel = &found.parcel;
    let received_here = |it: &UnitLocation| {
        it.received && it.merchant == parcel.merchant && it.asn_number == parcel.number
    };
    if elsewhere.iter().any(received_here) {
        return Ok(Step::ScanUnit(found, Some(BenchResult::AlreadyReceived)));
    }
    if parcel.kind == ParcelKind::Unknown {
        // Every unit of such a parcel is set aside, so there is nothing to ask.
        let is_unit = !elsewhere.is_empty() && !ScannedCode::parse(code).is_article();
        let kind = if is_unit { CodeKind::Unit } else { CodeKind::Product };
        return Ok(Step::Redirect(state.with_unit_set_aside(code, kind).url()));
    }
    let mismatch = parcel.refusal.map_or(Mismatch::NotInParcel(elsewhere), Mismatch::NotReceivable);
    Ok(Step::AskAboutUnit(found, mismatch))
}

/// The page for the next parcel, with the same channel and location.
pub(super) fn next_parcel_url(state: &BenchState) -> String {
    state.at_other_parcel("", "").url()
}
