//! Everything that API clients and browsers see, as one router.
//!
//! Each audience has a crate of its own: `api` for systems and for the people who connect them,
//! `portal` for shoppers, `console` for operators and warehouse workers. `server` is what they
//! share. `start` is the page at `/`, and `pages` is for addresses without a page.

mod pages;
mod start;

pub use api::{description as api_description, message_schemas};
use axum::{Router, middleware};
use server::Web;

/// Everything this process serves.
pub fn router(web: Web) -> Router {
    let probes = api::probes().method_not_allowed_fallback(server::error::method_not_allowed);
    let limited = api::routes()
        .layer(middleware::from_fn(server::guard::compression::compress_large))
        .merge(server::assets::routes())
        .merge(portal::routes())
        .merge(portal::label_routes().layer(middleware::from_fn(pages::show_label_errors)))
        .merge(console::routes())
        .merge(start::routes())
        .fallback(pages::no_such_page)
        .method_not_allowed_fallback(pages::no_such_method)
        .layer(middleware::from_fn(pages::remove_trailing_slash))
        .layer(middleware::from_fn_with_state(web.clone(), server::limit::limit));
    limited
        .merge(probes)
        .layer(middleware::from_fn(server::hsts::require_tls_next_time))
        .layer(middleware::from_fn_with_state(web.clone(), server::observe::observe))
        .with_state(web)
}
