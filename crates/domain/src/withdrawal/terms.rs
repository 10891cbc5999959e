//! What a merchant sets for the right of withdrawal: part of its return policy.

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::faults::FaultCode;
use crate::orders::order::{Order, OrderLine};
use crate::orders::tags::{has_letters, is_same_tag};
use crate::reader::fields::{Fields, ListElement};
use crate::reader::path::PathStep;
use crate::reader::{IDENTIFIER_MAX, Reader};

const DAYS_MAX: i64 = 90;
const EXCEPTIONS_MAX: usize = 100;

/// The right of withdrawal of consumers in the EU. A field that is left out has its default value.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct WithdrawalTerms {
    /// Whether the portal has the withdrawal function. Turn it off only if the merchant does not
    /// sell to consumers in the EU, or offers the function elsewhere.
    #[schema(value_type = Option<bool>)]
    pub offered: bool,
    /// Whether the merchant informs shoppers about the right of withdrawal before they order. If
    /// not, the period is twelve months longer.
    #[schema(value_type = Option<bool>)]
    pub informed: bool,
    /// How many days a parcel travels, if the order has no `delivered_date`.
    #[schema(value_type = Option<u32>, example = 5, minimum = 0, maximum = 90)]
    pub delivery_days_assumed: u32,
    /// What the least expensive standard delivery costs, with tax. More than this is not refunded
    /// for shipping. Left out: all that was paid for it is.
    #[schema(example = 495, minimum = 0)]
    pub standard_shipping_cents: Option<i64>,
    /// The tags of goods that have no right of withdrawal. At most 100.
    #[schema(value_type = Option<Vec<ExceptionTag>>, max_items = 100)]
    pub exceptions: Vec<ExceptionTag>,
}

/// A tag on a line, or on its whole order, and why there is no right of withdrawal for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExceptionTag {
    /// Only letters and digits count, without case.
    #[schema(example = "made_to_order", min_length = 1, max_length = 255)]
    pub tag: String,
    /// The exception that it states.
    pub exception: WithdrawalException,
}

/// Why there is no right of withdrawal: one of the exceptions of Article 16 of Directive
/// 2011/83/EU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawalException {
    /// Made to the shopper's specifications, or clearly personalized: point (c).
    MadeToOrder,
    /// Deteriorates or expires rapidly: point (d).
    Perishable,
    /// Sealed for reasons of health or hygiene, and unsealed after delivery: point (e).
    SealedHygiene,
    /// Digital content that is not on a tangible medium, and that was begun to be supplied with
    /// the shopper's consent: point (m).
    Digital,
}

impl WithdrawalException {
    pub const ALL: [Self; 4] =
        [Self::MadeToOrder, Self::Perishable, Self::SealedHygiene, Self::Digital];

    pub const fn name(self) -> &'static str {
        match self {
            Self::MadeToOrder => "made_to_order",
            Self::Perishable => "perishable",
            Self::SealedHygiene => "sealed_hygiene",
            Self::Digital => "digital",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|exception| exception.name() == name)
    }

    /// The letter of its point in Article 16.
    pub const fn letter(self) -> char {
        match self {
            Self::MadeToOrder => 'c',
            Self::Perishable => 'd',
            Self::SealedHygiene => 'e',
            Self::Digital => 'm',
        }
    }

    /// Where the law has it.
    pub fn legal_basis(self) -> String {
        format!("Directive 2011/83/EU, Article 16({})", self.letter())
    }
}

const DEFAULT_EXCEPTIONS: [(&str, WithdrawalException); 7] = [
    ("made_to_order", WithdrawalException::MadeToOrder),
    ("personalized", WithdrawalException::MadeToOrder),
    ("perishable", WithdrawalException::Perishable),
    ("sealed_hygiene", WithdrawalException::SealedHygiene),
    ("hygiene", WithdrawalException::SealedHygiene),
    ("digital", WithdrawalException::Digital),
    ("download", WithdrawalException::Digital),
];

impl Default for WithdrawalTerms {
    fn default() -> Self {
        let exception = |(tag, exception): (&str, WithdrawalException)| ExceptionTag {
            tag: tag.to_owned(),
            exception,
        };
        Self {
            offered: true,
            informed: true,
            delivery_days_assumed: 5,
            standard_shipping_cents: None,
            exceptions: DEFAULT_EXCEPTIONS.map(exception).to_vec(),
        }
    }
}

impl WithdrawalTerms {
    /// The exception that the tags of a line or of its order state, if they state one.
    pub fn exception_of(&self, order: &Order, line: &OrderLine) -> Option<WithdrawalException> {
        let of_tag = |tag: &String| {
            let found = self.exceptions.iter().find(|it| is_same_tag(&it.tag, tag));
            found.map(|it| it.exception)
        };
        line.tags.iter().chain(&order.tags).find_map(of_tag)
    }

    pub(crate) fn read(at: &Fields<'_>) -> Self {
        at.refuse_unknown();
        let default = Self::default();
        let days = at.optional("delivery_days_assumed", |value| value.integer(0..=DAYS_MAX));
        Self {
            offered: at.optional_flag("offered").unwrap_or(default.offered),
            informed: at.optional_flag("informed").unwrap_or(default.informed),
            delivery_days_assumed: days
                .and_then(|days| u32::try_from(days).ok())
                .unwrap_or(default.delivery_days_assumed),
            standard_shipping_cents: at.optional_cents("standard_shipping_cents"),
            exceptions: at.optional("exceptions", read_exceptions).unwrap_or(default.exceptions),
        }
    }
}

fn read_exceptions(value: &Reader<'_>) -> Option<Vec<ExceptionTag>> {
    let tags = value.list(EXCEPTIONS_MAX, |element| element.object(read_exception))?;
    for (number, element) in tags.iter().enumerate() {
        let mut earlier = tags.iter().take(number);
        if element.sound("tag") && earlier.any(|it| is_same_tag(&it.value.tag, &element.value.tag))
        {
            let steps = [PathStep::Index(element.position), PathStep::Key("tag")];
            value.note_at(&steps, FaultCode::Invalid, "must be unique");
        }
    }
    Some(tags.into_iter().map(|tag| tag.value).collect())
}

fn read_exception(at: &Fields<'_>) -> ListElement<ExceptionTag> {
    at.refuse_unknown();
    let tag = at.required("tag", |value| match value.text(1..=IDENTIFIER_MAX)? {
        tag if !has_letters(tag) => value.invalid("must have a letter or a digit"),
        tag => Some(tag.to_owned()),
    });
    let exception = at.required("exception", |value| {
        let refused = "must be one of made_to_order, perishable, sealed_hygiene, digital";
        value.named(WithdrawalException::parse, refused)
    });
    at.element(ExceptionTag {
        tag: tag.unwrap_or_default(),
        exception: exception.unwrap_or(WithdrawalException::MadeToOrder),
    })
}
