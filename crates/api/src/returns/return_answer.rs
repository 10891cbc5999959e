//! The response to everything that starts, reads or changes a return.

use axum::response::Response;
use domain::{
    money::statement::Statement,
    returns::{
        message::RmaMessage,
        quote::Quote,
        rma::{Rma, RmaUnit, WrongItem},
    },
    withdrawal::identifier::WithdrawalId,
};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::label_view::{LabelView, view_labels};
use crate::core::json_text::json_response;

/// A return as in the message to the merchant, with its label and links.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReturnAnswer<'a> {
    #[serde(flatten)]
    message: RmaMessage<'a>,
    /// Null until the carrier has created it.
    #[schema(required)]
    label: Option<Label<'a>>,
    /// What the carrier said about each label, also about those that are void.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    labels: Vec<LabelView<'a>>,
    links: Links,
    /// The version of the merchant's policy that applies to the return.
    #[schema(example = 3, minimum = 0)]
    policy_version: i64,
    /// The withdrawal from the contract that started the return, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawal_identifier: Option<&'a WithdrawalId>,
    /// What was promised, what was paid, and what is left.
    statement: Statement,
    /// Units that the warehouse rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    rejected_units: Vec<RejectedUnit<'a>>,
    /// What was in its parcels, does not belong to it, and was rejected.
    #[serde(skip_serializing_if = "<[WrongItem]>::is_empty")]
    #[schema(required = false)]
    wrong_items: &'a [WrongItem],
    /// The amounts of the return. Only in the responses to a quote and to the start of a return.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<Quote>,
}

/// The label that the shopper attaches to the parcel, or shows at the drop-off point.
#[derive(Serialize, ToSchema)]
pub(crate) struct Label<'a> {
    #[schema(example = "9400111899223197428490")]
    tracking_number: &'a str,
    /// A page to print. Anyone who knows this address can open it, until the carrier has the goods
    /// or the label expires.
    #[schema(example = "/labels/RMA-7K3Q-9XWD-2M4T-5H2QK8N4W7RXD3MZT6YB9VCJ1P")]
    url: String,
    /// Until when the carrier accepts it. After that, request a new one.
    #[schema(example = "2026-04-21T10:15:00Z")]
    expires_at: Timestamp,
}

/// A unit that the warehouse rejected.
#[derive(Serialize, ToSchema)]
pub(crate) struct RejectedUnit<'a> {
    #[schema(example = "ORD-100472")]
    order_identifier: &'a str,
    #[schema(example = "ORD-100472-1")]
    order_line_item_identifier: &'a str,
    /// The license plate of the unit.
    #[schema(example = "LP-0093321")]
    unit_identifier: &'a str,
    #[schema(example = "stained")]
    reject_reason: &'a str,
}

/// Addresses on this server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Links {
    /// The return itself.
    #[serde(rename = "self")]
    #[schema(example = "/returns/RMA-7K3Q-9XWD-2M4T")]
    this: String,
    #[schema(example = "/returns/RMA-7K3Q-9XWD-2M4T/cancel")]
    cancel: String,
    #[schema(example = "/labels/RMA-7K3Q-9XWD-2M4T-5H2QK8N4W7RXD3MZT6YB9VCJ1P")]
    label: String,
}

/// The return as text, without a tree of values in between.
pub(super) fn respond(rma: &Rma, quote: Option<Quote>) -> Response {
    let text = serde_json::to_string(&view_return(rma, quote)).expect("the keys are text");
    json_response(text)
}

pub(super) fn view_return(rma: &Rma, quote: Option<Quote>) -> ReturnAnswer<'_> {
    let id = &rma.rma_identifier;
    let tracking_number = rma.units.iter().find_map(|unit| unit.tracking_number.as_deref());
    let label = tracking_number.map(|tracking_number| Label {
        tracking_number,
        url: format!("/labels/{}", rma.label_name()),
        expires_at: rma.labels_expire_at(),
    });
    let links = Links {
        this: format!("/returns/{id}"),
        cancel: format!("/returns/{id}/cancel"),
        label: format!("/labels/{}", rma.label_name()),
    };
    ReturnAnswer {
        message: RmaMessage::of(rma),
        label,
        labels: view_labels(rma),
        links,
        policy_version: rma.policy_version,
        withdrawal_identifier: rma.withdrawal_identifier.as_ref(),
        statement: Statement::of(rma),
        rejected_units: rma.units.iter().filter_map(view_rejection).collect(),
        wrong_items: &rma.wrong_items,
        quote,
    }
}

fn view_rejection(unit: &RmaUnit) -> Option<RejectedUnit<'_>> {
    let receipt = unit.receipt.as_ref()?;
    Some(RejectedUnit {
        order_identifier: &unit.goods.order_identifier,
        order_line_item_identifier: &unit.goods.order_line_item_identifier,
        unit_identifier: &receipt.receipt_identifier,
        reject_reason: receipt.reject_reason.as_deref()?,
    })
}
