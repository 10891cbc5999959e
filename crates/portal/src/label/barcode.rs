//! Code 128, the bar code that carriers and warehouses scan.
//!
//! A symbol is eleven modules: three bars and the three spaces behind them. There are 103 symbols
//! for data, and what one means depends on the set that is spoken: in set B it is a character, in
//! set C two digits. So digits take half the room in C, and [`symbols`] changes sets where that
//! makes the code shorter. A check symbol and the stop symbol end it. Set A, which has control
//! characters, is not needed: no number on a parcel has any.

#[cfg(test)]
mod tests;

use super::drawing::{Drawing, QuietZone};

/// What the standard asks for: ten modules on either side, and none above.
const QUIET_ZONE: QuietZone = QuietZone { beside: 10, above: 0 };

const CODE_C: u8 = 99;
const CODE_B: u8 = 100;
const START_B: u8 = 104;
const START_C: u8 = 105;

/// Symbols are counted by this for the check symbol.
const CHECK_MODULUS: usize = 103;

/// The widths of bar, space, bar, space, bar and space of every symbol, by its value.
const WIDTHS: [&str; 106] = [
    "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212",
    "221213", "221312", "231212", "112232", "122132", "122231", "113222", "123122", "123221",
    "223211", "221132", "221231", "213212", "223112", "312131", "311222", "321122", "321221",
    "312212", "322112", "322211", "212123", "212321", "232121", "111323", "131123", "131321",
    "112313", "132113", "132311", "211313", "231113", "231311", "112133", "112331", "132131",
    "113123", "113321", "133121", "313121", "211331", "231131", "213113", "213311", "213131",
    "311123", "311321", "331121", "312113", "312311", "332111", "314111", "221411", "431111",
    "111224", "111422", "121124", "121421", "141122", "141221", "112214", "112412", "122114",
    "122411", "142112", "142211", "241211", "221114", "413111", "241112", "134111", "111242",
    "121142", "121241", "114212", "124112", "124211", "411212", "421112", "421211", "212141",
    "214121", "412121", "111143", "111341", "131141", "114113", "114311", "411113", "411311",
    "113141", "114131", "311141", "411131", "211412", "211214", "211232",
];

/// The stop symbol, which ends with a bar more than the others.
const STOP: &str = "2331112";

/// Dots that a label printer makes on the 3.6 inches between the label's margins: 203 an inch.
const DOTS: f64 = 730.8;

/// A module is a whole number of such dots wide, so that all bars come out evenly. Below two,
/// which is a quarter of a millimetre, scanners begin to miss; above four nothing is gained.
const DOTS_PER_MODULE: [u32; 3] = [4, 3, 2];

/// The set that is spoken at some place in a code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    B,
    C,
}

/// `text` as a bar code for the label. Nothing for what Code 128 does not write or what does not
/// fit between the label's margins, which is beyond about 28 letters or 56 digits.
pub(super) fn draw(text: &str) -> Option<Drawing> {
    let modules = modules(&symbols(text)?);
    let wide = u32::try_from(modules.len() + 2 * QUIET_ZONE.beside).ok()?;
    let mut widths = DOTS_PER_MODULE.iter().map(|dots| f64::from(dots.saturating_mul(wide)));
    let dots = widths.find(|dots| *dots <= DOTS)?;
    Some(Drawing::new("barcode", &[modules], &QUIET_ZONE).with_width_percent(dots * 100.0 / DOTS))
}

/// Start, data and check, by value. Nothing for text that is empty or has characters that are
/// not printable ASCII.
fn symbols(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.as_bytes();
    if rest.is_empty() || !rest.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let mut set = if begins_in_c(rest) { Set::C } else { Set::B };
    let mut symbols = vec![match set {
        Set::B => START_B,
        Set::C => START_C,
    }];
    while let [first, behind @ ..] = rest {
        match (set, behind) {
            (Set::C, [second, behind @ ..]) if digits(rest) >= 2 => {
                symbols.push((first - b'0') * 10 + (second - b'0'));
                rest = behind;
            }
            (Set::C, _) => {
                symbols.push(CODE_B);
                set = Set::B;
            }
            (Set::B, _) if changes_to_c(rest) => {
                symbols.push(CODE_C);
                set = Set::C;
            }
            (Set::B, _) => {
                symbols.push(first - b' ');
                rest = behind;
            }
        }
    }
    symbols.push(check(&symbols));
    Some(symbols)
}

/// How many digits `text` begins with.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether a code of `text` is shorter for beginning in set C.
fn begins_in_c(text: &[u8]) -> bool {
    let digits = digits(text);
    digits >= 4 || (digits == 2 && text.len() == 2)
}

/// Whether to leave set B before `text`. Going costs a symbol, and so does coming back, so it
/// takes four digits at the end and six elsewhere. The odd digit of a run goes first, in B.
fn changes_to_c(text: &[u8]) -> bool {
    let digits = digits(text);
    let enough = if digits == text.len() { 4 } else { 6 };
    digits >= enough && digits.is_multiple_of(2)
}

/// The sum of the symbols, each times its place; the start symbol counts once.
fn check(symbols: &[u8]) -> u8 {
    let weighed = |(place, symbol): (usize, &u8)| usize::from(*symbol) * place.max(1);
    let sum: usize = symbols.iter().enumerate().map(weighed).sum();
    u8::try_from(sum % CHECK_MODULUS).unwrap_or_default()
}

/// The modules of `symbols` and of the stop symbol: bars are true.
fn modules(symbols: &[u8]) -> Vec<bool> {
    let widths = symbols.iter().filter_map(|symbol| WIDTHS.get(usize::from(*symbol)));
    let widths = widths
        .chain([&STOP])
        .flat_map(|widths| widths.bytes().zip([true, false].into_iter().cycle()));
    widths.flat_map(|(width, bar)| std::iter::repeat_n(bar, usize::from(width - b'0'))).collect()
}
