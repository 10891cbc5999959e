//! An operator erases what is about a shopper.

use boxed::boxed;
use store::Transaction;

pub use super::eraser::{ErasedItem, ShopperErasure};
use super::{
    eraser::Eraser,
    shopper_data::{FoundData, ShopperQuery, find_shopper},
};
use crate::{
    AppError,
    core::{commit_once::commit_once, idempotency::replayable, scope::RequestScope},
};

/// So much that is open is named in a refusal.
const NAMED_MAX: usize = 10;

/// Whom to erase.
#[derive(Clone, Debug)]
pub struct ErasureRequest {
    pub shopper: ShopperQuery,
    /// Why the data is erased although something is open.
    pub force_reason: Option<String>,
}

replayable!(ShopperErasure);

/// Erases the data of a shopper, up to a number of orders. It is refused while something is open,
/// unless there is a reason to do it nevertheless.
#[boxed]
pub async fn erase_shopper(
    scope: RequestScope<'_>,
    request: &ErasureRequest,
) -> Result<ShopperErasure, AppError> {
    commit_once(scope, || async {
        let found = find_shopper(scope.app, &request.shopper).await?;
        refuse_open(&found, request)?;
        let complete = found.end.is_none();
        let eraser = Eraser::by_request(scope, request.force_reason.as_deref());
        // It holds whole units, and would be part of the future of the request.
        let erasure = ShopperErasure { complete, ..Box::pin(eraser.erase(found)).await? };
        scope.app.store.remove_traces().await?;
        Ok((erasure, Transaction::new("remembering an erasure")))
    })
    .await
}

fn refuse_open(found: &FoundData, request: &ErasureRequest) -> Result<(), AppError> {
    let open = found.list_open();
    if open.is_empty() || request.force_reason.is_some() {
        return Ok(());
    }
    let named: Vec<&str> = open.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = match open.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Err(AppError::Conflict(format!("not everything is finished: {}{more}", named.join(", "))))
}
