//! Identifiers that the service creates. Every look-up in the store starts with the merchant, so
//! the identifier of a client names its merchant: `acme.k7w2mq9d` belongs to `acme`.
//!
//! Identifiers that others create (of orders, lines, refunds) are plain text and remain unchanged;
//! only what the service itself names has a type here.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

use crate::access::operator_name::OperatorName;

/// The longest name of a merchant, so that it fits in a host name.
pub const MERCHANT_MAX: usize = 63;

/// The longest part of a client's identifier after the dot.
const SUFFIX_MAX: usize = 64;

/// The owner of the platform's own systems and operators, in place of a merchant.
const PLATFORM: &str = "platform";

/// The name of a merchant: lowercase letters, digits, and hyphens. Clones share the text, because
/// every message in memory has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, example = "acme")]
pub struct MerchantId(Arc<str>);

impl MerchantId {
    /// Accepts the name of a merchant, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == PLATFORM {
            return Err(format!("the name `{PLATFORM}` is reserved for the platform itself"));
        }
        Self::parse_stored(text)
    }

    /// Like [`Self::parse`], but also accepts the platform: for what the service itself wrote.
    pub fn parse_stored(text: &str) -> Result<Self, String> {
        let refuse = |reason: &str| Err(reason.to_owned());
        if text.is_empty() {
            return refuse("a merchant's name must not be empty");
        }
        if text.len() > MERCHANT_MAX {
            return Err(format!("a merchant's name must have at most {MERCHANT_MAX} characters"));
        }
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if !text.bytes().all(allowed) {
            return refuse(
                "a merchant's name must consist of the letters a to z, digits, and hyphens",
            );
        }
        if text.starts_with('-') || text.ends_with('-') {
            return refuse("a merchant's name must neither start nor end with a hyphen");
        }
        Ok(Self(text.into()))
    }

    /// The platform itself, to which the carrier gateway, the warehouse, and operators belong.
    pub fn platform() -> Self {
        Self(PLATFORM.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&MerchantId> for Arc<str> {
    fn from(merchant: &MerchantId) -> Self {
        Self::clone(&merchant.0)
    }
}

impl Serialize for MerchantId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl TryFrom<String> for MerchantId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse_stored(&text)
    }
}

impl fmt::Display for MerchantId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The identifier of a client: one system of a merchant or of the platform.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(example = "acme.k7w2mq9d")]
pub struct ClientId(String);

impl ClientId {
    /// Joins the merchant and a `suffix` that is already unique: lowercase letters and digits.
    pub fn new(merchant: &MerchantId, suffix: &str) -> Self {
        Self(format!("{merchant}.{suffix}"))
    }

    /// Accepts `text` when it names a merchant (or the platform) and a suffix.
    pub fn parse(text: &str) -> Option<Self> {
        let (merchant, suffix) = text.split_once('.')?;
        MerchantId::parse_stored(merchant).ok()?;
        let plain = suffix.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'));
        let fits = (1..=SUFFIX_MAX).contains(&suffix.len());
        (plain && fits).then(|| Self(text.to_owned()))
    }

    /// An operator at the console, in place of a client. It is not a client: it has no dot, cannot
    /// be parsed, and never gets a token.
    pub fn of_operator(name: &OperatorName) -> Self {
        Self(name.to_string())
    }

    /// The merchant that the client belongs to. Operators belong to the platform.
    pub fn merchant(&self) -> MerchantId {
        let owner = self.0.split_once('.').map_or(PLATFORM, |(merchant, _)| merchant);
        MerchantId(owner.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ClientId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not the identifier of a client")
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The identifier of a message to a merchant: `msg_acme_42`. It is also its `webhook-id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageId {
    pub merchant: MerchantId,
    /// Increases within the merchant.
    pub number: i64,
}

impl MessageId {
    pub fn parse(text: &str) -> Option<Self> {
        let (merchant, number) = text.strip_prefix("msg_")?.split_once('_')?;
        // The platform has messages, too: mails that alert operators.
        let merchant = MerchantId::parse_stored(merchant).ok()?;
        let number = number.parse().ok().filter(|number| *number > 0)?;
        Some(Self { merchant, number }).filter(|id| id.to_string() == text)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "msg_{}_{}", self.merchant, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merchant_has_a_plain_short_name() {
        let longest = "a".repeat(MERCHANT_MAX);
        for name in ["acme", "a", "7", "a-1", "4-seasons", &longest] {
            assert_eq!(MerchantId::parse(name).map(|id| id.to_string()), Ok(name.to_owned()));
        }
        let too_long = "a".repeat(MERCHANT_MAX + 1);
        for name in ["", "Acme", "-acme", "acme-", "ac me", "ac.me", "ac_me", "acmé", &too_long] {
            assert!(MerchantId::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn the_platform_is_not_a_merchant_but_owns_clients() {
        let refusal = MerchantId::parse("platform").unwrap_err();

        assert_eq!(refusal, "the name `platform` is reserved for the platform itself");
        assert_eq!(MerchantId::parse_stored("platform"), Ok(MerchantId::platform()));
    }

    #[test]
    fn a_client_names_its_merchant() {
        let merchant = MerchantId::parse("acme").unwrap();
        let client = ClientId::new(&merchant, "k7w2mq9d");

        assert_eq!(client.as_str(), "acme.k7w2mq9d");
        assert_eq!(client.merchant(), merchant);
        assert_eq!(ClientId::parse("acme.k7w2mq9d"), Some(client));
        assert!(ClientId::parse("platform.k7w2mq9d").is_some());
    }

    #[test]
    fn an_operator_acts_for_the_platform_under_its_own_name() {
        let lena = ClientId::of_operator(&OperatorName::parse("lena").unwrap());

        assert_eq!((lena.as_str(), lena.merchant()), ("lena", MerchantId::platform()));
        assert_eq!(ClientId::parse(lena.as_str()), None);
    }

    #[test]
    fn text_without_a_merchant_or_a_suffix_is_not_a_client() {
        for text in ["", ".", "acme", "acme.", ".k7", "Acme.k7", "acme.K7", "acme.k7.k7"] {
            assert_eq!(ClientId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn identifiers_are_serialized_as_text_and_checked_when_read() {
        let client = ClientId::parse("acme.k7").unwrap();

        assert_eq!(serde_json::to_string(&client).unwrap(), r#""acme.k7""#);
        assert_eq!(serde_json::from_str::<ClientId>(r#""acme.k7""#).unwrap(), client);
        assert!(serde_json::from_str::<ClientId>(r#""acme""#).is_err());
        assert!(serde_json::from_str::<MerchantId>(r#""Acme""#).is_err());
        assert_eq!(
            serde_json::from_str::<MerchantId>(r#""platform""#).unwrap(),
            MerchantId::platform()
        );
    }

    #[test]
    fn a_message_is_named_by_its_merchant_and_number() {
        let id = MessageId { merchant: MerchantId::parse("acme").unwrap(), number: 42 };
        assert_eq!(id.to_string(), "msg_acme_42");
        assert_eq!(MessageId::parse("msg_acme_42"), Some(id));
        for wrong in ["msg_acme", "msg_acme_042", "msg_acme_-1", "msg_acme_0", "acme_42", "msg__1"]
        {
            assert_eq!(MessageId::parse(wrong), None, "{wrong}");
        }
    }
}
