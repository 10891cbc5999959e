//! Handles the forms of the bench: receive a unit, reject, identify or correct it, close a parcel.

use app::{
    AppError,
    access::secrets,
    core::scope::IdempotencyKey,
    returns::carrier_events::EventOutcome,
    warehouse::{
        bench_goods::load_bench_goods,
        parcel_search::{MatchingParcel, find_parcels},
        workbench::{
            CorrectedUnit, close_parcel, correct_unit, load_scanned_units, match_to_proposal,
            match_to_return, receive_unit, reject_unexpected_unit,
        },
    },
};
use axum::response::Response;
use domain::{
    returns::{
        receipt::{Condition, Receipt},
        rma::CorrectedReceipt,
    },
    warehouse::{
        parcel::{CodeMeaning, ExpectedLine, GradedUnit, Parcel, ParcelKind},
        scanned_code::ScannedCode,
    },
};

use super::result::BenchResult;
use super::state::{BenchState, CORRECT_KEY, CodeKind};
use crate::{
    access::visitor::Visitor,
    core::{
        form::{Form, non_empty},
        frame::redirect,
    },
};
use server::{Web, error::ApiError};

/// Longer than any key of ours.
const KEY_MAX: usize = 64;
/// Shorter input is not taken for a license plate.
const PLATE_MIN: usize = 4;
/// A single word of this length is no condition, also if it has no digit.
const PLATE_SURELY: usize = 12;

/// A form, with the parcel that it is about.
struct BenchForm<'a> {
    web: &'a Web,
    visitor: &'a Visitor,
    form: &'a Form,
    state: &'a BenchState,
    parcel: &'a Parcel,
}

pub(super) async fn handle_form(
    web: &Web,
    visitor: &Visitor,
    form: &Form,
) -> Result<Response, ApiError> {
    let state = BenchState::of_form(form);
    let mut found =
        find_parcels(&web.app, state.merchant().as_ref(), &state.parcel, state.unit_code()).await?;
    let Some(MatchingParcel { parcel, .. }) = found.pop().filter(|_| found.is_empty()) else {
        return Ok(redirect(&state.at_parcel().url()));
    };
    let bench = BenchForm { web, visitor, form, state: &state, parcel: &parcel };
    let next = match form.raw("act") {
        "close" => close(&bench).await?,
        "recognise" => recognize(&bench).await?,
        "match-return" => match_return(&bench).await?,
        "correct" => correct(&bench).await?,
        _ => grade(&bench).await?,
    };
    Ok(redirect(&next.url()))
}

/// What was typed, or the button that was pressed.
fn read_input(form: &Form) -> &str {
    let inputs = [form.text("grade"), form.text("reason"), form.text("scan")];
    inputs.into_iter().find_map(non_empty).unwrap_or_default()
}

async fn grade(bench: &BenchForm<'_>) -> Result<BenchState, ApiError> {
    let BenchForm { web, visitor, form, state, parcel } = bench;
    let input = read_input(form);
    if let Some(next) = state.after_reject_input(input) {
        return Ok(next);
    }
    let Some(condition) = Condition::parse(&input.to_ascii_uppercase()) else {
        return handle_other_input(web, state, parcel, input).await;
    };
    let key = read_key(form, state, condition.name())?;
    let line = find_line(state, parcel);
    let goods = load_bench_goods(&web.app, parcel, line, &state.warehouse).await?;
    // What does not match gets its channel when it is known whose it is.
    let proposed = line.map(|_| goods.channel(condition));
    let scanned = ScannedCode::parse(state.unit_code());
    // A unit of a return that has a serial number is recognized when it is scanned again. Plates
    // of announced goods are unique for ever, and the same unit may be announced again.
    let own_key = scanned.unit_key().filter(|_| parcel.kind == ParcelKind::Return);
    let unit = GradedUnit {
        plate: non_empty(&state.plate).or(own_key.as_deref()).unwrap_or(&key.key),
        condition,
        user_login: visitor.session.operator.as_str(),
        channel: non_empty(&state.channel).or(proposed.as_deref()),
        location: non_empty(&state.location),
        serial_number: non_empty(&state.serial).or(scanned.serial()),
        batch_number: scanned.batch(),
        warehouse: non_empty(&state.warehouse),
        reject_reason: state.reject_reason(),
    };
    let Some(receipt) = build_receipt(state, parcel, &unit) else {
        return Ok(state.with_unit(state.unit_code()));
    };
    let plate = receipt.unit_identifier.clone().unwrap_or_default();
    let received = receive_unit(&web.app, &visitor.session, &parcel.merchant, receipt, &key).await;
    let outcome = match received {
        Ok(result) => result.map(|result| result.result),
        // The key was used: the person went back and entered another condition.
        Err(AppError::Conflict(_)) => {
            return Ok(state.at_parcel().with_result(BenchResult::AlreadyUsed));
        }
        Err(error) => return Err(error.into()),
    };
    match (outcome, state.reject_reason()) {
        (Some(EventOutcome::Exception), Some(reason)) => reject(bench, &plate, reason).await,
        (Some(EventOutcome::Applied), Some(_)) => {
            Ok(state.after_scan(&plate, BenchResult::Rejected))
        }
        (outcome, _) => Ok(after_receipt(state, &plate, outcome)),
    }
}

