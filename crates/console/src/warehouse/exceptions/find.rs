//! Finds the return of a unit that came without one, by what is known about it and what is on the
//! slip in its parcel.

use app::warehouse::{
    stray_search::{ReturnProposal, propose_returns},
    unit_story::load_story_of_unit,
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::{identifier::MerchantId, warehouse::stray::SlipDetails};
use serde::Deserialize;

use super::scanned_facts;
use crate::{
    access::{visit::Worker, visitor::Visitor},
    core::{
        format::{format_count, to_sentence},
        frame::{Frame, Section, render_page},
        urls::add_query,
    },
};
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/exceptions/find";
/// The longest text on a slip that is looked for.
const SLIP_MAX: usize = 255;

pub(super) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(show))
}

/// The page about a unit.
pub(super) fn url(merchant: &str, unit: &str, asn_number: &str) -> String {
    add_query(PATH, &[("merchant", merchant), ("unit", unit), ("asn_number", asn_number)])
}

/// The unit, and what is on the slip.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FindQuery {
    merchant: String,
    unit: String,
    asn_number: String,
    number: String,
    name: String,
    postal_code: String,
}

#[derive(Template)]
#[template(path = "warehouse/find_return.html", whitespace = "minimize")]
struct FindPage<'a> {
    frame: Frame<'a>,
    query: &'a FindQuery,
    /// What was scanned: labels and values.
    facts: Vec<(&'static str, String)>,
    choices: Vec<ReturnLine>,
}

struct ReturnLine {
    /// The key that chooses it.
    key: usize,
    rma: String,
    line: String,
    title: String,
    detail: String,
}

impl ReturnLine {
    fn new(proposal: &ReturnProposal, key: usize) -> Self {
        let rma = proposal.rma_identifier.to_string();
        let reasons: Vec<&str> = proposal.line.signs.iter().map(|it| it.words()).collect();
        let awaited = i64::try_from(proposal.line.awaited).unwrap_or(i64::MAX);
        let awaited = format_count(awaited, "unit", "units");
        let state = if proposal.line.is_late { "missing at closing" } else { "awaited" };
        Self {
            key,
            line: proposal.line.line_identifier.clone(),
            title: format!("{}, {rma} of {}", proposal.line.article, proposal.merchant_name),
            detail: to_sentence(&format!("{}; {awaited} {state}", reasons.join(", "))),
            rma,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Query(query): Query<FindQuery>,
) -> Result<Response, ApiError> {
    let missing = |what| ApiError::App(app::AppError::NotFound(what));
    let merchant = MerchantId::parse_stored(&query.merchant).map_err(|_| missing("merchant"))?;
    let story = load_story_of_unit(&web.app, &merchant, &query.unit).await?;
    let question = story.unit.question(&query.asn_number).ok_or_else(|| missing("question"))?;
    let cut = |text: &str| text.trim().chars().take(SLIP_MAX).collect::<String>();
    let slip = SlipDetails {
        number: cut(&query.number),
        name: cut(&query.name),
        postal_code: cut(&query.postal_code),
    };
    let proposals = propose_returns(&web.app, &merchant, &question.scanned, &slip).await?;
    let content = find_page(&visitor, &query, scanned_facts(question), &proposals);
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn find_page<'a>(
    visitor: &'a Visitor,
    query: &'a FindQuery,
    facts: Vec<(&'static str, String)>,
    proposals: &[ReturnProposal],
) -> FindPage<'a> {
    FindPage {
        frame: Frame::new(visitor, Section::Exceptions, "Find the return"),
        query,
        facts,
        choices: proposals.iter().zip(1..).map(|(it, key)| ReturnLine::new(it, key)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn what_is_on_a_slip_stays_text() {
        let visitor = sample_visitor();
        let hostile = || HOSTILE.to_owned();
        let query = FindQuery {
            merchant: hostile(),
            unit: hostile(),
            asn_number: hostile(),
            number: hostile(),
            name: hostile(),
            postal_code: hostile(),
        };
        assert_is_text(&find_page(&visitor, &query, vec![("SKU", hostile())], &[]));
    }
}
