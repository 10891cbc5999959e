//! Merchants: add and change them, their portals and images, and how long data is kept.

pub mod add_merchant;
pub mod change_merchant;
pub mod onboarding;
pub mod pictures;
pub mod portals;
pub mod retention;