fn after_receipt(state: &BenchState, plate: &str, outcome: Option<EventOutcome>) -> BenchState {
    match outcome {
        Some(EventOutcome::Applied) => state.after_scan(plate, BenchResult::Received),
        Some(EventOutcome::Unchanged) => state.after_scan(plate, BenchResult::AlreadyReceived),
        Some(EventOutcome::Exception) => state.after_scan(plate, BenchResult::SetAside),
        // The parcel changed in the meantime, so the page decides again.
        Some(EventOutcome::Refused | EventOutcome::Unknown) | None => {
            state.with_unit(state.unit_code())
        }
    }
}

/// Rejects a unit that was set aside a moment ago.
async fn reject(bench: &BenchForm<'_>, plate: &str, reason: &str) -> Result<BenchState, ApiError> {
    let BenchForm { web, visitor, state, parcel, .. } = bench;
    let session = &visitor.session;
    match Box::pin(reject_unexpected_unit(&web.app, session, parcel, plate, reason)).await {
        Ok(_) => Ok(state.after_scan(plate, BenchResult::Rejected)),
        // It stays a question for the office.
        Err(AppError::Conflict(_)) => Ok(state.after_scan(plate, BenchResult::SetAside)),
        Err(error) => Err(error.into()),
    }
}

/// Corrects the receipt of the unit that was chosen: with a condition, rejected or not, or removes
/// it.
async fn correct(bench: &BenchForm<'_>) -> Result<BenchState, ApiError> {
    let BenchForm { web, visitor, form, state, parcel } = bench;
    let input = read_input(form);
    if let Some(next) = state.after_reject_input(input) {
        return Ok(next);
    }
    let condition = Condition::parse(&input.to_ascii_uppercase());
    if condition.is_none() && input != CORRECT_KEY {
        return Ok((*state).clone().with_result(BenchResult::NotACondition));
    }
    let key = read_key(form, state, input)?;
    let scanned = load_scanned_units(&web.app, parcel, &[&state.fixing]).await?;
    let line = scanned.iter().find_map(|it| it.line_identifier.as_ref());
    let line = parcel.lines.iter().find(|it| Some(&it.line_identifier) == line);
    let goods = load_bench_goods(&web.app, parcel, line, &state.warehouse).await?;
    let corrected = condition.map(|condition| CorrectedReceipt {
        condition,
        channel: Some(
            non_empty(&state.channel).map_or_else(|| goods.channel(condition), str::to_owned),
        ),
        reject_reason: state.reject_reason().map(str::to_owned),
    });
    let unit = CorrectedUnit { plate: &state.fixing, corrected: corrected.as_ref() };
    let result = match correct_unit(&web.app, &visitor.session, parcel, &unit, &key).await {
        Ok(done) if corrected.is_none() && !done.changed => BenchResult::NotCorrectable,
        Ok(_) if corrected.is_none() => BenchResult::TakenBack,
        Ok(_) => BenchResult::Corrected,
        Err(AppError::Conflict(_) | AppError::NotFound(_)) => BenchResult::NotCorrectable,
        Err(error) => return Err(error.into()),
    };
    Ok(state.after_scan(&state.fixing, result))
}

/// The line of the current unit, if it matches one.
fn find_line<'a>(state: &BenchState, parcel: &'a Parcel) -> Option<&'a ExpectedLine> {
    if state.unexpected_code().is_some() {
        return None;
    }
    match parcel.meaning(state.unit.as_deref()?) {
        CodeMeaning::Expected(line)
        | CodeMeaning::Full(line)
        | CodeMeaning::Received(Some(line)) => Some(line),
        CodeMeaning::Received(None) | CodeMeaning::Units(_) | CodeMeaning::Unexpected => None,
    }
}

/// Input that is not a condition can be the license plate of the unit, or the next scan.
async fn handle_other_input(
    web: &Web,
    state: &BenchState,
    parcel: &Parcel,
    input: &str,
) -> Result<BenchState, ApiError> {
    let again = BenchState { result: String::new(), ..state.clone() };
    let in_parcel = !matches!(parcel.meaning(input), CodeMeaning::Unexpected);
    let is_known = in_parcel || [&state.parcel, &parcel.number, state.unit_code()].contains(&input);
    Ok(if !is_known && !looks_like_plate(input) {
        again.with_result(BenchResult::NotACondition)
    } else if is_known || !find_parcels(&web.app, None, input, "").await?.is_empty() {
        again.with_result(BenchResult::ConditionMissing)
    } else if can_take_plate(state, parcel) {
        BenchState { plate: input.to_owned(), ..again }.cleaned()
    } else {
        again.with_result(BenchResult::NotACondition)
    })
}

