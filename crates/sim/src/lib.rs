//! A simulated merchant, a simulated carrier and a simulated mailbox: the other ends of everything
//! that Homeward sends.
//!
//! It accepts every kind of message at its default path, checks signature and credentials, responds
//! as configured (also late, with an error, or not at all), and records every call, so that a test
//! can check that everything arrived, once and in order. It sells a few articles, so that exchanges
//! can be tested, and shows all of this on a page. Developers run it beside Homeward; tests and
//! benchmarks run it in their own process:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use sim::{Behavior, Settings, SimulatedMerchant};
//!
//! let running = SimulatedMerchant::start(Settings::default()).await?;
//! running.merchant().behave(&[Behavior::status(503).times(2)])?;
//! // ... let something call running.url() ...
//! assert_eq!(running.merchant().summary().violation_count, 0);
//! running.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! A call goes through [`server::serve`] and [`server::receive`]. [`access`] and [`script`] decide
//! how it is treated, and [`calls`] records it. [`server::control`] and [`pages`] show and change
//! the same things from outside.

mod access;
mod behavior;
mod calls;
mod carrier;
mod mailbox;
mod merchant;
mod pages;
mod script;
mod server;
mod settings;
mod shop;

pub use behavior::{Behavior, BehaviorError};
pub use calls::{
    call::{CALLS_MAX, Call, CallOutcome, CallQuery, Calls, Content, SignatureCheck},
    summary::{KindSummary, Summary, Violation},
};
pub use carrier::{CarrierSettings, RunningCarrier};
pub use mailbox::RunningMailbox;
pub use merchant::{Article, SimulatedMerchant, StartError};
pub use server::serve::Running;
pub use settings::{
    Clock, FIRST_ORDER_NUMBER, KEEP_BODIES, KEEP_CALLS, Settings, TOKEN_LIFETIME_S,
};
