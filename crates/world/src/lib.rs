//! What is not pure and several crates need: time, randomness, private files, the encryption of
//! secrets, and turns.

mod clock;
mod key_ring;
mod keyed_turns;
mod machine;
mod pace;
pub mod private_file;
pub mod sealed_file;
mod secret;
mod vault;

pub use clock::World;
pub use key_ring::KeyRing;
pub use keyed_turns::{KeyedTurns, Turn};
pub use pace::{Pace, SPEED_MAX};
pub use secret::Secret;
pub use vault::{Purpose, SealContext, Vault, VaultError};
