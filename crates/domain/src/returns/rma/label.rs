//! Labels: what a shopper attaches to a parcel, as its carrier made it.
//!
//! A return needs one label for each of its parcels. If the shopper cannot use them, they are void
//! and new ones are requested. Labels of the same request have the same generation, so that what
//! arrives late from an earlier request is recognized.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::merchants::picture::PictureKind;

/// A label that the carrier issued.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = IssuedLabel)]
pub struct Label {
    /// Which request the label answers, counted from 1 within the return.
    #[schema(example = 1, minimum = 1)]
    pub generation: i64,
    /// The carrier's tracking number. Units with this number travel with this label.
    #[schema(example = "9400111899223197428490")]
    pub tracking_number: String,
    pub issued_at: Timestamp,
    #[serde(flatten)]
    pub details: LabelDetails,
    /// Why the label must not be used any more.
    pub void: Option<LabelVoid>,
}

/// What else the carrier says about a label.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelDetails {
    /// Which parcel of the return it is for, from 1. Absent: for all goods without a label.
    #[schema(example = 1, minimum = 1)]
    pub parcel: Option<i64>,
    /// The carrier's name.
    #[schema(example = "USPS")]
    pub carrier: Option<String>,
    /// The carrier's name for the kind of transport.
    #[schema(example = "GroundAdvantage")]
    pub service: Option<String>,
    /// What the label cost.
    pub cost: Option<LabelCost>,
    /// When the carrier stops accepting the label.
    pub expires_at: Option<Timestamp>,
    /// What the shopper prints or shows. Without any, we print a page with the tracking number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub documents: Vec<LabelDocument>,
    /// How goods are handed over without a printed label.
    pub hand_off: Option<HandOff>,
}

/// What a label cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelCost {
    /// In minor units of the currency.
    #[schema(example = 612, minimum = 0)]
    pub amount_cents: i64,
    /// ISO 4217 code.
    #[schema(example = "USD")]
    pub currency: String,
}

/// A file that belongs to a label. Its bytes are stored beside the return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelDocument {
    pub purpose: DocumentPurpose,
    pub format: DocumentFormat,
    /// The SHA-256 hash of the bytes, in hexadecimal digits.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: String,
    /// How many bytes it has.
    #[schema(example = 18432, minimum = 1)]
    pub bytes: usize,
}

/// What a document of a label is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentPurpose {
    /// To be printed and attached to the parcel.
    #[default]
    Label,
    /// To be shown at the drop-off point, which prints the label.
    Code,
}

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentFormat {
    Pdf,
    Png,
    /// The language of label printers.
    Zpl,
}

/// How goods are handed over without a printed label.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandOff {
    /// What the shopper says or shows at the drop-off point.
    #[schema(example = "HB-4471")]
    pub code: Option<String>,
    /// In the carrier's words.
    pub instructions: Option<String>,
    /// Where the goods can be handed over, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub places: Vec<String>,
}

/// The end of a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelVoid {
    pub at: Timestamp,
    pub reason: VoidReason,
}

/// Why a label must not be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// The shopper does not have the label any more.
    Lost,
    Expired,
    /// The goods do not fit what the label is for.
    WrongSize,
    /// The label cannot be read.
    Damaged,
    /// The carrier canceled the label.
    Carrier,
    /// The label was requested and never issued.
    NotIssued,
}

impl Label {
    /// Whether this label had the number, and is void.
    pub(super) fn is_void_number(&self, tracking_number: &str) -> bool {
        self.void.is_some() && self.tracking_number == tracking_number
    }
}

impl VoidReason {
    /// The reasons for which a shopper can request a new label.
    pub const OF_SHOPPERS: [Self; 4] = [Self::Lost, Self::Expired, Self::WrongSize, Self::Damaged];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Expired => "expired",
            Self::WrongSize => "wrong_size",
            Self::Damaged => "damaged",
            Self::Carrier => "carrier",
            Self::NotIssued => "not_issued",
        }
    }

    /// The reason for a new label with this name.
    pub fn parse_request(name: &str) -> Option<Self> {
        let all = Self::OF_SHOPPERS.into_iter().chain([Self::NotIssued]);
        all.into_iter().find(|reason| reason.name() == name)
    }

    /// The reason of a shopper with this name.
    pub fn parse_shopper(name: &str) -> Option<Self> {
        Self::OF_SHOPPERS.into_iter().find(|reason| reason.name() == name)
    }
}

impl DocumentFormat {
    pub const ALL: [Self; 3] = [Self::Pdf, Self::Png, Self::Zpl];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Png => "png",
            Self::Zpl => "zpl",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Png => "image/png",
            Self::Zpl => "application/zpl",
        }
    }

    /// Whether the bytes begin like a document of this format.
    pub fn matches(self, bytes: &[u8]) -> bool {
        match self {
            Self::Pdf => bytes.starts_with(b"%PDF-"),
            Self::Png => PictureKind::of(bytes) == Some(PictureKind::Png),
            Self::Zpl => {
                let text = bytes.trim_ascii_start();
                text.starts_with(b"^XA") || text.starts_with(b"~") || text.starts_with(b"CT~~")
            }
        }
    }
}

impl DocumentPurpose {
    pub const ALL: [Self; 2] = [Self::Label, Self::Code];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Code => "code",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == name)
    }
}
