//! A simulated merchant: the other end of every call that Homeward makes.
//!
//! It takes every kind of message at its usual path, checks signature and credentials, answers
//! as it is told (also late, wrongly, or not at all), and keeps a book that tells afterwards
//! whether everything came, once and in order. It sells a few articles, so that exchanges can
//! be tried, and shows all of it on a page. Developers run it beside Homeward, tests and
//! benchmarks run it inside themselves:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use sim::{Behaviour, Settings, SimulatedMerchant};
//!
//! let running = SimulatedMerchant::start(Settings::default()).await?;
//! running.merchant().behave(&[Behaviour::status(503).times(2)])?;
//! // ... let something call running.url() ...
//! assert_eq!(running.merchant().summary().violation_count, 0);
//! running.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! A call goes through [`server::serve`] and [`server::receive`]; what it meets there is decided in
//! [`access`] and [`script`], and it ends in the book of [`calls`]. [`server::control`] and
//! [`pages`] look at the same things from outside.

mod access;
mod behavior;
mod calls;
mod merchant;
mod pages;
mod script;
mod server;
mod settings;
mod shop;

pub use behavior::{Behaviour, BehaviourError};
pub use calls::{
    call::{Answered, CALLS_MAX, Call, CallQuery, Calls, Content, SignatureCheck},
    summary::{KindSummary, Summary, Violation},
};
pub use merchant::{Article, SimulatedMerchant, StartError};
pub use server::serve::Running;
pub use settings::{
    Clock, FIRST_ORDER_NUMBER, KEEP_BODIES, KEEP_CALLS, Settings, TOKEN_LIFETIME_S,
};
