//! Sets up a new demo: an operator adds the merchants, the carrier, the warehouse, and the people
//! who log in to the console.

use app::merchants::add_merchant::AddedMerchant;
use axum::Router;
use domain::access::operator::Role;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sim::CarrierSettings;

use crate::{
    api::{Api, Caller},
    state::State,
};

pub(crate) const MERCHANT: &str = "acme";
pub(crate) const MERCHANT_NAME: &str = "Acme Outfitters";
const OTHER_MERCHANT: &str = "harbor";
const OTHER_MERCHANT_NAME: &str = "Harbor & Pine";
/// Nothing listens here, so that operators have failed messages.
const DEAD_URL: &str = "http://127.0.0.1:1";

impl Api {
    pub(crate) fn new(router: &Router, state: &State) -> Self {
        let of = |it: &AddedMerchant| Caller::new(router, &it.client_id, &it.client_secret);
        let (carrier, warehouse) = (&state.carrier, &state.warehouse);
        Self {
            merchant: of(&state.merchant),
            other_merchant: of(&state.other_merchant),
            carrier: Caller::new(router, &carrier.client_id, &carrier.client_secret),
            warehouse: Caller::new(router, &warehouse.client_id, &warehouse.client_secret),
        }
    }
}

/// Adds the merchants, systems and people. The merchant's server does not run yet.
pub(crate) async fn add_actors(operator: &Caller, first_start_us: i64) -> anyhow::Result<State> {
    let merchant = json!({
        "merchant": MERCHANT, "name": MERCHANT_NAME, "carrier": "simulated",
        "managed_receiving": true,
    });
    let other_merchant =
        json!({ "merchant": OTHER_MERCHANT, "name": OTHER_MERCHANT_NAME, "carrier": "external" });
    let client = |name: &str, scope: &str| json!({ "name": name, "scope": scope });
    let carrier = client("Parcel carrier", "carrier:write");
    let warehouse = client("Warehouse scanners", "warehouse:write");
    let person = |name: &str, role: Role| json!({ "operator": name, "role": role });
    let operator_login = person("operator", Role::Operator);
    let warehouse_login = person("warehouse", Role::Warehouse);
    let merchant_login =
        json!({ "operator": "merchant", "role": Role::Merchant, "merchant": MERCHANT });
    let state = State {
        merchant: add(operator, "/admin/merchants", &merchant).await?,
        other_merchant: add(operator, "/admin/merchants", &other_merchant).await?,
        carrier: add(operator, "/admin/clients", &carrier).await?,
        warehouse: add(operator, "/admin/clients", &warehouse).await?,
        logins: vec![
            add(operator, "/admin/operators", &operator_login).await?,
            add(operator, "/admin/operators", &warehouse_login).await?,
            add(operator, "/admin/operators", &merchant_login).await?,
        ],
        merchant_port: 0,
        first_start_us,
        ahead_us: 0,
        starts: 0,
        complete: false,
    };
    let path = |merchant: &str, rest: &str| format!("/admin/merchants/{merchant}{rest}");
    operator.put(&path(MERCHANT, "/policy"), &policy()).await?;
    operator.patch(&path(MERCHANT, ""), &json!({ "return_address": return_address() })).await?;
    let dead = json!({ "base_url": DEAD_URL });
    operator.put(&path(OTHER_MERCHANT, "/endpoints"), &dead).await?;
    Ok(state)
}

/// What a person with this role can do in a demo: a heading and a sentence.
pub(crate) fn describe_role(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Operator => (
            "Solve problems as an operator",
            "Messages are in the failure queue, a refund matches two returns, one refund is a \
             cent short, one was paid twice, and the server of one merchant is down.",
        ),
        Role::Warehouse => (
            "Receive a parcel in the warehouse",
            "Scan or type the tracking number on the label of your return, and record what is in \
             the parcel.",
        ),
        Role::Merchant => (
            "Look after the integration as a merchant",
            "See every message that was sent to you, send some again, check your endpoints, and \
             change the words of your portal. Other merchants do not exist for this login.",
        ),
    }
}

async fn add<T: DeserializeOwned>(
    operator: &Caller,
    path: &str,
    body: &Value,
) -> anyhow::Result<T> {
    Ok(serde_json::from_value(operator.post(path, body).await?)?)
}

/// Sets the endpoint of the merchant's server.
pub(crate) async fn connect(operator: &Caller, url: &str) -> anyhow::Result<()> {
    let path = format!("/admin/merchants/{MERCHANT}/endpoints");
    operator.put(&path, &json!({ "base_url": url })).await.map(drop)
}

/// Lets the merchant buy its labels at the simulated carrier.
pub(crate) async fn connect_carrier(operator: &Caller, api_url: &str) -> anyhow::Result<()> {
    let path = format!("/admin/merchants/{MERCHANT}/carrier");
    let account = json!({
        "api_key": "demo", "url": api_url, "webhook_secret": CarrierSettings::default().webhook_secret,
    });
    operator.put(&path, &account).await.map(drop)
}

/// Sends the merchant's mails to the simulated mailbox.
pub(crate) async fn connect_mailbox(operator: &Caller, port: u16) -> anyhow::Result<()> {
    let path = format!("/admin/merchants/{MERCHANT}/mail");
    let server = json!({
        "host": "127.0.0.1", "port": port, "security": "none",
        "from": "returns@acme.example",
    });
    operator.put(&path, &json!({ "server": server })).await.map(drop)
}

/// Where the simulated carrier reports what happens to parcels.
pub(crate) fn webhook_url(address: &str) -> String {
    format!("{address}/carriers/easypost/{MERCHANT}/webhooks")
}

fn policy() -> Value {
    let tag = |tag: &str, effect: &str| json!({ "tag": tag, "effect": effect });
    json!({
        "window_days": 30,
        "tags": [
            tag("final_sale", "final_sale"), tag("gift_card", "gift_card"),
            tag("customer_service", "customer_service"),
            { "tag": "outlet", "effect": "window", "days": 14 },
        ],
        "methods": [
            { "method": "mail-back", "fee_cents": 0 },
            { "method": "express-returns", "countries": ["US"], "unit_weight_max": 5.0 },
            { "method": "home-pickup", "fee_cents": 595, "countries": ["DE", "FR", "ES", "US"] },
            { "method": "customer-keep", "reasons": ["damaged"], "amount_max_cents": 6000 },
        ],
        "gift_returns": true,
        "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 100, "bonus_max_cents": 2000 },
        "refund_at": "carrier_scan",
        "shipping_refunded": "merchant_fault",
    })
}

fn return_address() -> Value {
    json!({
        "name": format!("{MERCHANT_NAME} Returns"), "street1": "77 Mill Road", "city": "Reno",
        "state": "NV", "zip_code": "89502", "country_code": "US",
    })
}
