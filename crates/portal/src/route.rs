//! The addresses of the portal. Each handler reads a form, calls a use case and shows a page.

use app::{
    AppError,
    access::secrets,
    core::commit_once::{Repeatable, Request},
    exchanges::variants::{LineVariants, line_variants},
    orders::returnability::returnability,
    returns::{
        change_return::{cancel_return, held_return},
        policies::policy,
        shopper::{Claim, Shopper, exchanges_of, find_order},
        start_return::{confirm_return, quote_return, start_return},
    },
};
use askama::Template;
use axum::{
    Router,
    body::Body,
    extract::{Extension, FromRequest, Request as HttpRequest, State},
    http::{HeaderMap, StatusCode},
    middleware,
    response::Response,
    routing::{get, post},
};
use domain::{
    identifier::ClientId,
    orders::order::Order,
    returns::rma::{Rma, RmaEvent, apply},
};

use super::{
    choose::{Choose, Offer},
    error_page::gate,
    review::Review,
    selection::{Chosen, Form, Problem, chosen},
    status::StatusPage,
    theme,
    visit::{Frame, Visit},
    wording::too_late,
};
use server::{
    Web,
    error::ApiError,
    form::from_form,
    guard::{
        Peer,
        limits::{BODY_TIME_MAX, read_body},
    },
    path::Path,
};

const FORM_MAX_BYTES: usize = 256 << 10;
const KEY_MAX: usize = 64;

pub(crate) fn routes(web: Web) -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}", get(find).post(enter))
        .route("/portal/{merchant}/look.css", get(theme::style))
        .route("/portal/{merchant}/logo", get(theme::logo))
        .route("/portal/{merchant}/pictures/{token}", get(theme::goods))
        .route("/portal/{merchant}/return", get(choose).post(choose_again))
        .route("/portal/{merchant}/review", post(review))
        .route("/portal/{merchant}/confirm", post(confirm))
        .route("/portal/{merchant}/returns/{rma}", get(status))
        .route("/portal/{merchant}/returns/{rma}/cancel", post(cancel))
        .layer(middleware::from_fn_with_state(web, gate))
}

impl FromRequest<Web> for Form {
    type Rejection = ApiError;

    async fn from_request(request: HttpRequest, _: &Web) -> Result<Self, ApiError> {
        let body: Body = request.into_body();
        let body = read_body(body, FORM_MAX_BYTES, BODY_TIME_MAX).await;
        let body = body.map_err(|error| ApiError::of_body(&error, FORM_MAX_BYTES))?;
        Ok(Self(from_form(&body).map_err(ApiError::BadRequest)?))
    }
}

/// Where a shopper says which order it is.
#[derive(Template)]
#[template(path = "portal/find.html", whitespace = "minimize")]
struct Find<'a> {
    frame: Frame,
    welcome: &'a str,
    problem: Option<&'static str>,
    order_number: &'a str,
    gift: bool,
}

