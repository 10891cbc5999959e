//! The page with a label to print or a code to show.
//!
//! Its content depends on the return method. A package gets a label of four by six inches, the size
//! that carriers and label printers expect, to cut from ordinary paper or to print on label paper.
//! Goods without a package get a code for the screen of a phone. Until there is a tracking number,
//! there is nothing to print: the page says so and has a link that checks again. The label is black
//! on white even on a dark screen, because it is for paper.
//!
//! The page has no script, and loads nothing from other hosts.

#[cfg(test)]
mod tests;

use askama::Template;
use domain::returns::{ReturnMethod, rma::LabelState};

use super::{
    barcode,
    carrier_page::CarrierPage,
    drawing::Drawing,
    frame::{LabelFrame, LabelPage},
    qr,
};
use crate::words::{TitledText, words_in};

/// One line of the label holds this many characters of the recipient's address.
const LINE_CHARACTERS: usize = 26;
/// The address can have this many lines before it needs smaller type.
const LINES_MAX: usize = 5;

/// Labels for packages, and a packing list.
#[derive(Template)]
#[template(path = "label/parcel.html", whitespace = "minimize")]
struct ParcelPage<'a> {
    frame: LabelFrame<'a>,
    /// One for each package.
    labels: Vec<DrawnLabel<'a>>,
    /// Whether the carrier picks them up.
    is_pickup: bool,
    rma_code: Option<Drawing>,
    from: Vec<String>,
    to: Vec<String>,
    crowded: bool,
}

/// What only one label has.
struct DrawnLabel<'a> {
    tracking_number: &'a str,
    tracking_code: Option<Drawing>,
}

/// A code for goods without a package.
#[derive(Template)]
#[template(path = "label/drop_off.html", whitespace = "minimize")]
struct DropOffPage<'a> {
    frame: LabelFrame<'a>,
    tracking_number: &'a str,
    code: Option<Drawing>,
}

/// There is nothing to print yet.
#[derive(Template)]
#[template(path = "label/waiting.html", whitespace = "minimize")]
struct WaitingPage<'a> {
    frame: LabelFrame<'a>,
    text: &'static str,
}

/// There is nothing to print, because the shopper keeps the goods or the return was canceled.
#[derive(Template)]
#[template(path = "label/kept.html", whitespace = "minimize")]
struct KeptPage<'a> {
    frame: LabelFrame<'a>,
    text: &'static str,
}

/// The label cannot be shown anymore.
#[derive(Template)]
#[template(path = "label/closed.html", whitespace = "minimize")]
struct ClosedPage<'a> {
    frame: LabelFrame<'a>,
    text: &'static str,
}

/// Renders the page as HTML.
pub(crate) fn render_label(label: &LabelPage<'_>) -> String {
    let number = label.tracking_number.filter(|number| !number.trim().is_empty());
    let words = &words_in(label.language).label;
    let rendered = match (label.return_method, number) {
        _ if label.state == LabelState::Canceled => KeptPage::new(label, words.canceled).render(),
        _ if label.state == LabelState::Used => ClosedPage::new(label, words.used).render(),
        _ if label.state == LabelState::Expired => ClosedPage::new(label, words.expired).render(),
        (ReturnMethod::CustomerKeep, _) => KeptPage::new(label, words.kept).render(),
        (method, Some(_)) if !label.carrier_labels.is_empty() => {
            CarrierPage::new(label, method == ReturnMethod::HomePickup).render()
        }
        (ReturnMethod::MailBack, Some(number)) => ParcelPage::new(label, number, false).render(),
        (ReturnMethod::HomePickup, Some(number)) => ParcelPage::new(label, number, true).render(),
        (ReturnMethod::ExpressReturns, Some(number)) => DropOffPage::new(label, number).render(),
        (ReturnMethod::MailBack | ReturnMethod::HomePickup, None) => {
            WaitingPage::new(label, words.label_pending).render()
        }
        (ReturnMethod::ExpressReturns, None) => {
            WaitingPage::new(label, words.code_pending).render()
        }
    };
    rendered.expect("writing to a string does not fail")
}

impl<'a> WaitingPage<'a> {
    fn new(label: &'a LabelPage<'a>, words: TitledText) -> Self {
        Self { frame: LabelFrame::new(label, words.title), text: words.text }
    }
}

impl<'a> ClosedPage<'a> {
    fn new(label: &'a LabelPage<'a>, words: TitledText) -> Self {
        Self { frame: LabelFrame::new(label, words.title), text: words.text }
    }
}

impl<'a> KeptPage<'a> {
    fn new(label: &'a LabelPage<'a>, words: TitledText) -> Self {
        Self { frame: LabelFrame::new(label, words.title), text: words.text }
    }
}

impl<'a> ParcelPage<'a> {
    fn new(label: &'a LabelPage<'a>, number: &'a str, is_pickup: bool) -> Self {
        let rma = label.rma_identifier;
        let words = &words_in(label.language).label;
        let draw = |number: &'a str| {
            // A number that a barcode cannot hold becomes a QR code, so that it can still be
            // scanned.
            let qr = || Some(qr::draw(number)?.with_title((words.qr_of_tracking_number)(number)));
            let tracking_code = barcode::draw(number)
                .map(|code| code.with_title((words.barcode_of_tracking_number)(number)))
                .or_else(qr);
            DrawnLabel { tracking_number: number, tracking_code }
        };
        let labels = match label.parcels.as_slice() {
            [] => vec![draw(number)],
            parcels => parcels.iter().map(|parcel| draw(parcel.tracking_number)).collect(),
        };
        // The phone number is left out: everyone who handles the package can read the label.
        let to = label.to.lines();
        Self {
            frame: LabelFrame::new(label, words.label),
            labels,
            is_pickup,
            rma_code: qr::draw(rma).map(|code| code.with_title((words.qr_of_return)(rma))),
            from: label.from.lines(),
            crowded: is_crowded(&to),
            to,
        }
    }
}

impl<'a> DropOffPage<'a> {
    /// The code holds both numbers, separated by a space. The return's number contains none.
    fn new(label: &'a LabelPage<'a>, number: &'a str) -> Self {
        let rma = label.rma_identifier;
        let words = &words_in(label.language).label;
        let title = (words.qr_of_both)(rma, number);
        Self {
            frame: LabelFrame::new(label, words.code),
            tracking_number: number,
            code: qr::draw(&format!("{rma} {number}")).map(|code| code.with_title(title)),
        }
    }
}

/// Whether an address is too long for the label at the normal size of type.
fn is_crowded(address: &[String]) -> bool {
    let rows = address.iter().map(|line| line.chars().count().div_ceil(LINE_CHARACTERS));
    rows.sum::<usize>() > LINES_MAX
}
