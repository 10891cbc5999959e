//! A body that comes in chunks (RFC 9112, 7.1): each with its size before it, the last one empty,
//! with trailers behind it. Extensions and trailers are passed over, and may not be long.

use crate::sender::send_error::SendError;

/// What surrounds the data, sizes and line ends not counted, may take this much.
const ASIDE_BYTES_MAX: usize = 64 * 1024;

/// The most digits of a size, leading zeros included.
const DIGITS_MAX: u32 = 16;

#[derive(Default)]
pub(super) struct Chunks {
    place: ChunkPosition,
    /// How much of the chunk is still to come.
    left: usize,
    /// How many digits of a size were read.
    digits: u32,
    aside_bytes: usize,
}

/// What comes next.
#[derive(Clone, Copy, Default)]
enum ChunkPosition {
    #[default]
    Size,
    /// Space that some put behind a size.
    SizeSpace,
    Extension,
    SizeLineFeed,
    Data,
    DataReturn,
    DataLineFeed,
    /// A trailer, or the empty line that ends everything.
    Trailers,
    Trailer,
    TrailerLineFeed,
    LastLineFeed,
    Over,
}

impl Chunks {
    /// The first data in `bytes`, and what follows it.
    pub(super) fn take<'a>(&mut self, bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), SendError> {
        let mut rest = bytes;
        while let Some((byte, behind)) = rest.split_first() {
            if self.are_over() {
                break;
            }
            if matches!(self.place, ChunkPosition::Data) {
                let (data, behind) = rest.split_at(rest.len().min(self.left));
                self.left -= data.len();
                if self.left == 0 {
                    self.place = ChunkPosition::DataReturn;
                }
                return Ok((data, behind));
            }
            self.place = self.step(*byte).ok_or(SendError::Unreadable)?;
            rest = behind;
        }
        Ok((&[], rest))
    }

    pub(super) fn are_over(&self) -> bool {
        matches!(self.place, ChunkPosition::Over)
    }

    /// Where `byte` leads; None when it has no place here.
    fn step(&mut self, byte: u8) -> Option<ChunkPosition> {
        Some(match (self.place, byte) {
            (ChunkPosition::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.digit(byte)?,
            (ChunkPosition::Size, _) if self.digits == 0 => return None,
            (ChunkPosition::Size | ChunkPosition::SizeSpace | ChunkPosition::Extension, b'\r') => {
                ChunkPosition::SizeLineFeed
            }
            (ChunkPosition::Size | ChunkPosition::SizeSpace, b';') => ChunkPosition::Extension,
            (ChunkPosition::Size | ChunkPosition::SizeSpace, b' ' | b'\t') => {
                self.aside(ChunkPosition::SizeSpace)?
            }
            (ChunkPosition::SizeLineFeed, b'\n') if self.left == 0 => ChunkPosition::Trailers,
            (ChunkPosition::SizeLineFeed, b'\n') => ChunkPosition::Data,
            (ChunkPosition::DataReturn, b'\r') => ChunkPosition::DataLineFeed,
            (ChunkPosition::DataLineFeed, b'\n') => {
                self.digits = 0;
                ChunkPosition::Size
            }
            (ChunkPosition::Trailers, b'\r') => ChunkPosition::LastLineFeed,
            (ChunkPosition::Trailer, b'\r') => ChunkPosition::TrailerLineFeed,
            (ChunkPosition::TrailerLineFeed, b'\n') => ChunkPosition::Trailers,
            (ChunkPosition::LastLineFeed, b'\n') => ChunkPosition::Over,
            (
                ChunkPosition::Extension | ChunkPosition::Trailers | ChunkPosition::Trailer,
                b'\n',
            ) => return None,
            (ChunkPosition::Extension, _) => self.aside(ChunkPosition::Extension)?,
            (ChunkPosition::Trailers | ChunkPosition::Trailer, _) => {
                self.aside(ChunkPosition::Trailer)?
            }
            _ => return None,
        })
    }

    fn digit(&mut self, byte: u8) -> Option<ChunkPosition> {
        let digit = usize::try_from(char::from(byte).to_digit(16)?).ok()?;
        self.left = self.left.checked_mul(16)?.checked_add(digit)?;
        self.digits += 1;
        (self.digits <= DIGITS_MAX).then_some(ChunkPosition::Size)
    }

    fn aside(&mut self, place: ChunkPosition) -> Option<ChunkPosition> {
        self.aside_bytes += 1;
        (self.aside_bytes <= ASIDE_BYTES_MAX).then_some(place)
    }
}
