//! What comes next at the bench, from what was scanned.

use app::warehouse::workbench::{MatchingParcel, UnitLocation, find_parcels, locate_unit};
use domain::warehouse::parcel::{CodeMeaning, ExpectedLine, ParcelKind};

use super::state::{Place, Said};
use server::{Web, error::ApiError};

pub(super) enum Step {
    /// No parcel lies on the bench.
    Start,
    /// The code means nothing. It may be on a unit that is known.
    NoParcel(Vec<UnitLocation>),
    /// The code means several.
    Choose(Vec<MatchingParcel>),
    /// Scan a unit of this parcel.
    Parcel(MatchingParcel, Option<Said>),
    /// Grade the unit in the hand: of this line, or as a question.
    Grade(MatchingParcel, Option<ExpectedLine>),
    Question(MatchingParcel, Doubt),
    /// Really close it?
    Close(MatchingParcel),
    /// Go on there.
    Elsewhere(String),
}

/// Why a unit is a question.
pub(super) enum Doubt {
    /// Nothing can be received from this parcel.
    Refused(&'static str),
    /// All of this article are here.
    Full(ExpectedLine),
    /// Which of these pieces?
    Which(Vec<ExpectedLine>),
    /// It is not in this parcel; a unit of this name is known there.
    Stranger(Vec<UnitLocation>),
}

pub(super) async fn step(web: &Web, place: &Place) -> Result<Step, ApiError> {
    if place.parcel.is_empty() {
        return Ok(Step::Start);
    }
    let mut found =
        find_parcels(&web.app, place.merchant().as_ref(), &place.parcel, place.scanned()).await?;
    if found.len() > 1 {
        return Ok(Step::Choose(found));
    }
    let Some(found) = found.pop() else {
        return Ok(Step::NoParcel(locate_unit(&web.app, &place.parcel).await?));
    };
    let Some(code) = place.unit.as_deref() else {
        let closing = !place.close.is_empty() && can_be_closed(&found);
        let parcel = |found| Step::Parcel(found, place.said());
        return Ok(if closing { Step::Close(found) } else { parcel(found) });
    };
    match code {
        "" => Ok(Step::Elsewhere(next_parcel(place))),
        // Whoever cannot place a unit says so without a mouse.
        "?" if !place.asked.is_empty() => Ok(Step::Elsewhere(kept(place, &found).address())),
        code => unit(web, place, found, code).await,
    }
}

/// Whether there is anything to close: a return of which something is missing.
pub(super) fn can_be_closed(found: &MatchingParcel) -> bool {
    let parcel = &found.parcel;
    parcel.kind == ParcelKind::Return && parcel.refusal.is_none() && parcel.awaited() > 0
}

/// What the code of a unit that does not fit most likely is: what a line says, or, of a stranger, a license
/// plate where every piece has one.
pub(super) fn likely(found: &MatchingParcel, code: &str) -> &'static str {
    let lines = &found.parcel.lines;
    let plates = !lines.is_empty() && lines.iter().all(|line| line.plate.is_some());
    let piece = match found.parcel.meaning(code) {
        CodeMeaning::Awaited(line) | CodeMeaning::Full(line) => line.plate.as_deref() == Some(code),
        CodeMeaning::Here(_) => true,
        CodeMeaning::Pieces(_) => false,
        CodeMeaning::Stranger => plates,
    };
    if piece { "piece" } else { "article" }
}

fn kept(place: &Place, found: &MatchingParcel) -> Place {
    Place { keep: likely(found, &place.asked).to_owned(), ..place.with_unit(&place.asked) }
}

async fn unit(
    web: &Web,
    place: &Place,
    found: MatchingParcel,
    code: &str,
) -> Result<Step, ApiError> {
    let parcel = &found.parcel;
    if place.kept().is_some() {
        return Ok(Step::Grade(found, None));
    }
    if code == place.parcel || code == parcel.number {
        return Ok(Step::Parcel(found, None));
    }
    let doubt = match (parcel.refusal, parcel.meaning(code)) {
        (_, CodeMeaning::Here(_)) => return Ok(Step::Parcel(found, Some(Said::Again))),
        (_, CodeMeaning::Stranger) => return stranger(web, place, found, code).await,
        (Some(refusal), _) => Doubt::Refused(refusal),
        (None, CodeMeaning::Awaited(line)) => {
            let line = line.clone();
            return Ok(Step::Grade(found, Some(line)));
        }
        (None, CodeMeaning::Full(line)) => Doubt::Full(line.clone()),
        (None, CodeMeaning::Pieces(lines)) => Doubt::Which(lines.into_iter().cloned().collect()),
    };
    Ok(Step::Question(found, doubt))
}

/// A code that is nothing of the parcel may be the next parcel, or a unit that belongs elsewhere.
async fn stranger(
    web: &Web,
    place: &Place,
    found: MatchingParcel,
    code: &str,
) -> Result<Step, ApiError> {
    if !find_parcels(&web.app, None, code, "").await?.is_empty() {
        return Ok(Step::Elsewhere(place.at_other(code, "").address()));
    }
    let known = locate_unit(&web.app, code).await?;
    let parcel = &found.parcel;
    let here = |it: &UnitLocation| {
        it.received && it.merchant == parcel.merchant && it.asn_number == parcel.number
    };
    if known.iter().any(here) {
        return Ok(Step::Parcel(found, Some(Said::Again)));
    }
    if parcel.kind == ParcelKind::Unknown {
        // Everything in such a parcel is a question; it need not be asked twice.
        let keep = if known.is_empty() { "article" } else { "piece" };
        let kept = Place { keep: keep.to_owned(), ..place.with_unit(code) };
        return Ok(Step::Elsewhere(kept.address()));
    }
    let doubt = parcel.refusal.map_or(Doubt::Stranger(known), Doubt::Refused);
    Ok(Step::Question(found, doubt))
}

/// The first page, with what stays the same for the next parcel.
pub(super) fn next_parcel(place: &Place) -> String {
    place.at_other("", "").address()
}
