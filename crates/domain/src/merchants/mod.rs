//! Merchants: their settings, how long data is kept, and the look and texts of their portals.

pub mod language;
pub mod locale;
pub mod merchant;
pub mod picture;
pub mod portal;
pub mod retention;
