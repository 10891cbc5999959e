//! How the actors call Homeward: the same routes with the same tokens as over the network, but in
//! the same process.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use axum::{
    Router,
    body::{Body, to_bytes},
    http::{
        Method, Request, StatusCode,
        header::{AUTHORIZATION, CONTENT_TYPE},
    },
};
use serde_json::{Value, json};
use server::guard::RequestOrigin;
use tower::ServiceExt;

const RESPONSE_MAX_BYTES: usize = 16 << 20;

/// A client with credentials.
pub(crate) struct Caller {
    router: Router,
    client_id: String,
    client_secret: String,
    token: Mutex<Option<String>>,
}

/// The clients of all actors.
pub(crate) struct Api {
    pub(crate) merchant: Caller,
    pub(crate) other_merchant: Caller,
    pub(crate) carrier: Caller,
    pub(crate) warehouse: Caller,
}

impl Caller {
    pub(crate) fn new(router: &Router, client_id: &str, client_secret: &str) -> Self {
        Self {
            router: router.clone(),
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
            token: Mutex::new(None),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(Method::GET, path, &Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(Method::POST, path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(Method::PUT, path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.send(Method::PATCH, path, body).await
    }

    /// Publishes orders.
    pub(crate) async fn publish(&self, orders: &[Value]) -> anyhow::Result<()> {
        let body = json!({ "returns_portal_order": { "orders": orders } });
        self.post("/returns_portal_orders", &body).await.map(drop)
    }

    /// Sends a request with a token. Gets a new one when the old one has expired.
    async fn send(&self, method: Method, path: &str, body: &Value) -> anyhow::Result<Value> {
        let mut token = self.current_token();
        for is_retry in [false, true] {
            let bearer = match token.take() {
                Some(token) => token,
                None => self.log_in().await?,
            };
            let (status, response) = self.exchange(&method, path, body, Some(&bearer)).await?;
            if status == StatusCode::UNAUTHORIZED && !is_retry {
                continue;
            }
            if !status.is_success() {
                let message = response.get("message").and_then(Value::as_str).unwrap_or_default();
                bail!("{method} {path}: {status}: {message}");
            }
            return Ok(response);
        }
        bail!("{method} {path}: the token is refused")
    }

    fn current_token(&self) -> Option<String> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn log_in(&self) -> anyhow::Result<String> {
        let body = json!({
            "grant_type": "client_credentials",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
        });
        let (_, response) = self.exchange(&Method::POST, "/oauth/token", &body, None).await?;
        let token = response.get("access_token").and_then(Value::as_str);
        let token = token.context("the demo's credentials are not accepted")?.to_owned();
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Ok(token)
    }

    async fn exchange(
        &self,
        method: &Method,
        path: &str,
        body: &Value,
        token: Option<&str>,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(CONTENT_TYPE, "application/json")
            .header("api-version", "3")
            .extension(RequestOrigin::own_process());
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let Ok(response) = self.router.clone().oneshot(request.body(body)?).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), RESPONSE_MAX_BYTES).await?;
        Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}
