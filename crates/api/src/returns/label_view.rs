//! Labels in the answers about returns.

use domain::returns::rma::{Label, Rma};
use serde::Serialize;
use utoipa::ToSchema;

/// A label and where its files are.
#[derive(Serialize, ToSchema)]
pub(crate) struct LabelView<'a> {
    #[serde(flatten)]
    label: &'a Label,
    /// The addresses of its files, in the order of `documents`. They work until the label is void.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    links: Vec<String>,
}

pub(super) fn view_labels(rma: &Rma) -> Vec<LabelView<'_>> {
    let id = &rma.rma_identifier;
    let view = |label| LabelView { label, links: link_documents(id.as_str(), label) };
    rma.labels.iter().map(view).collect()
}

fn link_documents(rma: &str, label: &Label) -> Vec<String> {
    if label.void.is_some() {
        return Vec::new();
    }
    let documents = label.details.documents.iter();
    documents.map(|it| format!("/returns/{rma}/labels/{}", it.sha256)).collect()
}
