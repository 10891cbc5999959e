//! The routes of the portal. Each handler reads a form, calls a use case and renders a page.

use std::collections::HashSet;

use app::{
    AppError,
    access::authenticate::Caller,
    orders::returnability::{ReturnableOrder, load_returnable_order},
    returns::{
        change_return::{cancel_return, load_return},
        policies::load_policy,
        renew_label::{LabelRequester, renew_label},
        shopper::{Identification, Shopper, ShopperClaim, identify_shopper, list_exchanges},
        start_return::{confirm_return, quote_loaded_return, start_return},
    },
};
use askama::Template;
use axum::{
    Router,
    extract::{Extension, State},
    http::StatusCode,
    response::Response,
    routing::get,
};
use domain::{
    identifier::ClientId,
    orders::order::OrderLine,
    returns::{
        Resolution,
        identifier::RmaId,
        rma::{Rma, RmaEvent, VoidReason, apply},
    },
};

use server::{Web, error::ApiError, guard::RequestOrigin, path::Path};

use crate::{
    choose::{ChoosePage, ReturnOffer, load_variants},
    form::PortalForm,
    proof::{ProofCard, find_missing_proof, may_renew},
    review::ReviewPage,
    selection::{FieldProblem, Selection, read_selection},
    status::{PossibleActions, StatusPage},
    theme,
    visit::{PageFrame, PortalVisit},
    words::wording::cancel_refusal_text,
};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}", get(show_find).post(find_order))
        .route("/portal/{merchant}/look.css", get(theme::serve_style))
        .route("/portal/{merchant}/logo", get(theme::serve_logo))
        .route("/portal/{merchant}/pictures/{token}", get(theme::serve_picture))
        .route("/portal/{merchant}/return", get(show_choose).post(keep_choosing))
        .route("/portal/{merchant}/review", get(show_order).post(review))
        .route("/portal/{merchant}/confirm", get(show_order).post(confirm))
        .route("/portal/{merchant}/returns/{rma}", get(show_status))
        .route("/portal/{merchant}/returns/{rma}/cancel", get(show_return).post(cancel))
        .route("/portal/{merchant}/returns/{rma}/label", get(show_return).post(renew))
}

/// The page that asks for the order.
#[derive(Template)]
#[template(path = "portal/find.html", whitespace = "minimize")]
struct FindPage<'a> {
    frame: PageFrame,
    welcome: &'a str,
    problem: Option<&'static str>,
    order_number: &'a str,
    secret: &'a str,
    /// Whether gifts can be returned, and whether this is one.
    gift_returns: bool,
    gift: bool,
}

pub(crate) async fn render_find(
    visit: &PortalVisit,
    form: &PortalForm,
    status: StatusCode,
    problem: Option<&'static str>,
) -> Result<Response, ApiError> {
    let policy = load_policy(&visit.web.app, &visit.storefront.merchant).await?.policy;
    let words = visit.words();
    let own_texts = visit.storefront.portal.texts_in(visit.language());
    let welcome = own_texts.and_then(|texts| texts.welcome.as_deref());
    let page = FindPage {
        frame: visit.frame(words.find.title, ""),
        welcome: welcome.unwrap_or(words.find.lead),
        problem,
        order_number: form.text("order_number"),
        secret: form.text("secret"),
        gift_returns: policy.gift_returns,
        gift: form.text("gift") == "yes",
    };
    Ok(visit.render(status, &page))
}

async fn show_find(visit: PortalVisit) -> Result<Response, ApiError> {
    render_find(&visit, &PortalForm::default(), StatusCode::OK, None).await
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
        return render_find(&visit, &form, StatusCode::TOO_MANY_REQUESTS, problem).await;
    }
    let claim = ShopperClaim {
        order_number: form.text("order_number"),
        secret: form.text("secret"),
        gift: form.text("gift") == "yes",
    };
    match identify_shopper(&web.app, &visit.storefront.merchant, &claim).await? {
        Identification::Found(shopper) => Ok(visit.admit(&shopper)),
        Identification::NotFound => {
            render_find(&visit, &form, StatusCode::OK, Some(words.find.not_found)).await
        }
        Identification::TooManyFailures => {
            let problem = Some(words.find.too_many_failures);
            render_find(&visit, &form, StatusCode::TOO_MANY_REQUESTS, problem).await
        }
    }
}

async fn show_choose(visit: PortalVisit) -> Result<Response, ApiError> {
    keep_choosing(visit, PortalForm::default()).await
}

/// The page that a form starts at, for a browser that opens the address of the form.
pub(crate) async fn show_order(visit: PortalVisit) -> Response {
    visit.redirect_read("/return")
}

