//! Where shoppers prove who they are: the link that the store has signed, the code that is sent to
//! the e-mail address of the order, and the gift code.

use app::{
    access::{
        order_proofs::{CodeRequest, enter_code, send_code},
        portal_links::{LinkClaim, follow_link},
    },
    returns::{
        change_return::load_return,
        shopper::{Identification, Shopper, prove_gift},
    },
};
use axum::{Router, http::StatusCode, response::Response, routing::get};
use server::{Web, error::ApiError, query::Query};

use crate::{
    form::PortalForm,
    proof::PROOF_ELEMENT,
    route::{load_shoppers_order, render_choose, render_find, render_unproven_status, show_order},
    selection::FieldProblem,
    visit::PortalVisit,
};

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/portal/{merchant}/link", get(follow))
        .route("/portal/{merchant}/proof", get(show_order).post(prove))
        .route("/portal/{merchant}/proof/code", get(show_order).post(send))
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
    // The pass comes with the response. What the page offers follows from it already.
    let visit = PortalVisit { shopper: Some(shopper.clone()), ..visit };
    let page = render_choose(&visit, &shopper, &returnable, &form, Vec::new());
    let response = Box::pin(page).await?;
    Ok(visit.with_pass(response, &shopper))
}

/// Sends a code to the e-mail address of the order.
async fn send(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    let Some(shopper) = &visit.shopper else { return Ok(visit.redirect("")) };
    let words = &visit.words().proof;
    let text = match send_code(&visit.web.app, shopper, visit.language()).await? {
        CodeRequest::Sent => {
            return Ok(visit.redirect(&format!("{}?code=sent#proof", page_of(&form))));
        }
        CodeRequest::TooMany => words.too_many_codes,
        CodeRequest::NotSent => words.use_link,
    };
    show_problem(&visit, shopper, &form, text).await
}

/// Takes the gift code, or the code that was sent.
async fn prove(visit: PortalVisit, form: PortalForm) -> Result<Response, ApiError> {
    let Some(shopper) = &visit.shopper else { return Ok(visit.redirect("")) };
    let (app, words) = (&visit.web.app, visit.words());
    let answer = if shopper.gift {
        prove_gift(app, shopper, form.text("gift_code")).await?
    } else {
        enter_code(app, shopper, form.text("code")).await?
    };
    let text = match answer {
        Identification::Found(proven) => {
            return Ok(visit.with_pass(visit.redirect(&page_of(&form)), &proven));
        }
        Identification::NotFound => words.proof.wrong_code,
        Identification::TooManyFailures => words.errors.too_many_requests.title,
    };
    show_problem(&visit, shopper, &form, text).await
}

/// The page that asked for the proof: that of a return, or that of the order.
fn page_of(form: &PortalForm) -> String {
    let number = form.text("return_number");
    let is_number =
        |number: &str| number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if number.is_empty() || !is_number(number) {
        return "/return".to_owned();
    }
    format!("/returns/{number}")
}

async fn show_problem(
    visit: &PortalVisit,
    shopper: &Shopper,
    form: &PortalForm,
    text: &'static str,
) -> Result<Response, ApiError> {
    let number = form.text("return_number");
    if !number.is_empty() {
        let rma = load_return(&visit.web.app, &visit.storefront.merchant, number).await?;
        return render_unproven_status(visit, &rma, text).await;
    }
    let returnable = load_shoppers_order(visit, shopper).await?;
    let problems = vec![FieldProblem { element: PROOF_ELEMENT.to_owned(), text }];
    Box::pin(render_choose(visit, shopper, &returnable, &PortalForm::default(), problems)).await
}
