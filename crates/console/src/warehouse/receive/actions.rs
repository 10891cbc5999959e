//! What the forms of the bench do: receive a unit, tell which one it is, close a parcel.

use app::{
    AppError,
    access::secrets,
    core::commit_once::IdempotencyKey,
    returns::carrier_events::EventOutcome,
    warehouse::workbench::{
        MatchingParcel, close_parcel, find_parcels, match_to_proposal, receive_unit,
    },
};
use axum::response::Response;
use domain::{
    returns::receipt::{Condition, Receipt},
    warehouse::parcel::{CodeMeaning, GradedUnit, Parcel},
};

use super::state::{CHANNEL, Place, Said};
use crate::{
    access::visit::Visitor,
    core::{form::Form, frame::redirect},
};
use server::{Web, error::ApiError};

/// A key of ours is shorter.
const KEY_MAX: usize = 64;

pub(super) async fn act(web: &Web, visitor: &Visitor, form: &Form) -> Result<Response, ApiError> {
    let place = Place::of_form(form);
    let mut found =
        find_parcels(&web.app, place.merchant().as_ref(), &place.parcel, place.scanned()).await?;
    let Some(MatchingParcel { parcel, .. }) = found.pop().filter(|_| found.is_empty()) else {
        return Ok(redirect(&place.at_parcel().address()));
    };
    let next = match form.raw("act") {
        "close" => close(web, visitor, form, (&place, &parcel)).await?,
        "recognise" => recognised(web, visitor, form, (&place, &parcel)).await?,
        _ => graded(web, visitor, form, (&place, &parcel)).await?,
    };
    Ok(redirect(&next.address()))
}

async fn graded(
    web: &Web,
    visitor: &Visitor,
    form: &Form,
    (place, parcel): (&Place, &Parcel),
) -> Result<Place, ApiError> {
    let typed = [form.text("grade"), form.text("scan")].into_iter().find(|it| !it.is_empty());
    let typed = typed.unwrap_or_default();
    let Some(condition) = Condition::parse(&typed.to_ascii_uppercase()) else {
        return Ok(ungraded(place, parcel, typed));
    };
    let repeatable = repeatable(form, place, condition.name())?;
    let graded = GradedUnit {
        plate: if place.plate.is_empty() { &repeatable.key } else { &place.plate },
        condition,
        user_login: visitor.session.operator.as_str(),
        channel: if place.channel.is_empty() { CHANNEL } else { &place.channel },
        location: Some(place.location.as_str()).filter(|it| !it.is_empty()),
        serial_number: Some(place.serial.as_str()).filter(|it| !it.is_empty()),
    };
    let Some(receipt) = receipt(place, parcel, &graded) else {
        return Ok(place.with_unit(place.unit.as_deref().unwrap_or_default()));
    };
    let unit = receipt.unit_identifier.clone().unwrap_or_default();
    let about = (receipt, &repeatable);
    let told = receive_unit(&web.app, &visitor.session, &parcel.merchant, about).await;
    let outcome = match told {
        Ok(told) => told.map(|told| told.result),
        // The key was used: somebody went back and gave another condition.
        Err(AppError::Conflict(_)) => return Ok(place.at_parcel().saying(Said::Used)),
        Err(error) => return Err(error.into()),
    };
    Ok(match outcome {
        Some(EventOutcome::Applied) => place.after(&unit, Said::Received),
        Some(EventOutcome::Unchanged) => place.after(&unit, Said::Again),
        Some(EventOutcome::Exception) => place.after(&unit, Said::Asked),
        // It changed meanwhile: the page looks again, and asks.
        Some(EventOutcome::Refused | EventOutcome::Unknown) | None => {
            place.with_unit(place.unit.as_deref().unwrap_or_default())
        }
    })
}

/// What was typed in the place of a condition: the license plate of the unit, or something else.
fn ungraded(place: &Place, parcel: &Parcel, typed: &str) -> Place {
    let code = place.unit.as_deref().unwrap_or_default();
    let again = Place { said: String::new(), ..place.clone() };
    let known = !matches!(parcel.meaning(typed), CodeMeaning::Stranger);
    if typed.is_empty() {
        again.saying(Said::NoCondition)
    } else if known || typed == place.parcel || typed == parcel.number || typed == code {
        again.saying(Said::First)
    } else if takes_plate(place, parcel) {
        Place { plate: typed.to_owned(), ..again }.cleaned()
    } else {
        again.saying(Said::NoCondition)
    }
}

/// Whether the unit in the hand can get a license plate: not a piece that is announced with its own, and not
/// one that is known by nothing else.
pub(super) fn takes_plate(place: &Place, parcel: &Parcel) -> bool {
    let Some(code) = place.unit.as_deref() else { return false };
    match place.keep.as_str() {
        "piece" => false,
        "article" => true,
        _ => match parcel.meaning(code) {
            CodeMeaning::Awaited(line) | CodeMeaning::Full(line) => line.plate.is_none(),
            CodeMeaning::Here(_) | CodeMeaning::Pieces(_) | CodeMeaning::Stranger => false,
        },
    }
}

/// The receipt of the unit in the hand, if it is clear what it is. What is here already is told again: then a
/// form that was sent twice gets its first answer.
fn receipt(place: &Place, parcel: &Parcel, graded: &GradedUnit<'_>) -> Option<Receipt> {
    if let Some(known) = place.kept() {
        return Some(parcel.question(known, graded));
    }
    match parcel.meaning(place.unit.as_deref()?) {
        CodeMeaning::Awaited(line) | CodeMeaning::Full(line) | CodeMeaning::Here(Some(line)) => {
            Some(parcel.receipt(line, graded))
        }
        CodeMeaning::Here(None) | CodeMeaning::Pieces(_) | CodeMeaning::Stranger => None,
    }
}

/// The key of the form, and everything that makes it what it is.
fn repeatable(form: &Form, place: &Place, done: &str) -> Result<IdempotencyKey, ApiError> {
    let key = form.text("key");
    let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !plain || key.is_empty() || key.len() > KEY_MAX {
        return Err(ApiError::BadRequest("this form is not one of ours".to_owned()));
    }
    let place = Place { last: String::new(), ..place.clone() };
    let whole = format!("POST {}\n{done}", place.address());
    Ok(IdempotencyKey { key: key.to_owned(), request_hash: secrets::hash(whole.as_bytes()) })
}

async fn recognised(
    web: &Web,
    visitor: &Visitor,
    form: &Form,
    (place, parcel): (&Place, &Parcel),
) -> Result<Place, ApiError> {
    let proposal = form.text("proposal").parse().unwrap_or(usize::MAX);
    let about = (parcel, place.plate.as_str());
    match match_to_proposal(&web.app, &visitor.session, about, proposal).await {
        Ok(_) => Ok(place.after(&place.plate, Said::Recognised)),
        Err(AppError::Conflict(_)) => Ok(place.after(&place.plate, Said::Decided)),
        Err(error) => Err(error.into()),
    }
}

async fn close(
    web: &Web,
    visitor: &Visitor,
    form: &Form,
    (place, parcel): (&Place, &Parcel),
) -> Result<Place, ApiError> {
    let repeatable = repeatable(form, place, "close")?;
    match close_parcel(&web.app, &visitor.session, parcel, &repeatable).await {
        Ok(Some(_)) => Ok(place.at_parcel().saying(Said::Closed)),
        Ok(None) | Err(AppError::Conflict(_)) => Ok(place.at_parcel()),
        Err(error) => Err(error.into()),
    }
}
