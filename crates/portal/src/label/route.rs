//! The route of the label's page. It is found by the key of the label, which cannot be guessed.

use app::{
    AppError,
    returns::{
        label::{ReturnLabel, load_return_label},
        label_documents::open_document,
    },
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, Uri, header::CACHE_CONTROL},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use domain::merchants::locale::format_date;
use domain::returns::rma::{Label, LabelState, Rma, RmaUnit};
use server::{Web, assets::PAGE_HEADERS, documents::send_document, error::ApiError, path::Path};

use super::{
    carrier_page::list_carrier_labels,
    frame::{LabelItem, LabelPage, LabeledParcel},
    page::render_label,
};
use crate::{
    language::{LanguageSwitch, PageLanguage},
    words::{Words, words_in},
};

/// The pages of labels, and their files.
pub fn routes() -> Router<Web> {
    Router::new()
        .route("/labels/{key}", get(show_label))
        .route("/labels/{key}/{document}", get(show_document))
}

async fn show_label(
    State(web): State<Web>,
    Path(key): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let label = load_return_label(&web.app, &key).await?;
    let language = PageLanguage::new(&label.portal, &uri, &headers);
    let html = Html(render(&label, language));
    // The page must not be cached, because it shows names and addresses.
    let response = (PAGE_HEADERS, [(CACHE_CONTROL, "no-store")], html).into_response();
    Ok(language.mark(response, web.settings.secure_cookies))
}

/// A file of a label, as long as its page shows the label.
async fn show_document(
    State(web): State<Web>,
    Path((key, document)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let label = load_return_label(&web.app, &key).await?;
    let has_document = |it: &Label| it.details.documents.iter().any(|it| it.sha256 == document);
    if label.state != LabelState::Usable || !label.rma.open_labels().any(has_document) {
        return Err(AppError::NotFound("label").into());
    }
    Ok(send_document(open_document(&web.app, &label.merchant, &label.rma, &document)?))
}

fn render(label: &ReturnLabel, page_language: PageLanguage) -> String {
    let rma = &label.rma;
    let theme_address = format!("/portal/{}/look.css", label.merchant);
    let withdrawal_address = format!("/portal/{}/withdraw", label.merchant);
    let address = format!("/labels/{}", rma.label_name());
    render_label(&LabelPage {
        merchant_name: &label.merchant_name,
        rma_identifier: rma.rma_identifier.as_str(),
        return_method: rma.return_method,
        state: label.state,
        // Several labels are shown when all of them are there.
        tracking_number: rma
            .units
            .iter()
            .filter_map(|unit| unit.tracking_number.as_deref())
            .find(|number| rma.awaits_hand_over(number))
            .filter(|_| rma.parcel_count == 1 || rma.parcels_without_label().is_empty()),
        from: &label.from,
        to: &label.to,
        items: count_items(rma.units.iter()),
        parcels: list_parcels(rma, words_in(page_language.language)),
        carrier_labels: list_carrier_labels(rma, page_language.language),
        created_on: &format_date(page_language.language, rma.created_at),
        language: page_language.language,
        theme_address: label.portal.accent.map(|_| theme_address.as_str()),
        withdrawal_address: label.offers_withdrawal.then_some(withdrawal_address.as_str()),
        switch: &LanguageSwitch::new(&label.portal, page_language, address),
    })
}

/// The packages of a return by their tracking numbers, as far as they are still with the shopper.
/// None if there is only one.
fn list_parcels<'a>(rma: &'a Rma, words: &Words) -> Vec<LabeledParcel<'a>> {
    let mut numbers: Vec<&str> = Vec::new();
    for number in rma.units.iter().filter_map(|unit| unit.tracking_number.as_deref()) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    if numbers.len() < 2 {
        return Vec::new();
    }
    let all = numbers.len().to_string();
    let is_open = |(_, number): &(usize, &&'a str)| rma.awaits_hand_over(number);
    let describe = |(position, number): (usize, &&'a str)| {
        let units = rma.units.iter();
        let units = units.filter(|unit| unit.tracking_number.as_deref() == Some(*number));
        LabeledParcel {
            tracking_number: number,
            title: (words.parcels.parcel)(&(position + 1).to_string(), &all),
            items: count_items(units),
        }
    };
    numbers.iter().enumerate().filter(is_open).map(describe).collect()
}

fn count_items<'a>(units: impl Iterator<Item = &'a RmaUnit>) -> Vec<LabelItem<'a>> {
    let mut items: Vec<LabelItem<'_>> = Vec::new();
    for unit in units {
        let (title, sku) = (unit.goods.title.as_str(), unit.code());
        match items.iter_mut().find(|item| item.title == title && item.sku == sku) {
            Some(item) => item.quantity += 1,
            None => items.push(LabelItem { title, sku, quantity: 1 }),
        }
    }
    items
}
