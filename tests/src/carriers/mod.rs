//! What carriers are asked for, and what they may see.

mod label_requests;
