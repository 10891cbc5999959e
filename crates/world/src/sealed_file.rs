//! Encrypted files of any size, such as backups: written and read in pieces.
//!
//! Each piece is sealed by the vault and bound to the file, to its place in it, and to whether it
//! is the last one. So pieces cannot be left out, exchanged or mixed with those of another file.

use std::io::{self, Error, ErrorKind, Read, Write};

use crate::{Purpose, SealContext, Vault, World};

const MAGIC: &[u8; 16] = b"homeward sealed\n";
const ID_BYTES: usize = 16;
const PIECE_BYTES: usize = 256 * 1024;
/// What sealing adds to a piece is far less.
const SEALED_BYTES_MAX: usize = PIECE_BYTES + 1024;

/// Whether a file begins like a sealed one.
pub fn is_sealed(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Seals everything from `plain` into `sealed`.
pub fn seal(
    vault: &Vault,
    world: &World,
    plain: &mut impl Read,
    sealed: &mut impl Write,
) -> io::Result<()> {
    let id: [u8; ID_BYTES] = world.random();
    sealed.write_all(MAGIC)?;
    sealed.write_all(&id)?;
    let mut piece = read_piece(plain)?;
    for number in 0_u64.. {
        let next = read_piece(plain)?;
        let is_last = next.is_empty();
        let row = name_piece(&id, number, is_last);
        let bytes = vault.seal(world, context(&row), &piece);
        let length = u32::try_from(bytes.len()).map_err(|_| damaged())?;
        sealed.write_all(&length.to_be_bytes())?;
        sealed.write_all(&[u8::from(is_last)])?;
        sealed.write_all(&bytes)?;
        if is_last {
            break;
        }
        piece = next;
    }
    Ok(())
}

/// Opens everything from `sealed` into `plain`. Fails if anything was changed or is missing.
pub fn open(vault: &Vault, sealed: &mut impl Read, plain: &mut impl Write) -> io::Result<()> {
    let mut magic = [0; MAGIC.len()];
    let mut id = [0; ID_BYTES];
    sealed.read_exact(&mut magic)?;
    sealed.read_exact(&mut id)?;
    if !is_sealed(&magic) {
        return Err(damaged());
    }
    for number in 0_u64.. {
        let (mut length, mut last) = ([0; 4], [0; 1]);
        sealed.read_exact(&mut length)?;
        sealed.read_exact(&mut last)?;
        let length = usize::try_from(u32::from_be_bytes(length)).map_err(|_| damaged())?;
        if length > SEALED_BYTES_MAX {
            return Err(damaged());
        }
        let mut bytes = vec![0; length];
        sealed.read_exact(&mut bytes)?;
        let is_last = last == [1];
        let row = name_piece(&id, number, is_last);
        let piece = vault.open(context(&row), &bytes).map_err(Error::other)?;
        plain.write_all(&piece)?;
        if is_last {
            break;
        }
    }
    if sealed.read(&mut [0; 1])? == 0 { Ok(()) } else { Err(damaged()) }
}

fn context(row: &str) -> SealContext<'_> {
    SealContext { purpose: Purpose::Backup, merchant: "", row }
}

fn name_piece(id: &[u8; ID_BYTES], number: u64, is_last: bool) -> String {
    let id = u128::from_be_bytes(*id);
    format!("{id:032x} {number} {is_last}")
}

fn damaged() -> Error {
    Error::new(ErrorKind::InvalidData, "it is damaged, or not sealed by this program")
}

/// The next piece; shorter only at the end, and empty behind it.
fn read_piece(plain: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut piece = Vec::with_capacity(PIECE_BYTES);
    let most = u64::try_from(PIECE_BYTES).unwrap_or(u64::MAX);
    plain.by_ref().take(most).read_to_end(&mut piece)?;
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyRing;

    fn vault() -> (Vault, World) {
        let world = World::system();
        (Vault::new(&KeyRing::generate(&world)), world)
    }

    fn sealed(vault: &Vault, world: &World, plain: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        seal(vault, world, &mut &plain[..], &mut out).unwrap();
        out
    }

    fn opened(vault: &Vault, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        open(vault, &mut &bytes[..], &mut out).map(|()| out)
    }

    #[test]
    fn files_of_every_size_are_read_back() {
        let (vault, world) = vault();
        for size in [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES] {
            let plain = vec![7; size];
            let bytes = sealed(&vault, &world, &plain);
            assert!(is_sealed(&bytes));
            assert_eq!(opened(&vault, &bytes).unwrap(), plain, "{size}");
        }
    }

    #[test]
    fn a_file_that_was_changed_cut_or_extended_is_refused() {
        let (vault, world) = vault();
        let bytes = sealed(&vault, &world, &vec![7; PIECE_BYTES + 100]);
        for place in [0, 17, 36, 40, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(opened(&vault, &changed).is_err(), "{place}");
        }
        for length in [0, 10, 40, bytes.len() / 2, bytes.len() - 1] {
            assert!(opened(&vault, &bytes[..length]).is_err(), "{length}");
        }
        assert!(opened(&vault, &[&bytes[..], b"x"].concat()).is_err());
        let (other, _) = self::vault();
        assert!(opened(&other, &bytes).is_err(), "another key");
    }
}
