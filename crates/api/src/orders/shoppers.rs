//! The data of a shopper, for operators: export it, and erase it.

use app::orders::{
    erase_shopper::{self, ErasureRequest, ShopperErasure},
    shopper_data::{self, ShopperExport, ShopperQuery},
};
use axum::{Json, extract::State};
use domain::{
    faults::Faults,
    json::Json as Document,
    reader::{TEXT_MAX, fields::Fields},
};
use utoipa::ToSchema;

use crate::core::{
    body::JsonRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
};
use server::error::{ApiError, Message};
use server::{Web, json_body::read_object, requests::identifiers::read_merchant};

/// No e-mail address is longer (RFC 5321).
const EMAIL_MAX: usize = 320;
const REASON_MAX: usize = 1_000;

/// Whose data to export.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct ShopperBody {
    /// The shopper's e-mail address, in any case of letters.
    #[schema(example = "dana.whitfield@example.com")]
    email: String,
    /// Only the data that this merchant has. If absent, that of all merchants.
    #[schema(example = "acme")]
    merchant: Option<String>,
    /// Where the page before ended: its `next`.
    after: Option<String>,
}

/// Export the data of a shopper
///
/// Everything that is stored about the shopper with an e-mail address, in any case of letters: a
/// page of orders, their returns, returns of gifts that the shopper got, drop-ship orders to the
/// same people at the same postal codes, withdrawals from the orders, and the messages about all of
/// them.
#[utoipa::path(
    post, path = "/shoppers/export", operation_id = "export_shopper", tag = "Operation",
    request_body(content = ShopperBody, example = json!({
        "email": "dana.whitfield@example.com"
    })),
    responses(
        (status = 200, body = ShopperExport, description = "A page of the data. Empty lists if \
            nothing is stored.",
            example = json!({
                "orders": [], "returns": [], "drop_ship_orders": [], "withdrawals": [],
                "messages": []
            })),
        (status = 409, body = Message, description = "After an upgrade, the data is being made \
            findable.",
            example = json!({ "message": "the keys of shoppers are still being added after an \
                upgrade: try again later" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn export(
    State(web): State<Web>,
    _: Allowed<Admin>,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<Json<ShopperExport>, ApiError> {
    let query = body.read(read_query)?;
    Ok(Json(shopper_data::export_shopper(&web.app, &query).await?))
}

/// Whose data to erase.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct ErasureBody {
    /// The shopper's e-mail address, in any case of letters.
    #[schema(example = "dana.whitfield@example.com")]
    email: String,
    /// Only the data that this merchant has. If absent, that of all merchants.
    #[schema(example = "acme")]
    merchant: Option<String>,
    /// Why the data is erased although something is not finished. The audit trail has it.
    #[schema(example = "demanded by the data protection authority")]
    force_reason: Option<String>,
}

/// Erase the data of a shopper
///
/// Replaces names, addresses, e-mail addresses, telephone numbers and free text in orders, returns,
/// journals, drop-ship orders and stored messages, and removes labels. Goods, amounts, times and
/// identifiers stay. A hundred orders are erased at a time: repeat the request until `complete`.
#[utoipa::path(
    post, path = "/shoppers/erase", operation_id = "erase_shopper", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = ErasureBody, example = json!({
        "email": "dana.whitfield@example.com", "merchant": "acme"
    })),
    responses(
        (status = 200, body = ShopperErasure, description = "What was erased, and which messages \
            about it the merchants have.",
            example = json!({
                "complete": true,
                "orders": [{ "merchant": "acme", "identifier": "ORD-100472" }],
                "returns": [{ "merchant": "acme", "identifier": "RMA-7K3Q-9XWD-2M4T" }],
                "drop_ship_orders": [],
                "messages": []
            })),
        (status = 409, body = Message, description = "Something is not finished. Nothing was \
            erased.",
            example = json!({ "message": "not everything is finished: return RMA-7K3Q-9XWD-2M4T \
                is not finished" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn erase(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<Json<ShopperErasure>, ApiError> {
    let request = body.read(read_erasure)?;
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(erase_shopper::erase_shopper(scope, &request).await?))
}

fn read_query(document: &Document<'_>) -> Result<ShopperQuery, Faults> {
    read_object(document, |at| {
        let after = at.optional("after", |at| at.text(1..=TEXT_MAX).map(str::to_owned));
        Some(ShopperQuery { after, ..read_shopper(at)? })
    })
}

fn read_erasure(document: &Document<'_>) -> Result<ErasureRequest, Faults> {
    read_object(document, |at| {
        let reason = |at: &domain::reader::Reader<'_>| at.text(1..=REASON_MAX).map(str::to_owned);
        let force_reason = at.optional("force_reason", reason);
        Some(ErasureRequest { shopper: read_shopper(at)?, force_reason })
    })
}

fn read_shopper(at: &Fields<'_>) -> Option<ShopperQuery> {
    let email = at.required("email", |at| {
        let text = at.text(3..=EMAIL_MAX)?;
        if text.contains('@') {
            Some(text.to_owned())
        } else {
            at.invalid("must be an e-mail address")
        }
    });
    let merchant = at.optional("merchant", read_merchant);
    Some(ShopperQuery { email: email?, merchant, after: None })
}
