//! The variants of a product, as a merchant's server lists them and as a shopper is offered them.
//!
//! The responses of merchants have several forms, so reading is lenient: a list, or a list under
//! `variants`; attributes as a list or an object. A variant that cannot be read is skipped and
//! counted; the others are offered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::faults::Faults;
use crate::json::Json;
use crate::orders::order::{OrderLine, Variant, VariantAttribute};
use crate::orders::order_message::read_variant;
use crate::reader::read;

/// The most variants in a response.
pub const VARIANTS_MAX: usize = 1_000;

/// What a merchant's server listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    pub variants: Vec<Variant>,
    /// How many could not be read.
    pub skipped: usize,
}

/// The lists of a merchant's server, by their `variant_identifier`. None: the server answered that
/// there is no such list. One that did not answer is absent.
pub type VariantLists = BTreeMap<String, Option<Vec<Variant>>>;

/// The variants of a line: the merchant's or, if it has no list, those on the line itself. Lines
/// with the same identifier may differ in theirs.
pub fn choose_variants<'a>(lists: &'a VariantLists, line: &'a OrderLine) -> &'a [Variant] {
    let listed = lists.get(&line.variant_identifier).and_then(Option::as_ref);
    listed.unwrap_or(&line.variants)
}

/// A variant that may be offered in an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VariantOffer {
    /// Send it as `exchange_sku`.
    #[schema(example = "TEE-NAVY-L")]
    pub sku: String,
    /// Its title.
    #[schema(example = "Organic cotton tee, navy, L")]
    pub title: String,
    /// What distinguishes it from the others.
    pub attributes: Vec<VariantAttribute>,
    /// The price of one unit. Null if it is unknown.
    #[schema(required, example = 4500, minimum = 0)]
    pub unit_price_amount_cents: Option<i64>,
    /// Whether it is in stock, as far as is known.
    pub in_stock: bool,
    /// Whether it costs as much as the returned unit, so that nothing has to be paid.
    pub even: bool,
    /// The address of an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// The address of its page in the shop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_url: Option<String>,
}

/// Reads the response of a merchant's server. None if it is not a list of variants.
pub fn read_listed(document: &Json<'_>) -> Option<Listed> {
    let list = match document {
        Json::List(list) => list,
        Json::Object(_) => match document.get("variants")? {
            Json::List(list) => list,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::Object(_) => {
                return None;
            }
        },
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => return None,
    };
    let mut listed = Listed::default();
    for value in list.iter().take(VARIANTS_MAX) {
        let read: Result<_, Faults> = read(value, false, |root| root.object(read_variant));
        match read {
            Ok((variant, _)) if variant.sku.is_some() => listed.variants.push(variant),
            Ok(_) | Err(_) => listed.skipped += 1,
        }
    }
    listed.skipped += list.len().saturating_sub(VARIANTS_MAX);
    Some(listed)
}

/// The variants that a shopper who returns a unit of `line` can choose: not the returned one.
pub fn list_offers(line: &OrderLine, variants: &[Variant]) -> Vec<VariantOffer> {
    let offer = |variant: &Variant| {
        let sku = variant.sku.clone()?;
        let price = variant.unit_price_amount_cents;
        Some(VariantOffer {
            title: variant.title.clone().unwrap_or_else(|| sku.clone()),
            sku,
            attributes: variant.attributes.clone(),
            unit_price_amount_cents: price,
            in_stock: variant.quantity_in_stock.is_none_or(|stock| stock > 0),
            even: price.is_none_or(|price| price == line.unit_price_amount_cents),
            image_url: variant.image_url.clone(),
            product_url: variant.product_url.clone(),
        })
    };
    let others = variants.iter().filter(|variant| variant.sku != line.sku);
    others.filter_map(offer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::returns::test_orders::order_line;

    fn listed(text: &str) -> Option<Listed> {
        read_listed(&json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_bare_list_and_a_wrapped_one_say_the_same() {
        let list = r#"[{"sku":"A","attributes":[{"name":"Size","value":"L"}]},
                       {"sku":"B","attributes":{"Size":"M"}}]"#;

        let bare = listed(list).unwrap();

        assert_eq!(listed(&format!(r#"{{"variants":{list}}}"#)), Some(bare.clone()));
        assert_eq!((bare.variants.len(), bare.skipped), (2, 0));
        assert_eq!(bare.variants[1].attributes[0].value, "M");
    }

    #[test]
    fn what_cannot_be_read_is_skipped_and_what_is_no_list_is_nothing() {
        let some = listed(r#"[{"sku":7},{"title":"no sku"},"x",{"sku":"C"}]"#).unwrap();
        assert_eq!((some.variants.len(), some.skipped), (1, 3));
        for text in ["7", "null", r#"{"variants":{}}"#, r#"{"items":[]}"#] {
            assert_eq!(listed(text), None, "{text}");
        }
    }

    #[test]
    fn sold_out_and_other_priced_variants_are_marked_and_the_returned_one_is_left_out() {
        let returned = order_line("A", 1, [4500, 0, 0]);
        let text = r#"[{"sku":"SKU-A","unit_price_amount_cents":4500},
            {"sku":"B","unit_price_amount_cents":4500,"quantity_in_stock":0},
            {"sku":"C","unit_price_amount_cents":5000,"quantity_in_stock":3},
            {"sku":"D"}]"#;

        let offers = list_offers(&returned, &listed(text).unwrap().variants);

        let marks: Vec<_> =
            offers.iter().map(|it| (it.sku.as_str(), it.in_stock, it.even)).collect();
        assert_eq!(marks, [("B", false, true), ("C", true, false), ("D", true, true)]);
    }
}
