//! The address of a label's page. Its name is the return's identifier, which cannot be guessed.

use app::return_label::{ReturnLabel, return_label};
use axum::{
    Router,
    extract::State,
    http::header::CACHE_CONTROL,
    response::{Html, IntoResponse, Response},
    routing::get,
};

use super::{LabelPage, page};
use crate::{
    Web,
    api::{error::ApiError, path::Path},
    assets::PAGE_HEADERS,
};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/labels/{rma}", get(show))
}

async fn show(State(web): State<Web>, Path(rma): Path<String>) -> Result<Response, ApiError> {
    let label = return_label(&web.app, &rma).await?;
    // It names people and where they live.
    Ok((PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], Html(rendered(&label))).into_response())
}

fn rendered(label: &ReturnLabel) -> String {
    let rma = &label.rma;
    let mut units: Vec<(&str, &str, u32)> = Vec::new();
    for unit in &rma.units {
        let (title, code) = (unit.goods.title.as_str(), unit.code());
        match units.iter_mut().find(|known| (known.0, known.1) == (title, code)) {
            Some(known) => known.2 += 1,
            None => units.push((title, code, 1)),
        }
    }
    page(&LabelPage {
        merchant_name: &label.merchant_name,
        rma_identifier: rma.rma_identifier.as_str(),
        return_method: rma.return_method,
        tracking_number: rma.units.iter().find_map(|unit| unit.tracking_number.as_deref()),
        from: &label.from,
        to: &label.to,
        units,
        created: &rma.created_at.strftime("%-d %B %Y").to_string(),
    })
}
