//! The page at `/`: links to the parts of this installation or, in a demo, what to try in three
//! minutes.
//!
//! Only a demo has a clock that can be set. Without a demo the address of the clock is not found.

use app::AppError;
use askama::Template;
use axum::{
    Router,
    body::Body,
    extract::State,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY},
    },
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use domain::time::from_micros;

use server::{
    Web,
    assets::{PAGE_HEADERS, assets},
    demo::{COMPLETE, DemoStatus, Guide},
    error::{ApiError, respond},
    form::parse_form,
    guard::limits::{BODY_TIME_MAX, read_body},
    same_origin::is_same_origin,
};

const FORM_MAX_BYTES: usize = 1 << 10;
/// How fast a visitor can let time pass, and what that means.
const SPEEDS: [(u32, &str); 3] =
    [(1, "real time"), (60, "one minute per second"), (3_600, "one hour per second")];

/// Pages load from our own address only, and their forms are sent to it only.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                              base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/", get(show_start)).route("/demo/clock", post(set_clock))
}

#[derive(Template)]
#[template(path = "start/installation.html")]
struct InstallationPage {
    frame: StartFrame,
    environment: &'static str,
}

#[derive(Template)]
#[template(path = "start/demo.html")]
struct DemoPage<'a> {
    frame: StartFrame,
    guide: &'a Guide,
    time: String,
    speeds: Vec<SpeedOption>,
    /// How much of the history is complete, in percent, while it is being created.
    history_percent: Option<u32>,
    problem: Option<String>,
}

struct SpeedOption {
    factor: u32,
    meaning: &'static str,
    chosen: bool,
}

/// What both pages share.
struct StartFrame {
    base_style: String,
    start_style: String,
    icon: String,
}

impl StartFrame {
    fn new() -> Self {
        let shared = assets();
        Self {
            base_style: shared.base_style.address(),
            start_style: shared.start_style.address(),
            icon: shared.icon.address(),
        }
    }
}

async fn show_start(State(web): State<Web>) -> Response {
    if let Some(demo) = &web.settings.demo {
        return render_page(&build_demo_page(demo));
    }
    let environment = web.settings.environment;
    render_page(&InstallationPage { frame: StartFrame::new(), environment })
}

fn build_demo_page(demo: &DemoStatus) -> DemoPage<'_> {
    let now = from_micros(demo.pace().now_us()).unwrap_or_default();
    let speed = demo.pace().speed();
    let choice = |(factor, meaning)| SpeedOption { factor, meaning, chosen: factor == speed };
    DemoPage {
        frame: StartFrame::new(),
        guide: demo.guide(),
        time: now.strftime("%-d %B %Y, %H:%M UTC").to_string(),
        speeds: SPEEDS.into_iter().map(choice).collect(),
        history_percent: Some(demo.progress())
            .filter(|progress| *progress < COMPLETE)
            .map(|progress| progress * 100 / COMPLETE),
        problem: demo.problem(),
    }
}

fn render_page(page: &impl Template) -> Response {
    let html = page.render().expect("writing to a string does not fail");
    let mut response = (PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], Html(html)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    // Under a stricter policy, browsers would not say where a form comes from.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

async fn set_clock(
    State(web): State<Web>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let demo = web.settings.demo.as_ref().ok_or(AppError::NotFound("clock"))?;
    if !is_same_origin(&headers) {
        return Ok(respond(StatusCode::FORBIDDEN, "the form was sent from another site"));
    }
    let body = read_body(body, FORM_MAX_BYTES, BODY_TIME_MAX).await;
    let body = body.map_err(|error| ApiError::of_body(&error, FORM_MAX_BYTES))?;
    let form = parse_form(&body).map_err(ApiError::BadRequest)?;
    let requested = form.iter().find(|(name, _)| name == "speed").map(|(_, value)| value);
    let speed = SPEEDS.iter().find(|(factor, _)| requested == Some(&factor.to_string()));
    let (speed, _) =
        speed.ok_or_else(|| ApiError::BadRequest("speed must be 1, 60 or 3600".to_owned()))?;
    // Until the history is complete, the simulation sets the clock.
    if demo.progress() == COMPLETE {
        demo.pace().set_speed(*speed);
    }
    Ok((StatusCode::SEE_OTHER, [(LOCATION, "/"), (CACHE_CONTROL, "no-store")]).into_response())
}

#[cfg(test)]
mod tests;
