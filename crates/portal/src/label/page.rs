//! The page with which a shopper sends goods back: a label to print, or a code to show.
//!
//! What it holds depends on how the goods travel. A parcel gets a label of four by six inches, what
//! carriers and label printers expect, to be cut from ordinary paper or printed on a label as it
//! is. Goods that are handed over without a parcel get a code for a telephone's screen. Before
//! there is a tracking number there is nothing to print: the page says so and looks again when
//! it is asked to. The label is black on white whatever the screen prefers, because it is paper.
//!
//! The page has no script, and asks no other host for anything.

#[cfg(test)]
mod tests;

use askama::Template;
use domain::{merchants::language::Language, orders::order::PostalAddress, returns::ReturnMethod};

use super::{barcode, drawing::Drawing, qr};
use crate::{
    language::Switch,
    words::{TitledText, Words, words},
};
use server::assets::assets;

/// How many characters of the receiver's address fit on one line of the label, and how many such
/// lines leave room for the rest.
const LINE_CHARACTERS: usize = 26;
const LINES_MAX: usize = 5;

/// What the page is about.
#[derive(Clone, Debug)]
pub(crate) struct LabelPage<'a> {
    pub(crate) merchant_name: &'a str,
    pub(crate) rma_identifier: &'a str,
    pub(crate) return_method: ReturnMethod,
    pub(crate) cancelled: bool,
    /// The carrier's number, once there is one.
    pub(crate) tracking_number: Option<&'a str>,
    /// The shopper.
    pub(crate) from: &'a PostalAddress,
    /// Where the goods go.
    pub(crate) to: &'a PostalAddress,
    /// Title, SKU and quantity of what comes back. Without a SKU the text is empty.
    pub(crate) units: Vec<(&'a str, &'a str, u32)>,
    /// When the return was started, in words for the shopper.
    pub(crate) created: &'a str,
    pub(crate) language: Language,
    pub(crate) switch: &'a Switch,
    /// The style sheet with the merchant's colours, if it has any.
    pub(crate) look: Option<&'a str>,
}

/// What every shape of the page has.
struct Frame<'a> {
    /// What the shopper has to do, in two or three words.
    heading: &'static str,
    label: &'a LabelPage<'a>,
    code: &'static str,
    words: &'static Words,
    started: String,
    base_style: String,
    label_style: String,
    icon: String,
}

/// A parcel with a label on it.
#[derive(Template)]
#[template(path = "label/parcel.html", whitespace = "minimize")]
struct Parcel<'a> {
    frame: Frame<'a>,
    tracking_number: &'a str,
    collected: bool,
    tracking_code: Option<Drawing>,
    rma_code: Option<Drawing>,
    from: Vec<String>,
    to: Vec<String>,
    crowded: bool,
}

/// Goods without a parcel, and a code instead of a label.
#[derive(Template)]
#[template(path = "label/drop_off.html", whitespace = "minimize")]
struct DropOff<'a> {
    frame: Frame<'a>,
    tracking_number: &'a str,
    code: Option<Drawing>,
}

/// Nothing to print yet.
#[derive(Template)]
#[template(path = "label/waiting.html", whitespace = "minimize")]
struct Waiting<'a> {
    frame: Frame<'a>,
    awaited: &'static str,
}

/// Nothing to print ever, or no more.
#[derive(Template)]
#[template(path = "label/kept.html", whitespace = "minimize")]
struct Kept<'a> {
    frame: Frame<'a>,
    why: &'static str,
}

/// The page as HTML.
pub(crate) fn page(label: &LabelPage<'_>) -> String {
    let number = label.tracking_number.filter(|number| !number.trim().is_empty());
    let said = &words(label.language).label;
    if label.cancelled {
        return kept(label, said.canceled).render().expect("writing to a string does not fail");
    }
    let rendered = match (label.return_method, number) {
        (ReturnMethod::CustomerKeep, _) => kept(label, said.kept).render(),
        (ReturnMethod::MailBack, Some(number)) => parcel(label, number, false).render(),
        (ReturnMethod::HomePickup, Some(number)) => parcel(label, number, true).render(),
        (ReturnMethod::ExpressReturns, Some(number)) => drop_off(label, number).render(),
        (ReturnMethod::MailBack | ReturnMethod::HomePickup, None) => {
            waiting(label, said.label_pending).render()
        }
        (ReturnMethod::ExpressReturns, None) => waiting(label, said.code_pending).render(),
    };
    rendered.expect("writing to a string does not fail")
}

fn frame<'a>(label: &'a LabelPage<'a>, heading: &'static str) -> Frame<'a> {
    let words = words(label.language);
    Frame {
        heading,
        label,
        code: label.language.code(),
        words,
        started: (words.label.started_on)(label.created),
        base_style: assets().base_style.address(),
        label_style: assets().label_style.address(),
        icon: assets().icon.address(),
    }
}

fn waiting<'a>(label: &'a LabelPage<'a>, said: TitledText) -> Waiting<'a> {
    Waiting { frame: frame(label, said.title), awaited: said.text }
}

fn kept<'a>(label: &'a LabelPage<'a>, said: TitledText) -> Kept<'a> {
    Kept { frame: frame(label, said.title), why: said.text }
}

fn parcel<'a>(label: &'a LabelPage<'a>, number: &'a str, collected: bool) -> Parcel<'a> {
    let rma = label.rma_identifier;
    let said = &words(label.language).label;
    // A number that makes no bar code is still scanned rather than typed.
    let tracking_code = barcode::draw(number)
        .map(|code| code.titled((said.barcode_of_tracking_number)(number)))
        .or_else(|| Some(qr::draw(number)?.titled((said.qr_of_tracking_number)(number))));
    let to = lines(label.to);
    Parcel {
        frame: frame(label, said.label),
        tracking_number: number,
        collected,
        tracking_code,
        rma_code: qr::draw(rma).map(|code| code.titled((said.qr_of_return)(rma))),
        from: lines(label.from),
        crowded: crowded(&to),
        to,
    }
}

/// The code holds both numbers. The return's has no space in it, so the first one parts them.
fn drop_off<'a>(label: &'a LabelPage<'a>, number: &'a str) -> DropOff<'a> {
    let rma = label.rma_identifier;
    let said = &words(label.language).label;
    let title = (said.qr_of_both)(rma, number);
    DropOff {
        frame: frame(label, said.code),
        tracking_number: number,
        code: qr::draw(&format!("{rma} {number}")).map(|code| code.titled(title)),
    }
}

/// An address as it is written on a parcel: without what the country does not have, and without
/// the telephone number, because everybody who carries a parcel reads its label.
fn lines(address: &PostalAddress) -> Vec<String> {
    let place = [address.state.as_str(), address.zip_code.as_str()].map(str::trim);
    let place = place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let town = [address.city.trim(), place.as_str()];
    let separator = if address.state.trim().is_empty() { " " } else { ", " };
    let town = town.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(separator);
    let street2 = address.street2.as_deref().unwrap_or_default();
    let lines = [&address.name, &address.street1, street2, &town, &address.country_code];
    lines.into_iter().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Whether an address is so long that it must be written smaller to keep the label to its size.
fn crowded(address: &[String]) -> bool {
    let rows = address.iter().map(|line| line.chars().count().div_ceil(LINE_CHARACTERS));
    rows.sum::<usize>() > LINES_MAX
}
