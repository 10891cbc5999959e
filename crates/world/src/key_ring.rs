//! The keys that encrypt secrets, and the text of the file that holds them.
//!
//! A file has one key per line, the newest first: the newest encrypts, and the others decrypt what
//! was encrypted before the newest was added. A key has an identifier, which encrypted values
//! carry, so that the right key is found and a missing one can be named.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::World;

/// The length of a key.
pub(crate) const KEY_BYTES: usize = 32;
/// The length of an identifier.
pub(crate) const KEY_ID_BYTES: usize = 8;

const HEADER: &str = "\
# The keys that encrypt secrets in Homeward's database, one per line, the newest first.
# Without them these secrets are lost: keep a copy, separate from the backups.
";

/// Keys, newest first. There is at least one.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRing {
    newest: SealingKey,
    older: Vec<SealingKey>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealingKey {
    pub(crate) id: String,
    pub(crate) secret: [u8; KEY_BYTES],
}

impl KeyRing {
    /// A ring with one new key.
    pub fn generate(world: &World) -> Self {
        let id = world.readable::<KEY_ID_BYTES>();
        Self { newest: SealingKey { id, secret: world.random() }, older: Vec::new() }
    }

    /// A new key, and the one that was the newest. Still older ones are left out.
    #[must_use]
    pub fn rotate(&self, world: &World) -> Self {
        Self { older: vec![self.newest.clone()], ..Self::generate(world) }
    }

    /// Reads the text of a key file, or says in words what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim);
        let mut keys =
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
                let (id, secret) =
                    line.split_once(' ').ok_or("a line is not an identifier and a key")?;
                let secret = STANDARD.decode(secret.trim()).ok().and_then(|it| it.try_into().ok());
                let secret =
                    secret.ok_or(format!("a key must have {KEY_BYTES} bytes in base64"))?;
                if id.len() != KEY_ID_BYTES {
                    return Err(format!("an identifier must have {KEY_ID_BYTES} letters"));
                }
                Ok(SealingKey { id: id.to_owned(), secret })
            });
        let newest = keys.next().ok_or("it contains no key")??;
        Ok(Self { newest, older: keys.collect::<Result<_, String>>()? })
    }

    /// The text of a key file.
    pub fn to_text(&self) -> String {
        let line = |key: &SealingKey| format!("{} {}\n", key.id, STANDARD.encode(key.secret));
        self.keys().fold(HEADER.to_owned(), |text, key| text + &line(key))
    }

    /// The identifier of the key that encrypts.
    pub fn newest(&self) -> &str {
        &self.newest.id
    }

    pub fn contains(&self, id: &str) -> bool {
        self.keys().any(|key| key.id == id)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &SealingKey> {
        std::iter::once(&self.newest).chain(&self.older)
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.keys().map(|key| key.id.as_str())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_holds_several_keys_with_identifiers() {
        let world = World::system();
        let first = KeyRing::generate(&world);
        let second = first.rotate(&world);
        let third = second.rotate(&world);

        assert_eq!(KeyRing::parse(&third.to_text()), Ok(third.clone()));
        assert!(third.contains(second.newest()) && !third.contains(first.newest()));
        assert!(!format!("{third:?}").contains(&STANDARD.encode(third.newest.secret)));
    }

    #[test]
    fn a_damaged_key_file_is_refused_with_a_reason() {
        let good = KeyRing::generate(&World::system()).to_text();
        for text in ["", "# nothing\n", "short", &good[..good.len() - 5], &good.replace(' ', "")] {
            assert!(KeyRing::parse(text).is_err(), "{text}");
        }
    }
}