async fn show_return(visit: PortalVisit, Path((_, rma)): Path<(String, String)>) -> Response {
    let Some(rma) = RmaId::parse(&rma) else { return visit.redirect_read("") };
    visit.redirect_read(&format!("/returns/{rma}"))
}

/// The page with the earlier choices, and with one more part if the shopper splits a line.
async fn keep_choosing(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    let Some(shopper) = &visit.shopper else { return Ok(visit.redirect("")) };
    let returnable = load_shoppers_order(&visit, shopper).await?;
    Box::pin(render_choose(&visit, shopper, &returnable, &form.split_line(), Vec::new())).await
}

pub(crate) async fn load_shoppers_order(
    visit: &PortalVisit,
    shopper: &Shopper,
) -> Result<ReturnableOrder, AppError> {
    load_returnable_order(&visit.web.app, &shopper.merchant, &shopper.order_id).await
}

pub(crate) async fn render_choose(
    visit: &PortalVisit,
    shopper: &Shopper,
    returnable: &ReturnableOrder,
    form: &PortalForm,
    mut problems: Vec<FieldProblem>,
) -> Result<Response, ApiError> {
    let offer = ReturnOffer::load(&visit.web.app, shopper, returnable, form).await?;
    if problems.is_empty() {
        problems = offer.find_unavailable(form, visit.words());
    }
    let valid = problems.is_empty();
    let status = if valid { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let proof = ProofCard::for_choice(visit, shopper, returnable, &problems).await?;
    let page = ChoosePage::new(visit, shopper, &offer, form, &problems);
    Ok(visit.render(status, &page.with_proof(proof)))
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
    let returnable = load_shoppers_order(visit, shopper).await?;
    let mut selection = match read_selection(form, shopper, &returnable, visit.words()) {
        Ok(selection) => selection,
        Err(problems) => {
            return Box::pin(render_choose(visit, shopper, &returnable, form, problems)).await;
        }
    };
    if let Some(problem) = find_missing_proof(shopper, &selection.request, visit.words()) {
        return Box::pin(render_choose(visit, shopper, &returnable, form, vec![problem])).await;
    }
    let lines = selection.exchanged_lines(returnable.order());
    let policy = &returnable.policy.policy;
    let offered = load_variants(&visit.web.app, shopper, policy, &lines).await;
    let problems = selection.find_unoffered(&offered, visit.words());
    if !problems.is_empty() {
        return Box::pin(render_choose(visit, shopper, &returnable, form, problems)).await;
    }
    selection.request.language = Some(visit.language());
    let review = ReviewContext { visit, shopper, form, selection: &selection };
    let result = match intent {
        Intent::Review => Box::pin(review.render(&returnable, false)).await,
        Intent::Confirm => start(visit, shopper, form, &selection).await,
    };
    let result = match result {
        Err(AppError::Changed) => Box::pin(review.render(&returnable, true)).await,
        result => result,
    };
    match result {
        Ok(response) => Ok(response),
        Err(error) => {
            let problems = selection.explain_refusal(error, visit.words())?;
            Box::pin(render_choose(visit, shopper, &returnable, form, problems)).await
        }
    }
}

/// The return that a shopper reviews.
struct ReviewContext<'a> {
    visit: &'a PortalVisit,
    shopper: &'a Shopper,
    form: &'a PortalForm,
    selection: &'a Selection,
}

impl ReviewContext<'_> {
    async fn render(
        &self,
        returnable: &ReturnableOrder,
        changed: bool,
    ) -> Result<Response, AppError> {
        let Self { visit, shopper, form, selection } = *self;
        let app = &visit.web.app;
        let caller = shopper.load_caller(app).await?;
        let (scope, request) = (caller.scope(app, None), &selection.request);
        let quoted = quote_loaded_return(scope, caller.settings, request, returnable).await?;
        let exchanged: HashSet<&str> = quoted
            .rma
            .units
            .iter()
            .filter(|unit| unit.goods.resolution == Resolution::Exchange)
            .map(|unit| unit.goods.order_line_item_identifier.as_str())
            .collect();
        let lines = returnable.order().items.iter().enumerate();
        let lines: Vec<(usize, &OrderLine)> =
            lines.filter(|(_, line)| exchanged.contains(line.identifier.as_str())).collect();
        let variants = load_variants(app, shopper, &returnable.policy.policy, &lines).await;
        let page = ReviewPage::new(visit, form, &quoted, &variants, &returnable.policy.policy);
        if changed {
            return Ok(visit.render(StatusCode::CONFLICT, &page.mark_changed()));
        }
        Ok(visit.render(StatusCode::OK, &page))
    }
}

