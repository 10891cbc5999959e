//! Where a person is in the work at the bench: which parcel, which unit, what was done last. All of
//! it is in the address of the page, so reloading the page and going back are harmless.

use domain::{
    identifier::MerchantId,
    reader::IDENTIFIER_MAX,
    warehouse::{parcel::UnexpectedCode, scanned_code::clean_scan},
};
use serde::Deserialize;

use super::result::BenchResult;
use crate::core::{form::Form, urls::add_query};

const PATH: &str = "/console/receive";
/// What is typed to reject the current unit.
pub(super) const REJECT_KEY: &str = "!";
/// What is typed to correct the last unit, or to take it back.
pub(super) const CORRECT_KEY: &str = "-";
/// The usual reasons to reject a unit; their numbers are typed.
pub(super) const REJECT_REASONS: [&str; 6] = [
    "Wrong item",
    "Damaged in transit",
    "Used or worn",
    "Parts missing",
    "Not returnable",
    "Counterfeit",
];
/// Shorter input is not a reason.
const REASON_MIN: usize = 3;
/// How many recent scans are listed.
pub(super) const RECENT_MAX: usize = 5;
const SEPARATOR: char = '|';

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct BenchState {
    /// The code that opened the parcel.
    pub(super) parcel: String,
    /// The merchant of the parcel, if the code has several meanings. The platform means
    /// that the parcel was not announced.
    pub(super) merchant: String,
    /// The code of the current unit. Empty if Enter was pressed on the empty field.
    pub(super) unit: Option<String>,
    /// The license plate of the current unit.
    pub(super) plate: String,
    /// Set if the unit is set aside as an exception: the name of a [`CodeKind`].
    #[serde(rename = "keep")]
    pub(super) set_aside: String,
    /// The code that a question on the page is about.
    pub(super) asked: String,
    /// Set if the person wants to close the parcel.
    #[serde(rename = "close")]
    pub(super) closing: String,
    pub(super) channel: String,
    pub(super) location: String,
    pub(super) serial: String,
    /// The warehouse that the bench is in.
    pub(super) warehouse: String,
    /// Why the current unit is rejected. [`REJECT_KEY`] while the page asks for the reason.
    pub(super) reject: String,
    /// The license plate of the unit whose receipt is corrected.
    #[serde(rename = "fix")]
    pub(super) fixing: String,
    /// The name of a [`BenchResult`], which the page shows first.
    #[serde(rename = "said")]
    pub(super) result: String,
    /// The license plates of the recent scans, newest first.
    #[serde(rename = "last")]
    pub(super) recent: String,
}

/// What a code identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// One unit: the code is a license plate.
    Unit,
    /// A product: the code is a SKU or UPC.
    Product,
}

impl CodeKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unit => "piece",
            Self::Product => "article",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Unit, Self::Product].into_iter().find(|kind| kind.name() == name)
    }
}

/// Text without invisible characters.
fn clean_code(text: &str) -> String {
    let visible = text.chars().filter(|character| !character.is_control());
    visible.collect::<String>().trim().chars().take(IDENTIFIER_MAX).collect()
}

impl BenchState {
    /// The code of the current unit, or an empty text.
    pub(super) fn unit_code(&self) -> &str {
        self.unit.as_deref().unwrap_or_default()
    }

    pub(super) fn of_form(form: &Form) -> Self {
        let unit = form.raw("unit");
        let text = |name: &str| form.raw(name).to_owned();
        let state = Self {
            parcel: text("parcel"),
            merchant: text("merchant"),
            unit: (!unit.is_empty()).then(|| unit.to_owned()),
            plate: text("plate"),
            set_aside: text("keep"),
            asked: String::new(),
            closing: String::new(),
            channel: text("channel"),
            location: text("location"),
            serial: text("serial"),
            warehouse: text("warehouse"),
            reject: text("reject"),
            fixing: text("fix"),
            result: String::new(),
            recent: text("last"),
        };
        state.cleaned()
    }

