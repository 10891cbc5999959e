//! The address of a label's page. Its name is the return's identifier, which cannot be guessed.

use app::returns::label::{ReturnLabel, return_label};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, Uri, header::CACHE_CONTROL},
    response::{Html, IntoResponse, Response},
    routing::get,
};

use domain::returns::rma::RmaStatus;

use super::page::{LabelPage, page};
use crate::{
    language::{Spoken, Switch},
    locale::date,
};
use server::{Web, assets::PAGE_HEADERS, error::ApiError, path::Path};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/labels/{rma}", get(show))
}

async fn show(
    State(web): State<Web>,
    Path(rma): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let label = return_label(&web.app, &rma).await?;
    let spoken = Spoken::new(&label.portal, &uri, &headers);
    let html = Html(rendered(&label, spoken));
    // It names people and where they live.
    let response = (PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], html).into_response();
    Ok(spoken.remembered(response, web.settings.secure_cookies))
}

fn rendered(label: &ReturnLabel, spoken: Spoken) -> String {
    let rma = &label.rma;
    let mut units: Vec<(&str, &str, u32)> = Vec::new();
    for unit in &rma.units {
        let (title, code) = (unit.goods.title.as_str(), unit.code());
        match units.iter_mut().find(|known| (known.0, known.1) == (title, code)) {
            Some(known) => known.2 += 1,
            None => units.push((title, code, 1)),
        }
    }
    let look = format!("/portal/{}/look.css", label.merchant);
    page(&LabelPage {
        merchant_name: &label.merchant_name,
        rma_identifier: rma.rma_identifier.as_str(),
        return_method: rma.return_method,
        cancelled: rma.status == RmaStatus::Canceled,
        tracking_number: rma.units.iter().find_map(|unit| unit.tracking_number.as_deref()),
        from: &label.from,
        to: &label.to,
        units,
        created: &date(spoken.language, rma.created_at),
        language: spoken.language,
        look: label.portal.accent.map(|_| look.as_str()),
        switch: &Switch::new(&label.portal, spoken, format!("/labels/{}", rma.rma_identifier)),
    })
}
