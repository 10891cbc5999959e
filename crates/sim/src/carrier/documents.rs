//! Labels as real, small files: PDF, PNG, ZPL, and a code for a drop-off point.

use std::{fmt::Write as _, io::Write as _};

use flate2::{Compression, write::ZlibEncoder};
use qrcode::{Color, EcLevel, QrCode};

/// Pixels for each module of a code.
const SCALE: usize = 6;
/// The empty border that scanners need, in modules.
const BORDER: usize = 4;

/// A document and its content type. `kind` is `pdf`, `png`, `zpl` or `qr.png`.
pub(super) fn make(kind: &str, lines: &[String]) -> Option<(&'static str, Vec<u8>)> {
    match kind {
        "pdf" => Some(("application/pdf", pdf(lines))),
        "zpl" => Some(("application/zpl", zpl(lines))),
        "png" | "qr.png" => Some(("image/png", code_png(&lines.join("\n"))?)),
        _ => None,
    }
}

/// One page of 4 by 6 inches with these lines.
fn pdf(lines: &[String]) -> Vec<u8> {
    let mut text = "BT /F1 12 Tf 16 TL 20 400 Td".to_owned();
    for line in lines {
        let escaped: String = line.chars().map(escape).collect();
        let _ = write!(text, " ({escaped}) Tj T*");
    }
    text.push_str(" ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (position, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", position + 1);
    }
    let table = file.len();
    let count = objects.len() + 1;
    let _ = write!(file, "xref\n0 {count}\n0000000000 65535 f \n");
    for offset in offsets {
        let _ = writeln!(file, "{offset:010} 00000 n ");
    }
    let _ = write!(file, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n");
    file.into_bytes()
}

/// What a PDF shows for a character in a text.
fn escape(character: char) -> String {
    match character {
        '(' | ')' | '\\' => format!("\\{character}"),
        ' '..='~' => character.to_string(),
        _ => "?".to_owned(),
    }
}

fn zpl(lines: &[String]) -> Vec<u8> {
    let mut label = "^XA^CI28".to_owned();
    for (position, line) in lines.iter().enumerate() {
        let plain: String = line.chars().filter(|it| !"^~".contains(*it)).collect();
        let _ = write!(label, "^FO40,{}^A0N,32,32^FD{plain}^FS", 40 + 40 * position);
    }
    label.push_str("^XZ\n");
    label.into_bytes()
}

/// A picture of a QR code.
fn code_png(text: &str) -> Option<Vec<u8>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let (width, colors) = (code.width(), code.to_colors());
    let side = (width + 2 * BORDER) * SCALE;
    let is_dark = |x: usize, y: usize| {
        let module = |place: usize| (place / SCALE).checked_sub(BORDER).filter(|it| *it < width);
        let color = module(x).zip(module(y)).and_then(|(x, y)| colors.get(y * width + x));
        color == Some(&Color::Dark)
    };
    let mut rows = Vec::with_capacity(side * (side + 1));
    for y in 0..side {
        // Each row begins with its filter: none.
        rows.push(0);
        rows.extend((0..side).map(|x| if is_dark(x, y) { 0 } else { 255 }));
    }
    png(u32::try_from(side).ok()?, &rows)
}

/// A square picture in shades of gray.
fn png(side: u32, rows: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(rows).ok()?;
    let data = encoder.finish().ok()?;
    let mut header = [side.to_be_bytes(), side.to_be_bytes()].concat();
    header.extend([8, 0, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in [(b"IHDR", header), (b"IDAT", data), (b"IEND", Vec::new())] {
        let mut checksum = flate2::Crc::new();
        checksum.update(kind);
        checksum.update(&content);
        file.extend(u32::try_from(content.len()).ok()?.to_be_bytes());
        file.extend(kind);
        file.extend(content);
        file.extend(checksum.sum().to_be_bytes());
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<String> {
        ["FROM", "Dana (Whitfield)", "TRACKING 9400100000000000000001"].map(str::to_owned).to_vec()
    }

    #[test]
    fn each_kind_is_a_file_of_its_kind() {
        let bytes = |kind| make(kind, &lines()).unwrap().1;
        assert!(bytes("pdf").starts_with(b"%PDF-1.4\n") && bytes("pdf").ends_with(b"%%EOF\n"));
        assert!(bytes("png").starts_with(b"\x89PNG\r\n\x1a\n"));
        assert!(bytes("qr.png").windows(4).any(|part| part == b"IEND"));
        assert!(bytes("zpl").starts_with(b"^XA"));
        assert!(make("exe", &lines()).is_none());
    }

    #[test]
    fn the_table_of_a_pdf_says_where_each_object_is() {
        let file = String::from_utf8(pdf(&lines())).unwrap();
        let table = file.split("xref\n0 6\n").nth(1).unwrap();
        for (number, line) in table.lines().skip(1).take(5).enumerate() {
            let offset: usize = line[..10].parse().unwrap();
            assert!(file[offset..].starts_with(&format!("{} 0 obj", number + 1)), "{line}");
        }
        assert!(file.contains("(Dana \\(Whitfield\\)) Tj"));
    }
}
