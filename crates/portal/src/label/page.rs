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
use domain::{
    merchants::language::Language,
    orders::order::PostalAddress,
    returns::{ReturnMethod, rma::LabelState},
};

use super::{
    barcode,
    carrier_page::{CarrierLabel, CarrierPage},
    drawing::Drawing,
    qr,
};
use crate::{
    language::LanguageSwitch,
    words::{TitledText, Words, words_in},
};
use server::assets::assets;

/// One line of the label holds this many characters of the recipient's address.
const LINE_CHARACTERS: usize = 26;
/// The address can have this many lines before it needs smaller type.
const LINES_MAX: usize = 5;

/// The return, as the page shows it.
#[derive(Clone, Debug)]
pub(crate) struct LabelPage<'a> {
    pub(crate) merchant_name: &'a str,
    pub(crate) rma_identifier: &'a str,
    pub(crate) return_method: ReturnMethod,
    pub(crate) state: LabelState,
    /// None until the carrier has assigned it.
    pub(crate) tracking_number: Option<&'a str>,
    /// The shopper's address.
    pub(crate) from: &'a PostalAddress,
    /// The address that the goods are sent to.
    pub(crate) to: &'a PostalAddress,
    pub(crate) items: Vec<LabelItem<'a>>,
    /// The labels as the carrier made them. Empty if it only has tracking numbers.
    pub(crate) carrier_labels: Vec<CarrierLabel<'a>>,
    /// The day on which the return was started, in the shopper's language.
    pub(crate) created_on: &'a str,
    pub(crate) language: Language,
    pub(crate) switch: &'a LanguageSwitch,
    /// The address of the merchant's style sheet, if the merchant has colors of its own.
    pub(crate) theme_address: Option<&'a str>,
}

/// Equal units of a return.
#[derive(Clone, Debug)]
pub(crate) struct LabelItem<'a> {
    pub(crate) title: &'a str,
    /// Empty if there is none.
    pub(crate) sku: &'a str,
    pub(crate) quantity: u32,
}

/// What all variants of the page share.
pub(super) struct LabelFrame<'a> {
    pub(super) heading: &'static str,
    pub(super) label: &'a LabelPage<'a>,
    pub(super) language_code: &'static str,
    pub(super) words: &'static Words,
    pub(super) started_on: String,
    pub(super) base_style: String,
    pub(super) label_style: String,
    pub(super) icon: String,
}

/// A label for a package, and a packing list.
#[derive(Template)]
#[template(path = "label/parcel.html", whitespace = "minimize")]
struct ParcelPage<'a> {
    frame: LabelFrame<'a>,
    tracking_number: &'a str,
    /// Whether the carrier picks it up.
    is_pickup: bool,
    tracking_code: Option<Drawing>,
    rma_code: Option<Drawing>,
    from: Vec<String>,
    to: Vec<String>,
    crowded: bool,
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

impl<'a> LabelFrame<'a> {
    pub(super) fn new(label: &'a LabelPage<'a>, heading: &'static str) -> Self {
        let words = words_in(label.language);
        Self {
            heading,
            label,
            language_code: label.language.code(),
            words,
            started_on: (words.label.started_on)(label.created_on),
            base_style: assets().base_style.address(),
            label_style: assets().label_style.address(),
            icon: assets().icon.address(),
        }
    }
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
        // A number that a barcode cannot hold becomes a QR code, so that it can still be scanned.
        let tracking_code = barcode::draw(number)
            .map(|code| code.with_title((words.barcode_of_tracking_number)(number)))
            .or_else(|| Some(qr::draw(number)?.with_title((words.qr_of_tracking_number)(number))));
        // The phone number is left out: everyone who handles the package can read the label.
        let to = label.to.lines();
        Self {
            frame: LabelFrame::new(label, words.label),
            tracking_number: number,
            is_pickup,
            tracking_code,
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
