//! The right of withdrawal: statements, their acknowledgements, and lists of them.

pub mod acknowledgement;
pub mod declare;
pub mod list;
pub mod offer;