fn find_page(visit: &Visit, form: &Form, problem: Option<(StatusCode, &'static str)>) -> Response {
    let words = visit.words();
    let said = visit.front.portal.texts_in(visit.language());
    let welcome = said.and_then(|said| said.welcome.as_deref());
    let page = Find {
        frame: visit.frame(words.find.title, ""),
        welcome: welcome.unwrap_or(words.find.lead),
        problem: problem.map(|(_, words)| words),
        order_number: form.text("order_number"),
        gift: form.text("gift") == "yes",
    };
    visit.page(problem.map_or(StatusCode::OK, |(status, _)| status), &page)
}

async fn find(visit: Visit) -> Response {
    find_page(&visit, &Form(Vec::new()), None)
}

async fn enter(
    State(web): State<Web>,
    visit: Visit,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, ApiError> {
    let address = web.client_address(peer, &headers);
    let words = visit.words();
    if !web.lookups.check(address, web.started.elapsed()).allowed {
        let problem = (StatusCode::TOO_MANY_REQUESTS, words.find.too_many_attempts);
        return Ok(find_page(&visit, &form, Some(problem)));
    }
    let claim = Claim {
        order_number: form.text("order_number"),
        secret: form.text("secret"),
        gift: form.text("gift") == "yes",
    };
    match find_order(&web.app, &visit.front.merchant, &claim).await? {
        Some(shopper) => Ok(visit.admit(&shopper)),
        None => Ok(find_page(&visit, &form, Some((StatusCode::OK, words.find.not_found)))),
    }
}

async fn choose(visit: Visit) -> Result<Response, ApiError> {
    choose_again(visit, Form(Vec::new())).await
}

/// The page with what was chosen before, and one part more when that was asked for.
async fn choose_again(visit: Visit, form: Form) -> Result<Response, ApiError> {
    match &visit.shopper {
        Some(shopper) => Box::pin(choose_page(&visit, shopper, &form.split(), &[])).await,
        None => Ok(visit.redirect("")),
    }
}

async fn choose_page(
    visit: &Visit,
    shopper: &Shopper,
    form: &Form,
    problems: &[Problem],
) -> Result<Response, ApiError> {
    let app = &visit.web.app;
    let (order, judged, policy, returns) = tokio::try_join!(
        shopper.order(app),
        returnability(app, &shopper.merchant, &shopper.order_id),
        policy(app, &shopper.merchant),
        shopper.returns(app),
    )?;
    let variants = variants(&visit.web, shopper, &order).await;
    let offer = Offer { order, judged, policy: policy.policy, variants, returns };
    let fine = problems.is_empty();
    let status = if fine { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(visit.page(status, &Choose::new(visit, shopper, &offer, (form, problems))))
}

/// What each line can be exchanged for; nothing where nobody knows.
async fn variants(web: &Web, shopper: &Shopper, order: &Order) -> Vec<Option<LineVariants>> {
    let ask = order.items.iter().map(|line| async {
        let id = line.identifier.as_str();
        line_variants(&web.app, &shopper.merchant, &shopper.order_id, id).await.ok()
    });
    futures_util::future::join_all(ask).await
}

async fn review(visit: Visit, form: Form) -> Result<Response, ApiError> {
    decide(&visit, &form, Aim::Review).await
}

async fn confirm(visit: Visit, form: Form) -> Result<Response, ApiError> {
    decide(&visit, &form, Aim::Confirm).await
}

/// What a shopper wants of a return that it chose.
#[derive(Clone, Copy)]
enum Aim {
    Review,
    Confirm,
}

/// Shows what was chosen, or does it; what cannot be is told where the shopper can choose otherwise.
async fn decide(visit: &Visit, form: &Form, aim: Aim) -> Result<Response, ApiError> {
    let Some(shopper) = &visit.shopper else { return Ok(visit.redirect("")) };
    let app = &visit.web.app;
    let order = shopper.order(app).await?;
    let asked = match chosen(form, shopper, &order, visit.words()) {
        Ok(asked) => asked,
        Err(problems) => return Box::pin(choose_page(visit, shopper, form, &problems)).await,
    };
    let done = match aim {
        Aim::Review => Box::pin(review_page(visit, shopper, form, (&asked, false))).await,
        Aim::Confirm => confirmed(visit, shopper, form, &asked).await,
    };
    let done = match done {
        Err(AppError::Changed) => Box::pin(review_page(visit, shopper, form, (&asked, true))).await,
        done => done,
    };
    match done {
        Ok(response) => Ok(response),
        Err(error) => {
            let problems = asked.problems(error, visit.words())?;
            Box::pin(choose_page(visit, shopper, form, &problems)).await
        }
    }
}

async fn review_page(
    visit: &Visit,
    shopper: &Shopper,
    form: &Form,
    (asked, changed): (&Chosen, bool),
) -> Result<Response, AppError> {
    let app = &visit.web.app;
    let caller = shopper.caller(app).await?;
    let (begun, policy, order) = tokio::try_join!(
        quote_return(app, &caller, &asked.request),
        policy(app, &shopper.merchant),
        shopper.order(app),
    )?;
    let variants = variants(&visit.web, shopper, &order).await;
    let review = Review::new(visit, form, &begun, (&variants, &policy.policy));
    if changed {
        return Ok(visit.page(StatusCode::CONFLICT, &review.changed()));
    }
    Ok(visit.page(StatusCode::OK, &review))
}

async fn confirmed(
    visit: &Visit,
    shopper: &Shopper,
    form: &Form,
    asked: &Chosen,
) -> Result<Response, AppError> {
    let app = &visit.web.app;
    let caller = shopper.caller(app).await?;
    let (request, repeatable) = (&asked.request, repeatable(shopper, form));
    let begun = match form.text("total").parse() {
        Ok(total) => confirm_return(app, &caller, request, repeatable.as_ref(), total).await?,
        Err(_) => start_return(app, &caller, request, repeatable.as_ref()).await?,
    };
    Ok(visit.redirect(&format!("/returns/{}", begun.rma.rma_identifier)))
}

/// A page that is confirmed twice, by an impatient finger say, begins one return.
fn repeatable(shopper: &Shopper, form: &Form) -> Option<Repeatable> {
    let key = form.text("key");
    let sound = (1..=KEY_MAX).contains(&key.len()) && key.bytes().all(|it| it.is_ascii_graphic());
    let whole = format!("{}\n{:?}", shopper.order_id, form.0);
    let request_hash = secrets::hash(whole.as_bytes());
    sound.then(|| Repeatable { key: format!("portal {key}"), request_hash })
}

async fn status(
    visit: Visit,
    Path((_, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let rma = held_return(&visit.web.app, &visit.front.merchant, &rma).await?;
    status_page(&visit, &rma, (StatusCode::OK, None)).await
}

async fn status_page(
    visit: &Visit,
    rma: &Rma,
    (status, problem): (StatusCode, Option<&'static str>),
) -> Result<Response, ApiError> {
    let app = &visit.web.app;
    let exchanges = exchanges_of(app, &visit.front.merchant, rma).await?;
    let cancelled = apply(rma, &RmaEvent::Canceled, app.world.now());
    let cancellable = cancelled.is_ok_and(|it| it.changed);
    Ok(visit.page(status, &StatusPage::new(visit, rma, &exchanges, (cancellable, problem))))
}

async fn cancel(
    visit: Visit,
    Path((_, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (app, merchant) = (&visit.web.app, &visit.front.merchant);
    let client = ClientId::new(merchant, "portal");
    let request = Request { client: &client, repeatable: None };
    match cancel_return(app, merchant, request, &rma).await {
        Ok(rma) => Ok(visit.redirect(&format!("/returns/{}", rma.rma_identifier))),
        Err(AppError::Conflict(_)) => {
            let rma = held_return(app, merchant, &rma).await?;
            let refusal = apply(&rma, &RmaEvent::Canceled, app.world.now()).err();
            let words = visit.words();
            let why = refusal.map_or(words.status.too_late, |refusal| too_late(&refusal, words));
            status_page(&visit, &rma, (StatusCode::CONFLICT, Some(why))).await
        }
        Err(error) => Err(error.into()),
    }
}
