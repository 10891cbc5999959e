//! The orders that are made for visitors: each shows something, and can be returned for a year.

use server::demo::OrderToTry;

use crate::{
    DAY_US,
    orders::{Draft, LineDraft},
    people::{Country, DE, ES, FR, Person, US},
    stock::Shelf,
};

/// When they are placed and shipped, before the demo's first start.
pub(crate) const PLACED_BEFORE_US: i64 = 5 * DAY_US;
pub(crate) const SHIPPED_BEFORE_US: i64 = 3 * DAY_US;

/// An order for visitors.
struct Try {
    shown: OrderToTry,
    country: &'static Country,
    buyer: (&'static str, &'static str),
    /// Street, city and state.
    place: (&'static str, &'static str, &'static str),
    /// Who gets it, when it is a gift.
    recipient: Option<(&'static str, &'static str)>,
    lines: &'static [Wanted],
    discount_percent: i64,
}

/// Article, units, and what is special about it.
struct Wanted(&'static str, i64, Special);

enum Special {
    Nothing,
    FinalSale,
    TooLate,
    OneCanceled,
    OneWaiting,
}

const fn shown(
    number: &'static str,
    email: &'static str,
    postal_code: &'static str,
    what: &'static str,
) -> OrderToTry {
    OrderToTry { number, email, postal_code, what }
}

const TRIES: [Try; 7] = [
    Try {
        shown: shown(
            "DEMO-1001",
            "dana.whitfield@example.com",
            "97205",
            "Three items that can all come back: for money, for another size, or for a gift card \
             with ten percent on top.",
        ),
        country: &US,
        buyer: ("Dana", "Whitfield"),
        place: ("418 Juniper Street", "Portland", "OR"),
        recipient: None,
        lines: &[
            Wanted("HARBOUR-SHIRT-INDIGO-M", 1, Special::Nothing),
            Wanted("TRAIL-SHOE-SLATE-42", 1, Special::Nothing),
            Wanted("SCARF-GREY", 1, Special::Nothing),
        ],
        discount_percent: 0,
    },
    Try {
        shown: shown(
            "DEMO-1002",
            "jonah.parker@example.com",
            "78704",
            "Refused, with the reason: one item was a final sale, for another the time is over. \
             The third can come back.",
        ),
        country: &US,
        buyer: ("Jonah", "Parker"),
        place: ("12 Mill Road", "Austin", "TX"),
        recipient: None,
        lines: &[
            Wanted("RAIN-JACKET-PINE-M", 1, Special::FinalSale),
            Wanted("TEE-NAVY-L", 1, Special::TooLate),
            Wanted("SCARF-MOSS", 1, Special::Nothing),
        ],
        discount_percent: 0,
    },
    Try {
        shown: shown(
            "DEMO-1003",
            "henning.vogel@example.com",
            "10115",
            "A gift: tick “It was a gift to me” and use the postal code. The money goes on a gift \
             card, and the buyer is not told.",
        ),
        country: &DE,
        buyer: ("Henning", "Vogel"),
        place: ("Gartenstraße 8", "Berlin", ""),
        recipient: Some(("Mira", "Lindner")),
        lines: &[Wanted("HARBOUR-SHIRT-CHALK-S", 1, Special::Nothing)],
        discount_percent: 0,
    },
    Try {
        shown: shown(
            "DEMO-1004",
            "priya.shah@example.com",
            "94609",
            "Several of the same, with a discount: return some now and some later, and not a cent \
             is lost or made.",
        ),
        country: &US,
        buyer: ("Priya", "Shah"),
        place: ("230 Harbor Avenue", "Oakland", "CA"),
        recipient: None,
        lines: &[
            Wanted("SCARF-OCHRE", 4, Special::Nothing),
            Wanted("TEE-NAVY-M", 3, Special::Nothing),
        ],
        discount_percent: 10,
    },
    Try {
        shown: shown(
            "DEMO-1005",
            "avery.young@example.com",
            "53703",
            "Partly shipped: one unit was cancelled and one is still to come, so only the rest \
             can be returned.",
        ),
        country: &US,
        buyer: ("Avery", "Young"),
        place: ("5 Cedar Lane", "Madison", "WI"),
        recipient: None,
        lines: &[
            Wanted("TEE-NAVY-S", 3, Special::OneCanceled),
            Wanted("HARBOUR-SHIRT-MOSS-L", 2, Special::OneWaiting),
        ],
        discount_percent: 0,
    },
    Try {
        shown: shown(
            "DEMO-1006",
            "chloe.moreau@example.com",
            "69002",
            "From France, in euros: exchange the shoes, of which some sizes are sold out, or have \
             them collected at the door.",
        ),
        country: &FR,
        buyer: ("Chloé", "Moreau"),
        place: ("14 rue des Lilas", "Lyon", ""),
        recipient: None,
        lines: &[Wanted("TRAIL-SHOE-RUST-40", 1, Special::Nothing)],
        discount_percent: 0,
    },
    Try {
        shown: shown(
            "DEMO-1007",
            "lucia.ferrer@example.com",
            "46023",
            "From Spain: say that the tee arrived damaged, and keep it; the money comes back all \
             the same.",
        ),
        country: &ES,
        buyer: ("Lucía", "Ferrer"),
        place: ("calle de la Luna 3", "Valencia", ""),
        recipient: None,
        lines: &[
            Wanted("TEE-NAVY-M", 1, Special::Nothing),
            Wanted("RAIN-JACKET-OCHRE-S", 1, Special::Nothing),
        ],
        discount_percent: 0,
    },
];

pub(crate) fn orders_to_try() -> Vec<OrderToTry> {
    TRIES.iter().map(|it| it.shown.clone()).collect()
}

pub(crate) fn count() -> usize {
    TRIES.len()
}

/// The order at a position, placed or shipped.
pub(crate) fn draft(
    position: usize,
    shipped: bool,
    born_us: i64,
    shelf: &Shelf,
) -> Option<Draft<'static>> {
    let it = TRIES.get(position)?;
    let shipped_us = born_us - SHIPPED_BEFORE_US;
    Some(Draft {
        identifier: it.shown.number.to_owned(),
        country: it.country,
        buyer: it.person(it.buyer),
        recipient: it.recipient.map(|name| it.person(name)),
        lines: it.lines.iter().filter_map(|wanted| wanted.line(born_us, shelf)).collect(),
        placed_us: born_us - PLACED_BEFORE_US,
        shipped_us: shipped.then_some(shipped_us),
        discount_percent: it.discount_percent,
        tags: if it.recipient.is_some() { vec!["web", "gift"] } else { vec!["web"] },
    })
}

impl Try {
    fn person(&self, (first_name, last_name): (&'static str, &'static str)) -> Person {
        let (street, city, state) = self.place;
        Person {
            first_name,
            last_name,
            email: self.shown.email.to_owned(),
            street: street.to_owned(),
            city,
            state,
            zip_code: self.shown.postal_code,
            country: self.country.code,
        }
    }
}

impl Wanted {
    fn line(&self, born_us: i64, goods: &Shelf) -> Option<LineDraft> {
        let Self(sku, quantity, special) = self;
        let mut line = LineDraft::new(goods.article(sku)?.clone(), *quantity);
        line.until_us = Some(born_us + 365 * DAY_US);
        match special {
            Special::Nothing => (),
            Special::FinalSale => line.tags.push("final_sale"),
            Special::TooLate => line.until_us = Some(born_us - 2 * DAY_US),
            Special::OneCanceled => line.canceled = 1,
            Special::OneWaiting => line.waiting = 1,
        }
        Some(line)
    }
}
