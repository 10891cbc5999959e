//! The result of a test message.

use app::messages::message_log::{MessageWithAttempts, load_message};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{
    identifier::{MerchantId, MessageId},
    messages::state::MessageState,
};
use tokio::time::{Duration, sleep};

use crate::{
    access::visit::Member,
    core::frame::{Frame, Section, render_page},
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::{Web, error::ApiError, path::Path, requests::identifiers::parse_merchant};

/// How often, and in which intervals, the page looks for the first attempt before it is shown
/// without one.
const CHECKS_MAX: u32 = 20;
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/merchants/{merchant}/tests/{message}", get(show))
}

pub(super) fn test_url(merchant: &MerchantId, message: &str) -> String {
    format!("/console/merchants/{merchant}/tests/{message}")
}

#[derive(Template)]
#[template(path = "messages/endpoint_test.html", whitespace = "minimize")]
struct EndpointTestPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    detail: MessageWithAttempts,
}

impl EndpointTestPage<'_> {
    fn is_waiting(&self) -> bool {
        self.detail.message.state == MessageState::Waiting
    }

    fn is_delivered(&self) -> bool {
        self.detail.message.state == MessageState::Delivered
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path((merchant, id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let id = MessageId::parse(&id).filter(|id| id.merchant == merchant);
    let detail = wait_for_attempt(&web, &id.ok_or(app::AppError::NotFound("message"))?).await?;
    let title = format!("Endpoint test: {}", detail.message.kind);
    let frame = Frame::new(&visitor, Section::Merchants, title);
    let tabs = MerchantTabs::new(&merchant, MerchantTab::Endpoints);
    Ok(render_page(&visitor, StatusCode::OK, &EndpointTestPage { frame, tabs, detail }))
}

async fn wait_for_attempt(web: &Web, id: &MessageId) -> Result<MessageWithAttempts, ApiError> {
    let mut detail = load_message(&web.app, id).await?;
    for _ in 0..CHECKS_MAX {
        if !detail.attempts.is_empty() {
            break;
        }
        sleep(CHECK_INTERVAL).await;
        detail = load_message(&web.app, id).await?;
    }
    Ok(detail)
}
