//! The label with the license plate of a unit, in the language of label printers.

use std::fmt::Write as _;

/// Three by one and a half inches, at 203 dots each.
const SIZE: &str = "^PW609^LL305";

/// What fits beside the margins: 22 dots for each character, and 70 for the frame of the barcode.
const BARCODE_MAX: usize = 22;

/// The label as ZPL. A plate that a barcode cannot hold becomes a QR code.
pub fn write_zpl(plate: &str, owner: &str) -> String {
    let fits =
        plate.len() <= BARCODE_MAX && plate.bytes().all(|byte| is_plain(byte) && byte != b'>');
    let code = if fits {
        format!("^FO30,30^BY2^BCN,130,N,N,N,A^FH_^FD{}^FS", escape(plate))
    } else {
        // A long plate gets smaller dots and less redundancy, so that the text has room below.
        let (dots, level) = if plate.len() <= 60 { (3, "Q") } else { (2, "L") };
        format!("^FO30,30^BQN,2,{dots}^FH_^FD{level}A,{}^FS", escape(plate))
    };
    let line = |y: u32, height: u32, text: &str| {
        format!("^FO30,{y}^A0N,{height},{height}^FH_^FD{}^FS\n", escape(text))
    };
    let (plate, owner) = (line(190, 40, plate), line(245, 26, owner));
    format!("^XA^CI28{SIZE}\n{code}\n{plate}{owner}^XZ\n")
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Everything but letters, digits and a few signs as hexadecimal bytes, so that no text can be a
/// command.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b" -.:/".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "_{byte:02X}").expect("writing to a string does not fail");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_is_a_barcode_with_its_text() {
        let zpl = write_zpl("U-0A1B", "Harbor & Pine");
        assert_eq!(
            zpl,
            "^XA^CI28^PW609^LL305\n^FO30,30^BY2^BCN,130,N,N,N,A^FH_^FDU-0A1B^FS\n\
             ^FO30,190^A0N,40,40^FH_^FDU-0A1B^FS\n^FO30,245^A0N,26,26^FH_^FDHarbor _26 Pine^FS\n\
             ^XZ\n"
        );
    }

    #[test]
    fn no_text_is_a_command_of_the_printer() {
        for hostile in ["^XA^FDx^FS", "~JA", "a\n^XZ", "ü>", "_5E"] {
            let zpl = write_zpl(hostile, hostile);
            assert_eq!(zpl.matches("^XA").count(), 1, "{zpl}");
            assert_eq!(zpl.matches("^XZ").count(), 1, "{zpl}");
            assert!(!zpl.contains('~'), "{zpl}");
            assert!(zpl.contains("^BQN") || zpl.contains("^BCN"), "{zpl}");
        }
    }
}
