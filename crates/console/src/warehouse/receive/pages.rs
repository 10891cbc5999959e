//! The pages of the bench.

use app::warehouse::workbench::{MatchingParcel, UnitLocation, generate_plate, load_scanned_units};
use askama::Template;
use axum::{http::StatusCode, response::Response};
use domain::warehouse::parcel::{ExpectedLine, ParcelKind};

use super::{
    actions::takes_plate,
    parts::{Choice, Feedback, Row, Scan, Sheet, feedback, rows},
    state::{CHANNEL, Place, Said},
    step::{Doubt, Step, can_be_closed, likely, next_parcel},
};
use crate::{
    access::visit::Visitor,
    core::frame::{Frame, Section, page, redirect},
};
use server::{Web, error::ApiError};

/// Fields that a form sends along unseen.
type Hidden<'a> = Vec<(&'static str, &'a str)>;

/// No parcel yet, or none that is clear.
#[derive(Template)]
#[template(path = "warehouse/receive/start.html", whitespace = "minimize")]
pub(super) struct Start<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) hidden: Hidden<'a>,
    pub(super) scan: Scan,
    /// What was scanned and is not clear.
    pub(super) code: &'a str,
    pub(super) several: bool,
    pub(super) choices: Vec<Choice>,
    /// Where a parcel that nobody announced is opened nevertheless.
    pub(super) open: String,
}

/// Scan a unit.
#[derive(Template)]
#[template(path = "warehouse/receive/parcel.html", whitespace = "minimize")]
pub(super) struct ParcelPage<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) hidden: Hidden<'a>,
    pub(super) scan: Scan,
    pub(super) sheet: Sheet<'a>,
    pub(super) feedback: Option<Feedback>,
    pub(super) rows: Vec<Row>,
    pub(super) next: String,
    /// Where the parcel is closed, if it can be.
    pub(super) close: Option<String>,
}

/// Give the unit its condition.
#[derive(Template)]
#[template(path = "warehouse/receive/grade.html", whitespace = "minimize")]
pub(super) struct Grade<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) hidden: Hidden<'a>,
    pub(super) sheet: Sheet<'a>,
    pub(super) place: &'a Place,
    pub(super) key: String,
    pub(super) line: Option<&'a ExpectedLine>,
    pub(super) fault: Option<&'static str>,
    /// Whether the unit can get a license plate.
    pub(super) takes_plate: bool,
    /// Whether a letter alone is enough, without Enter.
    pub(super) at_once: bool,
    pub(super) back: String,
}

impl Grade<'_> {
    fn channel(&self) -> &str {
        if self.place.channel.is_empty() { CHANNEL } else { &self.place.channel }
    }

    fn code(&self) -> &str {
        self.place.unit.as_deref().unwrap_or_default()
    }

    fn asks_for_plate(&self) -> bool {
        self.takes_plate && !self.at_once
    }
}

/// The unit does not fit.
#[derive(Template)]
#[template(path = "warehouse/receive/question.html", whitespace = "minimize")]
pub(super) struct QuestionPage<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) hidden: Hidden<'a>,
    pub(super) scan: Scan,
    pub(super) sheet: Sheet<'a>,
    pub(super) code: &'a str,
    pub(super) title: String,
    pub(super) words: &'static str,
    pub(super) choices: Vec<Choice>,
    /// The ways to keep it, the likelier first.
    pub(super) keep: Vec<Choice>,
    pub(super) back: String,
}

/// Really nothing more?
#[derive(Template)]
#[template(path = "warehouse/receive/close.html", whitespace = "minimize")]
pub(super) struct Close<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) hidden: Hidden<'a>,
    pub(super) scan: Scan,
    pub(super) sheet: Sheet<'a>,
    pub(super) key: String,
    pub(super) back: String,
}

pub(super) async fn show(
    web: &Web,
    visitor: &Visitor,
    place: &Place,
    step: Step,
) -> Result<Response, ApiError> {
    let ok = StatusCode::OK;
    match step {
        Step::Elsewhere(address) => Ok(redirect(&address)),
        Step::Start => Ok(start(visitor, place, (false, Vec::new()))),
        Step::NoParcel(known) => {
            let choices = known.iter().map(|it| elsewhere(place, it, &place.parcel)).collect();
            Ok(start(visitor, place, (false, choices)))
        }
        Step::Choose(found) => {
            let choices = found.iter().map(|it| Choice::parcel(place, it)).collect();
            Ok(start(visitor, place, (true, choices)))
        }
        Step::Parcel(found, said) => parcel(web, visitor, place, (&found, said)).await,
        Step::Grade(found, line) => {
            let key = generate_plate(&web.app);
            Ok(page(visitor, ok, &grade(visitor, place, (&found, line.as_ref()), key)))
        }
        Step::Question(found, doubt) => {
            let asked =
                Place { asked: place.unit.clone().unwrap_or_default(), ..place.at_parcel() };
            Ok(page(visitor, ok, &question(visitor, (place, &asked), &found, &doubt)))
        }
        Step::Close(found) => {
            let (at, key) = (place.at_parcel(), generate_plate(&web.app));
            Ok(page(visitor, ok, &close(visitor, &at, &found, key)))
        }
    }
}

fn framed<'a>(visitor: &'a Visitor, title: &str) -> Frame<'a> {
    Frame::new(visitor, Section::Receive, title)
}

