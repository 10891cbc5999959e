//! Postal addresses, written as the post of their country wants them.

#[cfg(test)]
mod tests;

use super::order::PostalAddress;

/// How a country writes an address below the name of the recipient.
struct Form {
    code: &'static str,
    /// The English name in capitals, as on mail from abroad.
    name: &'static str,
    /// Lines, separated by `|`. `A` stands for the street (one line or two), `C` for the city, `S`
    /// for the state or province and `Z` for the postal code. A separator is left out where
    /// a part is empty.
    lines: &'static str,
    /// The parts in capitals.
    capitals: &'static str,
}

const fn form(
    code: &'static str,
    name: &'static str,
    lines: &'static str,
    capitals: &'static str,
) -> Form {
    Form { code, name, lines, capitals }
}

/// Where no form is known, and for mail that several countries could read.
const USUAL: Form = form("", "", "A|Z C|S", "");

/// The order of the lines and the parts in capitals follow the address formats that the open data
/// of Google's Address Data Service (libaddressinput) has collected from the posts of the world,
/// in the Latin script.
const FORMS: [Form; 56] = [
    form("AE", "UNITED ARAB EMIRATES", "A|C|S", ""),
    form("AR", "ARGENTINA", "A|Z C|S", "ACZ"),
    form("AT", "AUSTRIA", "A|Z C", ""),
    form("AU", "AUSTRALIA", "A|C S Z", "CS"),
    form("BE", "BELGIUM", "A|Z C", ""),
    form("BG", "BULGARIA", "A|Z C", ""),
    form("BR", "BRAZIL", "A|C-S|Z", "CS"),
    form("CA", "CANADA", "A|C S Z", "ACSZ"),
    form("CH", "SWITZERLAND", "A|Z C", ""),
    form("CL", "CHILE", "A|Z C|S", ""),
    form("CN", "CHINA", "A|C|S, Z", "S"),
    form("CO", "COLOMBIA", "A|C, S, Z", ""),
    form("CY", "CYPRUS", "A|Z C", ""),
    form("CZ", "CZECHIA", "A|Z C", ""),
    form("DE", "GERMANY", "A|Z C", ""),
    form("DK", "DENMARK", "A|Z C", ""),
    form("EE", "ESTONIA", "A|Z C", ""),
    form("ES", "SPAIN", "A|Z C|S", "C"),
    form("FI", "FINLAND", "A|Z C", "C"),
    form("FR", "FRANCE", "A|Z C", "C"),
    form("GB", "UNITED KINGDOM", "A|C|Z", "CZ"),
    form("GR", "GREECE", "A|Z C", ""),
    form("HK", "HONG KONG", "A|C|S", "S"),
    form("HR", "CROATIA", "A|Z C", "C"),
    form("HU", "HUNGARY", "C|A|Z", "C"),
    form("ID", "INDONESIA", "A|C|S Z", ""),
    form("IE", "IRELAND", "A|C|S|Z", ""),
    form("IL", "ISRAEL", "A|C Z", ""),
    form("IN", "INDIA", "A|C Z|S", ""),
    form("IS", "ICELAND", "A|Z C", ""),
    form("IT", "ITALY", "A|Z C S", "CS"),
    form("JP", "JAPAN", "A|C, S|Z", "S"),
    form("KR", "SOUTH KOREA", "A|C|S|Z", "S"),
    form("LI", "LIECHTENSTEIN", "A|Z C", ""),
    form("LT", "LITHUANIA", "A|Z C", ""),
    form("LU", "LUXEMBOURG", "A|Z C", ""),
    form("LV", "LATVIA", "A|C, Z", ""),
    form("MC", "MONACO", "A|Z C", ""),
    form("MT", "MALTA", "A|C|Z", ""),
    form("MX", "MEXICO", "A|Z C, S", "CSZ"),
    form("MY", "MALAYSIA", "A|Z C|S", "CS"),
    form("NL", "NETHERLANDS", "A|Z C", "CZ"),
    form("NO", "NORWAY", "A|Z C", "C"),
    form("NZ", "NEW ZEALAND", "A|C Z", ""),
    form("PL", "POLAND", "A|Z C", ""),
    form("PT", "PORTUGAL", "A|Z C", "C"),
    form("RO", "ROMANIA", "A|Z C", ""),
    form("SE", "SWEDEN", "A|Z C", "C"),
    form("SG", "SINGAPORE", "A|C Z", "C"),
    form("SI", "SLOVENIA", "A|Z C", ""),
    form("SK", "SLOVAKIA", "A|Z C", ""),
    form("TH", "THAILAND", "A|C|S Z", ""),
    form("TR", "TÜRKIYE", "A|Z C/S", ""),
    form("TW", "TAIWAN", "A|C, S Z", ""),
    form("US", "UNITED STATES", "A|C S Z", "CS"),
    form("ZA", "SOUTH AFRICA", "A|C|Z", ""),
];

impl PostalAddress {
    /// The lines of the address, without empty ones: the recipient, the place as its country
    /// writes it, and the country.
    pub fn lines(&self) -> Vec<String> {
        let code = self.country_code.trim();
        let known = FORMS.iter().find(|form| form.code.eq_ignore_ascii_case(code));
        let form = known.unwrap_or(&USUAL);
        let mut lines = vec![self.name.trim().to_owned()];
        for line in form.lines.split('|') {
            if line == "A" {
                let streets = [self.street1.as_str(), self.street2.as_deref().unwrap_or_default()];
                lines.extend(streets.map(|street| form.write('A', street)));
            } else {
                lines.push(self.line(form, line));
            }
        }
        lines.push(if form.name.is_empty() { code.to_owned() } else { form.name.to_owned() });
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// One line of a form. What stands before a part is left out with it, and at the beginning.
    fn line(&self, form: &Form, line: &str) -> String {
        let (mut text, mut separator) = (String::new(), String::new());
        for character in line.chars() {
            let part = match character {
                'C' => &self.city,
                'S' => &self.state,
                'Z' => &self.zip_code,
                other => {
                    separator.push(other);
                    continue;
                }
            };
            let part = form.write(character, part);
            if !part.is_empty() {
                if !text.is_empty() {
                    text.push_str(&separator);
                }
                text.push_str(&part);
            }
            separator.clear();
        }
        text
    }
}

impl Form {
    fn write(&self, part: char, text: &str) -> String {
        let text = text.trim();
        if self.capitals.contains(part) { text.to_uppercase() } else { text.to_owned() }
    }
}
