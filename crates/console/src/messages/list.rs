//! The messages of a merchant, newest first, in every state.

use app::{
    merchants::change_merchant::{MerchantView, list_merchants},
    messages::message_log::{MessageQuery, MessageView, Messages, list_messages},
};
use askama::Template;
use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};
use domain::messages::kind::MessageKind;
use serde::Deserialize;

use crate::core::format::{
    Choice, When, about_address, kind_words, kinds, merchant_named, message_address, of_state,
    state_named, states,
};
use crate::{
    access::visit::{Operator, Visitor},
    core::{
        frame::{Frame, Section, page},
        problem::sentence,
        words::address,
    },
};
use server::{Web, error::ApiError, query::Query};

const PAGE: usize = 50;
/// Merchants to choose from, where none is named.
const MERCHANTS_MAX: usize = 100;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/messages", get(show))
}

/// The fields as they were typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    pub(crate) merchant: String,
    pub(crate) kind: String,
    pub(crate) state: String,
    pub(crate) reference: String,
    /// Where the page begins.
    pub(crate) before: String,
}

impl Search {
    pub(crate) fn address(&self) -> String {
        let query = [
            ("merchant", self.merchant.as_str()),
            ("kind", &self.kind),
            ("state", &self.state),
            ("reference", &self.reference),
            ("before", &self.before),
        ];
        address("/console/messages", &query)
    }

    fn wanted(&self) -> MessageQuery {
        let reference = self.reference.trim();
        MessageQuery {
            state: state_named(&self.state),
            kind: MessageKind::parse(&self.kind),
            reference: (!reference.is_empty()).then(|| reference.to_owned()),
            before: self.before.parse().ok(),
            limit: PAGE,
        }
    }
}

#[derive(Template)]
#[template(path = "messages/list.html", whitespace = "minimize")]
pub(crate) struct MessagesPage<'a> {
    frame: Frame<'a>,
    search: &'a Search,
    wrong: Option<String>,
    kinds: Vec<Choice>,
    states: Vec<Choice>,
    /// Merchants to choose from; none when one is chosen.
    merchants: Vec<(String, String, String)>,
    rows: Vec<MessageRow>,
    /// The first page, from any other, and the next one.
    beginning: Option<String>,
    next: Option<String>,
}

struct MessageRow {
    id: String,
    address: String,
    kind: String,
    reference: String,
    about: String,
    sequence: i64,
    state: &'static str,
    look: &'static str,
    created: When,
}

fn row(message: MessageView) -> MessageRow {
    let (_, state, look) = of_state(message.state);
    MessageRow {
        address: message_address(&message.id),
        kind: kind_words(message.kind).to_owned(),
        about: about_address(&message.reference),
        sequence: message.sequence,
        state,
        look,
        created: When(message.created_at),
        id: message.id,
        reference: message.reference,
    }
}

/// What there is to show.
pub(crate) enum Found {
    Messages(Messages),
    /// No merchant is chosen yet; these are some.
    Merchants(Vec<MerchantView>),
    /// The merchant cannot be one, for this reason.
    Wrong(String),
}

impl<'a> MessagesPage<'a> {
    pub(crate) fn new(visitor: &'a Visitor, search: &'a Search, found: Found) -> Self {
        let mut content = Self {
            frame: Frame::new(visitor, Section::Messages, "Messages"),
            wrong: None,
            kinds: kinds(&search.kind),
            states: states(&search.state),
            merchants: Vec::new(),
            rows: Vec::new(),
            beginning: None,
            next: None,
            search,
        };
        match found {
            Found::Wrong(why) => content.wrong = Some(why),
            Found::Merchants(some) => {
                let choice = |it: MerchantView| {
                    let chosen = Search { merchant: it.merchant.clone(), ..search.clone() };
                    (chosen.address(), it.merchant, it.name)
                };
                content.merchants = some.into_iter().map(choice).collect();
            }
            Found::Messages(page) => {
                let at = |before: String| Search { before, ..search.clone() }.address();
                content.rows = page.messages.into_iter().map(row).collect();
                content.next = page.next.map(at);
                content.beginning = (!search.before.is_empty()).then(|| at(String::new()));
            }
        }
        content
    }
}

async fn show(
    State(web): State<Web>,
    Operator { visitor, .. }: Operator,
    Query(search): Query<Search>,
) -> Result<Response, ApiError> {
    let found = find(&web, &search).await?;
    let status = match found {
        Found::Messages(_) | Found::Merchants(_) => StatusCode::OK,
        Found::Wrong(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    Ok(page(&visitor, status, &MessagesPage::new(&visitor, &search, found)))
}

async fn find(web: &Web, search: &Search) -> Result<Found, ApiError> {
    let merchant = match merchant_named(search.merchant.trim()) {
        Err(why) => return Ok(Found::Wrong(sentence(&why))),
        Ok(None) => {
            return Ok(Found::Merchants(list_merchants(&web.app, "", MERCHANTS_MAX).await?));
        }
        Ok(Some(merchant)) => merchant,
    };
    match list_messages(&web.app, &merchant, search.wanted()).await {
        Ok(page) => Ok(Found::Messages(page)),
        Err(app::AppError::NotFound(_)) => {
            Ok(Found::Wrong(format!("There is no merchant {merchant}.")))
        }
        Err(error) => Err(error.into()),
    }
}
