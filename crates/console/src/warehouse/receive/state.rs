//! Where somebody is in the work at the bench: which parcel, which unit, what was just said. All of it stands
//! in the address of the page, so that loading it again and going back are harmless.

use domain::{identifier::MerchantId, reader::IDENTIFIER_MAX, warehouse::parcel::UnexpectedCode};
use serde::Deserialize;

use crate::core::{form::Form, words::address};

const PATH: &str = "/console/receive";
/// The channel of a unit for which nobody chose another.
pub(super) const CHANNEL: &str = "RTS";
/// How many scans are listed.
const LAST_MAX: usize = 5;
const BETWEEN: char = '|';

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    /// What was scanned to open the parcel.
    pub(super) parcel: String,
    /// Whose parcel, where several merchants may be meant; the platform for one that nobody announced.
    pub(super) merchant: String,
    /// The code of the unit in the hand. Empty for somebody who pressed Enter on the empty field.
    pub(super) unit: Option<String>,
    /// The license plate of that unit.
    pub(super) plate: String,
    /// That the unit is kept as a question, and what its code is: `piece` or `article`.
    pub(super) keep: String,
    /// The code that a question on the page is about.
    pub(super) asked: String,
    /// That somebody wants to close the parcel.
    pub(super) close: String,
    pub(super) channel: String,
    pub(super) location: String,
    pub(super) serial: String,
    /// What the page tells first; see [`Said`].
    pub(super) said: String,
    /// The license plates of the last scans, the newest first.
    pub(super) last: String,
}

/// What became of what was done last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Received,
    /// The same unit, or the same form, once more.
    Again,
    /// The form was sent before with something else in it.
    Used,
    /// The unit is kept as a question.
    Asked,
    /// The person at the bench knew which unit it is.
    Recognised,
    /// Somebody decided otherwise meanwhile.
    Decided,
    Closed,
    /// What was typed is no condition.
    NoCondition,
    /// The next unit was scanned before this one has its condition.
    First,
}

impl Said {
    const ALL: [Self; 9] = [
        Self::Received,
        Self::Again,
        Self::Used,
        Self::Asked,
        Self::Recognised,
        Self::Decided,
        Self::Closed,
        Self::NoCondition,
        Self::First,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Again => "again",
            Self::Used => "used",
            Self::Asked => "asked",
            Self::Recognised => "recognised",
            Self::Decided => "decided",
            Self::Closed => "closed",
            Self::NoCondition => "no-condition",
            Self::First => "first",
        }
    }

    /// What is wrong with what was typed for the unit in the hand.
    pub(super) const fn fault(self) -> Option<&'static str> {
        match self {
            Self::First => Some("First the condition of this unit, then the next one."),
            Self::NoCondition => Some("That is no condition. Type one of the letters below."),
            Self::Received
            | Self::Again
            | Self::Used
            | Self::Asked
            | Self::Recognised
            | Self::Decided
            | Self::Closed => None,
        }
    }
}

/// A code as it was meant: scanners put signs around it that nobody sees.
fn clean(text: &str) -> String {
    let visible = text.chars().filter(|sign| !sign.is_control());
    visible.collect::<String>().trim().chars().take(IDENTIFIER_MAX).collect()
}

impl Place {
    /// The code of the unit in the hand, if there is one.
    pub(super) fn scanned(&self) -> &str {
        self.unit.as_deref().unwrap_or_default()
    }

    pub(super) fn of_form(form: &Form) -> Self {
        let unit = form.raw("unit");
        let text = |name: &str| form.raw(name).to_owned();
        let place = Self {
            parcel: text("parcel"),
            merchant: text("merchant"),
            unit: (!unit.is_empty()).then(|| unit.to_owned()),
            plate: text("plate"),
            keep: text("keep"),
            asked: String::new(),
            close: String::new(),
            channel: Some(text("channel")).filter(|it| it != CHANNEL).unwrap_or_default(),
            location: text("location"),
            serial: text("serial"),
            said: String::new(),
            last: text("last"),
        };
        place.cleaned()
    }

    /// The same with clean codes. What is listed may be longer than one code.
    #[must_use]
    pub(super) fn cleaned(self) -> Self {
        let last: Vec<String> =
            self.last.split(BETWEEN).map(clean).filter(|it| !it.is_empty()).collect();
        Self {
            parcel: clean(&self.parcel),
            merchant: clean(&self.merchant),
            unit: self.unit.as_deref().map(clean),
            plate: clean(&self.plate),
            keep: clean(&self.keep),
            asked: clean(&self.asked),
            close: clean(&self.close),
            channel: clean(&self.channel),
            location: clean(&self.location),
            serial: clean(&self.serial),
            said: clean(&self.said),
            last: last.into_iter().take(LAST_MAX).collect::<Vec<_>>().join("|"),
        }
    }