/// What the first page asks for, unless a code is not clear.
fn start(visitor: &Visitor, place: &Place, (several, choices): (bool, Vec<Choice>)) -> Response {
    let at = place.at_other("", "");
    let code = place.parcel.as_str();
    let hint = "The number on its label, the return's code, or the number of its ASN.";
    let open = place.at_other(code, "platform").address();
    let start = Start {
        frame: framed(visitor, "Receive"),
        hidden: at.fields(),
        scan: Scan { name: "parcel", label: "Scan a parcel", button: "Open", hint },
        code,
        several,
        choices,
        open,
    };
    page(visitor, StatusCode::OK, &start)
}

fn elsewhere(place: &Place, known: &UnitLocation, code: &str) -> Choice {
    let at = place.at_other(&known.asn_number, known.merchant.as_str());
    let (does, address) = if known.received {
        ("It was received for", at.address())
    } else {
        ("It belongs to", at.with_unit(code).address())
    };
    let title = format!("{does} {}", known.asn_number);
    Choice { address, title, detail: known.merchant_name.clone() }
}

async fn parcel(
    web: &Web,
    visitor: &Visitor,
    place: &Place,
    (found, said): (&MatchingParcel, Option<Said>),
) -> Result<Response, ApiError> {
    let at = place.at_parcel();
    let seen = load_scanned_units(&web.app, &found.parcel, &place.plates()).await?;
    let closing = Place { close: "yes".to_owned(), ..at.clone() };
    let unit = ParcelPage {
        frame: framed(visitor, &found.parcel.number),
        hidden: at.fields(),
        scan: Scan::unit("Scan a unit"),
        sheet: Sheet::new(found),
        feedback: feedback(said, &found.parcel, &seen),
        rows: rows(&seen),
        next: next_parcel(place),
        close: can_be_closed(found).then(|| closing.address()),
    };
    Ok(page(visitor, StatusCode::OK, &unit))
}

pub(super) fn grade<'a>(
    visitor: &'a Visitor,
    place: &'a Place,
    (found, line): (&'a MatchingParcel, Option<&'a ExpectedLine>),
    key: String,
) -> Grade<'a> {
    let takes_plate = takes_plate(place, &found.parcel);
    let shown = ["channel", "location", "serial", "said"];
    let hidden = place.fields().into_iter();
    let hidden =
        hidden.filter(|(name, _)| !shown.contains(name) && (!takes_plate || *name != "plate"));
    let mut sheet = Sheet::new(found);
    sheet.current = line.map(|line| line.line_identifier.as_str());
    Grade {
        frame: framed(visitor, &found.parcel.number),
        hidden: hidden.collect(),
        sheet,
        place,
        key,
        line,
        fault: place.said().and_then(Said::fault),
        takes_plate,
        at_once: !takes_plate || found.parcel.kind == ParcelKind::Return || !place.plate.is_empty(),
        back: place.at_parcel().address(),
    }
}

pub(super) fn question<'a>(
    visitor: &'a Visitor,
    (place, asked): (&'a Place, &'a Place),
    found: &'a MatchingParcel,
    doubt: &Doubt,
) -> QuestionPage<'a> {
    let code = asked.asked.as_str();
    let (title, words, choices) = match doubt {
        Doubt::Refused(why) => {
            let words = "Put the unit aside, or keep it as a question for the office.";
            (format!("Nothing can be received here: {why}"), words, Vec::new())
        }
        Doubt::Full(line) => {
            let words =
                "One more than expected. Was it scanned twice? If not, keep it as a question.";
            let title = format!("All {} of {} are here already", line.quantity, line.article());
            (title, words, Vec::new())
        }
        Doubt::Which(lines) => {
            let words = "Every piece has a license plate of its own. Scan it, or choose the piece.";
            let choices = lines.iter().map(|line| Choice::piece(place, line)).collect();
            ("Which piece is it?".to_owned(), words, choices)
        }
        Doubt::Stranger(known) => {
            let words =
                "Scan it again to be sure. If it stays, it is a question, not your mistake.";
            let choices = known.iter().map(|it| elsewhere(place, it, code)).collect();
            ("This is not in this parcel".to_owned(), words, choices)
        }
    };
    let ways = match (doubt, likely(found, code)) {
        (Doubt::Which(_) | Doubt::Full(_), _) => vec!["article"],
        (Doubt::Refused(_) | Doubt::Stranger(_), "piece") => vec!["piece", "article"],
        (Doubt::Refused(_) | Doubt::Stranger(_), _) => vec!["article", "piece"],
    };
    QuestionPage {
        frame: framed(visitor, &found.parcel.number),
        hidden: asked.fields(),
        scan: Scan::unit("Scan again"),
        sheet: Sheet::new(found),
        code,
        title,
        words,
        choices,
        keep: ways.into_iter().map(|way| Choice::keep(place, code, way)).collect(),
        back: place.at_parcel().address(),
    }
}

pub(super) fn close<'a>(
    visitor: &'a Visitor,
    at: &'a Place,
    found: &'a MatchingParcel,
    key: String,
) -> Close<'a> {
    Close {
        frame: framed(visitor, &found.parcel.number),
        hidden: at.fields(),
        scan: Scan::unit("Found one more? Scan it"),
        sheet: Sheet::new(found),
        key,
        back: at.address(),
    }
}
