//! The state of a message on its way to a merchant.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The state of a message: `waiting` for an attempt, `delivered`, `failed` after its last attempt,
/// or `discarded` by an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    Waiting,
    Delivered,
    Failed,
    Discarded,
}
