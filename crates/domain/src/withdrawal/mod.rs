//! The right of withdrawal: consumers in the EU can withdraw from a contract for goods within 14
//! days, without a reason (Directive 2011/83/EU, Articles 9 to 16).
//!
//! A statement is always recorded. What it leads to is decided here: which goods come back, which
//! are not sent at all, and for which it came too late or there is no right of withdrawal.

pub mod clock;
pub mod decide;
pub mod identifier;
pub mod period;
pub mod record;
pub mod terms;
#[cfg(test)]
mod tests;
