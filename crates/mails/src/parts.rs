//! The parts of a mail in the order in which they are read, without any markup. HTML and plain text
//! are two ways to write the same parts.

use domain::{
    merchants::{
        language::Language,
        locale::{format_date, format_last_day, format_moment, format_money},
        portal::PortalTexts,
    },
    messages::mail::{
        MailKind,
        content::{MailAmountKind, MailContent, MailItem, MailItemState},
        settings::MailText,
        template::{MailValues, Placeholder, fill_in},
    },
};

use crate::words::{MailWords, words_in};

/// What a mail says.
pub(crate) struct MailParts<'a> {
    pub(crate) language: Language,
    pub(crate) shop: &'a str,
    pub(crate) subject: String,
    pub(crate) colon: &'static str,
    pub(crate) paragraphs: Vec<String>,
    pub(crate) code: Option<&'a str>,
    pub(crate) link: Option<PartLink<'a>>,
    pub(crate) items_title: &'static str,
    pub(crate) items: Vec<String>,
    pub(crate) amounts_title: &'static str,
    pub(crate) amounts: Vec<PartAmount>,
    pub(crate) document: Option<&'a str>,
    /// The number of the return, help, and who sent the mail.
    pub(crate) footer: Vec<String>,
}

pub(crate) struct PartLink<'a> {
    pub(crate) text: &'static str,
    pub(crate) url: &'a str,
}

pub(crate) struct PartAmount {
    pub(crate) label: &'static str,
    pub(crate) amount: String,
    pub(crate) is_total: bool,
}

/// What a mail is made from.
pub(crate) struct PartSources<'a> {
    pub(crate) kind: MailKind,
    pub(crate) language: Language,
    pub(crate) shop: &'a str,
    pub(crate) own_text: Option<&'a MailText>,
    pub(crate) portal_texts: Option<&'a PortalTexts>,
    pub(crate) content: &'a MailContent,
}

impl<'a> MailParts<'a> {
    pub(crate) fn new(sources: &PartSources<'a>) -> Self {
        let PartSources { kind, language, shop, own_text, content, .. } = *sources;
        let words = words_in(language);
        let values = collect_values(sources);
        let usual = words.of(kind, content);
        let subject = own_text.and_then(|own| own.subject.as_deref()).unwrap_or(usual.subject);
        let text = own_text.and_then(|own| own.text.as_deref()).unwrap_or(usual.text);
        let text = fill_in(text, &values);
        let mut paragraphs: Vec<String> = text
            .split("\n\n")
            .map(|paragraph| paragraph.trim().to_owned())
            .filter(|paragraph| !paragraph.is_empty())
            .collect();
        let next = content.method.map(|method| words.next_step(method));
        let payment = content.paid_as.map(|payment| words.payment(payment));
        paragraphs.extend(next.into_iter().chain(payment).map(str::to_owned));
        Self {
            language,
            shop,
            // A subject is one line.
            subject: fill_in(subject, &values).split_whitespace().collect::<Vec<_>>().join(" "),
            colon: words.colon,
            paragraphs,
            code: content.code.as_deref(),
            link: content
                .link
                .as_ref()
                .map(|it| PartLink { text: words.link(it.opens), url: &it.url }),
            items_title: words.items,
            items: list_items(words, content),
            amounts_title: words.amounts,
            amounts: list_amounts(words, language, content),
            document: content.document.as_deref(),
            footer: list_footer(words, sources),
        }
    }
}

fn collect_values(sources: &PartSources<'_>) -> MailValues {
    let PartSources { kind, language, shop, content, .. } = *sources;
    let mut values = MailValues::default();
    let money =
        |cents: i64| format_money(language, cents, content.currency.as_deref().unwrap_or_default());
    // A label ends with a day, the law wants the time of a withdrawal, and everything else happened
    // on a day.
    let day = |at| match kind {
        MailKind::LabelReady | MailKind::Reminder => format_last_day(language, at),
        MailKind::WithdrawalAcknowledged => format_moment(language, at),
        MailKind::ReturnConfirmed
        | MailKind::ParcelSeen
        | MailKind::Received
        | MailKind::RefundReported
        | MailKind::ExchangeShipped
        | MailKind::ExchangeRefunded
        | MailKind::Canceled
        | MailKind::ProofCode => format_date(language, at),
    };
    values.set(Placeholder::Shop, Some(shop.to_owned()));
    values.set(Placeholder::OrderNumber, content.order_number.clone());
    values.set(Placeholder::ReturnNumber, content.return_number.clone());
    values.set(Placeholder::Amount, content.amount_cents.map(money));
    values.set(Placeholder::Date, content.date.map(day));
    values.set(Placeholder::TrackingNumber, content.tracking_number.clone());
    values.set(Placeholder::Code, content.code.clone());
    values
}

fn list_items(words: &MailWords, content: &MailContent) -> Vec<String> {
    let describe = |item: &MailItem| {
        let MailItem { title, quantity, state } = item;
        let goods = if *quantity > 1 { format!("{quantity} × {title}") } else { title.clone() };
        match state {
            None => goods,
            Some(state) => format!("{goods} ({})", describe_state(words, state)),
        }
    };
    let more =
        (content.more_items > 0).then(|| (words.more_items)(&content.more_items.to_string()));
    content.items.iter().map(describe).chain(more).collect()
}

fn describe_state(words: &MailWords, state: &MailItemState) -> String {
    match state {
        MailItemState::Received => words.item_received.to_owned(),
        MailItemState::NotReceived => words.item_not_received.to_owned(),
        MailItemState::Rejected(reason) => (words.item_rejected)(reason),
        MailItemState::Exchanged(variant) => (words.item_exchanged)(variant),
    }
}

fn list_amounts(words: &MailWords, language: Language, content: &MailContent) -> Vec<PartAmount> {
    let currency = content.currency.as_deref().unwrap_or_default();
    let amounts = content.amounts.iter().map(|it| PartAmount {
        label: words.amount(it.kind),
        amount: format_money(language, it.amount_cents, currency),
        is_total: it.kind == MailAmountKind::Total,
    });
    amounts.collect()
}

fn list_footer(words: &MailWords, sources: &PartSources<'_>) -> Vec<String> {
    let number = sources.content.return_number.as_deref().map(|it| (words.return_number)(it));
    let texts = sources.portal_texts;
    let help = texts.and_then(|texts| texts.help.clone());
    let footer = texts.and_then(|texts| texts.footer.clone());
    number.into_iter().chain(help).chain(footer).chain([(words.sent_by)(sources.shop)]).collect()
}
