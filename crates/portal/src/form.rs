//! The forms that shoppers submit.
//!
//! Each line of the order has its own fields. Where its units are returned for different reasons,
//! each part of the line has: `quantity.N.K`, `reason.N.K`, `get.N.K`, `variant.N.K` and
//! `fallback.N.K`, where N is the position of the line and K that of the part. `parts.N` is the
//! number of parts. The elements of the page have the same names with hyphens.

use std::collections::HashMap;

use app::{access::secrets, core::scope::IdempotencyKey, returns::shopper::Shopper};
use axum::extract::{FromRequest, Request};
use server::{
    Web,
    error::ApiError,
    form::parse_form,
    guard::limits::{BODY_TIME_MAX, read_body},
};

/// Enough for the fields of the largest order.
const FORM_MAX_BYTES: usize = 1 << 20;
/// A line can be split into this many parts.
const PARTS_MAX: usize = 10;
const KEY_MAX: usize = 64;

/// The fields of a form.
#[derive(Default)]
pub(super) struct PortalForm {
    fields: Vec<(String, String)>,
    /// Where the first field of each name is. A large order has thousands of fields.
    positions: HashMap<String, usize>,
}

impl FromRequest<Web> for PortalForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &Web) -> Result<Self, ApiError> {
        let body = read_body(request.into_body(), FORM_MAX_BYTES, BODY_TIME_MAX).await;
        let body = body.map_err(|error| ApiError::of_body(&error, FORM_MAX_BYTES))?;
        Ok(Self::new(parse_form(&body).map_err(ApiError::BadRequest)?))
    }
}

impl PortalForm {
    pub(super) fn new(fields: Vec<(String, String)>) -> Self {
        let mut positions = HashMap::with_capacity(fields.len());
        for (position, (name, _)) in fields.iter().enumerate() {
            positions.entry(name.clone()).or_insert(position);
        }
        Self { fields, positions }
    }

    /// The names and values, in the order of the form.
    pub(super) fn fields(&self) -> &[(String, String)] {
        &self.fields
    }

    /// The value of a field; empty if the form lacks it.
    pub(super) fn text(&self, name: &str) -> &str {
        let field = self.positions.get(name).and_then(|position| self.fields.get(*position));
        field.map(|(_, value)| value.trim()).unwrap_or_default()
    }

    /// A page that is confirmed twice, by a double click for example, has an effect once.
    pub(super) fn idempotency_key(&self, shopper: &Shopper) -> Option<IdempotencyKey> {
        let key = self.text("key");
        let valid =
            (1..=KEY_MAX).contains(&key.len()) && key.bytes().all(|it| it.is_ascii_graphic());
        let content = format!("{}\n{:?}", shopper.order_id, self.fields);
        let request_hash = secrets::hash(content.as_bytes());
        valid.then(|| IdempotencyKey { key: format!("portal {key}"), request_hash })
    }

    /// The value of a field of a part of a line.
    pub(super) fn part_text(&self, name: &str, part: LinePart) -> &str {
        self.text(&format!("{name}.{}", part.field_suffix()))
    }

    /// How many units of a part are returned.
    pub(super) fn part_quantity(&self, part: LinePart) -> i64 {
        self.part_text("quantity", part).parse().unwrap_or(0).max(0)
    }

    /// The number of parts of a line.
    pub(super) fn part_count(&self, line: usize) -> usize {
        let parts = self.text(&format!("parts.{line}")).parse().unwrap_or(1);
        parts.clamp(1, PARTS_MAX)
    }

    /// Adds a part to the line that the shopper wants to split.
    pub(super) fn split_line(self) -> Self {
        let line = self.text("split").parse().ok();
        let split =
            line.map(|line| (format!("parts.{line}"), (self.part_count(line) + 1).to_string()));
        let mut fields = self.fields;
        fields.retain(|(field, _)| {
            field != "split" && split.as_ref().is_none_or(|(name, _)| field != name)
        });
        fields.extend(split);
        Self::new(fields)
    }
}

/// A part of a line: units that are returned together, for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePart {
    pub(super) line: usize,
    pub(super) part: usize,
}

impl LinePart {
    /// The end of the names of its fields.
    pub(super) fn field_suffix(self) -> String {
        format!("{}.{}", self.line, self.part)
    }

    /// The end of the identifiers of its elements.
    pub(super) fn element_suffix(self) -> String {
        format!("{}-{}", self.line, self.part)
    }

    /// The identifier of the element that holds a field of this part.
    pub(super) fn element(self, name: &str) -> String {
        format!("{name}-{}", self.element_suffix())
    }
}
