//! A body that comes in chunks (RFC 9112, 7.1): each with its size before it, the last one empty,
//! with trailers behind it. Extensions and trailers are passed over, and may not be long.

use crate::sender::trouble::Trouble;

/// What stands beside the data, sizes and line ends not counted, may take this much.
const ASIDE_BYTES_MAX: usize = 64 * 1024;

/// The most digits of a size, leading zeros included.
const DIGITS_MAX: u32 = 16;

#[derive(Default)]
pub(super) struct Chunks {
    place: Place,
    /// How much of the chunk is still to come.
    left: usize,
    /// How many digits of a size were read.
    digits: u32,
    aside_bytes: usize,
}

/// What comes next.
#[derive(Clone, Copy, Default)]
enum Place {
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
    /// The first data in `bytes`, and what stands behind it.
    pub(super) fn take<'a>(&mut self, bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), Trouble> {
        let mut rest = bytes;
        while let Some((byte, behind)) = rest.split_first() {
            if self.are_over() {
                break;
            }
            if matches!(self.place, Place::Data) {
                let (data, behind) = rest.split_at(rest.len().min(self.left));
                self.left -= data.len();
                if self.left == 0 {
                    self.place = Place::DataReturn;
                }
                return Ok((data, behind));
            }
            self.place = self.step(*byte).ok_or(Trouble::Unreadable)?;
            rest = behind;
        }
        Ok((&[], rest))
    }

    pub(super) fn are_over(&self) -> bool {
        matches!(self.place, Place::Over)
    }

    /// Where `byte` leads; None when it has no place here.
    fn step(&mut self, byte: u8) -> Option<Place> {
        Some(match (self.place, byte) {
            (Place::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.digit(byte)?,
            (Place::Size, _) if self.digits == 0 => return None,
            (Place::Size | Place::SizeSpace | Place::Extension, b'\r') => Place::SizeLineFeed,
            (Place::Size | Place::SizeSpace, b';') => Place::Extension,
            (Place::Size | Place::SizeSpace, b' ' | b'\t') => self.aside(Place::SizeSpace)?,
            (Place::SizeLineFeed, b'\n') if self.left == 0 => Place::Trailers,
            (Place::SizeLineFeed, b'\n') => Place::Data,
            (Place::DataReturn, b'\r') => Place::DataLineFeed,
            (Place::DataLineFeed, b'\n') => {
                self.digits = 0;
                Place::Size
            }
            (Place::Trailers, b'\r') => Place::LastLineFeed,
            (Place::Trailer, b'\r') => Place::TrailerLineFeed,
            (Place::TrailerLineFeed, b'\n') => Place::Trailers,
            (Place::LastLineFeed, b'\n') => Place::Over,
            (Place::Extension | Place::Trailers | Place::Trailer, b'\n') => return None,
            (Place::Extension, _) => self.aside(Place::Extension)?,
            (Place::Trailers | Place::Trailer, _) => self.aside(Place::Trailer)?,
            _ => return None,
        })
    }

    fn digit(&mut self, byte: u8) -> Option<Place> {
        let digit = usize::try_from(char::from(byte).to_digit(16)?).ok()?;
        self.left = self.left.checked_mul(16)?.checked_add(digit)?;
        self.digits += 1;
        (self.digits <= DIGITS_MAX).then_some(Place::Size)
    }

    fn aside(&mut self, place: Place) -> Option<Place> {
        self.aside_bytes += 1;
        (self.aside_bytes <= ASIDE_BYTES_MAX).then_some(place)
    }
}
