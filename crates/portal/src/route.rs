//! The routes of the portal. Each handler reads a form, calls a use case and renders a page.

use app::{
    AppError,
    access::secrets,
    core::scope::{IdempotencyKey, RequestScope},
    exchanges::variants::{LineVariants, list_line_variants},
    orders::returnability::load_returnability,
    returns::{
        change_return::{cancel_return, load_return},
        policies::load_policy,
        shopper::{Identification, Shopper, ShopperClaim, identify_shopper, list_exchanges},
        start_return::{confirm_return, quote_return, start_return},
    },
};
use askama::Template;
use axum::{
    Router,
    extract::{Extension, State},
    http::StatusCode,
    middleware,
    response::Response,
    routing::{get, post},
};
use domain::{
    identifier::ClientId,
    orders::order::Order,
    returns::rma::{Rma, RmaEvent, apply},
};

use server::{Web, error::ApiError, guard::RequestOrigin, path::Path};

use crate::{
    choose::{ChoosePage, ReturnOffer},
    csrf::require_same_origin,
    error_page::show_errors_as_pages,
    form::PortalForm,
    review::ReviewPage,
    selection::{FieldProblem, Selection, read_selection},
    status::StatusPage,
    theme,
    visit::{PageFrame, PortalVisit},
    wording::cancel_refusal_text,
};

const KEY_MAX: usize = 64;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}", get(show_find).post(find_order))
        .route("/portal/{merchant}/look.css", get(theme::serve_style))
        .route("/portal/{merchant}/logo", get(theme::serve_logo))
        .route("/portal/{merchant}/pictures/{token}", get(theme::serve_picture))
        .route("/portal/{merchant}/return", get(show_choose).post(keep_choosing))
        .route("/portal/{merchant}/review", post(review))
        .route("/portal/{merchant}/confirm", post(confirm))
        .route("/portal/{merchant}/returns/{rma}", get(show_status))
        .route("/portal/{merchant}/returns/{rma}/cancel", post(cancel))
        .layer(middleware::from_fn(show_errors_as_pages))
        .layer(middleware::from_fn(require_same_origin))
}

/// The page that asks for the order.
#[derive(Template)]
#[template(path = "portal/find.html", whitespace = "minimize")]
struct FindPage<'a> {
    frame: PageFrame,
    welcome: &'a str,
    problem: Option<&'static str>,
    order_number: &'a str,
    gift: bool,
}

fn render_find(
    visit: &PortalVisit,
    form: &PortalForm,
    status: StatusCode,
    problem: Option<&'static str>,
) -> Response {
    let words = visit.words();
    let own_texts = visit.storefront.portal.texts_in(visit.language());
    let welcome = own_texts.and_then(|texts| texts.welcome.as_deref());
    let page = FindPage {
        frame: visit.frame(words.find.title, ""),
        welcome: welcome.unwrap_or(words.find.lead),
        problem,
        order_number: form.text("order_number"),
        gift: form.text("gift") == "yes",
    };
    visit.render(status, &page)
}

async fn show_find(visit: PortalVisit) -> Response {
    render_find(&visit, &PortalForm::default(), StatusCode::OK, None)
}

async fn find_order(
    State(web): State<Web>,
    visit: PortalVisit,
    Extension(origin): Extension<RequestOrigin>,
    form: PortalForm,
) -> Result<Response, ApiError> {
    let words = visit.words();
    if !web.lookups.check(origin.address, web.started.elapsed()).allowed {
        let problem = Some(words.find.too_many_attempts);
        return Ok(render_find(&visit, &form, StatusCode::TOO_MANY_REQUESTS, problem));
    }
    let claim = ShopperClaim {
        order_number: form.text("order_number"),
        secret: form.text("secret"),
        gift: form.text("gift") == "yes",
    };
    match identify_shopper(&web.app, &visit.storefront.merchant, &claim).await? {
        Identification::Found(shopper) => Ok(visit.admit(&shopper)),
        Identification::NotFound => {
            Ok(render_find(&visit, &form, StatusCode::OK, Some(words.find.not_found)))
        }
        Identification::TooManyFailures => {
            let problem = Some(words.find.too_many_failures);
            Ok(render_find(&visit, &form, StatusCode::TOO_MANY_REQUESTS, problem))
        }
    }
}

async fn show_choose(visit: PortalVisit) -> Result<Response, ApiError> {
    keep_choosing(visit, PortalForm::default()).await
}

/// The page with the earlier choices, and with one more part if the shopper splits a line.
async fn keep_choosing(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    match &visit.shopper {
        Some(shopper) => Box::pin(render_choose(&visit, shopper, &form.split_line(), &[])).await,
        None => Ok(visit.redirect("")),
    }
}

