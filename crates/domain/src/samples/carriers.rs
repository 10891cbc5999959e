//! A label that is bought for the return of the sample.

use crate::carriers::job::{LabelKey, LabelPurchase};
use crate::carriers::label_request::{LabelFormat, LabelItem, LabelParty, LabelRequest};
use crate::identifier::MerchantId;
use crate::orders::order::PostalAddress;

pub fn label_purchase() -> LabelPurchase {
    let returned = super::rma();
    let address = |[name, street1, city, state, zip_code]: [&str; 5]| PostalAddress {
        name: name.to_owned(),
        street1: street1.to_owned(),
        city: city.to_owned(),
        state: state.to_owned(),
        zip_code: zip_code.to_owned(),
        country_code: "US".to_owned(),
        ..PostalAddress::default()
    };
    let home = address(["Dana Whitfield", "418 Juniper Street", "Portland", "OR", "97205"]);
    let dock = address(["Acme Returns", "2 Dock Road", "Reno", "NV", "89502"]);
    let request = LabelRequest {
        rma_identifier: returned.rma_identifier,
        merchant: MerchantId::parse("acme").expect("the sample's merchant has a proper name"),
        generation: 1,
        reason: None,
        return_method: returned.return_method,
        parcel_count: 1,
        formats: vec![LabelFormat::Pdf, LabelFormat::Png, LabelFormat::Zpl],
        sender: LabelParty { address: home, email: returned.email },
        recipient: LabelParty { address: dock, email: None },
        items: vec![LabelItem {
            sku: "TEE-NAVY-M".to_owned(),
            title: "Organic cotton tee, navy, M".to_owned(),
            quantity: 2,
            value_cents: 8_500,
            weight_grams: Some(360),
        }],
        currency: returned.currency,
        requested_at: returned.created_at,
    };
    let rma_identifier = request.rma_identifier.clone();
    LabelPurchase { key: LabelKey { rma_identifier, generation: 1, parcel: 1 }, request }
}
