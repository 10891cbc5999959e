//! Requests of the API and the console to add and change merchants.

use app::merchants::{add_merchant::NewMerchant, change_merchant::MerchantChange};
use domain::{
    faults::{FaultCode, Faults},
    identifier::MerchantId,
    json::Json,
    merchants::merchant::{CarrierMode, MerchantSettings, WeightUnit},
    orders::order::PostalAddress,
    reader::{TEXT_MAX, fields::Fields},
};

use crate::json_body::read_object;

/// The environment in which merchants test their integration.
const SANDBOX: &str = "sandbox";

pub fn read_new_merchant(document: &Json<'_>, environment: &str) -> Result<NewMerchant, Faults> {
    let usual = if environment == SANDBOX { CarrierMode::Simulated } else { CarrierMode::External };
    read_object(document, |at| {
        let id = at.required("merchant", |at| {
            let text = at.text(1..=TEXT_MAX)?;
            let parsed = MerchantId::parse(text);
            parsed.map_err(|why| at.note(FaultCode::Invalid, &why)).ok()
        });
        let name = at.required("name", |at| at.text(1..=TEXT_MAX).map(str::to_owned));
        let settings = MerchantSettings {
            strict: at.optional_flag("strict").unwrap_or_default(),
            carrier: read_carrier(at).unwrap_or(usual),
            managed_receiving: at.optional_flag("managed_receiving").unwrap_or_default(),
            exchange_refusal_is_final: at
                .optional_flag("exchange_refusal_is_final")
                .unwrap_or_default(),
            refund_tolerance_cents: at.optional_cents("refund_tolerance_cents").unwrap_or_default(),
            message_extensions: at.optional_flag("message_extensions").unwrap_or_default(),
            weight_unit: read_weight_unit(at).unwrap_or_default(),
        };
        Some(NewMerchant { id: id?, name: name?, settings })
    })
}

pub fn read_merchant_change(document: &Json<'_>) -> Result<MerchantChange, Faults> {
    read_object(document, |at| {
        Some(MerchantChange {
            name: at.optional("name", |at| at.text(1..=TEXT_MAX).map(str::to_owned)),
            strict: at.optional_flag("strict"),
            carrier: read_carrier(at),
            managed_receiving: at.optional_flag("managed_receiving"),
            exchange_refusal_is_final: at.optional_flag("exchange_refusal_is_final"),
            refund_tolerance_cents: at.optional_cents("refund_tolerance_cents"),
            message_extensions: at.optional_flag("message_extensions"),
            weight_unit: read_weight_unit(at),
            return_address: at.optional_object("return_address", read_address),
            disabled: at.optional_flag("disabled"),
        })
    })
}

fn read_carrier(at: &Fields<'_>) -> Option<CarrierMode> {
    let refused = "must be one of simulated, external, easypost";
    at.optional("carrier", |value| value.named(CarrierMode::parse, refused))
}

fn read_weight_unit(at: &Fields<'_>) -> Option<WeightUnit> {
    let refused = "must be one of grams, kilograms, ounces, pounds";
    at.optional("weight_unit", |value| value.named(WeightUnit::parse, refused))
}

fn read_address(at: &Fields<'_>) -> PostalAddress {
    at.refuse_unknown();
    let address = PostalAddress::read(at);
    let country = address.country_code.as_bytes();
    if at.sound(&["country_code"])
        && !(country.len() == 2 && country.iter().all(u8::is_ascii_alphabetic))
    {
        at.note("country_code", "must be a country in two letters, such as US");
    }
    address
}
