//! Texts with placeholders, such as `Your return {return_number} is confirmed`.
//!
//! A merchant may write its own texts. What a placeholder stands for depends on the kind of the
//! mail, so a text is checked when it is set, and filling it in can never fail.

use super::MailKind;

/// A value that a text can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The merchant's name.
    Shop,
    /// The order, or for a gift the return: who got a gift need not know the order.
    OrderNumber,
    ReturnNumber,
    /// What the mail is about: the expected or the paid amount.
    Amount,
    /// The day that the mail is about, such as the last day of a label.
    Date,
    TrackingNumber,
    Code,
}

impl Placeholder {
    pub const ALL: [Self; 7] = [
        Self::Shop,
        Self::OrderNumber,
        Self::ReturnNumber,
        Self::Amount,
        Self::Date,
        Self::TrackingNumber,
        Self::Code,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Shop => "shop",
            Self::OrderNumber => "order_number",
            Self::ReturnNumber => "return_number",
            Self::Amount => "amount",
            Self::Date => "date",
            Self::TrackingNumber => "tracking_number",
            Self::Code => "code",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// What texts of a kind can contain.
    pub const fn of(kind: MailKind) -> &'static [Self] {
        match kind {
            MailKind::ReturnConfirmed | MailKind::RefundReported | MailKind::ExchangeRefunded => {
                &[Self::Shop, Self::OrderNumber, Self::ReturnNumber, Self::Amount]
            }
            MailKind::LabelReady | MailKind::Reminder => {
                &[Self::Shop, Self::OrderNumber, Self::ReturnNumber, Self::Date]
            }
            MailKind::ParcelSeen => {
                &[Self::Shop, Self::OrderNumber, Self::ReturnNumber, Self::TrackingNumber]
            }
            MailKind::Received | MailKind::ExchangeShipped | MailKind::Canceled => {
                &[Self::Shop, Self::OrderNumber, Self::ReturnNumber]
            }
            MailKind::ProofCode => &[Self::Shop, Self::OrderNumber, Self::Code],
            MailKind::WithdrawalAcknowledged => &[Self::Shop, Self::OrderNumber, Self::Date],
        }
    }
}

/// What placeholders stand for, as the reader writes it.
#[derive(Clone, Debug, Default)]
pub struct MailValues {
    values: Vec<(Placeholder, String)>,
}

impl MailValues {
    pub fn set(&mut self, placeholder: Placeholder, value: Option<String>) {
        self.values.extend(value.map(|value| (placeholder, value)));
    }

    pub fn get(&self, placeholder: Placeholder) -> &str {
        let found = self.values.iter().find(|(known, _)| *known == placeholder);
        found.map_or("", |(_, value)| value)
    }
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Value(&'a str),
    /// A brace that begins or ends nothing.
    Stray,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(position) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(position);
        parts.push(Part::Text(before));
        let inside = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        rest = match inside {
            Some((name, after)) if !name.contains('{') => {
                parts.push(Part::Value(name));
                after
            }
            Some(_) | None => {
                parts.push(Part::Stray);
                from.get(1..).unwrap_or_default()
            }
        };
    }
    parts.push(Part::Text(rest));
    parts
}

/// Whether a text is usable in mails of a kind; if not, what is wrong with it.
pub fn check_text(kind: MailKind, text: &str) -> Result<(), String> {
    let allowed = Placeholder::of(kind);
    for part in parts(text) {
        let problem = match part {
            Part::Text(_) => continue,
            Part::Value(name)
                if Placeholder::parse(name).is_some_and(|it| allowed.contains(&it)) =>
            {
                continue;
            }
            Part::Value(name) => format!("has the unknown placeholder {{{name}}}"),
            Part::Stray => "has a brace that belongs to no placeholder".to_owned(),
        };
        let names: Vec<String> = allowed.iter().map(|it| format!("{{{}}}", it.name())).collect();
        return Err(format!("{problem}; mails of this kind have {}", names.join(", ")));
    }
    Ok(())
}

/// The text with its values. A placeholder without a value is left out.
pub fn fill_in(text: &str, values: &MailValues) -> String {
    parts(text)
        .into_iter()
        .map(|part| match part {
            Part::Text(text) => text,
            Part::Value(name) => {
                Placeholder::parse(name).map(|it| values.get(it)).unwrap_or_default()
            }
            Part::Stray => "",
        })
        .collect()
}
