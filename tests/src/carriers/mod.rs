//! What carriers are asked for, and what they may see; and a real carrier's API, whose labels are
//! bought once, whatever fails.

mod accounts;
mod crash;
mod easypost;
mod faults;
mod label_requests;
mod simulated;
