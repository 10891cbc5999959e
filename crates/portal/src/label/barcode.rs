//! Draws a Code 128 barcode for the label.

#[cfg(test)]
mod tests;

use domain::warehouse::code128::{QUIET_MODULES, draw_modules};

use super::drawing::{Drawing, QuietZone};

/// The standard requires none above.
const QUIET_ZONE: QuietZone = QuietZone { beside: QUIET_MODULES, above: 0 };

/// A label printer prints this many dots between the margins of the label: 3.6 inches, 203 dots
/// each.
const DOTS: f64 = 730.8;

/// A module is a whole number of dots wide, so that all bars are even. Below two dots, a quarter of
/// a millimeter, scanners become unreliable; more than four bring no benefit.
const DOTS_PER_MODULE: [u32; 3] = [4, 3, 2];

/// Draws `text` as a barcode for the label. None if Code 128 cannot encode it, or if it does not
/// fit between the margins of the label: about 28 letters or 56 digits do.
pub(super) fn draw(text: &str) -> Option<Drawing> {
    let modules = draw_modules(text)?;
    let wide = u32::try_from(modules.len() + 2 * QUIET_ZONE.beside).ok()?;
    let mut widths = DOTS_PER_MODULE.iter().map(|dots| f64::from(dots.saturating_mul(wide)));
    let dots = widths.find(|dots| *dots <= DOTS)?;
    Some(Drawing::new("barcode", &[modules], &QUIET_ZONE).with_width_percent(dots * 100.0 / DOTS))
}
