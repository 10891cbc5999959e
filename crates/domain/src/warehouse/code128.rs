//! Code 128, the barcode that carriers and warehouses scan.
//!
//! A symbol is eleven modules: three bars and the three spaces behind them. There are 103 symbols
//! for data, and the meaning of one depends on the current set: in set B it is a character, in set
//! C two digits. Digits take half the space in C, so the code changes sets where that makes it
//! shorter. A check symbol and the stop symbol end it. Set A, which has control characters, is not
//! needed: tracking numbers and license plates contain none.

#[cfg(test)]
mod tests;

/// The white modules that the standard requires on either side.
pub const QUIET_MODULES: usize = 10;

const CODE_C: u8 = 99;
const CODE_B: u8 = 100;
const START_B: u8 = 104;
const START_C: u8 = 105;

/// The check symbol is a sum modulo this number.
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

/// The stop symbol, which has one bar more than the others.
const STOP: &str = "2331112";

/// The set that gives a symbol its meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CodeSet {
    B,
    C,
}

/// The modules of `text`, without the quiet zones: bars are true. None if the text is empty or not
/// printable ASCII.
pub fn draw_modules(text: &str) -> Option<Vec<bool>> {
    encode(text).map(|symbols| expand_modules(&symbols))
}

/// The start, data and check symbols, by value. None if the text is empty or not printable ASCII.
fn encode(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.as_bytes();
    if rest.is_empty() || !rest.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let mut set = if starts_in_c(rest) { CodeSet::C } else { CodeSet::B };
    let mut symbols = vec![match set {
        CodeSet::B => START_B,
        CodeSet::C => START_C,
    }];
    while let [first, behind @ ..] = rest {
        match (set, behind) {
            (CodeSet::C, [second, behind @ ..]) if count_digits(rest) >= 2 => {
                symbols.push((first - b'0') * 10 + (second - b'0'));
                rest = behind;
            }
            (CodeSet::C, _) => {
                symbols.push(CODE_B);
                set = CodeSet::B;
            }
            (CodeSet::B, _) if switches_to_c(rest) => {
                symbols.push(CODE_C);
                set = CodeSet::C;
            }
            (CodeSet::B, _) => {
                symbols.push(first - b' ');
                rest = behind;
            }
        }
    }
    symbols.push(check_symbol(&symbols));
    Some(symbols)
}

/// The number of digits at the start of `text`.
fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Whether the code of `text` is shorter if it starts in set C.
fn starts_in_c(text: &[u8]) -> bool {
    let digits = count_digits(text);
    digits >= 4 || (digits == 2 && text.len() == 2)
}

/// Whether to switch from set B to C before `text`. Each switch costs a symbol, so it takes four
/// digits at the end and six elsewhere. If the number of digits is odd, the first stays in B.
fn switches_to_c(text: &[u8]) -> bool {
    let digits = count_digits(text);
    let enough = if digits == text.len() { 4 } else { 6 };
    digits >= enough && digits.is_multiple_of(2)
}

/// The sum of the symbols, each times its position; the start symbol counts once.
fn check_symbol(symbols: &[u8]) -> u8 {
    let places = symbols.iter().zip(0_usize..);
    let sum: usize = places.map(|(symbol, place)| usize::from(*symbol) * place.max(1)).sum();
    u8::try_from(sum % CHECK_MODULUS).unwrap_or_default()
}

/// The modules of `symbols` and of the stop symbol: bars are true.
fn expand_modules(symbols: &[u8]) -> Vec<bool> {
    let widths = symbols.iter().filter_map(|symbol| WIDTHS.get(usize::from(*symbol)));
    let widths = widths
        .chain([&STOP])
        .flat_map(|widths| widths.bytes().zip([true, false].into_iter().cycle()));
    widths.flat_map(|(width, bar)| std::iter::repeat_n(bar, usize::from(width - b'0'))).collect()
}
