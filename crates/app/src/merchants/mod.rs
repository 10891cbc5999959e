//! Merchants: add and change them, their portals and their images.

pub mod add_merchant;
pub mod change_merchant;
pub mod onboarding;
pub mod pictures;
pub mod portals;
