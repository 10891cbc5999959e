//! Merchants: who they are, and what their returns portals look like and say.

pub mod language;
pub mod merchant;
pub mod picture;
pub mod portal;
