//! Where shoppers prove who they are: the link that the store has signed, and the gift code.

use app::{
    access::portal_links::{LinkClaim, follow_link},
    returns::shopper::{Identification, prove_gift},
};
use axum::{
    Router,
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use server::{Web, error::ApiError, query::Query};

use crate::{
    form::PortalForm,
    proof::PROOF_ELEMENT,
    route::{load_shoppers_order, render_choose, render_find},
    selection::FieldProblem,
    visit::PortalVisit,
};

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}/link", get(follow))
        .route("/portal/{merchant}/proof", post(prove))
}

/// Opens the order of a signed link. The page is the response itself: the browser would not send
/// the cookie of the pass along with a redirect that begins at another site.
async fn follow(visit: PortalVisit, Query(claim): Query<LinkClaim>) -> Result<Response, ApiError> {
    let shopper = follow_link(&visit.web.app, &visit.storefront.merchant, &claim).await?;
    let Some(shopper) = shopper else {
        let problem = Some(visit.words().proof.link_invalid);
        return render_find(&visit, &PortalForm::default(), StatusCode::FORBIDDEN, problem).await;
    };
    let returnable = load_shoppers_order(&visit, &shopper).await?;
    let form = PortalForm::default();
    let page = render_choose(&visit, &shopper, &returnable, &form, Vec::new());
    let response = Box::pin(page).await?;
    Ok(visit.with_pass(response, &shopper))
}

/// Takes the gift code.
async fn prove(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    let Some(shopper) = &visit.shopper else { return Ok(visit.redirect("")) };
    let words = visit.words();
    let text = match prove_gift(&visit.web.app, shopper, form.text("gift_code")).await? {
        Identification::Found(proven) => return Ok(visit.admit(&proven)),
        Identification::NotFound => words.proof.wrong_code,
        Identification::TooManyFailures => words.errors.too_many_requests.title,
    };
    let returnable = load_shoppers_order(&visit, shopper).await?;
    let problems = vec![FieldProblem { element: PROOF_ELEMENT.to_owned(), text }];
    Box::pin(render_choose(&visit, shopper, &returnable, &PortalForm::default(), problems)).await
}
