//! The merchant itself: what it knows, and what can be asked of it from within the program.
//!
//! A [`SimulatedMerchant`] is a handle; its copies are the same merchant. The same can be had
//! over HTTP, see [`crate::server::control`].

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    access::{
        credentials::{Proof, Tokens},
        signature::Verifier,
    },
    behavior::{Behaviour, BehaviourError},
    calls::{
        book::Book,
        call::{Call, CallQuery, Calls},
        summary::Summary,
    },
    script::Script,
    server::serve::Running,
    settings::{Clock, Settings},
    shop::{
        catalog::{Catalogue, Product, Variant},
        exchange::Shop,
    },
};

/// A handle on a merchant that runs.
#[derive(Clone)]
pub struct SimulatedMerchant(pub(crate) Arc<Merchant>);

/// An article that the merchant sells, as its orders name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Article {
    /// What it has in common with its variants.
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
    #[error("the header for the credentials has no valid name")]
    HeaderName,
    #[error("cannot listen at {address}")]
    Listen { address: std::net::SocketAddr, source: std::io::Error },
}

pub(crate) struct Merchant {
    pub(crate) clock: Clock,
    /// None when signatures are not checked.
    pub(crate) verifier: Option<Verifier>,
    pub(crate) proof: Proof,
    pub(crate) token_lifetime_s: u32,
    pub(crate) check_order: bool,
    hasher: RandomState,
    tokens: Mutex<Tokens>,
    script: Mutex<Script>,
    shop: Mutex<Shop>,
    book: Mutex<Book>,
}

impl Merchant {
    /// A merchant as `settings` say, whose pictures are under `public_url`.
    pub(crate) fn new(settings: Settings, public_url: &str) -> Result<Self, StartError> {
        let verifier = Verifier::new(&settings.signing_secrets).map_err(|_| StartError::Secret)?;
        let proof = Proof::new(settings.auth).ok_or(StartError::HeaderName)?;
        let book = Book::new(settings.keep_calls, settings.keep_bodies, proof.header());
        Ok(Self {
            clock: settings.clock,
            verifier: Some(verifier).filter(|it| settings.verify && it.knows_a_secret()),
            proof,
            token_lifetime_s: settings.token_lifetime_s,
            check_order: settings.check_order,
            hasher: RandomState::new(),
            tokens: Mutex::new(Tokens::default()),
            script: Mutex::new(Script::new(settings.seed)),
            shop: Mutex::new(Shop::new(Catalogue::new(public_url), settings.first_order_number)),
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

/// Nothing here is left half done by a panic that would matter to the next caller.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SimulatedMerchant {
    /// Opens the door. The merchant is served until it is stopped or dropped.
    pub async fn start(settings: Settings) -> Result<Running, StartError> {
        Running::start(settings).await
    }

    /// Follows all of `behaviours` from now on, or none when one cannot be followed.
    pub fn behave(&self, behaviours: &[Behaviour]) -> Result<(), BehaviourError> {
        for behaviour in behaviours {
            behaviour.check()?;
            if behaviour.unauthorized_until_new_token && !self.0.proof.uses_tokens() {
                return Err(BehaviourError::NoTokens);
            }
        }
        let lasting: Vec<_> = behaviours.iter().filter_map(Behaviour::beyond_revocation).collect();
        self.0.script().add(&lasting)?;
        if behaviours.iter().any(|behaviour| behaviour.unauthorized_until_new_token) {
            self.revoke_tokens();
        }
        Ok(())
    }

    /// Forgets every behaviour it was told.
    pub fn behave_normally(&self) {
        self.0.script().clear();
    }

    /// The behaviours in force, in the order in which they are looked at.
    pub fn behaviours(&self) -> Vec<Behaviour> {
        self.0.script().behaviours()
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

    /// Forgets all calls and begins to count anew. Tokens stay good, behaviours in force, goods
    /// sold and orders placed.
    pub fn forget_calls(&self) {
        self.0.book().clear();
        self.0.tokens().forget_counts();
    }

    /// From now on every token that was given out is refused.
    pub fn revoke_tokens(&self) {
        self.0.tokens().revoke_all();
    }

    /// Everything it sells, in the order of the catalogue.
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
        shop.catalogue.products.iter().flat_map(of).collect()
    }

    /// How many of `sku` are left, if it is sold here.
    pub fn stock(&self, sku: &str) -> Option<u32> {
        self.0.shop().catalogue.variant(sku).map(|variant| variant.quantity_in_stock)
    }

    /// How many of each article are left.
    pub fn whole_stock(&self) -> BTreeMap<String, u32> {
        let shop = self.0.shop();
        let variants = shop.catalogue.products.iter().flat_map(|product| &product.variants);
        variants.map(|variant| (variant.sku.clone(), variant.quantity_in_stock)).collect()
    }

    /// False when `sku` is not sold here.
    pub fn set_stock(&self, sku: &str, quantity: u32) -> bool {
        let mut shop = self.0.shop();
        let variant = shop.catalogue.variant_mut(sku);
        variant.map(|variant| variant.quantity_in_stock = quantity).is_some()
    }
}
