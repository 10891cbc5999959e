//! The state of the merchant, and its interface for code in the same process.
//!
//! A [`SimulatedMerchant`] is a handle; its copies are the same merchant.
//! [`crate::server::control`] offers the same over HTTP.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    access::{
        credentials::{RequiredAuth, Tokens},
        signature::SignatureVerifier,
    },
    behavior::{Behavior, BehaviorError},
    calls::{
        book::Book,
        call::{Call, CallQuery, Calls},
        summary::Summary,
    },
    script::Script,
    settings::{Clock, Settings},
    shop::{
        catalog::{Catalog, Product, Variant},
        exchange::Shop,
        picture::draw_svg,
    },
};

/// A handle to a running merchant.
#[derive(Clone)]
pub struct SimulatedMerchant(pub(crate) Arc<Merchant>);

/// An article that the merchant sells, in the terms of its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    /// Shared by its variants.
    pub variant_identifier: &'static str,
    pub sku: String,
    pub title: String,
    pub price_cents: i64,
    pub image_url: String,
}

/// Why a merchant could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("a signing secret must be whsec_ followed by base64")]
    Secret,
    #[error("the header for the credentials does not have a valid name")]
    HeaderName,
    #[error("cannot listen at {address}")]
    Listen { address: std::net::SocketAddr, source: std::io::Error },
}

pub(crate) struct Merchant {
    pub(crate) clock: Clock,
    /// None if signatures are not checked.
    pub(crate) verifier: Option<SignatureVerifier>,
    pub(crate) auth: RequiredAuth,
    pub(crate) token_lifetime_s: u32,
    pub(crate) check_order: bool,
    hasher: RandomState,
    tokens: Mutex<Tokens>,
    script: Mutex<Script>,
    shop: Mutex<Shop>,
    book: Mutex<Book>,
}

impl Merchant {
    /// Creates a merchant. Its images are under `public_url`.
    pub(crate) fn new(settings: Settings, public_url: &str) -> Result<Self, StartError> {
        let verifier =
            SignatureVerifier::new(&settings.signing_secrets).map_err(|_| StartError::Secret)?;
        let auth = RequiredAuth::new(settings.auth).ok_or(StartError::HeaderName)?;
        let book = Book::new(settings.keep_calls, settings.keep_bodies, auth.header());
        Ok(Self {
            clock: settings.clock,
            verifier: Some(verifier).filter(|it| settings.verify && it.has_secrets()),
            auth,
            token_lifetime_s: settings.token_lifetime_s,
            check_order: settings.check_order,
            hasher: RandomState::new(),
            tokens: Mutex::new(Tokens::default()),
            script: Mutex::new(Script::new(settings.seed)),
            shop: Mutex::new(Shop::new(Catalog::new(public_url), settings.first_order_number)),
            book: Mutex::new(book),
        })
    }

    pub(crate) fn hash(&self, bytes: &[u8]) -> u64 {
        self.hasher.hash_one(bytes)
    }

    pub(crate) fn tokens(&self) -> MutexGuard<'_, Tokens> {
        lock(&self.tokens)
    }

    pub(crate) fn script(&self) -> MutexGuard<'_, Script> {
        lock(&self.script)
    }

    pub(crate) fn shop(&self) -> MutexGuard<'_, Shop> {
        lock(&self.shop)
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        lock(&self.book)
    }
}

/// A panic leaves nothing inconsistent that would matter to the next caller.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SimulatedMerchant {
    /// Applies all of `behaviors` from now on, or none if one is not possible.
    pub fn behave(&self, behaviors: &[Behavior]) -> Result<(), BehaviorError> {
        for behavior in behaviors {
            behavior.check()?;
            if behavior.unauthorized_until_new_token && !self.0.auth.uses_tokens() {
                return Err(BehaviorError::NoTokens);
            }
        }
        let lasting: Vec<_> = behaviors.iter().filter_map(Behavior::without_revocation).collect();
        self.0.script().add(&lasting)?;
        if behaviors.iter().any(|behavior| behavior.unauthorized_until_new_token) {
            self.revoke_tokens();
        }
        Ok(())
    }

    /// Removes all behaviors.
    pub fn behave_normally(&self) {
        self.0.script().clear();
    }

    /// The current behaviors, in the order in which they are considered.
    pub fn behaviors(&self) -> Vec<Behavior> {
        self.0.script().behaviors()
    }

    pub fn summary(&self) -> Summary {
        let mut summary = self.0.book().summary().clone();
        let tokens = self.0.tokens();
        summary.token_requests = tokens.requests;
        summary.tokens_issued = tokens.issued;
        drop(tokens);
        summary.exchange_orders = self.0.shop().placed();
        summary
    }

    pub fn calls(&self, query: &CallQuery) -> Calls {
        self.0.book().calls(query)
    }

    pub fn call(&self, number: u64) -> Option<Call> {
        self.0.book().call(number)
    }

    /// Deletes all calls and resets the counters. Tokens, behaviors, stock and orders stay.
    pub fn forget_calls(&self) {
        self.0.book().clear();
        self.0.tokens().reset_counts();
    }

    /// Revokes all tokens.
    pub fn revoke_tokens(&self) {
        self.0.tokens().revoke_all();
    }

    /// All articles, in the order of the catalog.
    pub fn articles(&self) -> Vec<Article> {
        let shop = self.0.shop();
        let article = |product: &'static str, variant: &Variant| Article {
            variant_identifier: product,
            sku: variant.sku.clone(),
            title: variant.title.clone(),
            price_cents: variant.unit_price_amount_cents,
            image_url: variant.image_url.clone(),
        };
        let of = |product: &Product| {
            let name = product.variant_identifier;
            product.variants.iter().map(|variant| article(name, variant)).collect::<Vec<_>>()
        };
        shop.catalog.products.iter().flat_map(of).collect()
    }

    /// The picture of an article, as SVG. None if the merchant does not sell it.
    pub fn draw_picture(&self, sku: &str) -> Option<String> {
        self.0.shop().catalog.variant(sku).map(draw_svg)
    }

    /// How many of `sku` are in stock. None if the merchant does not sell it.
    pub fn stock(&self, sku: &str) -> Option<u32> {
        self.0.shop().catalog.variant(sku).map(|variant| variant.quantity_in_stock)
    }

    /// How many of each article are in stock.
    pub fn stock_by_sku(&self) -> BTreeMap<String, u32> {
        let shop = self.0.shop();
        let variants = shop.catalog.products.iter().flat_map(|product| &product.variants);
        variants.map(|variant| (variant.sku.clone(), variant.quantity_in_stock)).collect()
    }

    /// False if the merchant does not sell `sku`.
    pub fn set_stock(&self, sku: &str, quantity: u32) -> bool {
        let mut shop = self.0.shop();
        let variant = shop.catalog.variant_mut(sku);
        variant.map(|variant| variant.quantity_in_stock = quantity).is_some()
    }
}
