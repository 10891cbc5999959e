//! The addresses of the portal. Each handler reads a form, calls a use case and shows a page.

use app::{
    AppError,
    change_return::{cancel_return, held_return},
    commit_once::Request,
    portals::front,
    returnability::returnability,
    shopper::{Claim, Shopper, find_order},
    start_return::{quote_return, start_return},
    variants::{LineVariants, line_variants},
};
use askama::Template;
use axum::{
    Router,
    body::Body,
    extract::{Extension, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, LOCATION, SET_COOKIE},
    },
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use domain::{
    identifier::{ClientId, MerchantId},
    order::Order,
    returns::rma::{Event, apply},
};

use super::{
    choice::{Form, request},
    pages::{Choose, Find, Frame, Review, StatusPage},
};
use crate::{
    Web,
    api::{error::ApiError, form::from_form, path::Path},
    assets::PAGE_HEADERS,
    guard::{
        Peer,
        limits::{BODY_TIME_MAX, read_body},
    },
};

/// How often somebody may try to name an order.
pub(crate) const GUESSES_PER_MINUTE: u32 = 20;
const FORM_MAX_BYTES: usize = 256 << 10;
const COOKIE_NAME: &str = "homeward_shopper";
const NOT_FOUND: &str =
    "We cannot find an order with these details. Please check them against your confirmation.";
const TOO_OFTEN: &str = "That was too often in a short time. Please wait a minute and try again.";

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}", get(find).post(enter))
        .route("/portal/{merchant}/return", get(choose))
        .route("/portal/{merchant}/review", post(review))
        .route("/portal/{merchant}/confirm", post(confirm))
        .route("/portal/{merchant}/returns/{rma}", get(status))
        .route("/portal/{merchant}/returns/{rma}/cancel", post(cancel))
}

/// A merchant's portal, as an address names it.
async fn portal(web: &Web, merchant: &str) -> Result<(MerchantId, String), ApiError> {
    let missing = || AppError::NotFound("portal");
    let id = MerchantId::parse(merchant).map_err(|_| missing())?;
    let front = front(&web.app, &id).await?;
    Ok((id, front.name))
}

/// A page, which nobody keeps: it is about a person.
fn page(status: StatusCode, page: &impl Template) -> Response {
    let html = page.render().expect("writing to a string does not fail");
    let policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                  base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    let mut response =
        (status, PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], Html(html)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

fn redirect(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, to), (CACHE_CONTROL, "no-store")]).into_response()
}

async fn form(body: Body) -> Result<Form, ApiError> {
    let body = read_body(body, FORM_MAX_BYTES, BODY_TIME_MAX).await;
    let body = body.map_err(|error| ApiError::of_body(&error, FORM_MAX_BYTES))?;
    Ok(Form(from_form(&body).map_err(ApiError::BadRequest)?))
}

/// The shopper of the pass that the browser sent.
fn shopper(web: &Web, merchant: &MerchantId, headers: &HeaderMap) -> Option<Shopper> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|it| it.split_once('='));
    let (_, pass) = pairs.find(|(name, _)| name.trim() == COOKIE_NAME)?;
    Shopper::of_pass(&web.app, merchant, pass.trim())
}

async fn find(State(web): State<Web>, Path(merchant): Path<String>) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let frame = Frame::new(id.as_str(), &name, "Start a return");
    Ok(page(StatusCode::OK, &Find { frame, problem: None, order_number: "", gift: false }))
}

