//! What the variants of the label's page show, and what they share.

use domain::{
    merchants::language::Language,
    orders::order::PostalAddress,
    returns::{
        ReturnMethod,
        rma::{DocumentFormat, DocumentPurpose, HandOff, LabelState},
    },
};

use crate::{
    language::LanguageSwitch,
    words::{Words, words_in},
};
use server::assets::assets;

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
    /// The packages, if there are several.
    pub(crate) parcels: Vec<LabeledParcel<'a>>,
    /// The labels as the carrier made them. Empty if it only has tracking numbers.
    pub(crate) carrier_labels: Vec<CarrierLabel<'a>>,
    /// The day on which the return was started, in the shopper's language.
    pub(crate) created_on: &'a str,
    pub(crate) language: Language,
    pub(crate) switch: &'a LanguageSwitch,
    /// The address of the merchant's style sheet, if the merchant has colors of its own.
    pub(crate) theme_address: Option<&'a str>,
    /// The address of the withdrawal function, if the shopper may have the right.
    pub(crate) withdrawal_address: Option<&'a str>,
}

/// Equal units of a return.
#[derive(Clone, Debug)]
pub(crate) struct LabelItem<'a> {
    pub(crate) title: &'a str,
    /// Empty if there is none.
    pub(crate) sku: &'a str,
    pub(crate) quantity: u32,
}

/// One of several packages of a return.
#[derive(Clone, Debug)]
pub(crate) struct LabeledParcel<'a> {
    pub(crate) tracking_number: &'a str,
    /// Which of them it is.
    pub(crate) title: String,
    /// What is to be packed into it.
    pub(crate) items: Vec<LabelItem<'a>>,
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

/// A label as its carrier made it.
#[derive(Clone, Debug)]
pub(crate) struct CarrierLabel<'a> {
    pub(crate) tracking_number: &'a str,
    /// What pictures of the label and of the code show.
    pub(crate) label_title: String,
    pub(crate) code_title: String,
    pub(crate) documents: Vec<ShownDocument>,
    pub(crate) hand_off: Option<&'a HandOff>,
    /// The last day, in the shopper's language.
    pub(crate) valid_until: Option<String>,
}

impl CarrierLabel<'_> {
    /// Whether the goods can be handed over without a printed label.
    pub(super) fn has_code(&self) -> bool {
        self.documents.iter().any(ShownDocument::is_code)
            || self.hand_off.is_some_and(|it| it.code.is_some())
    }
}

/// A file of a label.
#[derive(Clone, Debug)]
pub(crate) struct ShownDocument {
    pub(crate) address: String,
    pub(crate) format: DocumentFormat,
    pub(crate) purpose: DocumentPurpose,
}

impl ShownDocument {
    /// Whether the page shows it as a picture.
    pub(super) fn is_picture(&self) -> bool {
        self.format == DocumentFormat::Png
    }

    pub(super) fn is_code(&self) -> bool {
        self.purpose == DocumentPurpose::Code
    }

    pub(super) fn link_text(&self, words: &Words) -> &'static str {
        match self.format {
            DocumentFormat::Pdf => words.parcels.open_pdf,
            DocumentFormat::Png => words.parcels.open_png,
            DocumentFormat::Zpl => words.parcels.download_zpl,
        }
    }
}

impl<'a> LabelPage<'a> {
    /// Which of several packages has this number.
    pub(super) fn parcel(&self, tracking_number: &str) -> Option<&LabeledParcel<'a>> {
        self.parcels.iter().find(|parcel| parcel.tracking_number == tracking_number)
    }
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
