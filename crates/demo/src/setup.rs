//! The first hour of a demo: an operator adds the merchants, the carrier, the warehouse, and people for the console.

use app::merchants::add_merchant::AddedMerchant;
use axum::Router;
use domain::access::operator::Role;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    api::{Api, Caller},
    state::State,
};

pub(crate) const MERCHANT: &str = "acme";
pub(crate) const MERCHANT_NAME: &str = "Acme Outfitters";
const NEIGHBOUR: &str = "harbor";
const NEIGHBOUR_NAME: &str = "Harbor & Pine";
/// Nobody listens there, so that operators have something that is stuck.
const NOBODYS_URL: &str = "http://127.0.0.1:1";

impl Api {
    pub(crate) fn new(router: &Router, state: &State) -> Self {
        let of = |it: &AddedMerchant| Caller::new(router, &it.client_id, &it.client_secret);
        let (carrier, warehouse) = (&state.carrier, &state.warehouse);
        Self {
            merchant: of(&state.merchant),
            neighbour: of(&state.neighbour),
            carrier: Caller::new(router, &carrier.client_id, &carrier.client_secret),
            warehouse: Caller::new(router, &warehouse.client_id, &warehouse.client_secret),
        }
    }
}

/// Adds everybody. The merchant's server, which is not there yet, will be told its secret.
pub(crate) async fn add_everybody(operator: &Caller, born_us: i64) -> anyhow::Result<State> {
    let merchant = json!({
        "merchant": MERCHANT, "name": MERCHANT_NAME, "carrier": "simulated",
        "managed_receiving": true,
    });
    let neighbour = json!({ "merchant": NEIGHBOUR, "name": NEIGHBOUR_NAME, "carrier": "external" });
    let client = |name: &str, scope: &str| json!({ "name": name, "scope": scope });
    let carrier = client("Parcel carrier", "carrier:write");
    let warehouse = client("Warehouse scanners", "warehouse:write");
    let person = |name: &str, role: Role| json!({ "operator": name, "role": role });
    let [desk, dock] = [person("operator", Role::Operator), person("warehouse", Role::Warehouse)];
    let state = State {
        merchant: add(operator, "/admin/merchants", &merchant).await?,
        neighbour: add(operator, "/admin/merchants", &neighbour).await?,
        carrier: add(operator, "/admin/clients", &carrier).await?,
        warehouse: add(operator, "/admin/clients", &warehouse).await?,
        logins: vec![
            add(operator, "/admin/operators", &desk).await?,
            add(operator, "/admin/operators", &dock).await?,
        ],
        merchant_port: 0,
        born_us,
        ahead_us: 0,
        starts: 0,
        complete: false,
    };
    let of = |merchant: &str, rest: &str| format!("/admin/merchants/{merchant}{rest}");
    operator.put(&of(MERCHANT, "/policy"), &policy()).await?;
    operator.patch(&of(MERCHANT, ""), &json!({ "return_address": return_address() })).await?;
    let nowhere = json!({ "base_url": NOBODYS_URL });
    operator.put(&of(NEIGHBOUR, "/endpoints"), &nowhere).await?;
    Ok(state)
}

/// What a person of this role can do in a demo, as a heading and in a sentence.
pub(crate) fn purpose(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Operator => (
            "Look after it as an operator",
            "Messages wait in the failure queue, a refund fits two returns, and one merchant’s \
             server is down.",
        ),
        Role::Warehouse => (
            "Receive a parcel in the warehouse",
            "Scan or type the tracking number from the label of your return, and say what is in \
             the parcel.",
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

/// Says where the merchant's server is.
pub(crate) async fn connect(operator: &Caller, url: &str) -> anyhow::Result<()> {
    let path = format!("/admin/merchants/{MERCHANT}/endpoints");
    operator.put(&path, &json!({ "base_url": url })).await.map(drop)
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
