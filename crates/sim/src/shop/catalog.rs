//! The goods of the simulated merchant: what it sells, in which variants, and how many are
//! left.
//!
//! The range is always the same, so that a test can name a variant. Two of the products are
//! those of the sample orders in the documentation, and of every product some variant is sold
//! out.

use serde::Serialize;

/// A kind of article that comes in several variants.
pub(crate) struct Product {
    pub(crate) variant_identifier: &'static str,
    pub(crate) variants: Vec<Variant>,
}

/// One article, in the words of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Variant {
    pub(crate) sku: String,
    pub(crate) title: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) unit_price_amount_cents: i64,
    pub(crate) quantity_in_stock: u32,
    pub(crate) image_url: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    pub(crate) value: &'static str,
}

/// How a product is described; its variants are every colour in every size.
struct Range {
    variant_identifier: &'static str,
    title: &'static str,
    price_cents: i64,
    colours: &'static [&'static str],
    sizes: &'static [&'static str],
}

const RANGES: [Range; 5] = [
    Range {
        variant_identifier: "TEE-NAVY",
        title: "Organic cotton tee",
        price_cents: 4_500,
        colours: &["Navy"],
        sizes: &["S", "M", "L", "XL"],
    },
    Range {
        variant_identifier: "SCARF",
        title: "Lambswool scarf",
        price_cents: 3_900,
        colours: &["Red", "Grey", "Moss", "Ochre"],
        sizes: &[],
    },
    Range {
        variant_identifier: "HARBOUR-SHIRT",
        title: "Harbour linen shirt",
        price_cents: 6_900,
        colours: &["Indigo", "Chalk", "Moss"],
        sizes: &["S", "M", "L", "XL"],
    },
    Range {
        variant_identifier: "TRAIL-SHOE",
        title: "Trail shoe",
        price_cents: 11_900,
        colours: &["Slate", "Rust"],
        sizes: &["38", "39", "40", "41", "42", "43", "44"],
    },
    Range {
        variant_identifier: "RAIN-JACKET",
        title: "Rain jacket",
        price_cents: 14_900,
        colours: &["Ochre", "Pine"],
        sizes: &["S", "M", "L"],
    },
];

/// The stock of one variant after the other, over and over.
const STOCK: [u32; 4] = [12, 7, 25, 0];

pub(crate) struct Catalogue {
    pub(crate) products: Vec<Product>,
}

impl Catalogue {
    /// The full range; pictures are under `public_url`.
    pub(crate) fn new(public_url: &str) -> Self {
        Self { products: RANGES.iter().map(|range| range.product(public_url)).collect() }
    }

    pub(crate) fn variants_of(&self, variant_identifier: &str) -> Option<&[Variant]> {
        let wanted = |product: &&Product| product.variant_identifier == variant_identifier;
        self.products.iter().find(wanted).map(|product| product.variants.as_slice())
    }

    pub(crate) fn variant(&self, sku: &str) -> Option<&Variant> {
        self.products.iter().flat_map(|product| &product.variants).find(|found| found.sku == sku)
    }

    pub(crate) fn variant_mut(&mut self, sku: &str) -> Option<&mut Variant> {
        let mut variants = self.products.iter_mut().flat_map(|product| &mut product.variants);
        variants.find(|found| found.sku == sku)
    }
}

impl Range {
    fn product(&self, public_url: &str) -> Product {
        let one_size: &[Option<&'static str>] = &[None];
        let sizes: Vec<_> = self.sizes.iter().copied().map(Some).collect();
        let sizes = if sizes.is_empty() { one_size } else { sizes.as_slice() };
        let kinds =
            self.colours.iter().flat_map(|colour| sizes.iter().map(|size| (*colour, *size)));
        let variants = kinds
            .zip(STOCK.into_iter().cycle())
            .map(|((colour, size), stock)| self.variant(colour, size, stock, public_url))
            .collect();
        Product { variant_identifier: self.variant_identifier, variants }
    }

    fn variant(
        &self,
        colour: &'static str,
        size: Option<&'static str>,
        quantity_in_stock: u32,
        public_url: &str,
    ) -> Variant {
        let mut sku = self.variant_identifier.to_owned();
        let mut title = format!("{}, {}", self.title, colour.to_lowercase());
        let mut attributes = Vec::new();
        if self.colours.len() > 1 {
            sku = format!("{sku}-{}", colour.to_uppercase());
        }
        if let Some(size) = size {
            sku = format!("{sku}-{size}");
            title = format!("{title}, {size}");
            attributes.push(Attribute { name: "Size", value: size });
        }
        attributes.push(Attribute { name: "Colour", value: colour });
        Variant {
            image_url: format!("{public_url}/images/{sku}.svg"),
            sku,
            title,
            attributes,
            unit_price_amount_cents: self.price_cents,
            quantity_in_stock,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_sku_is_there_once_and_every_product_lacks_something() {
        let catalogue = Catalogue::new("http://shop");
        let mut skus = BTreeSet::new();
        for product in &catalogue.products {
            assert!(product.variants.iter().any(|variant| variant.quantity_in_stock == 0));
            assert!(product.variants.iter().all(|variant| skus.insert(variant.sku.clone())));
        }
        assert_eq!(skus.len(), 4 + 4 + 12 + 14 + 6);
    }

    #[test]
    fn a_variant_says_what_it_is() {
        let catalogue = Catalogue::new("http://shop");
        let shirt = catalogue.variant("HARBOUR-SHIRT-CHALK-M").unwrap();
        assert_eq!(
            serde_json::to_string(shirt).unwrap(),
            concat!(
                r#"{"sku":"HARBOUR-SHIRT-CHALK-M","title":"Harbour linen shirt, chalk, M","#,
                r#""attributes":[{"name":"Size","value":"M"},{"name":"Colour","value":"Chalk"}],"#,
                r#""unit_price_amount_cents":6900,"quantity_in_stock":7,"#,
                r#""image_url":"http://shop/images/HARBOUR-SHIRT-CHALK-M.svg"}"#,
            )
        );
    }
}
