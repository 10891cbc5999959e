//! Requests to set a merchant's account at a carrier.
//!
//! Secrets become [`Secret`] as soon as they are read.

use domain::{
    carriers::{
        account::{CarrierAccount, EASYPOST_URL, USUAL_UNIT_WEIGHT_GRAMS},
        rate::ServiceRule,
    },
    faults::Faults,
    identifier::MerchantId,
    json::Json,
    reader::{Reader, TEXT_MAX},
};
use world::Secret;

use crate::{Web, json_body::read_object};

const SERVICES_MAX: usize = 50;
const UNIT_WEIGHT_MAX_GRAMS: i64 = 1_000_000;

pub fn read_carrier_account(
    web: &Web,
    merchant: &MerchantId,
    document: &Json<'_>,
) -> Result<CarrierAccount<Secret>, Faults> {
    read_object(document, |at| {
        let url = at.optional("url", |at| {
            let text = at.text(1..=TEXT_MAX)?;
            match web.app.check_url(merchant, text) {
                Ok(()) => Some(text.to_owned()),
                Err(why) => at.invalid(&why),
            }
        });
        let api_key = at.required("api_key", read_secret);
        let webhook_secret = at.optional("webhook_secret", read_secret);
        let services = at.optional("services", |at| {
            let refused = "must be a carrier, or a carrier and a service, such as USPS/Priority";
            at.list(SERVICES_MAX, |at| at.named(ServiceRule::parse, refused))
        });
        let weight = at.optional("unit_weight_grams", |at| at.integer(1..=UNIT_WEIGHT_MAX_GRAMS));
        Some(CarrierAccount {
            base_url: url.unwrap_or_else(|| EASYPOST_URL.to_owned()),
            api_key: api_key?,
            webhook_secret,
            services: services.unwrap_or_default(),
            unit_weight_grams: weight.unwrap_or(USUAL_UNIT_WEIGHT_GRAMS),
        })
    })
}

/// Other characters have no place in a header, and more than one form in a signature.
fn read_secret(at: &Reader<'_>) -> Option<Secret> {
    let text = at.text(1..=TEXT_MAX)?;
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return at.invalid("must consist of letters, digits and punctuation in ASCII");
    }
    Some(Secret::new(text.to_owned()))
}
