//! QR codes, which a phone shows on its screen and a camera reads.

use qrcode::{Color, EcLevel, QrCode};

use super::drawing::{Drawing, QuietZone};

/// The standard requires four modules on all sides.
const QUIET_ZONE: QuietZone = QuietZone { beside: 4, above: 4 };

/// Draws `text` as a QR code of level M, which can be read with a seventh of it damaged. None if
/// the text is too long: a QR code holds about two thousand characters.
pub(super) fn draw(text: &str) -> Option<Drawing> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = code.width();
    let cells: Vec<bool> = code.into_colors().into_iter().map(is_black).collect();
    let rows: Vec<Vec<bool>> = cells.chunks(width).map(<[bool]>::to_vec).collect();
    Some(Drawing::new("qr", &rows, &QUIET_ZONE))
}

fn is_black(color: Color) -> bool {
    match color {
        Color::Dark => true,
        Color::Light => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The eye in three corners of every QR code.
    const EYE: [&str; 7] =
        ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"];

    fn eye_at(cells: &[Vec<bool>], x: usize, y: usize) -> Vec<String> {
        let line = |row: &Vec<bool>| {
            row[x..x + 7].iter().map(|black| if *black { '#' } else { ' ' }).collect()
        };
        cells[y..y + 7].iter().map(line).collect()
    }

    #[test]
    fn the_path_draws_the_cells_of_the_code_within_a_quiet_zone() {
        let text = "RMA-7K3Q-9XWD-2M4T 1Z999AA10123456784";
        let code = QrCode::with_error_correction_level(text, EcLevel::M).unwrap();
        let cells = draw(text).unwrap().cells();

        assert_eq!(cells.len(), code.width() + 8);
        for (y, row) in cells.iter().enumerate() {
            assert_eq!(row.len(), code.width() + 8);
            for (x, black) in row.iter().enumerate() {
                let inside =
                    (4..code.width() + 4).contains(&x) && (4..code.width() + 4).contains(&y);
                assert_eq!(*black, inside && code[(x - 4, y - 4)] == Color::Dark, "{x} {y}");
            }
        }
    }

    #[test]
    fn three_corners_have_eyes_and_the_fourth_has_none() {
        let cells = draw("RMA-7K3Q-9XWD-2M4T").unwrap().cells();
        let far = cells.len() - 4 - 7;

        assert_eq!(eye_at(&cells, 4, 4), EYE);
        assert_eq!(eye_at(&cells, far, 4), EYE);
        assert_eq!(eye_at(&cells, 4, far), EYE);
        assert_ne!(eye_at(&cells, far, far), EYE);
    }

    #[test]
    fn any_text_up_to_two_thousand_characters_has_a_code_and_longer_text_has_none() {
        assert!(draw("").is_some());
        assert!(draw("Füße, 手").is_some());
        assert!(draw(&"x".repeat(2000)).is_some());
        assert!(draw(&"x".repeat(3000)).is_none());
    }
}
