//! Merchants: adding and changing them, their portals and their pictures.

pub mod add_merchant;
pub mod change_merchant;
pub mod onboarding;
pub mod pictures;
pub mod portals;
