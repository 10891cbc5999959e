//! Carriers' APIs: the one trait that each adapter implements, and what all of them share.
//!
//! An adapter translates. What is bought, and when, is decided in [`job`], which is the same for
//! all of them, so that no adapter can buy a label twice.

mod client;
mod courier;
mod easypost;
mod failure;
mod job;
#[cfg(test)]
mod tests;

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::Bytes;
use domain::{
    carriers::{
        account::CarrierAccount,
        job::{LabelKey, LabelPurchase},
        label_request::LabelRequest,
        rate::Rate,
    },
    identifier::MerchantId,
    returns::rma::DocumentFormat,
};
use world::Secret;

use self::easypost::EasyPost;
pub use self::{
    courier::CarrierCourier,
    easypost::webhook::{ParcelReport, SIGNATURE_HEADER, read_webhook, verify_webhook},
    failure::CarrierFailure,
};
use crate::{address::Refused, sender::client::HttpClient};

/// A call to a carrier's API.
pub type CarrierCall<'a, T> = Pin<Box<dyn Future<Output = Result<T, CarrierFailure>> + Send + 'a>>;

/// What Homeward needs of a carrier's API. Each call is one request, within a time limit.
pub trait CarrierApi: Send + Sync {
    /// The shipment with this identifier, or with this reference.
    fn find_shipment<'a>(&'a self, id_or_reference: &'a str) -> CarrierCall<'a, Option<Shipment>>;

    /// Creates a shipment from the shopper to the merchant, which costs nothing until its label is
    /// bought.
    fn create_shipment<'a>(&'a self, purchase: &'a LabelPurchase) -> CarrierCall<'a, Shipment>;

    /// Buys the label of a shipment.
    fn buy<'a>(&'a self, shipment: &'a Shipment, rate: &'a Rate) -> CarrierCall<'a, Shipment>;

    /// Asks for a code that a drop-off point scans in place of a printed label.
    fn request_code<'a>(&'a self, shipment: &'a Shipment) -> CarrierCall<'a, Shipment>;

    /// Fetches a document that the carrier made, byte for byte.
    fn fetch_document<'a>(&'a self, url: &'a str) -> CarrierCall<'a, FetchedDocument>;

    /// Gives back an unused label.
    fn refund<'a>(&'a self, shipment_id: &'a str) -> CarrierCall<'a, RefundStatus>;

    /// The rule by which a rate is chosen.
    fn choose_rate<'a>(&self, shipment: &'a Shipment, currency: &str) -> Option<&'a Rate>;
}

/// A shipment at a carrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipment {
    pub id: String,
    pub rates: Vec<Rate>,
    /// Present once the label was bought.
    pub label: Option<PostageLabel>,
    /// Where the code for a drop-off point is.
    pub code_url: Option<String>,
    pub refund: Option<RefundStatus>,
}

/// A label that was bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostageLabel {
    pub tracking_number: String,
    pub document_url: String,
    /// What was paid, and for what.
    pub rate: Option<Rate>,
}

/// Whether an unused label is paid back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStatus {
    Submitted,
    Refunded,
    Rejected,
    /// Nothing was paid: the carrier charges only for labels that are used.
    NotApplicable,
}

/// A document as the carrier made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedDocument {
    pub format: DocumentFormat,
    pub bytes: Bytes,
}

/// A label that is ready for the shopper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoughtLabel {
    pub shipment_id: String,
    pub tracking_number: String,
    pub document: FetchedDocument,
    /// What a drop-off point scans in place of a printed label.
    pub code: Option<FetchedDocument>,
    /// What was paid, and for what.
    pub rate: Option<Rate>,
}

/// An answer of the [`CarrierDesk`]; an error in words.
pub type DeskAnswer<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// What is known about the labels of a merchant, durably. Every call may be repeated.
pub trait CarrierDesk: Send + Sync {
    /// Whether a label is still to be bought, and how far that is.
    fn state_of<'a>(&'a self, key: &'a LabelKey) -> DeskAnswer<'a, PurchaseState>;

    /// Remembers the shipment before anything is bought for it. If another one was remembered
    /// already, that one counts. Returns the one that counts.
    fn remember_shipment<'a>(
        &'a self,
        key: &'a LabelKey,
        shipment_id: &'a str,
    ) -> DeskAnswer<'a, String>;

    /// The shipment that was remembered.
    fn find_shipment_id<'a>(&'a self, key: &'a LabelKey) -> DeskAnswer<'a, Option<String>>;

    /// Stores a label with its return. False if the return does not want it any more.
    fn store_label<'a>(&'a self, key: &'a LabelKey, label: BoughtLabel) -> DeskAnswer<'a, bool>;
}

/// How far the purchase of a label is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PurchaseState {
    /// The return needs the label.
    Wanted { request: Box<LabelRequest>, shipment_id: Option<String> },
    /// The return was canceled, or needs another label by now.
    Unwanted { shipment_id: Option<String> },
    /// The return has the label.
    Stored,
}

/// The API of an account, or why it can never be called.
fn connect(
    merchant: &MerchantId,
    account: &CarrierAccount<Secret>,
    client: &HttpClient,
) -> Result<Arc<dyn CarrierApi>, Refused> {
    Ok(Arc::new(EasyPost::new(merchant, account, client)?))
}
