//! A code as a scanner typed it, and what it can identify.
//!
//! The same label is read differently by different scanners: with a mark of its symbology, with a
//! separator or what is typed instead of it, as a number or as a link. The bench keeps a code as it
//! was scanned, and asks here what it says.

use super::gs1::{Gs1Symbol, is_checked, restore_separators};
use super::gtin::is_gtin;
use crate::reader::IDENTIFIER_MAX;

/// The longest code that is read: a Digital Link is longer than any number.
pub const SCAN_MAX: usize = 1_000;
/// A visible sign for the separator, because pages must not contain the character itself.
const VISIBLE_SEPARATOR: char = '\u{241d}';
const SEPARATOR: char = '\u{1d}';
/// The identifier of a postal code, which carriers put before their tracking number.
const POSTAL_CODE: &str = "420";
/// The lengths of a postal code behind it.
const POSTAL_CODE_DIGITS: [usize; 2] = [5, 9];
/// The shortest tracking number that is looked for behind a postal code.
const TRACKING_MIN: usize = 12;

/// The text of a scan without the invisible characters that scanners add. Separators stay, as
/// visible signs.
pub fn clean_scan(text: &str) -> String {
    let shown = text.chars().map(|it| if it == SEPARATOR { VISIBLE_SEPARATOR } else { it });
    let visible: String = shown.filter(|it| !it.is_control()).collect();
    let trimmed = visible.trim_matches(|it: char| it.is_whitespace() || it == VISIBLE_SEPARATOR);
    trimmed.chars().take(SCAN_MAX).collect()
}

/// What a scanned code says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedCode {
    /// The code without separators, if it is not a GS1 symbol: at most 255 characters.
    text: String,
    symbol: Option<Gs1Symbol>,
}

impl ScannedCode {
    pub fn parse(scan: &str) -> Self {
        let visible = scan.chars().filter(|it| ![SEPARATOR, VISIBLE_SEPARATOR].contains(it));
        Self { text: visible.take(IDENTIFIER_MAX).collect(), symbol: Gs1Symbol::parse(scan) }
    }

    /// The code of an article or of a license plate: the GTIN if it is a GS1 symbol.
    pub fn code(&self) -> &str {
        self.gtin().unwrap_or(&self.text)
    }

    pub fn gtin(&self) -> Option<&str> {
        self.symbol.as_ref().and_then(|symbol| symbol.gtin.as_deref())
    }

    /// The serial number of the unit, if the symbol has one.
    pub fn serial(&self) -> Option<&str> {
        self.symbol.as_ref().and_then(|symbol| symbol.serial.as_deref())
    }

    /// What no other unit has, if the symbol has a serial number.
    pub fn unit_key(&self) -> Option<String> {
        self.gtin().zip(self.serial()).map(|(gtin, serial)| format!("{gtin}-{serial}"))
    }

    /// The batch of the unit, if the symbol has one.
    pub fn batch(&self) -> Option<&str> {
        self.symbol.as_ref().and_then(|symbol| symbol.batch.as_deref())
    }

    /// Whether it is the number of an article, which many units have.
    pub fn is_article(&self) -> bool {
        is_gtin(self.code())
    }

    /// Whether it looks like an article number, but its check digit is wrong: it was misread, or
    /// its label is damaged.
    pub fn is_misread(&self) -> bool {
        self.symbol.is_none() && is_gtin(&self.text) && !is_checked(&self.text)
    }
}

/// The codes that a scan of a parcel can mean, the likeliest first: the number of a carton, with
/// and without its identifier, the code as it is, and the tracking number behind a postal code.
pub fn parcel_codes(scan: &str) -> Vec<String> {
    let scanned = ScannedCode::parse(scan);
    let sscc = scanned.symbol.as_ref().and_then(|symbol| symbol.sscc.clone());
    let mut codes: Vec<String> = Vec::new();
    if let Some(sscc) = sscc {
        codes.push(format!("00{sscc}"));
        codes.insert(0, sscc);
    } else {
        codes.extend(tracking_number(scan));
    }
    codes.push(scanned.text);
    codes.dedup();
    codes
}

