//! A merchant's colour, made fit to be read.
//!
//! A page uses the colour for links, which stand on its surfaces, and for buttons, on which text stands.
//! Either must have a contrast of 4.5 to 1 (WCAG 2.2, level AA) on light pages and on dark ones. A colour
//! that has not is taken towards black or white until it has: it keeps its hue, and nobody has to
//! choose twice.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The least contrast of text with what it stands on.
pub const CONTRAST_MIN: f64 = 4.5;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Color(pub [u8; 3]);

pub const BLACK: Color = Color([0, 0, 0]);
pub const WHITE: Color = Color([255, 255, 255]);

/// The surfaces of a page that text in the merchant's colour may stand on.
#[derive(Clone, Copy, Debug)]
pub struct PageSurfaces {
    pub surfaces: [Color; 3],
    /// What the colour goes towards when it cannot be read: black on a light page, white on a dark one.
    pub away: Color,
}

/// A colour and its company on one ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shades {
    pub accent: Color,
    /// Under the pointer.
    pub strong: Color,
    /// A hint of it, behind text.
    pub soft: Color,
    /// Text on the colour.
    pub on: Color,
}

impl Color {
    /// Reads `#0b5cad`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
        Some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// This colour with so many hundredths of another in it.
    #[must_use]
    pub fn mixed(self, other: Self, hundredths: u16) -> Self {
        let Self([red, green, blue]) = self;
        let Self([other_red, other_green, other_blue]) = other;
        let part = |own: u8, other: u8| {
            let share = hundredths.min(100);
            let sum = u16::from(own) * (100 - share) + u16::from(other) * share;
            u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX)
        };
        Self([part(red, other_red), part(green, other_green), part(blue, other_blue)])
    }

    /// How bright it is, from 0 to 1.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let Self([red, green, blue]) = self;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// From 1, the same, to 21, black and white.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The colour as it can be read on this ground.
    pub fn on(self, ground: &PageSurfaces) -> Shades {
        let shades = (0..=100).map(|share| self.mixed(ground.away, share).shades(ground));
        let readable = |shades: &Shades| {
            let grounds = ground.surfaces.iter().chain([&shades.soft]);
            let lowest = grounds.map(|it| it.contrast(shades.accent)).fold(f64::MAX, f64::min);
            lowest >= CONTRAST_MIN && shades.on.contrast(shades.accent) >= CONTRAST_MIN
        };
        let found = shades.into_iter().find(readable);
        found.unwrap_or_else(|| ground.away.shades(ground))
    }

    fn shades(self, ground: &PageSurfaces) -> Shades {
        let [_, surface, _] = ground.surfaces;
        let on = if self.contrast(WHITE) >= self.contrast(BLACK) { WHITE } else { BLACK };
        Shades {
            accent: self,
            strong: self.mixed(ground.away, 20),
            soft: surface.mixed(self, 10),
            on,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([red, green, blue]) = self;
        write!(formatter, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl From<Color> for String {
    fn from(colour: Color) -> Self {
        colour.to_string()
    }
}

impl TryFrom<String> for Color {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not a colour such as #0b5cad")
    }
}
