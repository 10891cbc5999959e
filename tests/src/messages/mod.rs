//! What happens to messages on their way to a merchant's systems, seen from both ends: the real
//! binary sends, a simulated merchant in this process receives.
//!
//! Messages are made with the operators' test route, which takes the lane (`ref`) and the number
//! within it (`sequence`). [`stage`] sets the scene for a single test; [`load`] posts many messages
//! at once and [`ledger`] judges what came of them, knowing nothing but what was acknowledged and
//! what arrived.
//!
//! | variable                  | says                                                          |
//! | ------------------------- | ------------------------------------------------------------- |
//! | `HOMEWARD_ORDER_MESSAGES` | how many messages test the order (5,000; the long run 100,000) |
//! | `HOMEWARD_CRASH_ROUNDS`   | how often the server is killed on each engine (1 to 3)         |
//! | `MESSAGES`                | how many messages a receiver loses some of (1,000; 20,000)     |

mod addresses;
mod certified;
mod certify;
mod crash;
mod credentials;
mod debugging;
mod fail_over;
mod failures;
mod forgetful_receiver;
mod isolation;
mod ledger;
mod load;
mod log;
mod lost_commits;
mod mail;
mod mail_crash;
mod nodes;
mod order;
mod queues;
pub(crate) mod reconciliation;
mod replay;
mod retention;
mod retries;
mod rolling;
mod signed;
mod waiting;
