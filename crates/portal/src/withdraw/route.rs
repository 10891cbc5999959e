//! The routes of the withdrawal function.

use app::{
    AppError,
    access::authenticate::Caller,
    orders::returnability::{ReturnableOrder, load_returnable_order},
    returns::shopper::{Identification, Shopper, ShopperClaim, identify_shopper},
    withdrawal::{
        acknowledgement::load_acknowledgement,
        declare::{declare_withdrawal, preview_withdrawal},
    },
};
use axum::{
    Router,
    extract::{Extension, RawQuery},
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    },
    response::{IntoResponse, Response},
    routing::get,
};
use domain::withdrawal::{decide::StatementFault, period::is_shipped_to_eu};
use server::{Web, error::ApiError, guard::RequestOrigin, path::Path};

use super::{
    pages::{DonePage, ItemsPage, StartPage, WithdrawalReviewPage},
    statement::{has_email, has_name, keep_statement, read_statement},
};
use crate::{form::PortalForm, visit::PortalVisit};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}/withdraw", get(show_start).post(start))
        .route("/portal/{merchant}/withdraw/items", get(begin).post(choose))
        .route("/portal/{merchant}/withdraw/review", get(begin).post(review))
        .route("/portal/{merchant}/withdraw/confirm", get(begin).post(confirm))
        .route("/portal/{merchant}/withdrawals/{name}", get(show_done))
        .route("/portal/{merchant}/withdrawals/{name}/document", get(download))
}

/// Why the shopper cannot go on, and the status that says so.
#[derive(Clone, Copy, Default)]
struct StartProblem {
    status: StatusCode,
    text: Option<&'static str>,
    /// Whether name and e-mail address are checked.
    checked: bool,
}

fn render_start(visit: &PortalVisit, form: &PortalForm, problem: StartProblem) -> Response {
    let words = &visit.words().withdrawal;
    let other = form.text("other") == "yes" || !form.text("order_number").is_empty();
    let known = withdrawing_shopper(visit).filter(|_| !other);
    let missing = |present: bool, text| Some(text).filter(|_| problem.checked && !present);
    let page = StartPage {
        frame: visit.frame(words.title, "/withdraw"),
        lead: (words.lead)(&visit.storefront.name),
        problem: problem.text,
        name: form.text("name"),
        name_problem: missing(has_name(form), words.need_name),
        email: form.text("email"),
        email_problem: missing(has_email(form), words.need_email),
        known_order: known.map(|shopper| shopper.order_id.clone()),
        order_number: form.text("order_number"),
        secret: form.text("secret"),
    };
    visit.render(problem.status, &page)
}

/// The shopper whose pass is for an order that can be withdrawn from.
fn withdrawing_shopper(visit: &PortalVisit) -> Option<&Shopper> {
    visit.shopper.as_ref().filter(|shopper| shopper.may_withdraw)
}

async fn show_start(visit: PortalVisit, RawQuery(query): RawQuery) -> Result<Response, ApiError> {
    require_offer(&visit)?;
    let other = query.is_some_and(|query| query.split('&').any(|pair| pair == "other=yes"));
    let fields = other.then(|| ("other".to_owned(), "yes".to_owned()));
    let form = PortalForm::new(fields.into_iter().collect());
    Ok(render_start(&visit, &form, StartProblem::default()))
}

/// The page that the forms start at, for a browser that opens the address of a form.
async fn begin(visit: PortalVisit) -> Response {
    visit.redirect_read("/withdraw")
}

fn require_offer(visit: &PortalVisit) -> Result<(), AppError> {
    let offered = visit.storefront.offers_withdrawal;
    offered.then_some(()).ok_or(AppError::NotFound("withdrawal function"))
}

/// Finds the order, and asks for the goods.
async fn start(
    visit: PortalVisit,
    Extension(origin): Extension<RequestOrigin>,
    form: PortalForm,
) -> Result<Response, ApiError> {
    require_offer(&visit)?;
    let refuse = |status, text| {
        Ok(render_start(&visit, &form, StartProblem { status, text, checked: true }))
    };
    if !has_name(&form) || !has_email(&form) {
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, None);
    }
    let (web, words) = (&visit.web, visit.words());
    let known = withdrawing_shopper(&visit).filter(|_| form.text("order_number").is_empty());
    if let Some(shopper) = known {
        return render_items(&visit, shopper, &keep_statement(&form), None).await;
    }
    if !web.lookups.check(origin.address, web.started.elapsed()).allowed {
        return refuse(StatusCode::TOO_MANY_REQUESTS, Some(words.find.too_many_attempts));
    }
    let claim = ShopperClaim {
        order_number: form.text("order_number"),
        secret: form.text("secret"),
        gift: false,
    };
    match identify_shopper(&web.app, &visit.storefront.merchant, &claim).await? {
        Identification::Found(shopper) if !shopper.may_withdraw => {
            refuse(StatusCode::OK, Some(words.withdrawal.not_in_eu))
        }
        Identification::Found(shopper) => {
            let response = render_items(&visit, &shopper, &keep_statement(&form), None).await?;
            Ok(visit.with_pass(response, &shopper))
        }
        Identification::NotFound => refuse(StatusCode::OK, Some(words.find.not_found)),
        Identification::TooManyFailures => {
            refuse(StatusCode::TOO_MANY_REQUESTS, Some(words.find.too_many_failures))
        }
    }
}

