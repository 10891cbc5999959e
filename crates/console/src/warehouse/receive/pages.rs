//! The pages of the bench.

use app::warehouse::{
    bench_goods::load_bench_goods,
    parcel_search::MatchingParcel,
    recent_receipts::find_correctable_plates,
    workbench::{ScannedUnit, generate_plate, load_scanned_units, propose_returns_for},
};
use askama::Template;
use axum::{http::StatusCode, response::Response};
use domain::warehouse::{
    parcel::{ExpectedLine, ParcelKind},
    scanned_code::ScannedCode,
};

use super::{
    actions::can_take_plate,
    feedback::{Feedback, describe_result},
    parts::{
        BenchLink, ConditionKey, PackingList, RecentScan, ReturnChoice, ScanField, condition_keys,
        picture_url, recent_scans,
    },
    question::{Question, describe_mismatch},
    result::BenchResult,
    state::{BenchState, CodeKind, RECENT_MAX},
    step::{Mismatch, Step, can_be_closed, likely_code_kind, next_parcel_url},
};
use crate::{
    access::visitor::Visitor,
    core::{
        form::non_empty,
        frame::{Frame, Section, redirect, render_page},
    },
};
use server::{Web, error::ApiError};

/// Names and values of the hidden fields of a form.
type HiddenFields<'a> = Vec<(&'static str, &'a str)>;

/// Scan a parcel, or choose one.
#[derive(Template)]
#[template(path = "warehouse/receive/start.html", whitespace = "minimize")]
struct StartPage<'a> {
    frame: Frame<'a>,
    hidden: HiddenFields<'a>,
    scan: ScanField,
    /// The code that is unknown or has several meanings.
    code: &'a str,
    choices: ParcelChoices,
    /// Opens a parcel that was not announced.
    open_url: String,
}

/// What a code that is not exactly one parcel can mean.
enum ParcelChoices {
    None,
    /// Several parcels.
    Parcels(Vec<BenchLink>),
    /// No parcel, but known units.
    Units(Vec<BenchLink>),
}

impl ParcelChoices {
    const fn are_parcels(&self) -> bool {
        matches!(self, Self::Parcels(_))
    }

    fn links(&self) -> &[BenchLink] {
        match self {
            Self::None => &[],
            Self::Parcels(links) | Self::Units(links) => links,
        }
    }
}

/// Scan a unit.
#[derive(Template)]
#[template(path = "warehouse/receive/parcel.html", whitespace = "minimize")]
struct ParcelPage<'a> {
    frame: Frame<'a>,
    hidden: HiddenFields<'a>,
    scan: ScanField,
    list: PackingList<'a>,
    feedback: Option<Feedback>,
    /// The returns that a unit which was set aside could belong to.
    returns: Vec<ReturnChoice>,
    recent: Vec<RecentScan>,
    next_url: String,
    /// Absent if the parcel cannot be closed.
    close_url: Option<String>,
}

/// Enter the condition of a unit.
#[derive(Template)]
#[template(path = "warehouse/receive/grade.html", whitespace = "minimize")]
struct GradePage<'a> {
    frame: Frame<'a>,
    hidden: HiddenFields<'a>,
    list: PackingList<'a>,
    state: &'a BenchState,
    key: String,
    line: Option<&'a ExpectedLine>,
    /// The address of the picture of what is expected.
    picture: Option<String>,
    /// The batch on the symbol of the unit.
    batch: Option<String>,
    conditions: Vec<ConditionKey>,
    fault: Option<&'static str>,
    takes_plate: bool,
    /// Whether a script submits a condition without Enter.
    submits_at_once: bool,
    back_url: String,
}

impl GradePage<'_> {
    fn code(&self) -> &str {
        self.state.unit_code()
    }

    fn serial(&self) -> String {
        let scanned = ScannedCode::parse(self.state.unit_code());
        non_empty(&self.state.serial).or(scanned.serial()).unwrap_or_default().to_owned()
    }

    const fn prompt(&self) -> &'static str {
        if self.takes_plate && !self.submits_at_once {
            "Scan its license plate, or type its condition"
        } else {
            "Type its condition"
        }
    }
}

/// Correct the condition of a unit, reject it, or take it back.
#[derive(Template)]
#[template(path = "warehouse/receive/correct.html", whitespace = "minimize")]
struct CorrectPage<'a> {
    frame: Frame<'a>,
    hidden: HiddenFields<'a>,
    list: PackingList<'a>,
    state: &'a BenchState,
    key: String,
    scanned: &'a ScannedUnit,
    conditions: Vec<ConditionKey>,
    fault: Option<&'static str>,
    back_url: String,
}