    /// The same state with clean codes.
    #[must_use]
    pub(super) fn cleaned(self) -> Self {
        let recent = self.recent.split(SEPARATOR).map(clean_code).filter(|it| !it.is_empty());
        Self {
            parcel: clean_scan(&self.parcel),
            merchant: clean_code(&self.merchant),
            unit: self.unit.as_deref().map(clean_scan),
            plate: clean_code(&self.plate),
            set_aside: clean_code(&self.set_aside),
            asked: clean_scan(&self.asked),
            closing: clean_code(&self.closing),
            channel: clean_code(&self.channel),
            location: clean_code(&self.location),
            serial: clean_code(&self.serial),
            warehouse: clean_code(&self.warehouse),
            reject: clean_code(&self.reject),
            fixing: clean_code(&self.fixing),
            result: clean_code(&self.result),
            recent: recent.take(RECENT_MAX).collect::<Vec<_>>().join("|"),
        }
    }

    /// The non-empty fields, for an address or the hidden fields of a form.
    pub(super) fn fields(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("parcel", self.parcel.as_str()),
            ("merchant", &self.merchant),
            ("unit", self.unit_code()),
            ("plate", &self.plate),
            ("keep", &self.set_aside),
            ("asked", &self.asked),
            ("close", &self.closing),
            ("channel", &self.channel),
            ("location", &self.location),
            ("serial", &self.serial),
            ("warehouse", &self.warehouse),
            ("reject", &self.reject),
            ("fix", &self.fixing),
            ("said", &self.result),
            ("last", &self.recent),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }

    pub(super) fn url(&self) -> String {
        add_query(PATH, &self.fields())
    }

    pub(super) fn merchant(&self) -> Option<MerchantId> {
        MerchantId::parse_stored(&self.merchant).ok()
    }

    pub(super) fn result(&self) -> Option<BenchResult> {
        BenchResult::ALL.into_iter().find(|result| result.name() == self.result)
    }

    /// What the code of the current unit identifies, if the unit is set aside.
    pub(super) fn set_aside_kind(&self) -> Option<CodeKind> {
        CodeKind::parse(&self.set_aside)
    }

