//! The warehouses of the platform, which operators configure once. A shipment that leaves or goes
//! to one of them needs only its identifier: the rest is known.

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::faults::Faults;
use crate::json::Json;
use crate::orders::order::PostalAddress;
use crate::reader::fields::Fields;
use crate::reader::{IDENTIFIER_MAX, Reader, read};

/// The longest name of a time zone; the longest that there is has 32 characters.
const TIME_ZONE_MAX: usize = 64;

/// A warehouse of the platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Warehouse {
    /// Our own identifier of the warehouse, which receipts and shipments name.
    #[schema(example = "31", min_length = 1, max_length = 255)]
    pub identifier: String,
    #[serde(flatten)]
    pub settings: WarehouseSettings,
}

/// What is known of a warehouse. All of it is optional.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WarehouseSettings {
    /// The identifier of the warehouse outside of the platform. Outbound ASNs have it as the
    /// sender, and as the receiver of freight.
    #[schema(example = "WH-EAST", max_length = 255)]
    pub external_identifier: Option<String>,
    /// The identifier of the warehouse as the receiver of stock transfers.
    #[schema(example = "ST-EAST", max_length = 255)]
    pub stock_transfer_identifier: Option<String>,
    /// Where goods for the warehouse are delivered.
    pub address: Option<WarehouseAddress>,
    /// The name of the time zone, such as `America/New_York`. Informational: all times in messages
    /// are UTC.
    #[schema(example = "America/New_York", max_length = 64)]
    pub time_zone: Option<String>,
    /// The channel of shipments from the warehouse, and of units that are received in it, if
    /// neither they nor disposition rules name one.
    #[schema(example = "Restock", max_length = 255)]
    pub default_channel: Option<String>,
}

/// The address of a warehouse: where shipments to it go, and what labels of returns show.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WarehouseAddress {
    #[serde(flatten)]
    #[schema(inline)]
    pub address: ReceivingAddress,
    /// In two letters. Labels of returns show it.
    #[schema(example = "US", min_length = 2, max_length = 2)]
    pub country: Option<String>,
    #[schema(example = "+1 503 555 0117")]
    pub telephone_number: Option<String>,
}

impl WarehouseAddress {
    fn read(at: &Fields<'_>) -> Self {
        let refused = "must be a country in two letters, such as US";
        Self {
            address: ReceivingAddress::read(at),
            country: at.optional("country", |value| value.named(parse_country, refused)),
            telephone_number: at.optional_text("telephone_number"),
        }
    }

    /// The address as labels show it.
    pub fn to_postal(&self) -> PostalAddress {
        let Self { address, country, telephone_number } = self;
        let names = address.company.iter().chain([&address.name]).filter(|name| !name.is_empty());
        let names: Vec<&str> = names.map(String::as_str).collect();
        PostalAddress {
            name: names.join(", "),
            street1: address.street.clone(),
            street2: address.street2.clone(),
            city: address.city.clone(),
            state: address.state.clone(),
            zip_code: address.zip.clone(),
            country_code: country.clone().unwrap_or_default(),
            phone: telephone_number.clone(),
        }
    }
}

/// A country in two letters, in capitals.
pub(super) fn parse_country(text: &str) -> Option<String> {
    let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| text.to_ascii_uppercase())
}

/// The address that goods go to. A part that the country does not have is sent as empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceivingAddress {
    #[schema(example = "Receiving dock 4")]
    pub name: String,
    #[schema(required, example = "Juniper Textiles")]
    pub company: Option<String>,
    /// Street and number.
    #[schema(example = "77 Mill Road")]
    pub street: String,
    #[schema(required, example = "Building C")]
    pub street2: Option<String>,
    #[schema(example = "Reno")]
    pub city: String,
    #[schema(example = "NV")]
    pub state: String,
    #[schema(example = "89502")]
    pub zip: String,
}

impl ReceivingAddress {
    pub(super) fn read(at: &Fields<'_>) -> Self {
        at.refuse_unknown();
        Self {
            name: at.text("name"),
            company: at.optional_text("company"),
            street: at.text("street"),
            street2: at.optional_text("street2"),
            city: at.text("city"),
            state: at.text("state"),
            zip: at.text("zip"),
        }
    }
}

/// Reads the settings of a warehouse, or reports all of their faults.
pub fn read_settings(document: &Json<'_>) -> Result<WarehouseSettings, Faults> {
    let (settings, _) = read(document, false, |root| root.object(settings))?;
    Ok(settings)
}

/// Whether a text can be the identifier of a warehouse.
pub fn is_identifier(text: &str) -> bool {
    (1..=IDENTIFIER_MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn settings(at: &Fields<'_>) -> WarehouseSettings {
    at.refuse_unknown();
    WarehouseSettings {
        external_identifier: at.optional_identifier("external_identifier"),
        stock_transfer_identifier: at.optional_identifier("stock_transfer_identifier"),
        address: at.optional_object("address", WarehouseAddress::read),
        time_zone: at.optional("time_zone", time_zone),
        default_channel: at.optional_identifier("default_channel"),
    }
}

fn time_zone(value: &Reader<'_>) -> Option<String> {
    let is_zone = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_".contains(&byte);
        let part = |part: &str| !part.is_empty() && part.bytes().all(plain);
        text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.split('/').all(part)
    };
    let text = value.text(1..=TIME_ZONE_MAX)?;
    if is_zone(text) {
        Some(text.to_owned())
    } else {
        value.invalid("must be the name of a time zone, such as America/New_York")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::faults::FaultCode;
    use crate::json as document;

    fn judge(settings: &Value) -> Result<WarehouseSettings, Faults> {
        read_settings(&document::parse(settings.to_string().as_bytes()).unwrap())
    }

    #[test]
    fn all_settings_of_a_warehouse_are_optional_and_read_back() {
        assert_eq!(judge(&json!({})), Ok(WarehouseSettings::default()));
        let sent = json!({
            "external_identifier": "WH-EAST",
            "stock_transfer_identifier": "ST-EAST",
            "address": { "name": "Dock 4", "company": null, "street": "77 Mill Road",
                "street2": null, "city": "Reno", "state": "NV", "zip": "89502", "country": "US",
                "telephone_number": "+1 775 555 0117" },
            "time_zone": "America/Argentina/Buenos_Aires",
            "default_channel": "Restock",
        });
        let settings = judge(&sent).unwrap();
        assert_eq!(serde_json::to_value(settings).unwrap(), sent);
    }

    #[test]
    fn everything_wrong_with_a_warehouse_is_reported_at_once() {
        let sent = json!({
            "identifier": "31", "external_identifier": 5, "address": {}, "time_zone": "GMT +1"
        });
        let faults = judge(&sent).unwrap_err();
        let mut fields: Vec<(&str, FaultCode)> =
            faults.errors.iter().map(|error| (error.field.as_str(), error.code)).collect();
        fields.sort_unstable_by_key(|(field, _)| *field);
        let missing = |field| (field, FaultCode::MissingField);
        let expected = [
            missing("$.address.city"),
            missing("$.address.name"),
            missing("$.address.state"),
            missing("$.address.street"),
            missing("$.address.zip"),
            ("$.external_identifier", FaultCode::InvalidType),
            ("$.identifier", FaultCode::Invalid),
            ("$.time_zone", FaultCode::Invalid),
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn the_identifier_of_a_warehouse_has_1_to_255_visible_characters() {
        assert!(
            is_identifier("31") && is_identifier("WH/East ä") && is_identifier(&"x".repeat(255))
        );
        assert!(!is_identifier("") && !is_identifier("a\0") && !is_identifier(&"x".repeat(256)));
    }
}