impl CorrectPage<'_> {
    fn submits_at_once(&self) -> bool {
        !self.state.asks_for_reason()
    }
}

/// The unit does not match.
#[derive(Template)]
#[template(path = "warehouse/receive/question.html", whitespace = "minimize")]
struct QuestionPage<'a> {
    frame: Frame<'a>,
    hidden: HiddenFields<'a>,
    scan: ScanField,
    list: PackingList<'a>,
    code: &'a str,
    question: Question,
    /// The ways to set the unit aside, the more likely one first.
    set_aside: Vec<BenchLink>,
    back_url: String,
}

/// Confirm that nothing more is in the parcel.
#[derive(Template)]
#[template(path = "warehouse/receive/close.html", whitespace = "minimize")]
struct ClosePage<'a> {
    frame: Frame<'a>,
    hidden: HiddenFields<'a>,
    scan: ScanField,
    list: PackingList<'a>,
    key: String,
    back_url: String,
}

pub(super) async fn render_step(
    web: &Web,
    visitor: &Visitor,
    state: &BenchState,
    step: Step,
) -> Result<Response, ApiError> {
    let ok = StatusCode::OK;
    Ok(match step {
        Step::Redirect(url) => redirect(&url),
        Step::Start => render_start(visitor, state, ParcelChoices::None),
        Step::UnknownParcel(units) => {
            let links = units.iter().map(|it| BenchLink::elsewhere(state, it, &state.parcel));
            render_start(visitor, state, ParcelChoices::Units(links.collect()))
        }
        Step::ChooseParcel(parcels) => {
            let links = parcels.iter().map(|it| BenchLink::parcel(state, it));
            render_start(visitor, state, ParcelChoices::Parcels(links.collect()))
        }
        Step::ScanUnit(found, result) => {
            render_parcel(web, visitor, &state.at_parcel(), &found, result).await?
        }
        Step::GradeUnit(found, line) => {
            let line = line.as_deref();
            let goods = load_bench_goods(&web.app, &found.parcel, line, &state.warehouse).await?;
            let content = GradePage {
                key: generate_plate(&web.app),
                picture: goods.picture.as_ref().map(|it| picture_url(&found.parcel.merchant, it)),
                conditions: condition_keys(state, &goods),
                ..grade_page(visitor, state, &found, line)
            };
            render_page(visitor, ok, &content)
        }
        Step::CorrectUnit(found, scanned) => {
            let id = scanned.line_identifier.as_ref();
            let mut lines = found.parcel.lines.iter();
            let line = lines.find(|it| Some(&it.line_identifier) == id);
            let goods = load_bench_goods(&web.app, &found.parcel, line, &state.warehouse).await?;
            let content = CorrectPage {
                frame: bench_frame(visitor, &found.parcel.number),
                hidden: state.fields().into_iter().filter(|(name, _)| *name != "said").collect(),
                list: PackingList::new(&found),
                state,
                key: generate_plate(&web.app),
                scanned: &scanned,
                conditions: condition_keys(state, &goods),
                fault: state.result().and_then(BenchResult::fault),
                back_url: state.at_parcel().url(),
            };
            render_page(visitor, ok, &content)
        }
        Step::AskAboutUnit(found, mismatch) => {
            let asked = BenchState { asked: state.unit_code().to_owned(), ..state.at_parcel() };
            render_page(visitor, ok, &question_page(visitor, &asked, &found, &mismatch))
        }
        Step::ConfirmClose(found) => {
            let (state, key) = (state.at_parcel(), generate_plate(&web.app));
            render_page(visitor, ok, &close_page(visitor, &state, &found, key))
        }
    })
}

fn bench_frame<'a>(visitor: &'a Visitor, title: &str) -> Frame<'a> {
    Frame::new(visitor, Section::Receiving, title)
}

fn render_start(visitor: &Visitor, state: &BenchState, choices: ParcelChoices) -> Response {
    // The scan field offers to open the unknown parcel anyway.
    let is_unknown = !matches!(choices, ParcelChoices::Parcels(_));
    let asked = if is_unknown { state.parcel.clone() } else { String::new() };
    let empty = BenchState { asked, ..state.at_other_parcel("", "") };
    let content = StartPage {
        frame: bench_frame(visitor, "Receiving"),
        hidden: empty.fields(),
        scan: ScanField::parcel(),
        code: &state.parcel,
        choices,
        open_url: state.at_other_parcel(&state.parcel, "platform").url(),
    };
    render_page(visitor, StatusCode::OK, &content)
}