async fn choose(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    require_offer(&visit)?;
    let Some(shopper) = withdrawing_shopper(&visit) else { return Ok(visit.redirect("/withdraw")) };
    render_items(&visit, shopper, &keep_statement(&form), None).await
}

/// `form` is what belongs to the statement.
async fn render_items(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    problem: Option<&'static str>,
) -> Result<Response, ApiError> {
    let returnable = load_order(visit, shopper).await?;
    let policy = &returnable.policy.policy;
    let page = ItemsPage::new(visit, form, returnable.order(), policy, problem);
    let valid = problem.is_none();
    let status = if valid { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(visit.render(status, &page))
}

/// The order of the shopper, if the right of withdrawal applies to it.
async fn load_order(visit: &PortalVisit, shopper: &Shopper) -> Result<ReturnableOrder, AppError> {
    let loaded =
        load_returnable_order(&visit.web.app, &shopper.merchant, &shopper.order_id).await?;
    let applies = is_shipped_to_eu(loaded.order());
    applies.then_some(loaded).ok_or(AppError::NotFound("withdrawal function"))
}

async fn review(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    require_offer(&visit)?;
    let Some(shopper) = withdrawing_shopper(&visit) else { return Ok(visit.redirect("/withdraw")) };
    render_review(&visit, shopper, &keep_statement(&form), None).await
}

/// `form` is what belongs to the statement.
async fn render_review(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    problem: Option<&'static str>,
) -> Result<Response, ApiError> {
    if !has_name(form) || !has_email(form) {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(render_start(visit, form, StartProblem { status, text: None, checked: true }));
    }
    let words = &visit.words().withdrawal;
    let returnable = load_order(visit, shopper).await?;
    let statement = read_statement(visit, form, returnable.order());
    let record = preview_withdrawal(&visit.web.app, &shopper.merchant, &returnable, &statement);
    let record = match record {
        Ok(record) => record,
        Err(fault) => {
            let problem = match fault {
                StatementFault::NoItems => words.need_items,
                StatementFault::TooManyUnits => words.too_many_items,
            };
            return render_items(visit, shopper, form, Some(problem)).await;
        }
    };
    let currency = &returnable.order().currency;
    let page = WithdrawalReviewPage::new(visit, form, &record, currency, problem);
    let status = if problem.is_none() { StatusCode::OK } else { StatusCode::CONFLICT };
    Ok(visit.render(status, &page))
}

/// Records the statement.
async fn confirm(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    require_offer(&visit)?;
    let Some(shopper) = withdrawing_shopper(&visit) else { return Ok(visit.redirect("/withdraw")) };
    let kept = keep_statement(&form);
    if !has_name(&kept) || !has_email(&kept) {
        return render_review(&visit, shopper, &kept, None).await;
    }
    let app = &visit.web.app;
    let returnable = load_order(&visit, shopper).await?;
    let statement = read_statement(&visit, &kept, returnable.order());
    let caller = Caller { request: visit.request, ..shopper.load_caller(app).await? };
    let key = form.idempotency_key(shopper);
    let (scope, settings) = (caller.scope(app, key.as_ref()), caller.settings);
    match declare_withdrawal(scope, settings, &shopper.order_id, &statement).await {
        Ok(recorded) => Ok(visit.redirect(&format!("/withdrawals/{}", recorded.page_name()))),
        Err(AppError::Conflict(_)) => {
            let problem = Some(visit.words().withdrawal.not_recorded);
            render_review(&visit, shopper, &kept, problem).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn show_done(
    visit: PortalVisit,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let merchant = &visit.storefront.merchant;
    let acknowledged = load_acknowledgement(&visit.web.app, merchant, &name).await?;
    let order_id = &acknowledged.withdrawal.order_identifier;
    let currency = match load_returnable_order(&visit.web.app, merchant, order_id).await {
        Ok(returnable) => Some(returnable.order().currency.clone()),
        // The record is kept longer than the order.
        Err(AppError::NotFound(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let page = DonePage::new(&visit, &acknowledged, currency.as_deref(), &name);
    Ok(visit.render(StatusCode::OK, &page))
}

async fn download(
    visit: PortalVisit,
    Path((_, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let merchant = &visit.storefront.merchant;
    let acknowledged = load_acknowledgement(&visit.web.app, merchant, &name).await?;
    let id = &acknowledged.withdrawal.withdrawal_identifier;
    let headers = [
        (CONTENT_TYPE, "application/json".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.json\"")),
        (CACHE_CONTROL, "no-store".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, acknowledged.document()).into_response())
}
