//! Variants, stock and exchange orders.

use serde_json::json;
use sim::{Running, Violation};

use crate::client::{TestResponse, call, send, start_plain};

async fn order(running: &Running, id: &str, key: &str, quantity: u32) -> TestResponse {
    let body = json!({
        "original_order_id": key,
        "items": [{ "sku": "TEE-NAVY-L", "quantity": quantity, "unit_price_amount_cents": 4_500 }],
    });
    let headers = [("webhook-id", id)];
    send(running, "POST /exchange_orders", &headers, &body.to_string()).await.unwrap()
}

#[tokio::test]
async fn the_variants_of_a_product_are_an_array_with_pictures() {
    let running = start_plain().await;
    let variants = call(&running, "GET /sku/HARBOUR%2DSHIRT/variants", "").await.json();
    assert_eq!(variants.as_array().unwrap().len(), 12);
    let first = &variants[0];
    assert_eq!(first["sku"], "HARBOUR-SHIRT-INDIGO-S");
    assert_eq!(first["attributes"][0], json!({ "name": "Size", "value": "S" }));

    let address = first["image_url"].as_str().unwrap();
    let path = address.strip_prefix(&running.url()).unwrap();
    let image = call(&running, &format!("GET {path}"), "").await;
    assert_eq!(image.header("content-type"), "image/svg+xml");
    assert!(image.text().starts_with("<svg "));

    assert_eq!(call(&running, "GET /sku/SOCKS/variants", "").await.status, 404);
    assert_eq!(call(&running, "GET /images/SOCKS.svg", "").await.status, 404);
}

#[tokio::test]
async fn an_order_is_placed_once_for_each_original_order() {
    let running = start_plain().await;
    let first = order(&running, "msg_1", "ORD-1", 2).await;
    assert_eq!(
        first.json(),
        json!({
            "order_identifier": "EX-100001",
            "total_amount_cents": 9_720,
            "product_amount_cents": 9_000,
            "tax_amount_cents": 720,
        })
    );
    assert_eq!(order(&running, "msg_1", "ORD-1", 2).await.json(), first.json());
    assert_eq!(running.merchant().stock("TEE-NAVY-L"), Some(23));
    assert_eq!(running.merchant().summary().violations, []);

    let changed = order(&running, "msg_2", "ORD-1", 3).await;
    assert_eq!(changed.json(), first.json());
    let original_order_id = "ORD-1".to_owned();
    let summary = running.merchant().summary();
    assert_eq!(
        summary.violations,
        [Violation::ExchangeOrderChanged { call: 3, original_order_id }]
    );
    assert_eq!((summary.exchange_orders, running.merchant().stock("TEE-NAVY-L")), (1, Some(23)));
}

#[tokio::test]
async fn articles_out_of_stock_cannot_be_ordered() {
    let running = start_plain().await;
    let stock = call(&running, "PUT /sim/stock", r#"{"TEE-NAVY-L": 1}"#).await.json();
    assert_eq!(stock["TEE-NAVY-L"], 1);
    let refused = order(&running, "msg_1", "ORD-1", 2).await;
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["message"], "TEE-NAVY-L is out of stock");
    assert_eq!(order(&running, "msg_2", "ORD-2", 1).await.status, 200);
    assert_eq!(call(&running, "GET /sim/stock", "").await.json()["TEE-NAVY-L"], 0);

    let unknown = call(&running, "PUT /sim/stock", r#"{"TEE-NAVY-L": 9, "SOCKS": 1}"#).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(running.merchant().stock("TEE-NAVY-L"), Some(0));
    assert_eq!(call(&running, "PUT /sim/stock", r#"{"TEE-NAVY-L": -1}"#).await.status, 400);
}

#[tokio::test]
async fn invalid_orders_are_refused() {
    let running = start_plain().await;
    assert_eq!(call(&running, "POST /exchange_orders", "{").await.status, 400);
    let keyless = call(&running, "POST /exchange_orders", "{}").await;
    assert_eq!(keyless.status, 422);
    assert_eq!(keyless.json()["errors"][0]["field"], "$.original_order_id");
}

#[tokio::test]
async fn a_configured_failure_places_no_order() {
    let running = start_plain().await;
    let once = sim::Behavior::status(500).times(1);
    running.merchant().behave(&[once]).unwrap();
    assert_eq!(order(&running, "msg_1", "ORD-1", 1).await.status, 500);
    assert_eq!(running.merchant().summary().exchange_orders, 0);
    assert_eq!(order(&running, "msg_1", "ORD-1", 1).await.status, 200);
}
