//! The articles of the demo's merchant and their full stock.

use std::collections::BTreeMap;

use sim::{Article, SimulatedMerchant};

pub(crate) struct Stock {
    pub(crate) articles: Vec<Article>,
    full: BTreeMap<String, u32>,
}

impl Stock {
    /// Reads the stock of the merchant, which is full at the start.
    pub(crate) fn read(merchant: &SimulatedMerchant) -> Self {
        Self { articles: merchant.articles(), full: merchant.stock_by_sku() }
    }

    pub(crate) fn article(&self, sku: &str) -> Option<&Article> {
        self.articles.iter().find(|article| article.sku == sku)
    }

    /// The other variants of an article that are in stock.
    pub(crate) fn alternatives(&self, sku: &str, merchant: &SimulatedMerchant) -> Vec<String> {
        let Some(article) = self.article(sku) else { return Vec::new() };
        let others = self.articles.iter().filter(|other| {
            other.variant_identifier == article.variant_identifier && other.sku != sku
        });
        let available =
            others.filter(|other| merchant.stock(&other.sku).is_some_and(|left| left > 0));
        available.map(|other| other.sku.clone()).collect()
    }

    /// Fills the stock up to what it was at the start. Articles that were sold out stay sold out.
    pub(crate) fn restock(&self, merchant: &SimulatedMerchant) {
        for (sku, quantity) in &self.full {
            merchant.set_stock(sku, *quantity);
        }
    }

    #[cfg(test)]
    pub(crate) fn sample() -> Self {
        let article = |sku: &str, price_cents| Article {
            variant_identifier: "TEE-NAVY",
            sku: sku.to_owned(),
            title: format!("Article {sku}"),
            price_cents,
            image_url: format!("http://127.0.0.1/images/{sku}.svg"),
        };
        let articles = vec![article("TEE-NAVY-M", 4_500), article("SCARF-GREY", 3_900)];
        Self { articles, full: BTreeMap::new() }
    }
}