    /// What stands in the address, or in hidden fields of a form, but for the empty ones.
    pub(super) fn fields(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("parcel", self.parcel.as_str()),
            ("merchant", &self.merchant),
            ("unit", self.unit.as_deref().unwrap_or_default()),
            ("plate", &self.plate),
            ("keep", &self.keep),
            ("asked", &self.asked),
            ("close", &self.close),
            ("channel", &self.channel),
            ("location", &self.location),
            ("serial", &self.serial),
            ("said", &self.said),
            ("last", &self.last),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }

    pub(super) fn address(&self) -> String {
        address(PATH, &self.fields())
    }

    pub(super) fn merchant(&self) -> Option<MerchantId> {
        MerchantId::parse_stored(&self.merchant).ok()
    }

    pub(super) fn said(&self) -> Option<Said> {
        Said::ALL.into_iter().find(|said| said.name() == self.said)
    }

    /// What the code is, of a unit that is kept as a question.
    pub(super) fn kept(&self) -> Option<UnexpectedCode<'_>> {
        let code = self.unit.as_deref()?;
        match self.keep.as_str() {
            "piece" => Some(UnexpectedCode::ByPlate(code)),
            "article" => Some(UnexpectedCode::ByArticle(code)),
            _ => None,
        }
    }

    /// The license plates of the last scans.
    pub(super) fn plates(&self) -> Vec<&str> {
        self.last.split(BETWEEN).filter(|it| !it.is_empty()).collect()
    }

    /// The parcel, with no unit in the hand.
    #[must_use]
    pub(super) fn at_parcel(&self) -> Self {
        Self {
            unit: None,
            plate: String::new(),
            keep: String::new(),
            asked: String::new(),
            close: String::new(),
            serial: String::new(),
            said: String::new(),
            ..self.clone()
        }
    }

    /// Another parcel. Where goods are put is likely to stay the same.
    #[must_use]
    pub(super) fn at_other(&self, parcel: &str, merchant: &str) -> Self {
        Self {
            parcel: parcel.to_owned(),
            merchant: merchant.to_owned(),
            last: String::new(),
            ..self.at_parcel()
        }
    }

    #[must_use]
    pub(super) fn with_unit(&self, code: &str) -> Self {
        Self { unit: Some(code.to_owned()), ..self.at_parcel() }
    }

    #[must_use]
    pub(super) fn saying(self, said: Said) -> Self {
        Self { said: said.name().to_owned(), ..self }
    }

    /// The parcel after a scan of this license plate.
    #[must_use]
    pub(super) fn after(&self, plate: &str, said: Said) -> Self {
        let earlier = self.plates().into_iter().filter(|it| *it != plate);
        let last: Vec<&str> = std::iter::once(plate).chain(earlier).take(LAST_MAX).collect();
        Self { last: last.join("|"), ..self.at_parcel() }.saying(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_loses_what_nobody_sees() {
        let place = Place {
            parcel: "\u{1d} RMA-1\r\n".to_owned(),
            unit: Some("\0".to_owned()),
            plate: "x".repeat(1_000),
            ..Place::default()
        };
        let place = place.cleaned();
        assert_eq!(place.parcel, "RMA-1");
        assert_eq!(place.unit.as_deref(), Some(""));
        assert_eq!(place.plate.len(), IDENTIFIER_MAX);
    }

    #[test]
    fn the_last_five_scans_are_remembered_each_once() {
        let mut place = Place::default();
        for plate in ["1", "2", "3", "2", "4", "5", "6"] {
            place = place.after(plate, Said::Received);
        }
        assert_eq!(place.plates(), ["6", "5", "4", "2", "3"]);
        assert_eq!(place.said(), Some(Said::Received));
    }

    #[test]
    fn an_address_leads_back_to_the_same_place() {
        let place = Place {
            parcel: "A&B=1".to_owned(),
            merchant: "acme".to_owned(),
            unit: Some("#ü".to_owned()),
            keep: "piece".to_owned(),
            ..Place::default()
        };
        let expected = "/console/receive?parcel=A%26B%3D1&merchant=acme&unit=%23%C3%BC&keep=piece";
        assert_eq!(place.address(), expected);
        assert_eq!(place.kept(), Some(UnexpectedCode::ByPlate("#ü")));
        assert_eq!(place.at_parcel().address(), "/console/receive?parcel=A%26B%3D1&merchant=acme");
    }
}
