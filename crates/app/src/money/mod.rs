//! Money: differences between refunds and promises, and the books of a merchant.

pub mod books;
pub mod check;
pub mod differences;
pub mod export;
pub mod opening;
