//! Merchants: their settings, and the look and texts of their returns portals.

pub mod language;
pub mod merchant;
pub mod picture;
pub mod portal;