async fn render_choose(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    problems: &[FieldProblem],
) -> Result<Response, ApiError> {
    let app = &visit.web.app;
    let (order, returnability, policy, returns) = tokio::try_join!(
        shopper.load_order(app),
        load_returnability(app, &shopper.merchant, &shopper.order_id),
        load_policy(app, &shopper.merchant),
        shopper.load_returns(app),
    )?;
    let variants = load_variants(&visit.web, shopper, &order).await;
    let offer = ReturnOffer { order, returnability, policy: policy.policy, variants, returns };
    let valid = problems.is_empty();
    let status = if valid { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(visit.render(status, &ChoosePage::new(visit, shopper, &offer, form, problems)))
}

/// The variants that each line can be exchanged for; none where they are unknown.
async fn load_variants(web: &Web, shopper: &Shopper, order: &Order) -> Vec<Option<LineVariants>> {
    let lines = order.items.iter().map(|line| async {
        let id = line.identifier.as_str();
        list_line_variants(&web.app, &shopper.merchant, &shopper.order_id, id).await.ok()
    });
    futures_util::future::join_all(lines).await
}

async fn review(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    submit(&visit, &form, Intent::Review).await
}

async fn confirm(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    submit(&visit, &form, Intent::Confirm).await
}

/// What the shopper wants to do with the selected return.
#[derive(Clone, Copy)]
enum Intent {
    Review,
    Confirm,
}

/// Shows the refund, or starts the return. A refusal appears at the fields that the shopper has to
/// change.
async fn submit(
    visit: &PortalVisit,
    form: &PortalForm,
    intent: Intent,
) -> Result<Response, ApiError> {
    let Some(shopper) = &visit.shopper else { return Ok(visit.redirect("")) };
    let app = &visit.web.app;
    let order = shopper.load_order(app).await?;
    let selection = match read_selection(form, shopper, &order, visit.words()) {
        Ok(selection) => selection,
        Err(problems) => return Box::pin(render_choose(visit, shopper, form, &problems)).await,
    };
    let result = match intent {
        Intent::Review => Box::pin(render_review(visit, shopper, form, &selection, false)).await,
        Intent::Confirm => start(visit, shopper, form, &selection).await,
    };
    let result = match result {
        Err(AppError::Changed) => {
            Box::pin(render_review(visit, shopper, form, &selection, true)).await
        }
        result => result,
    };
    match result {
        Ok(response) => Ok(response),
        Err(error) => {
            let problems = selection.explain_refusal(error, visit.words())?;
            Box::pin(render_choose(visit, shopper, form, &problems)).await
        }
    }
}

async fn render_review(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    selection: &Selection,
    changed: bool,
) -> Result<Response, AppError> {
    let app = &visit.web.app;
    let caller = shopper.load_caller(app).await?;
    let (quoted, policy, order) = tokio::try_join!(
        quote_return(caller.scope(app, None), caller.settings, &selection.request),
        load_policy(app, &shopper.merchant),
        shopper.load_order(app),
    )?;
    let variants = load_variants(&visit.web, shopper, &order).await;
    let page = ReviewPage::new(visit, form, &quoted, &variants, &policy.policy);
    if changed {
        return Ok(visit.render(StatusCode::CONFLICT, &page.mark_changed()));
    }
    Ok(visit.render(StatusCode::OK, &page))
}

/// Starts the return. The refund must be the one that the shopper saw, if the form names it.
async fn start(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    selection: &Selection,
) -> Result<Response, AppError> {
    let app = &visit.web.app;
    let caller = shopper.load_caller(app).await?;
    let (request, key) = (&selection.request, idempotency_key(shopper, form));
    let (scope, settings) = (caller.scope(app, key.as_ref()), caller.settings);
    let started = match form.text("total").parse() {
        Ok(total) => confirm_return(scope, settings, request, total).await?,
        Err(_) => start_return(scope, settings, request).await?,
    };
    Ok(visit.redirect(&format!("/returns/{}", started.rma.rma_identifier)))
}

/// A page that is confirmed twice, by a double click for example, starts only one return.
fn idempotency_key(shopper: &Shopper, form: &PortalForm) -> Option<IdempotencyKey> {
    let key = form.text("key");
    let valid = (1..=KEY_MAX).contains(&key.len()) && key.bytes().all(|it| it.is_ascii_graphic());
    let content = format!("{}\n{:?}", shopper.order_id, form.0);
    let request_hash = secrets::hash(content.as_bytes());
    valid.then(|| IdempotencyKey { key: format!("portal {key}"), request_hash })
}

async fn show_status(
    visit: PortalVisit,
    Path((_, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let rma = load_return(&visit.web.app, &visit.storefront.merchant, &rma).await?;
    render_status(&visit, &rma, StatusCode::OK, None).await
}

async fn render_status(
    visit: &PortalVisit,
    rma: &Rma,
    status: StatusCode,
    problem: Option<&'static str>,
) -> Result<Response, ApiError> {
    let app = &visit.web.app;
    let exchanges = list_exchanges(app, &visit.storefront.merchant, rma).await?;
    let canceled = apply(rma, &RmaEvent::Canceled, app.world.now());
    let cancellable = canceled.is_ok_and(|it| it.changed);
    Ok(visit.render(status, &StatusPage::new(visit, rma, &exchanges, cancellable, problem)))
}

async fn cancel(
    visit: PortalVisit,
    Path((_, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (app, merchant) = (&visit.web.app, &visit.storefront.merchant);
    let client = ClientId::new(merchant, "portal");
    let scope = RequestScope {
        app,
        client: &client,
        address: None,
        merchant: Some(merchant),
        idempotency: None,
    };
    match cancel_return(scope, &rma).await {
        Ok(rma) => Ok(visit.redirect(&format!("/returns/{}", rma.rma_identifier))),
        Err(AppError::Conflict(_)) => {
            let rma = load_return(app, merchant, &rma).await?;
            let refusal = apply(&rma, &RmaEvent::Canceled, app.world.now()).err();
            let words = visit.words();
            let problem = refusal
                .map_or(words.status.too_late, |refusal| cancel_refusal_text(&refusal, words));
            render_status(&visit, &rma, StatusCode::CONFLICT, Some(problem)).await
        }
        Err(error) => Err(error.into()),
    }
}
