//! Turns for large bodies, so that they do not fill the memory together.
//!
//! A body waits for its merchant's turn before it is read: until then its bytes stay in the
//! network. So a merchant has one large body in memory, and its slow upload delays no other
//! merchant. A few merchants at a time may have their bodies parsed, which needs far more memory
//! than the bytes and does not depend on the speed of a network.

use std::sync::{Arc, LazyLock};

use app::AppError;
use domain::identifier::MerchantId;
use tokio::sync::{Semaphore, SemaphorePermit};
use world::{KeyedTurns, Turn};

/// How many requests of a merchant may wait to be read: more than a carrier gateway sends at once,
/// and fewer than the changes of one address. Each has a place among those of the node, also after
/// its client is gone.
const WAITING_MAX: usize = 256;

/// How many large bodies are parsed at the same time.
const PARSED_MAX: usize = 4;

/// The merchant whose turn a large body needs. Extractors that know it add it to the request.
#[derive(Clone)]
pub(crate) struct TurnOf(pub(crate) MerchantId);

/// The right to read a large body.
pub(crate) type ReadTurn = Turn<MerchantId>;

/// The right to parse a large body.
pub(crate) type ParseTurn = SemaphorePermit<'static>;

/// Waits until no other large body of `merchant` is read or handled.
pub(crate) async fn wait_to_read(merchant: &MerchantId) -> Result<ReadTurn, AppError> {
    static TURNS: LazyLock<Arc<KeyedTurns<MerchantId>>> = LazyLock::new(|| KeyedTurns::new(1));
    let turn = TURNS.wait_if_few(merchant.clone(), WAITING_MAX).await;
    turn.ok_or(AppError::Busy("large bodies of this merchant"))
}

/// Waits until few other large bodies are parsed.
pub(crate) async fn wait_to_parse() -> Option<ParseTurn> {
    static TURNS: Semaphore = Semaphore::const_new(PARSED_MAX);
    TURNS.acquire().await.ok()
}
