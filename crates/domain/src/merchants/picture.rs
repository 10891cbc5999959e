//! What kind of picture some bytes are, detected from their content and not from a media type.

/// A picture that browsers show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    Png,
    Jpeg,
    Webp,
    Gif,
    /// A drawing. It is text and may contain scripts, so pages that show it must forbid them.
    Svg,
}

impl PictureKind {
    pub const ALL: [Self; 5] = [Self::Png, Self::Jpeg, Self::Webp, Self::Gif, Self::Svg];

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
            Self::Svg => "image/svg+xml",
        }
    }

    pub fn parse(media_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.media_type() == media_type)
    }

    /// The kind of a complete picture, or None if the bytes are not a picture.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            _ => std::str::from_utf8(bytes).ok().filter(|text| is_drawing(text)).map(|_| Self::Svg),
        }
    }

    /// Whether it consists of pixels and cannot contain scripts.
    pub const fn is_raster(self) -> bool {
        match self {
            Self::Png | Self::Jpeg | Self::Webp | Self::Gif => true,
            Self::Svg => false,
        }
    }
}

/// Whether the first element of a document is a drawing. Document type declarations are refused:
/// no product picture needs them.
fn is_drawing(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let after = if let Some(declaration) = rest.strip_prefix("<?") {
            declaration.split_once("?>")
        } else if let Some(comment) = rest.strip_prefix("<!--") {
            comment.split_once("-->")
        } else {
            break;
        };
        let Some((_, after)) = after else { return false };
        rest = after.trim_start();
    }
    let name_ends = |next: char| next.is_ascii_whitespace() || matches!(next, '>' | '/');
    rest.strip_prefix("<svg").is_some_and(|after| after.starts_with(name_ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_recognized_by_its_first_bytes() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some(PictureKind::Png)),
            (b"\xff\xd8\xff\xe0", Some(PictureKind::Jpeg)),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some(PictureKind::Webp)),
            (b"GIF89a", Some(PictureKind::Gif)),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", Some(PictureKind::Svg)),
            (b"\xef\xbb\xbf <?xml version=\"1.0\"?><!-- a --> <svg>", Some(PictureKind::Svg)),
            (b"", None),
            (b"<html><svg>", None),
            (b"<svgs>", None),
            (b"<!DOCTYPE svg []><svg>", None),
            (b"<?xml never ends <svg>", None),
            (b"RIFF\x10\0\0\0WAVE", None),
            (b"\x89PNG", None),
            (b"<svg \xff>", None),
        ] {
            assert_eq!(PictureKind::of(bytes), kind, "{bytes:?}");
        }
    }

    #[test]
    fn a_kind_is_parsed_from_its_media_type() {
        for kind in PictureKind::ALL {
            assert_eq!(PictureKind::parse(kind.media_type()), Some(kind));
        }
    }
}
