//! The items and options that a shopper chooses from.

use app::exchanges::variants::LineVariants;
use domain::{
    orders::order::Order,
    returns::{policy::Policy, returnability::Returnability, rma::Rma},
};

pub(crate) struct ReturnOffer {
    pub(crate) order: Order,
    pub(crate) returnability: Returnability,
    pub(crate) policy: Policy,
    /// For each line of the order; none where the variants are unknown.
    pub(crate) variants: Vec<Option<LineVariants>>,
    /// The shopper's earlier returns of this order.
    pub(crate) returns: Vec<Rma>,
}