/// Whether input is a code that was scanned, and not a mistyped condition. License plates are
/// numbered or long, and conditions are one or two letters. Any other plate is entered in its own
/// field.
fn looks_like_plate(input: &str) -> bool {
    let length = input.chars().count();
    let is_long = length >= PLATE_SURELY && !input.contains(char::is_whitespace);
    length >= PLATE_MIN && (is_long || input.chars().any(|it| it.is_ascii_digit()))
}

/// Whether the current unit can get a license plate. A unit that is announced with one, or that is
/// known only by one, cannot get another.
pub(super) fn can_take_plate(state: &BenchState, parcel: &Parcel) -> bool {
    let Some(code) = state.unit.as_deref() else { return false };
    match state.set_aside_kind() {
        Some(CodeKind::Unit) => false,
        Some(CodeKind::Product) => true,
        None => match parcel.meaning(code) {
            CodeMeaning::Expected(line) | CodeMeaning::Full(line) => line.plate.is_none(),
            CodeMeaning::Received(_) | CodeMeaning::Units(_) | CodeMeaning::Unexpected => false,
        },
    }
}

/// The receipt of the current unit, if it is clear what the unit is. A unit that is already here
/// gets a receipt too, so that a form that is sent twice gets its first response again.
fn build_receipt(state: &BenchState, parcel: &Parcel, unit: &GradedUnit<'_>) -> Option<Receipt> {
    if let Some(code) = state.unexpected_code() {
        return Some(parcel.question(code, unit));
    }
    find_line(state, parcel).map(|line| parcel.receipt(line, unit))
}

/// The key of the form, with a hash of everything that the form does.
fn read_key(form: &Form, state: &BenchState, action: &str) -> Result<IdempotencyKey, ApiError> {
    let key = form.text("key");
    let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !plain || key.is_empty() || key.len() > KEY_MAX {
        let message = "the form has no valid key: go back, reload the page and send it again";
        return Err(ApiError::BadRequest(message.to_owned()));
    }
    let state = BenchState { recent: String::new(), ..state.clone() };
    let request = format!("POST {}\n{action}", state.url());
    Ok(IdempotencyKey { key: key.to_owned(), request_hash: secrets::hash(request.as_bytes()) })
}

async fn recognize(bench: &BenchForm<'_>) -> Result<BenchState, ApiError> {
    let BenchForm { web, visitor, form, state, parcel } = bench;
    let proposal = form.text("proposal").parse().unwrap_or(usize::MAX);
    let session = &visitor.session;
    match Box::pin(match_to_proposal(&web.app, session, parcel, &state.plate, proposal)).await {
        Ok(_) => Ok(state.after_scan(&state.plate, BenchResult::Recognized)),
        Err(AppError::Conflict(_)) => {
            Ok(state.after_scan(&state.plate, BenchResult::AlreadyResolved))
        }
        Err(error) => Err(error.into()),
    }
}

/// The worker knows which return a unit belongs to.
async fn match_return(bench: &BenchForm<'_>) -> Result<BenchState, ApiError> {
    let BenchForm { web, visitor, form, state, parcel } = bench;
    let session = &visitor.session;
    let matched = match_to_return(&web.app, session, parcel, &state.plate, form.text("rma"));
    match Box::pin(matched).await {
        Ok(_) => Ok(state.after_scan(&state.plate, BenchResult::Matched)),
        Err(AppError::Conflict(_) | AppError::NotFound(_)) => {
            Ok(state.after_scan(&state.plate, BenchResult::AlreadyResolved))
        }
        Err(error) => Err(error.into()),
    }
}

async fn close(bench: &BenchForm<'_>) -> Result<BenchState, ApiError> {
    let BenchForm { web, visitor, form, state, parcel } = bench;
    let key = read_key(form, state, "close")?;
    match close_parcel(&web.app, &visitor.session, parcel, &key).await {
        Ok(Some(_)) => Ok(state.at_parcel().with_result(BenchResult::Closed)),
        Ok(None) | Err(AppError::Conflict(_)) => Ok(state.at_parcel()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_condition_is_no_license_plate() {
        for input in ["", "Y", "AA", "TTT", "A1", "new", "like new", "as good as new", "1"] {
            assert!(!looks_like_plate(input), "{input}");
        }
        for input in ["LP-7", "U-0A1B", "0093321", "U1-RMA-TPSA-ZNDC-NPSY"] {
            assert!(looks_like_plate(input), "{input}");
        }
    }
}
