//! Exchanges and gift cards from outside: a shopper returns something and wants something else for
//! it, the merchant is asked for it, and whatever the merchant makes of that, the shopper has
//! either goods or money.
//!
//! Every message that the merchant gets is compared whole, see [`expected`]. There is never more
//! than one exchange order for an order, whoever asks at the same time and whenever the server is
//! killed.

mod crash;
mod credit;
mod expected;
mod fulfilment;
mod gone;
mod listing;
mod placing;
mod portal;
mod rivals;
mod scripted;
mod stage;
mod trouble;
mod variants;
