//! What is known about the signature of a message that its receiver refused.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message as its receiver has it.
#[derive(Clone, Debug)]
pub struct ReceivedCall {
    pub webhook_id: String,
    pub webhook_timestamp: String,
    pub webhook_signature: String,
    pub body: String,
    /// The signature that the receiver computed, if it says so.
    pub computed: Option<String>,
}

/// What is signed, with which secrets, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignatureExplanation {
    /// Whether a signature fits to what you received. If it does and you refuse the message, your
    /// secret or your computation is wrong.
    pub fits: bool,
    /// Your secrets, newest first.
    pub secrets: Vec<SecretCheck>,
    /// How many bytes are signed: `webhook-id`, a dot, `webhook-timestamp`, a dot, and the body.
    #[schema(example = 1243)]
    pub signed_bytes: usize,
    /// The first of these bytes.
    #[schema(example = "msg_acme_42.1771085530.{\"rma_identifier\":\"RMA-7K3Q-9XWD-2M4T\"")]
    pub signed_start: String,
    /// What differs or is wrong, each with what to do. Empty if nothing is.
    pub findings: Vec<String>,
}

/// A secret, and whether a signature was made with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretCheck {
    /// The first 8 hex digits of the SHA-256 of the secret as text, `whsec_` included: compare it
    /// with yours.
    #[schema(example = "3f2a91bc")]
    pub fingerprint: String,
    /// Whether one of the signatures was made with it, over what you received.
    pub fits: bool,
}
