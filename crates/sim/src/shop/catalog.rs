//! The articles of the simulated merchant, their variants and their stock.
//!
//! The articles are always the same, so that a test can name a variant. Two of the products are
//! those of the sample orders in the documentation, and every product has a variant that is sold
//! out.

use serde::Serialize;

/// A product with several variants.
pub(crate) struct Product {
    pub(crate) variant_identifier: &'static str,
    pub(crate) variants: Vec<Variant>,
}

/// One article, as in a response.
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

/// The description of a product. Its variants are every color in every size.
struct ProductRange {
    variant_identifier: &'static str,
    title: &'static str,
    price_cents: i64,
    colors: &'static [&'static str],
    sizes: &'static [&'static str],
}

const RANGES: [ProductRange; 5] = [
    ProductRange {
        variant_identifier: "TEE-NAVY",
        title: "Organic cotton tee",
        price_cents: 4_500,
        colors: &["Navy"],
        sizes: &["S", "M", "L", "XL"],
    },
    ProductRange {
        variant_identifier: "SCARF",
        title: "Lambswool scarf",
        price_cents: 3_900,
        colors: &["Red", "Grey", "Moss", "Ochre"],
        sizes: &[],
    },
    ProductRange {
        variant_identifier: "HARBOUR-SHIRT",
        title: "Harbour linen shirt",
        price_cents: 6_900,
        colors: &["Indigo", "Chalk", "Moss"],
        sizes: &["S", "M", "L", "XL"],
    },
    ProductRange {
        variant_identifier: "TRAIL-SHOE",
        title: "Trail shoe",
        price_cents: 11_900,
        colors: &["Slate", "Rust"],
        sizes: &["38", "39", "40", "41", "42", "43", "44"],
    },
    ProductRange {
        variant_identifier: "RAIN-JACKET",
        title: "Rain jacket",
        price_cents: 14_900,
        colors: &["Ochre", "Pine"],
        sizes: &["S", "M", "L"],
    },
];

/// The stock of the variants, repeated in this order.
const STOCK: [u32; 4] = [12, 7, 25, 0];

pub(crate) struct Catalog {
    pub(crate) products: Vec<Product>,
}

impl Catalog {
    /// All articles; their images are under `public_url`.
    pub(crate) fn new(public_url: &str) -> Self {
        Self { products: RANGES.iter().map(|range| range.product(public_url)).collect() }
    }

    pub(crate) fn variants_of(&self, variant_identifier: &str) -> Option<&[Variant]> {
        let matches = |product: &&Product| product.variant_identifier == variant_identifier;
        self.products.iter().find(matches).map(|product| product.variants.as_slice())
    }

    pub(crate) fn variant(&self, sku: &str) -> Option<&Variant> {
        self.products
            .iter()
            .flat_map(|product| &product.variants)
            .find(|variant| variant.sku == sku)
    }

    pub(crate) fn variant_mut(&mut self, sku: &str) -> Option<&mut Variant> {
        let mut variants = self.products.iter_mut().flat_map(|product| &mut product.variants);
        variants.find(|variant| variant.sku == sku)
    }
}

impl ProductRange {
    fn product(&self, public_url: &str) -> Product {
        let one_size: &[Option<&'static str>] = &[None];
        let sizes: Vec<_> = self.sizes.iter().copied().map(Some).collect();
        let sizes = if sizes.is_empty() { one_size } else { sizes.as_slice() };
        let kinds = self.colors.iter().flat_map(|color| sizes.iter().map(|size| (*color, *size)));
        let variants = kinds
            .zip(STOCK.into_iter().cycle())
            .map(|((color, size), stock)| self.variant(color, size, stock, public_url))
            .collect();
        Product { variant_identifier: self.variant_identifier, variants }
    }

    fn variant(
        &self,
        color: &'static str,
        size: Option<&'static str>,
        quantity_in_stock: u32,
        public_url: &str,
    ) -> Variant {
        let mut sku = self.variant_identifier.to_owned();
        let mut title = format!("{}, {}", self.title, color.to_lowercase());
        let mut attributes = Vec::new();
        if self.colors.len() > 1 {
            sku = format!("{sku}-{}", color.to_uppercase());
        }
        if let Some(size) = size {
            sku = format!("{sku}-{size}");
            title = format!("{title}, {size}");
            attributes.push(Attribute { name: "Size", value: size });
        }
        attributes.push(Attribute { name: "Colour", value: color });
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
    fn every_sku_is_unique_and_every_product_has_a_sold_out_variant() {
        let catalog = Catalog::new("http://shop");
        let mut skus = BTreeSet::new();
        for product in &catalog.products {
            assert!(product.variants.iter().any(|variant| variant.quantity_in_stock == 0));
            assert!(product.variants.iter().all(|variant| skus.insert(variant.sku.clone())));
        }
        assert_eq!(skus.len(), 4 + 4 + 12 + 14 + 6);
    }

    #[test]
    fn a_variant_is_described_by_its_attributes() {
        let catalog = Catalog::new("http://shop");
        let shirt = catalog.variant("HARBOUR-SHIRT-CHALK-M").unwrap();
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