async fn enter(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let form = form(body).await?;
    let address = web.client_address(peer, &headers);
    let order_number = form.text("order_number");
    let claim =
        Claim { order_number, secret: form.text("secret"), gift: form.text("gift") == "yes" };
    let allowed = web.guesses.check(address, web.started.elapsed()).allowed;
    let found = if allowed { find_order(&web.app, &id, &claim).await? } else { None };
    let Some(shopper) = found else {
        let frame = Frame::new(id.as_str(), &name, "Start a return");
        let problem = Some(if allowed { NOT_FOUND } else { TOO_OFTEN });
        let status = if allowed { StatusCode::OK } else { StatusCode::TOO_MANY_REQUESTS };
        return Ok(page(status, &Find { frame, problem, order_number, gift: claim.gift }));
    };
    let cookie = format!(
        "{COOKIE_NAME}={}; Path=/portal/{id}; Max-Age=3600; HttpOnly; SameSite=Strict",
        shopper.pass(&web.app)
    );
    let mut response = redirect(&format!("/portal/{id}/return"));
    let cookie = HeaderValue::try_from(cookie).expect("a pass is visible ASCII");
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

async fn choose(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let Some(shopper) = shopper(&web, &id, &headers) else {
        return Ok(redirect(&format!("/portal/{id}")));
    };
    choose_page(&web, &shopper, &name, None).await
}

async fn choose_page(
    web: &Web,
    shopper: &Shopper,
    name: &str,
    problem: Option<&str>,
) -> Result<Response, ApiError> {
    let order = shopper.order(&web.app).await?;
    let judged = returnability(&web.app, &shopper.merchant, &shopper.order_id).await?;
    let variants = variants(web, shopper, &order).await;
    let frame = Frame::new(shopper.merchant.as_str(), name, "What would you like to send back?");
    let mut choose = Choose::new(frame, &order, shopper.gift, (&judged, &variants));
    choose.problem = problem;
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(page(status, &choose))
}

/// What each line can be exchanged for; nothing where nobody knows.
async fn variants(web: &Web, shopper: &Shopper, order: &Order) -> Vec<Option<LineVariants>> {
    let ask = order.items.iter().map(|line| async {
        let id = line.identifier.as_str();
        line_variants(&web.app, &shopper.merchant, &shopper.order_id, id).await.ok()
    });
    futures_util::future::join_all(ask).await
}

async fn review(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let Some(shopper) = shopper(&web, &id, &headers) else {
        return Ok(redirect(&format!("/portal/{id}")));
    };
    let form = form(body).await?;
    let order = shopper.order(&web.app).await?;
    let asked = match request(&form, &shopper, &order) {
        Ok(asked) => asked,
        Err(problem) => return choose_page(&web, &shopper, &name, Some(problem)).await,
    };
    let caller = shopper.caller(&web.app).await?;
    match quote_return(&web.app, &caller, &asked).await {
        Ok(begun) => {
            let frame = Frame::new(id.as_str(), &name, "Is this right?");
            Ok(page(StatusCode::OK, &Review::new(frame, &form, &begun)))
        }
        Err(error) => refused(&web, &shopper, &name, error).await,
    }
}

async fn confirm(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let Some(shopper) = shopper(&web, &id, &headers) else {
        return Ok(redirect(&format!("/portal/{id}")));
    };
    let form = form(body).await?;
    let order = shopper.order(&web.app).await?;
    let asked = match request(&form, &shopper, &order) {
        Ok(asked) => asked,
        Err(problem) => return choose_page(&web, &shopper, &name, Some(problem)).await,
    };
    let caller = shopper.caller(&web.app).await?;
    match start_return(&web.app, &caller, &asked, None).await {
        Ok(begun) => Ok(redirect(&format!("/portal/{id}/returns/{}", begun.rma.rma_identifier))),
        Err(error) => refused(&web, &shopper, &name, error).await,
    }
}

/// What a rule refused is shown where the shopper can choose otherwise.
async fn refused(
    web: &Web,
    shopper: &Shopper,
    name: &str,
    error: AppError,
) -> Result<Response, ApiError> {
    let words = if let AppError::Refused(refused) = &error {
        let facts: Vec<&str> = refused.iter().map(|it| it.message.as_str()).collect();
        format!("That is not possible: {}.", facts.join("; "))
    } else if let AppError::Conflict(why) = &error {
        format!("That is not possible any more: {why}.")
    } else {
        return Err(error.into());
    };
    choose_page(web, shopper, name, Some(&words)).await
}

async fn status(
    State(web): State<Web>,
    Path((merchant, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let rma = held_return(&web.app, &id, &rma).await?;
    let frame = Frame::new(id.as_str(), &name, "Your return");
    let cancellable = apply(&rma, &Event::Canceled, web.app.world.now()).is_ok_and(|it| it.changed);
    Ok(page(StatusCode::OK, &StatusPage::new(frame, &rma, cancellable)))
}

async fn cancel(
    State(web): State<Web>,
    Path((merchant, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (id, name) = portal(&web, &merchant).await?;
    let client = ClientId::new(&id, "portal");
    let request = Request { client: &client, repeatable: None };
    match cancel_return(&web.app, &id, request, &rma).await {
        Ok(rma) => Ok(redirect(&format!("/portal/{id}/returns/{}", rma.rma_identifier))),
        Err(AppError::Conflict(why)) => {
            let rma = held_return(&web.app, &id, &rma).await?;
            let frame = Frame::new(id.as_str(), &name, "Your return");
            let mut status = StatusPage::new(frame, &rma, false);
            status.problem = Some(format!("The return cannot be cancelled any more: {why}."));
            Ok(page(StatusCode::CONFLICT, &status))
        }
        Err(error) => Err(error.into()),
    }
}
