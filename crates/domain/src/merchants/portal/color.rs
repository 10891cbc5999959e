//! A merchant's color, adjusted so that text is readable.
//!
//! A page uses the color for links on its surfaces and for buttons with text. Both need a contrast
//! of 4.5 to 1 (WCAG 2.2, level AA), on light pages and on dark ones. A color without enough
//! contrast is mixed with black or white until it has enough. It keeps its hue, and the merchant
//! chooses only one color.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The least contrast between text and its background.
pub const CONTRAST_MIN: f64 = 4.5;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Color(pub [u8; 3]);

pub const BLACK: Color = Color([0, 0, 0]);
pub const WHITE: Color = Color([255, 255, 255]);

/// The backgrounds of a page on which text may have the merchant's color.
#[derive(Clone, Copy, Debug)]
pub struct PageSurfaces {
    pub surfaces: [Color; 3],
    /// What an unreadable color is mixed with: black on a light page, white on a dark one.
    pub toward: Color,
}

/// A color and the colors that go with it on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shades {
    pub accent: Color,
    /// The color under the pointer.
    pub strong: Color,
    /// A hint of the color, as a background of text.
    pub soft: Color,
    /// Text on the color.
    pub text: Color,
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

    /// This color mixed with so many hundredths of another.
    #[must_use]
    pub fn mix(self, other: Self, hundredths: u16) -> Self {
        let Self([red, green, blue]) = self;
        let Self([other_red, other_green, other_blue]) = other;
        let part = |own: u8, other: u8| {
            let share = hundredths.min(100);
            let sum = u16::from(own) * (100 - share) + u16::from(other) * share;
            u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX)
        };
        Self([part(red, other_red), part(green, other_green), part(blue, other_blue)])
    }

    /// The relative luminance, from 0 to 1.
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let Self([red, green, blue]) = self;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast with another color: from 1 for the same color to 21 for black and white.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The shades of this color that are readable on a page.
    pub fn shades_on(self, page: &PageSurfaces) -> Shades {
        let shades = (0..=100).map(|share| self.mix(page.toward, share).unadjusted_shades(page));
        let is_readable = |shades: &Shades| {
            let backgrounds = page.surfaces.iter().chain([&shades.soft]);
            let lowest = backgrounds.map(|it| it.contrast(shades.accent)).fold(f64::MAX, f64::min);
            lowest >= CONTRAST_MIN && shades.text.contrast(shades.accent) >= CONTRAST_MIN
        };
        let readable = shades.into_iter().find(is_readable);
        readable.unwrap_or_else(|| page.toward.unadjusted_shades(page))
    }

    fn unadjusted_shades(self, page: &PageSurfaces) -> Shades {
        let [_, surface, _] = page.surfaces;
        let text = if self.contrast(WHITE) >= self.contrast(BLACK) { WHITE } else { BLACK };
        Shades {
            accent: self,
            strong: self.mix(page.toward, 20),
            soft: surface.mix(self, 10),
            text,
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
    fn from(color: Color) -> Self {
        color.to_string()
    }
}

impl TryFrom<String> for Color {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not a color such as #0b5cad")
    }
}