/// The tracking number behind a postal code, in the barcode of a carrier.
fn tracking_number(scan: &str) -> Option<String> {
    let restored = restore_separators(scan);
    let text = restored.strip_prefix("]C1").unwrap_or(&restored).trim_start_matches(SEPARATOR);
    let rest = text.strip_prefix(POSTAL_CODE)?;
    let number = match rest.split_once(SEPARATOR) {
        Some((_, number)) => Some(number),
        None => POSTAL_CODE_DIGITS
            .into_iter()
            .filter_map(|digits| rest.get(digits..))
            .find(|number| number.starts_with('9') && number.len() == 22),
    }?;
    let plain = number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain && (TRACKING_MIN..=IDENTIFIER_MAX).contains(&number.len())).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn separators_stay_and_other_invisible_characters_go() {
        assert_eq!(clean_scan("\u{1d} RMA-1\r\n"), "RMA-1");
        assert_eq!(clean_scan("10AB\u{1d}0109506000134352"), "10AB\u{241d}0109506000134352");
        assert_eq!(clean_scan("\0"), "");
        assert_eq!(clean_scan(&"x".repeat(5_000)).len(), SCAN_MAX);
    }

    #[test]
    fn serial_and_batch_are_read_wherever_they_stand() {
        for separator in ["\u{1d}", "\u{241d}", "<GS>", "{GS}", "[GS]", "^]", "|", "~", "\\x1d"] {
            for scan in [
                format!("10AB-7{separator}21S1{separator}0109506000134352"),
                format!("010950600013435221S1{separator}10AB-7"),
                format!("]d221S1{separator}010950600013435210AB-7{separator}"),
            ] {
                let scanned = ScannedCode::parse(&clean_scan(&scan));
                assert_eq!(scanned.code(), "09506000134352", "{scan}");
                assert_eq!(scanned.serial(), Some("S1"), "{scan}");
                assert_eq!(scanned.batch(), Some("AB-7"), "{scan}");
            }
        }
    }

    #[test]
    fn a_parcel_is_looked_for_by_carton_and_tracking_number() {
        let carton = ["106141412345678908", "00106141412345678908"];
        assert_eq!(parcel_codes("00106141412345678908"), carton);
        assert_eq!(
            parcel_codes("(00)106141412345678908"),
            [carton[0], carton[1], "(00)106141412345678908"]
        );
        let tracking = "9400111899223197428490";
        for scan in [
            format!("]C142089502\u{1d}{tracking}"),
            format!("42089502|{tracking}"),
            format!("42089502{tracking}"),
            format!("420895021234{tracking}"),
        ] {
            assert_eq!(parcel_codes(&clean_scan(&scan))[0], tracking, "{scan}");
        }
        assert_eq!(parcel_codes("1Z999AA10123456784"), ["1Z999AA10123456784"]);
        assert_eq!(parcel_codes("42"), ["42"]);
    }

    #[test]
    fn a_wrong_check_digit_is_noticed() {
        for good in ["012345678905", "96385074", "4006381333931", "10614141000415", "SKU-1", "7"] {
            assert!(!ScannedCode::parse(good).is_misread(), "{good}");
        }
        for bad in ["012345678906", "96385075", "4006381333932", "10614141000416"] {
            assert!(ScannedCode::parse(bad).is_misread(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let text = String::from_utf8_lossy(&bytes);
            for text in [text.as_ref(), &format!("420{text}"), &format!("]C1{text}")] {
                let clean = clean_scan(text);
                prop_assert!(!clean.chars().any(char::is_control));
                prop_assert_eq!(clean_scan(&clean), clean.clone());
                let scanned = ScannedCode::parse(&clean);
                prop_assert!(scanned.code().chars().count() <= IDENTIFIER_MAX);
                prop_assert!(!parcel_codes(&clean).is_empty());
            }
        }
    }
}
