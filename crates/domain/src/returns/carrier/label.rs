//! What a carrier says about a label besides its number, and the files that belong to it.

use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::currency::is_known;
use crate::reader::fields::Fields;
use crate::reader::{IDENTIFIER_MAX, Reader, TEXT_MAX};
use crate::returns::request::PARCELS_MAX;
use crate::returns::rma::{
    DocumentFormat, DocumentPurpose, HandOff, LabelCost, LabelDetails, LabelDocument,
};

/// A document has at most this many bytes.
pub const DOCUMENT_MAX_BYTES: usize = 2 << 20;

/// A label has at most this many documents.
pub const DOCUMENTS_MAX: usize = 4;

/// Instructions have at most this many characters. They are a part of the return.
const INSTRUCTIONS_MAX: usize = 1_000;

/// A label names at most this many places.
const PLACES_MAX: usize = 20;

/// A label, as the carrier reports it.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportedLabel {
    /// Which parcel of the return it is for, from 1. Absent: for the lines of the event, or for all
    /// goods.
    #[schema(example = 1, minimum = 1, maximum = 20)]
    pub parcel: Option<i64>,
    /// The carrier's name.
    #[schema(example = "USPS")]
    pub carrier: Option<String>,
    /// The carrier's name for the kind of transport.
    #[schema(example = "GroundAdvantage")]
    pub service: Option<String>,
    pub cost: Option<LabelCost>,
    /// When the carrier stops accepting the label.
    pub expires_at: Option<Timestamp>,
    /// What the shopper prints or shows, exactly as they get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 4)]
    pub documents: Vec<ReportedDocument>,
    /// How goods are handed over without a printed label.
    pub hand_off: Option<HandOff>,
}

/// A file that belongs to a label. It has either `content` or `url`.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportedDocument {
    /// Without a purpose it is a label to print.
    #[serde(default)]
    #[schema(required = false)]
    pub purpose: DocumentPurpose,
    pub format: DocumentFormat,
    /// The bytes in base64, at most 2 MiB of them.
    #[serde(default, with = "base64_text")]
    #[schema(value_type = Option<String>, format = Byte)]
    pub content: Option<Vec<u8>>,
    /// Where we fetch the bytes, once: an https address.
    #[schema(example = "https://labels.carrier.example/l/9400111899223197428490.pdf")]
    pub url: Option<String>,
}

mod base64_text {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(
        content: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        content.as_ref().map(|bytes| STANDARD.encode(bytes)).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|it| STANDARD.decode(it)).transpose().map_err(D::Error::custom)
    }
}

impl ReportedLabel {
    /// What is kept on the return, with these documents.
    pub fn details(&self, documents: Vec<LabelDocument>) -> LabelDetails {
        LabelDetails {
            parcel: self.parcel,
            carrier: self.carrier.clone(),
            service: self.service.clone(),
            cost: self.cost.clone(),
            expires_at: self.expires_at,
            documents,
            hand_off: self.hand_off.clone(),
        }
    }
}

pub(super) fn read_label(at: &Fields<'_>) -> ReportedLabel {
    at.refuse_unknown();
    ReportedLabel {
        parcel: at.optional("parcel", |value| value.integer(1..=PARCELS_MAX)),
        carrier: at.optional_identifier("carrier"),
        service: at.optional_identifier("service"),
        cost: at.optional_object("cost", read_cost),
        expires_at: at.optional_time("expires_at"),
        documents: at
            .optional("documents", |it| it.list(DOCUMENTS_MAX, |it| it.object(read_document)))
            .unwrap_or_default(),
        hand_off: at.optional_object("hand_off", read_hand_off),
    }
}

fn read_cost(at: &Fields<'_>) -> LabelCost {
    at.refuse_unknown();
    LabelCost {
        amount_cents: at.cents("amount_cents"),
        currency: at.text_that("currency", is_known, "must be an ISO 4217 code"),
    }
}

fn read_document(at: &Fields<'_>) -> ReportedDocument {
    at.refuse_unknown();
    let purpose =
        at.optional("purpose", |it| it.named(DocumentPurpose::parse, "must be one of label, code"));
    let format =
        at.required("format", |it| it.named(DocumentFormat::parse, "must be one of pdf, png, zpl"));
    let content = at.optional("content", |it| read_content(it, format));
    let url = at.optional("url", |it| match it.text(1..=TEXT_MAX)? {
        url if url.starts_with("https://") => Some(url.to_owned()),
        _ => it.invalid("must be an https address"),
    });
    if at.sound(&["content", "url"]) {
        match (&content, &url) {
            (None, None) => at.note_neither_of(["content", "url"]),
            (Some(_), Some(_)) => at.note("url", "must be absent if there is content"),
            (Some(_), None) | (None, Some(_)) => (),
        }
    }
    ReportedDocument {
        purpose: purpose.unwrap_or_default(),
        format: format.unwrap_or(DocumentFormat::Pdf),
        content,
        url,
    }
}

fn read_content(at: &Reader<'_>, format: Option<DocumentFormat>) -> Option<Vec<u8>> {
    let text = at.text(1..=usize::MAX)?;
    if text.len() > DOCUMENT_MAX_BYTES.div_ceil(3) * 4 {
        return at.invalid("must have at most 2 MiB");
    }
    let Ok(bytes) = STANDARD.decode(text) else { return at.invalid("must be base64") };
    match check_document(format, &bytes) {
        Ok(()) => Some(bytes),
        Err(reason) => at.invalid(reason),
    }
}

/// Whether the bytes can be stored as a document of the format, or why not.
pub fn check_document(format: Option<DocumentFormat>, bytes: &[u8]) -> Result<(), &'static str> {
    if bytes.len() > DOCUMENT_MAX_BYTES {
        return Err("must have at most 2 MiB");
    }
    match format {
        Some(it) if !it.matches(bytes) => Err(match it {
            DocumentFormat::Pdf => "must begin like a PDF file",
            DocumentFormat::Png => "must begin like a PNG file",
            DocumentFormat::Zpl => "must begin like ZPL, such as ^XA",
        }),
        Some(_) | None => Ok(()),
    }
}

fn read_hand_off(at: &Fields<'_>) -> HandOff {
    at.refuse_unknown();
    let places = at.optional("places", |it| {
        it.list(PLACES_MAX, |it| it.text(1..=IDENTIFIER_MAX).map(str::to_owned))
    });
    HandOff {
        code: at.optional_identifier("code"),
        instructions: at
            .optional("instructions", |it| it.text(0..=INSTRUCTIONS_MAX).map(str::to_owned)),
        places: places.unwrap_or_default(),
    }
}