/// Starts the return. The refund must be the one that the shopper saw, if the form names it.
async fn start(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    selection: &Selection,
) -> Result<Response, AppError> {
    let app = &visit.web.app;
    let caller = Caller { request: visit.request, ..shopper.load_caller(app).await? };
    let (request, key) = (&selection.request, form.idempotency_key(shopper));
    let (scope, settings) = (caller.scope(app, key.as_ref()), caller.settings);
    let started = match form.text("total").parse() {
        Ok(total) => confirm_return(scope, settings, request, total).await?,
        Err(_) => start_return(scope, settings, request).await?,
    };
    Ok(visit.redirect(&format!("/returns/{}", started.rma.rma_identifier)))
}

async fn show_status(
    visit: PortalVisit,
    Path((_, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let rma = load_return(&visit.web.app, &visit.storefront.merchant, &rma).await?;
    let visit = visit.for_return(&rma).await?;
    render_status(&visit, &rma, StatusCode::OK, None).await
}

/// The page of a return whose shopper did not prove who they are.
pub(crate) async fn render_unproven_status(
    visit: &PortalVisit,
    rma: &Rma,
    problem: &'static str,
) -> Result<Response, ApiError> {
    let page = load_status(visit, rma, None, Some(problem)).await?;
    Ok(visit.render(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

async fn render_status(
    visit: &PortalVisit,
    rma: &Rma,
    status: StatusCode,
    problem: Option<&'static str>,
) -> Result<Response, ApiError> {
    Ok(visit.render(status, &load_status(visit, rma, problem, None).await?))
}

async fn load_status<'a>(
    visit: &PortalVisit,
    rma: &'a Rma,
    problem: Option<&'static str>,
    proof_problem: Option<&'static str>,
) -> Result<StatusPage<'a>, ApiError> {
    let app = &visit.web.app;
    let exchanges = list_exchanges(app, &visit.storefront.merchant, rma).await?;
    let possible = PossibleActions::of(rma, app.world.now());
    let page = StatusPage::new(visit, rma, &exchanges, possible, problem);
    let Some(shopper) = visit.shopper.as_ref().filter(|_| page.offers_label()) else {
        return Ok(page);
    };
    let proof = ProofCard::for_label(visit, shopper, rma, proof_problem).await?;
    let page = page.with_proof(proof);
    if may_renew(visit, shopper, rma).await? {
        return Ok(page);
    }
    Ok(page.with_renew_advice(visit.words().parcels.renew_unproven))
}

async fn cancel(
    visit: PortalVisit,
    Path((_, rma)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (app, merchant) = (&visit.web.app, &visit.storefront.merchant);
    let before = load_return(app, merchant, &rma).await?;
    if !visit.shopper.as_ref().is_some_and(|shopper| shopper.may_change(&before)) {
        return Ok(visit.redirect(""));
    }
    let client = ClientId::new(merchant, "portal");
    match cancel_return(visit.scope(&client), &rma).await {
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

/// Requests a new label instead of one that the shopper cannot use.
async fn renew(
    visit: PortalVisit,
    Path((_, rma)): Path<(String, String)>,
    form: PortalForm,
) -> Result<Response, ApiError> {
    let (app, merchant) = (&visit.web.app, &visit.storefront.merchant);
    let before = load_return(app, merchant, &rma).await?;
    let Some(shopper) = visit.shopper.as_ref().filter(|it| it.may_change(&before)) else {
        return Ok(visit.redirect(""));
    };
    // A new label costs money and ends the one that the shopper may have.
    if ProofCard::for_label(&visit, shopper, &before, None).await?.is_some() {
        return render_unproven_status(&visit, &before, visit.words().proof.needed).await;
    }
    if !may_renew(&visit, shopper, &before).await? {
        return render_status(&visit, &before, StatusCode::FORBIDDEN, None).await;
    }
    let reason = VoidReason::parse_shopper(form.text("reason"));
    let reason = reason.ok_or_else(|| ApiError::BadRequest("no such reason".to_owned()))?;
    let client = ClientId::new(merchant, "portal");
    match renew_label(visit.scope(&client), LabelRequester::Shopper, &rma, reason).await {
        Ok(rma) => Ok(visit.redirect(&format!("/returns/{}", rma.rma_identifier))),
        Err(AppError::Conflict(_)) => {
            let rma = load_return(app, merchant, &rma).await?;
            let problem = visit.words().parcels.renew_refused;
            render_status(&visit, &rma, StatusCode::CONFLICT, Some(problem)).await
        }
        Err(error) => Err(error.into()),
    }
}