/// A worker who comes back to a parcel can correct what was received from it before.
async fn with_recent_receipts(
    web: &Web,
    state: &BenchState,
    found: &MatchingParcel,
) -> Result<BenchState, ApiError> {
    if !state.recent.is_empty() {
        return Ok(state.clone());
    }
    let plates = find_correctable_plates(&web.app, &found.parcel, RECENT_MAX).await?;
    Ok(state.with_recent(&plates))
}

async fn render_parcel(
    web: &Web,
    visitor: &Visitor,
    state: &BenchState,
    found: &MatchingParcel,
    result: Option<BenchResult>,
) -> Result<Response, ApiError> {
    let state = &with_recent_receipts(web, state, found).await?;
    let scans = load_scanned_units(&web.app, &found.parcel, &state.recent_plates()).await?;
    let returns = match scans.first().and_then(|scan| scan.question.as_ref()) {
        Some(question) if result == Some(BenchResult::SetAside) => {
            propose_returns_for(&web.app, &found.parcel, question).await?
        }
        Some(_) | None => Vec::new(),
    };
    let closing = BenchState { closing: "yes".to_owned(), ..state.clone() };
    let content = ParcelPage {
        frame: bench_frame(visitor, &found.parcel.number),
        hidden: state.fields(),
        scan: ScanField::unit("Scan a unit"),
        list: PackingList::new(found),
        feedback: describe_result(result, &found.parcel, &scans),
        returns: returns
            .iter()
            .zip(1..)
            .map(|(proposal, key)| ReturnChoice::new(proposal, key))
            .collect(),
        recent: recent_scans(state, &found.parcel, &scans),
        next_url: next_parcel_url(state),
        close_url: can_be_closed(found).then(|| closing.url()),
    };
    Ok(render_page(visitor, StatusCode::OK, &content))
}

fn grade_page<'a>(
    visitor: &'a Visitor,
    state: &'a BenchState,
    found: &'a MatchingParcel,
    line: Option<&'a ExpectedLine>,
) -> GradePage<'a> {
    let takes_plate = can_take_plate(state, &found.parcel);
    let has_plate = !state.plate.is_empty();
    let is_visible = |name: &str| match name {
        "channel" | "location" | "serial" | "warehouse" | "said" => true,
        name => takes_plate && name == "plate",
    };
    let hidden = state.fields().into_iter().filter(|(name, _)| !is_visible(name));
    let current = line.map(|line| line.line_identifier.as_str());
    GradePage {
        frame: bench_frame(visitor, &found.parcel.number),
        hidden: hidden.collect(),
        list: PackingList { current, ..PackingList::new(found) },
        state,
        key: String::new(),
        line,
        picture: None,
        batch: ScannedCode::parse(state.unit_code()).batch().map(str::to_owned),
        conditions: Vec::new(),
        fault: state.result().and_then(BenchResult::fault),
        takes_plate,
        submits_at_once: !state.asks_for_reason()
            && (!takes_plate || found.parcel.kind == ParcelKind::Return || has_plate),
        back_url: state.at_parcel().url(),
    }
}

/// The page about a unit that does not match; `state.asked` is its code.
fn question_page<'a>(
    visitor: &'a Visitor,
    state: &'a BenchState,
    found: &'a MatchingParcel,
    mismatch: &Mismatch,
) -> QuestionPage<'a> {
    let code = state.asked.as_str();
    let kinds = match (mismatch, likely_code_kind(found, code)) {
        (Mismatch::SeveralUnits(_) | Mismatch::AllReceived(_), _) => vec![CodeKind::Product],
        (Mismatch::NotReceivable(_) | Mismatch::NotInParcel(_), CodeKind::Unit) => {
            vec![CodeKind::Unit, CodeKind::Product]
        }
        (Mismatch::NotReceivable(_) | Mismatch::NotInParcel(_), CodeKind::Product) => {
            vec![CodeKind::Product, CodeKind::Unit]
        }
    };
    QuestionPage {
        frame: bench_frame(visitor, &found.parcel.number),
        hidden: state.fields(),
        scan: ScanField::unit("Scan again"),
        list: PackingList::new(found),
        code,
        question: describe_mismatch(state, mismatch),
        set_aside: kinds.into_iter().map(|kind| BenchLink::set_aside(state, code, kind)).collect(),
        back_url: state.at_parcel().url(),
    }
}

fn close_page<'a>(
    visitor: &'a Visitor,
    state: &'a BenchState,
    found: &'a MatchingParcel,
    key: String,
) -> ClosePage<'a> {
    ClosePage {
        frame: bench_frame(visitor, &found.parcel.number),
        hidden: state.fields(),
        scan: ScanField::unit("Found another unit? Scan it"),
        list: PackingList::new(found),
        key,
        back_url: state.url(),
    }
}
