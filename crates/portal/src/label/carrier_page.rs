//! The page with labels that a carrier made: documents to print, or codes to show.

use askama::Template;
use domain::merchants::{language::Language, locale::format_last_day};
use domain::returns::rma::{Label, LabelDocument, Rma};

use super::frame::{CarrierLabel, LabelFrame, LabelPage, ShownDocument};
use crate::words::words_in;

#[derive(Template)]
#[template(path = "label/carrier.html", whitespace = "minimize")]
pub(super) struct CarrierPage<'a> {
    frame: LabelFrame<'a>,
    is_pickup: bool,
    /// Whether something must be printed. Otherwise every parcel has a code to show.
    is_printed: bool,
}

impl<'a> CarrierPage<'a> {
    pub(super) fn new(label: &'a LabelPage<'a>, is_pickup: bool) -> Self {
        let words = &words_in(label.language).label;
        let is_printed = label.carrier_labels.iter().any(|it| !it.has_code());
        let heading = if is_printed { words.label } else { words.code };
        Self { frame: LabelFrame::new(label, heading), is_pickup, is_printed }
    }
}

/// The labels of a return that have more than a number, as the page shows them.
pub(super) fn list_carrier_labels<'a>(rma: &'a Rma, language: Language) -> Vec<CarrierLabel<'a>> {
    let words = words_in(language);
    let mut open: Vec<&Label> = rma.open_labels().collect();
    // Labels of several parcels arrive in any order.
    open.sort_by_key(|it| it.details.parcel);
    let has_more = |it: &Label| !it.details.documents.is_empty() || it.details.hand_off.is_some();
    if !open.iter().any(|it| has_more(it)) {
        return Vec::new();
    }
    let show = |label: &&'a Label| CarrierLabel {
        tracking_number: &label.tracking_number,
        label_title: (words.parcels.label_of)(&label.tracking_number),
        code_title: (words.parcels.code_of)(&label.tracking_number),
        documents: list_documents(rma, label),
        hand_off: label.details.hand_off.as_ref(),
        valid_until: label
            .details
            .expires_at
            .map(|at| (words.parcels.valid_until)(&format_last_day(language, at))),
    };
    open.iter().map(show).collect()
}

fn list_documents(rma: &Rma, label: &Label) -> Vec<ShownDocument> {
    let show = |it: &LabelDocument| ShownDocument {
        address: format!("/labels/{}/{}", rma.label_name(), it.sha256),
        format: it.format,
        purpose: it.purpose,
    };
    let mut shown: Vec<ShownDocument> = label.details.documents.iter().map(show).collect();
    // What is shown at the drop-off point stands before what could be printed as well.
    shown.sort_by_key(|it| !it.is_code());
    shown
}

#[cfg(test)]
mod tests {
    use domain::returns::rma::{DocumentFormat, DocumentPurpose};
    use domain::samples;

    use super::*;

    #[test]
    fn a_label_that_expires_at_midnight_is_valid_until_the_day_before() {
        let mut rma = samples::rma();
        for unit in &mut rma.units {
            (unit.tracking, unit.receiving, unit.receipt) = (None, None, None);
        }
        let details = &mut rma.labels[0].details;
        details.expires_at = Some("2026-03-02T00:00:00Z".parse().unwrap());
        details.documents.push(LabelDocument {
            purpose: DocumentPurpose::Label,
            format: DocumentFormat::Pdf,
            sha256: "9f86".to_owned(),
            bytes: 1,
        });

        let labels = list_carrier_labels(&rma, Language::English);

        assert_eq!(labels[0].valid_until.as_deref(), Some("Valid until 1 March 2026."));
    }
}
