//! The console: where operators see what is stuck and why, and warehouse workers receive what arrives.
//!
//! Pages are rendered here and are complete without scripts; `console.js` only adds comfort. A file for
//! each part, with the routes of that part; [`frame`] is what all pages have in common, [`visit`]
//! decides who may see a page and whether a form is one of ours.

mod audit;
mod chart;
mod clients;
mod difference;
mod endpoints;
mod field;
mod form;
mod frame;
mod lists;
mod login;
mod merchant;
mod merchants;
mod orders;
mod overview;
mod password;
mod policy;
mod problem;
mod receive;
mod returns;
mod search;
mod stuck;
mod throttle;
mod units;
mod visit;
mod words;

use axum::{Router, middleware, routing::any};

use crate::Web;

pub(crate) use throttle::Logins;

/// Every page of the console.
pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .merge(login::routes())
        .merge(overview::routes())
        .merge(merchants::routes())
        .merge(merchant::routes())
        .merge(clients::routes())
        .merge(endpoints::routes())
        .merge(policy::routes())
        .merge(password::routes())
        .merge(stuck::routes())
        .merge(receive::routes())
        .merge(search::routes().merge(orders::routes()).merge(returns::routes()))
        .merge(units::routes().merge(audit::routes()))
        .route("/console/{*rest}", any(problem::no_such_page))
        .method_not_allowed_fallback(crate::api::error::method_not_allowed)
        .layer(middleware::from_fn(problem::in_html))
}
