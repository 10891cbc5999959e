//! Which of the services that a carrier offers is bought.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The price of one service for one parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// What the carrier's API calls this offer.
    pub id: String,
    pub carrier: String,
    pub service: String,
    /// In minor units of `currency`.
    pub price_cents: i64,
    pub currency: String,
}

/// A carrier all of whose services may be bought, or one service of it. It is written `USPS` or
/// `USPS/GroundAdvantage`; case does not matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ServiceRule {
    carrier: String,
    service: Option<String>,
}

impl ServiceRule {
    pub fn parse(text: &str) -> Option<Self> {
        let (carrier, service) = match text.split_once('/') {
            Some((carrier, service)) => (carrier, Some(service)),
            None => (text, None),
        };
        let is_name = |name: &str| {
            (1..=64).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        let fits = is_name(carrier) && service.is_none_or(is_name);
        let service = service.map(str::to_owned);
        fits.then(|| Self { carrier: carrier.to_owned(), service })
    }

    fn allows(&self, rate: &Rate) -> bool {
        let allows_service = |name: &String| name.eq_ignore_ascii_case(&rate.service);
        self.carrier.eq_ignore_ascii_case(&rate.carrier)
            && self.service.as_ref().is_none_or(allows_service)
    }
}

impl fmt::Display for ServiceRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.service {
            Some(service) => write!(formatter, "{}/{service}", self.carrier),
            None => formatter.write_str(&self.carrier),
        }
    }
}

impl From<ServiceRule> for String {
    fn from(rule: ServiceRule) -> Self {
        rule.to_string()
    }
}

impl TryFrom<String> for ServiceRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("not a carrier or a service: {text}"))
    }
}

/// The cheapest rate of those that a rule allows; without rules, of all. Prices in another currency
/// cannot be compared, so they count only if there is none in `currency`. Of equal prices, the
/// first by name is chosen, so that every attempt chooses the same.
pub fn choose_rate<'a>(
    rates: &'a [Rate],
    rules: &[ServiceRule],
    currency: &str,
) -> Option<&'a Rate> {
    let allowed = |rate: &&Rate| rules.is_empty() || rules.iter().any(|rule| rule.allows(rate));
    rates.iter().filter(allowed).min_by_key(|rate| {
        (rate.currency != currency, rate.price_cents, &rate.carrier, &rate.service, &rate.id)
    })
}

/// The minor units of a decimal amount such as `7.58`. Digits beyond the smallest unit must be
/// zero.
pub fn parse_amount(text: &str, minor_digits: u8) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let width = usize::from(minor_digits);
    let (kept, beyond) = part.split_at_checked(width).unwrap_or((part, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) || beyond.contains(|it| it != '0')
    {
        return None;
    }
    format!("{whole}{kept:0<width$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(carrier: &str, service: &str, price_cents: i64) -> Rate {
        Rate {
            id: format!("rate_{carrier}{service}"),
            carrier: carrier.to_owned(),
            service: service.to_owned(),
            price_cents,
            currency: "USD".to_owned(),
        }
    }

    fn rules(texts: &[&str]) -> Vec<ServiceRule> {
        texts.iter().map(|text| ServiceRule::parse(text).unwrap()).collect()
    }

    #[test]
    fn the_cheapest_rate_that_a_rule_allows_is_chosen() {
        let rates = [
            rate("USPS", "GroundAdvantage", 758),
            rate("USPS", "Priority", 940),
            rate("UPS", "Ground", 1_120),
            rate("FedEx", "FEDEX_GROUND", 640),
        ];
        let chosen = |texts: &[&str]| {
            choose_rate(&rates, &rules(texts), "USD").map(|rate| rate.service.as_str())
        };

        assert_eq!(chosen(&[]), Some("FEDEX_GROUND"));
        assert_eq!(chosen(&["usps"]), Some("GroundAdvantage"));
        assert_eq!(chosen(&["USPS/priority", "UPS"]), Some("Priority"));
        assert_eq!(chosen(&["UPS/NextDay"]), None);
        assert_eq!(choose_rate(&[], &[], "USD"), None);
    }

    #[test]
    fn a_lower_number_in_another_currency_is_not_cheaper() {
        let foreign = Rate { currency: "JPY".to_owned(), ..rate("Yamato", "Parcel", 1) };
        let rates = [foreign, rate("USPS", "Priority", 940)];

        assert_eq!(choose_rate(&rates, &[], "USD").unwrap().carrier, "USPS");
        assert_eq!(choose_rate(&rates[..1], &[], "USD").unwrap().carrier, "Yamato");
    }

    #[test]
    fn the_order_of_the_rates_does_not_change_the_choice() {
        let mut rates = [rate("A", "x", 5), rate("A", "y", 5), rate("B", "x", 5)];
        let first = choose_rate(&rates, &[], "USD").unwrap().id.clone();
        rates.reverse();
        assert_eq!(choose_rate(&rates, &[], "USD").unwrap().id, first);
    }

    #[test]
    fn rules_are_a_carrier_or_a_carrier_and_a_service() {
        for text in ["USPS", "USPS/GroundAdvantage", "FedEx/FEDEX_GROUND"] {
            assert_eq!(ServiceRule::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "/", "USPS/", "/Ground", "USPS/A/B", "US PS", &"x".repeat(65)] {
            assert_eq!(ServiceRule::parse(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_are_read_to_the_smallest_unit_and_never_rounded() {
        let cases = [
            ("7.58", 2, Some(758)),
            ("7.5", 2, Some(750)),
            ("7", 2, Some(700)),
            ("7.58000", 2, Some(758)),
            ("7.585", 2, None),
            ("1200", 0, Some(1_200)),
            ("1200.0", 0, Some(1_200)),
            ("-1.00", 2, None),
            (".50", 2, None),
            ("1e3", 2, None),
            ("", 2, None),
            ("99999999999999999999", 2, None),
        ];
        for (text, digits, cents) in cases {
            assert_eq!(parse_amount(text, digits), cents, "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_amount_that_is_written_is_read_back(cents in 0_i64..10_000_000_000) {
            let text = format!("{}.{:02}", cents / 100, cents % 100);
            prop_assert_eq!(parse_amount(&text, 2), Some(cents));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,20}", digits in 0_u8..5) {
            let _ = parse_amount(&text, digits);
            let _ = ServiceRule::parse(&text);
        }
    }
}
