//! The money of returns: what was promised, what was paid, and the difference.

pub mod books;
pub mod comparison;
pub mod extension;
#[cfg(test)]
mod promises;
pub mod statement;