    /// The code of a unit that is set aside.
    pub(super) fn unexpected_code(&self) -> Option<UnexpectedCode<'_>> {
        let code = self.unit.as_deref()?;
        match self.set_aside_kind()? {
            CodeKind::Unit => Some(UnexpectedCode::ByPlate(code)),
            CodeKind::Product => Some(UnexpectedCode::ByArticle(code)),
        }
    }

    /// The license plates of the recent scans.
    pub(super) fn recent_plates(&self) -> Vec<&str> {
        self.recent.split(SEPARATOR).filter(|it| !it.is_empty()).collect()
    }

    /// The same with these recent scans, newest first.
    #[must_use]
    pub(super) fn with_recent(&self, plates: &[String]) -> Self {
        Self { recent: plates.join("|"), ..self.clone() }
    }

    /// The same parcel without a current unit.
    #[must_use]
    pub(super) fn at_parcel(&self) -> Self {
        Self {
            unit: None,
            plate: String::new(),
            set_aside: String::new(),
            asked: String::new(),
            closing: String::new(),
            serial: String::new(),
            reject: String::new(),
            fixing: String::new(),
            result: String::new(),
            ..self.clone()
        }
    }

    /// Another parcel. Channel and location stay the same.
    #[must_use]
    pub(super) fn at_other_parcel(&self, parcel: &str, merchant: &str) -> Self {
        Self {
            parcel: parcel.to_owned(),
            merchant: merchant.to_owned(),
            recent: String::new(),
            ..self.at_parcel()
        }
    }

    #[must_use]
    pub(super) fn with_unit(&self, code: &str) -> Self {
        Self { unit: Some(code.to_owned()), ..self.at_parcel() }
    }

    #[must_use]
    pub(super) fn with_unit_set_aside(&self, code: &str, kind: CodeKind) -> Self {
        Self { set_aside: kind.name().to_owned(), ..self.with_unit(code) }
    }

    /// The correction of the unit with this license plate.
    #[must_use]
    pub(super) fn with_correction(&self, plate: &str) -> Self {
        Self { fixing: plate.to_owned(), ..self.at_parcel() }
    }

    /// Whether the page asks why the current unit is rejected.
    pub(super) fn asks_for_reason(&self) -> bool {
        self.reject == REJECT_KEY
    }

    /// Why the current unit is rejected, if it is.
    pub(super) fn reject_reason(&self) -> Option<&str> {
        Some(self.reject.as_str()).filter(|it| !it.is_empty() && *it != REJECT_KEY)
    }

    /// The state after input about the rejection of the current unit. None if the input is about
    /// something else.
    pub(super) fn after_reject_input(&self, input: &str) -> Option<Self> {
        let with_reason = |reason: &str| Self {
            reject: reason.to_owned(),
            result: String::new(),
            ..self.clone()
        };
        if input == REJECT_KEY {
            return Some(with_reason(if self.reject.is_empty() { REJECT_KEY } else { "" }));
        }
        if !self.asks_for_reason() {
            return None;
        }
        let number = input.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let usual = number.and_then(|number| REJECT_REASONS.get(number)).copied();
        Some(match usual.or(Some(input).filter(|it| it.chars().count() >= REASON_MIN)) {
            Some(reason) => with_reason(reason),
            None => self.clone().with_result(BenchResult::NotAReason),
        })
    }

    #[must_use]
    pub(super) fn with_result(self, result: BenchResult) -> Self {
        Self { result: result.name().to_owned(), ..self }
    }

    /// The parcel after a scan of this license plate.
    #[must_use]
    pub(super) fn after_scan(&self, plate: &str, result: BenchResult) -> Self {
        let earlier = self.recent_plates().into_iter().filter(|it| *it != plate);
        let recent: Vec<&str> = std::iter::once(plate).chain(earlier).take(RECENT_MAX).collect();
        Self { recent: recent.join("|"), ..self.at_parcel() }.with_result(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_removed_from_codes() {
        let state = BenchState {
            parcel: "\u{1d} RMA-1\r\n".to_owned(),
            unit: Some("\0".to_owned()),
            plate: "x".repeat(1_000),
            ..BenchState::default()
        };
        let state = state.cleaned();
        assert_eq!(state.parcel, "RMA-1");
        assert_eq!(state.unit.as_deref(), Some(""));
        assert_eq!(state.plate.len(), IDENTIFIER_MAX);
    }

    #[test]
    fn each_of_the_last_five_scans_is_remembered_once() {
        let mut state = BenchState::default();
        for plate in ["1", "2", "3", "2", "4", "5", "6"] {
            state = state.after_scan(plate, BenchResult::Received);
        }
        assert_eq!(state.recent_plates(), ["6", "5", "4", "2", "3"]);
        assert_eq!(state.result(), Some(BenchResult::Received));
    }

    #[test]
    fn an_address_leads_back_to_the_same_state() {
        let state = BenchState {
            parcel: "A&B=1".to_owned(),
            merchant: "acme".to_owned(),
            unit: Some("#ü".to_owned()),
            set_aside: "piece".to_owned(),
            ..BenchState::default()
        };
        let expected = "/console/receive?parcel=A%26B%3D1&merchant=acme&unit=%23%C3%BC&keep=piece";
        assert_eq!(state.url(), expected);
        assert_eq!(state.unexpected_code(), Some(UnexpectedCode::ByPlate("#ü")));
        assert_eq!(state.at_parcel().url(), "/console/receive?parcel=A%26B%3D1&merchant=acme");
    }
}
