//! The calls to a merchant's systems, as `webhooks` of the description.
//!
//! The macros describe routes of ours, and these are routes of others. So this part of the document
//! is written here, from the types that the messages are made of and their samples.

use domain::{
    exchanges::order::ExchangeOrder,
    messages::{kind::MessageKind, mail::Mail},
    orders::order::Variant,
    returns::message::RmaMessage,
    samples,
    warehouse::{
        drop_ship::{CancellationOrder, ConfirmationShipment, PartialCancellationOrder},
        outbound_message::OutboundAsn,
        receipt_message::InventoryReceipt,
    },
    withdrawal::record::WithdrawalRecord,
};
use serde_json::{Map, Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

use crate::docs::message_schema::SCHEMAS;

/// Adds what we send, with its headers and schemas.
pub(super) fn add_webhooks(document: &mut Value) {
    let mut schemas = Map::new();
    let mut webhooks = Map::new();
    for kind in MessageKind::to_merchant() {
        let webhook = match (body_schema(kind, &mut schemas), samples::message(kind)) {
            (Some(schema), Some(sample)) => message_webhook(kind, &schema, sample, &mut schemas),
            (None, _) | (_, None) => variants_webhook(&mut schemas),
        };
        webhooks.insert(kind.name().to_owned(), webhook);
    }
    let known = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    if let Some(known) = known {
        for (name, schema) in schemas {
            known.entry(name).or_insert(schema);
        }
        known.sort_keys();
    }
    if let Some(fields) = document.as_object_mut() {
        fields.insert("webhooks".to_owned(), Value::Object(webhooks));
    }
}

/// The schema of a message. None for a call without a body.
fn body_schema(kind: MessageKind, schemas: &mut Map<String, Value>) -> Option<Value> {
    Some(match kind {
        MessageKind::Rma => refer::<RmaMessage<'_>>(schemas),
        MessageKind::ExchangeOrder => refer::<ExchangeOrder>(schemas),
        MessageKind::OutboundAsn => refer::<OutboundAsn<'_>>(schemas),
        MessageKind::InventoryReceipt => refer::<InventoryReceipt<'_>>(schemas),
        MessageKind::DropShipmentConfirmation => {
            wrap("shipment", &refer::<ConfirmationShipment<'_>>(schemas))
        }
        MessageKind::DropShipmentCancellation => {
            wrap("order", &refer::<CancellationOrder<'_>>(schemas))
        }
        MessageKind::DropShipmentPartialCancellation => {
            wrap("order", &refer::<PartialCancellationOrder<'_>>(schemas))
        }
        MessageKind::Withdrawal => refer::<WithdrawalRecord>(schemas),
        MessageKind::Mail => refer::<Mail>(schemas),
        MessageKind::ExchangeVariants | MessageKind::CarrierRequest => return None,
    })
}

const fn summary(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Rma => "A return started or changed",
        MessageKind::ExchangeVariants => "Which variants can a shopper get instead?",
        MessageKind::ExchangeOrder => "Place the order that replaces returned units",
        MessageKind::OutboundAsn => "Units leave the warehouse",
        MessageKind::InventoryReceipt => "The warehouse received a unit",
        MessageKind::DropShipmentConfirmation => "Units of a drop-ship order were shipped",
        MessageKind::DropShipmentCancellation => "A drop-ship order was rejected or cancelled",
        MessageKind::DropShipmentPartialCancellation => "Units of a drop-ship order were cancelled",
        MessageKind::Withdrawal => "A shopper withdrew from a contract",
        MessageKind::Mail => "A mail for a shopper, which you send",
        MessageKind::CarrierRequest => "",
    }
}

fn message_webhook(
    kind: MessageKind,
    schema: &Value,
    sample: &str,
    schemas: &mut Map<String, Value>,
) -> Value {
    let sample: Value = serde_json::from_str(sample).unwrap_or_default();
    let mut parameters = headers(kind);
    parameters.extend(message_headers());
    json!({
        "post": {
            "operationId": format!("receive_{kind}"),
            "summary": summary(kind),
            "description": describe(kind),
            "tags": ["Messages to you"],
            "parameters": parameters,
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": schema, "example": sample } }
            },
            "responses": responses(kind, schemas),
            "security": [{}],
        }
    })
}

fn variants_webhook(schemas: &mut Map<String, Value>) -> Value {
    let kind = MessageKind::ExchangeVariants;
    let example = json!([{
        "sku": "TEE-NAVY-L", "title": "Organic cotton tee, navy, L", "quantity_in_stock": 14
    }]);
    let variants = json!({ "type": "array", "items": refer::<Variant>(schemas) });
    json!({
        "get": {
            "operationId": "list_your_variants",
            "summary": summary(kind),
            "description": describe(kind),
            "tags": ["Messages to you"],
            "parameters": headers(kind),
            "responses": {
                "200": {
                    "description": "The variants of the product. Respond within three seconds.",
                    "content": { "application/json": {
                        "schema": variants, "example": example
                    } }
                },
                "404": { "description": "The product has no variants." },
            },
            "security": [{}],
        }
    })
}

fn describe(kind: MessageKind) -> String {
    let path = kind.default_path().unwrap_or_default();
    format!("To `{path}` under your base address, unless you have set another address for it.")
}

fn responses(kind: MessageKind, schemas: &mut Map<String, Value>) -> Value {
    let accepted = if kind == MessageKind::ExchangeOrder {
        schemas.entry("PlacedExchangeOrder").or_insert_with(placed_order);
        json!({
            "description": "The order is placed. If the same `original_order_id` comes again, \
                            respond with the same order and place no other.",
            "content": { "application/json": {
                "schema": { "$ref": format!("{SCHEMAS}PlacedExchangeOrder") },
                "example": {
                    "order_identifier": "EX-100001", "total_amount_cents": 9200,
                    "product_amount_cents": 9110, "tax_amount_cents": 340
                }
            } }
        })
    } else {
        json!({ "description": "You have stored the message. The body is kept for debugging only." })
    };
    json!({
        "2XX": accepted,
        "4XX": { "description": "You refuse the call. It is retried like after any failure; after \
                                 401 once at once, with a new token." },
        "5XX": { "description": "You cannot handle the call now. It is retried." },
    })
}

/// What a merchant may say about an exchange order that it placed.
fn placed_order() -> Value {
    let amount = |description: &str| json!({ "type": "integer", "format": "int64", "minimum": 0, "description": description });
    json!({
        "type": "object",
        "description": "An exchange order that you placed. Every field may be absent.",
        "properties": {
            "order_identifier": { "type": "string", "description": "What you call the order." },
            "total_amount_cents": amount("Its total, with tax and shipping."),
            "product_amount_cents": amount("Its goods, without tax."),
            "tax_amount_cents": amount("Its tax."),
        }
    })
}

/// The headers of every call.
fn headers(kind: MessageKind) -> Vec<Value> {
    vec![
        header(
            "webhook-id",
            "Identifies the message; the same on every attempt and on a replay.",
            &json!("msg_acme_42"),
        ),
        header("webhook-timestamp", "When the call was signed, in seconds.", &json!(1_771_085_530)),
        header(
            "webhook-signature",
            "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` with your signing secret; \
             two of them, separated by a space, while the secret is rotated. Accept the call if \
             one of them fits.",
            &json!("v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
        ),
        header("X-Service-Event", "The kind of the call.", &json!(kind.name())),
        header("X-Service-Api-Version", "The version of the body.", &json!(kind.api_version())),
    ]
}

/// The headers that only messages have.
fn message_headers() -> Vec<Value> {
    let asked = "`true` if you asked for it again. Otherwise absent.";
    let mut replay = header("X-Service-Replay", asked, &json!("true"));
    if let Some(fields) = replay.as_object_mut() {
        fields.insert("required".to_owned(), false.into());
    }
    vec![
        header(
            "X-Service-Sequence",
            "Its number among the messages about the same thing, from 1.",
            &json!(2),
        ),
        header(
            "X-Service-Created",
            "When the message was decided, in seconds.",
            &json!(1_771_085_530),
        ),
        header("X-Service-Attempt", "The number of the attempt, from 1.", &json!(1)),
        replay,
    ]
}

fn header(name: &str, description: &str, example: &Value) -> Value {
    let schema = if example.is_number() { "integer" } else { "string" };
    json!({
        "name": name, "in": "header", "required": true, "description": description,
        "schema": { "type": schema }, "example": example,
    })
}

/// Adds a type with everything that it refers to, and returns the reference to it.
fn refer<T: ToSchema>(schemas: &mut Map<String, Value>) -> Value {
    let mut referenced: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut referenced);
    referenced.push((T::name().into_owned(), <T as PartialSchema>::schema()));
    for (name, schema) in referenced {
        let schema = serde_json::to_value(schema).expect("a schema has string keys");
        schemas.entry(name).or_insert(schema);
    }
    json!({ "$ref": format!("{SCHEMAS}{}", T::name()) })
}

fn wrap(field: &str, schema: &Value) -> Value {
    json!({ "type": "object", "required": [field], "properties": { field: schema } })
}
