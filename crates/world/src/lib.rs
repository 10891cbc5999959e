//! What is not pure and what more than one room needs: time, randomness, and the sealing of
//! secrets.

mod clock;
mod pace;
pub mod private_file;
mod secret;
mod vault;

pub use clock::World;
pub use pace::{Pace, SPEED_MAX};
pub use secret::Secret;
pub use vault::{KEY_BYTES, Vault, VaultError};
