//! The messages of a merchant in all states, newest first.

use app::{
    merchants::change_merchant::{MerchantView, list_merchants},
    messages::message_log::{MessageQuery, MessageView, Messages, list_messages},
};
use askama::Template;
use axum::{Router, extract::State, response::Response, routing::get};
use domain::messages::{kind::MessageKind, replay::ReplaySelection};
use jiff::Timestamp;
use serde::Deserialize;

use super::{
    labels::{kind_label, kind_options, parse_state, state_options},
    time_fields::{end_of_minute_us, parse_minute},
};
use crate::{
    access::{visit::Member, visitor::Visitor},
    core::{
        badge::{Badge, message_badge},
        form::{Form, non_empty},
        format::{TimeElement, to_sentence},
        frame::{Frame, Section, form_status, render_page},
        lists::{FilterOption, PAGE_SIZE, Paging, check_merchant_field},
        urls::{add_query, message_url, reference_url},
    },
};
use server::{Web, error::ApiError, query::Query};

const PATH: &str = "/console/messages";
/// How many merchants are offered if none is chosen.
const MERCHANTS_MAX: usize = 100;

pub(crate) fn routes() -> Router<Web> {
    Router::new().route(PATH, get(show))
}

/// The fields as they were entered.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MessageSearch {
    pub(crate) merchant: String,
    pub(crate) kind: String,
    pub(crate) state: String,
    pub(crate) reference: String,
    /// The first and the last minute of the time of creation.
    pub(crate) from: String,
    pub(crate) to: String,
    /// The cursor of the page.
    pub(crate) before: String,
}

impl MessageSearch {
    /// The search of the page that a form was sent from.
    pub(crate) fn of(form: &Form) -> Self {
        let field = |name: &str| form.text(name).to_owned();
        Self {
            kind: field("kind"),
            reference: field("reference"),
            from: field("from"),
            to: field("to"),
            ..Self::default()
        }
    }

    fn query(&self) -> [(&'static str, &str); 6] {
        [
            ("merchant", &self.merchant),
            ("kind", &self.kind),
            ("state", &self.state),
            ("reference", &self.reference),
            ("from", &self.from),
            ("to", &self.to),
        ]
    }

    pub(crate) fn url(&self) -> String {
        add_query(PATH, &self.query())
    }

    fn wanted(&self) -> MessageQuery {
        MessageQuery {
            state: parse_state(&self.state),
            kind: MessageKind::parse(&self.kind),
            reference: non_empty(self.reference.trim()).map(str::to_owned),
            from: self.from(),
            to: self.to(),
            before: self.before.parse().ok(),
            limit: PAGE_SIZE,
        }
    }

    fn from(&self) -> Option<Timestamp> {
        parse_minute(self.from.trim()).ok().flatten()
    }

    fn to(&self) -> Option<Timestamp> {
        let to = parse_minute(self.to.trim()).ok().flatten()?;
        Timestamp::from_microsecond(end_of_minute_us(to)).ok()
    }

    /// What the search selects for a replay, in every state; None if that is everything.
    pub(crate) fn selection(&self) -> Option<ReplaySelection> {
        let selection = ReplaySelection {
            references: non_empty(self.reference.trim()).map(str::to_owned).into_iter().collect(),
            kinds: MessageKind::parse(&self.kind)
                .filter(|kind| kind.is_replayable())
                .into_iter()
                .collect(),
            from: self.from(),
            to: self.to(),
            ..ReplaySelection::default()
        };
        Some(selection).filter(|selection| *selection != ReplaySelection::default())
    }
}

#[derive(Template)]
#[template(path = "messages/list.html", whitespace = "minimize")]
pub(crate) struct MessagesPage<'a> {
    frame: Frame<'a>,
    search: &'a MessageSearch,
    merchant_fault: Option<String>,
    kinds: Vec<FilterOption>,
    states: Vec<FilterOption>,
    /// Merchants to choose from, if none is chosen.
    merchants: Vec<MerchantLink>,
    rows: Vec<MessageRow>,
    paging: Paging,
}

struct MerchantLink {
    url: String,
    id: String,
    name: String,
}

struct MessageRow {
    id: String,
    url: String,
    kind: &'static str,
    reference: String,
    reference_url: String,
    sequence: i64,
    state: Badge,
    created: TimeElement,
}

fn message_row(message: MessageView) -> MessageRow {
    MessageRow {
        url: message_url(&message.id),
        kind: kind_label(message.kind),
        reference_url: reference_url(&message.reference),
        sequence: message.sequence,
        state: message_badge(message.state),
        created: TimeElement(message.created_at),
        id: message.id,
        reference: message.reference,
    }
}

fn merchant_link(search: &MessageSearch, merchant: MerchantView) -> MerchantLink {
    let chosen = MessageSearch { merchant: merchant.merchant.clone(), ..search.clone() };
    MerchantLink { url: chosen.url(), id: merchant.merchant, name: merchant.name }
}

/// What a search leads to.
pub(crate) enum MessageResults {
    Messages(Messages),
    /// No merchant is chosen yet; these can be chosen.
    Merchants(Vec<MerchantView>),
    /// There is no such merchant.
    MerchantFault(String),
}

impl<'a> MessagesPage<'a> {
    pub(crate) fn new(
        visitor: &'a Visitor,
        search: &'a MessageSearch,
        results: MessageResults,
    ) -> Self {
        let (mut merchant_fault, mut merchants) = (None, Vec::new());
        let mut page = Messages { messages: Vec::new(), next: None };
        match results {
            MessageResults::MerchantFault(why) => merchant_fault = Some(why),
            MessageResults::Merchants(all) => merchants = all,
            MessageResults::Messages(found) => page = found,
        }
        let next = page.next.as_deref();
        Self {
            frame: Frame::new(visitor, Section::Messages, "Messages"),
            merchant_fault,
            kinds: kind_options(&search.kind),
            states: state_options(&search.state),
            merchants: merchants.into_iter().map(|it| merchant_link(search, it)).collect(),
            paging: Paging::newest_first(PATH, &search.query(), &search.before, next),
            rows: page.messages.into_iter().map(message_row).collect(),
            search,
        }
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut search): Query<MessageSearch>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut search.merchant);
    let results = find_messages(&web, &search).await?;
    let status = form_status(matches!(results, MessageResults::MerchantFault(_)));
    Ok(render_page(&visitor, status, &MessagesPage::new(&visitor, &search, results)))
}

async fn find_messages(web: &Web, search: &MessageSearch) -> Result<MessageResults, ApiError> {
    let merchant = match check_merchant_field(&search.merchant) {
        Err(why) => return Ok(MessageResults::MerchantFault(to_sentence(&why))),
        Ok(None) => {
            let all = list_merchants(&web.app, "", MERCHANTS_MAX).await?;
            return Ok(MessageResults::Merchants(all));
        }
        Ok(Some(merchant)) => merchant,
    };
    match list_messages(&web.app, &merchant, search.wanted()).await {
        Ok(page) => Ok(MessageResults::Messages(page)),
        Err(app::AppError::NotFound(_)) => {
            Ok(MessageResults::MerchantFault(format!("Merchant {merchant} does not exist.")))
        }
        Err(error) => Err(error.into()),
    }
}
