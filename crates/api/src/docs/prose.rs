//! Text in which `backticks` mark code, as in the comments that it comes from.

use askama::{Template, filters::HtmlSafe};

/// One paragraph.
#[derive(Template)]
#[template(path = "docs/prose.html")]
pub(super) struct Prose {
    spans: Vec<Span>,
}

struct Span {
    code: bool,
    text: String,
}

impl HtmlSafe for Prose {}

impl Prose {
    pub(super) fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }

    pub(super) fn new(text: &str) -> Self {
        let span = |(position, text): (usize, &str)| Span {
            code: position % 2 == 1,
            text: text.to_owned(),
        };
        Self { spans: text.trim().split('`').enumerate().map(span).collect() }
    }
}

/// The paragraphs of `text`, which are separated by empty lines.
pub(super) fn paragraphs(text: &str) -> Vec<Prose> {
    text.split("\n\n").filter(|text| !text.trim().is_empty()).map(Prose::new).collect()
}
