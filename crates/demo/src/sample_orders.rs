//! Orders for visitors to return. Each shows something, and can be returned for a year.

use server::demo::SampleOrder;

use crate::{
    DAY_US,
    orders::{Draft, LineDraft},
    people::{Country, DE, ES, FR, Person, US},
    stock::Stock,
};

/// When they are placed and shipped, before the demo's first start.
pub(crate) const PLACED_BEFORE_US: i64 = 5 * DAY_US;
pub(crate) const SHIPPED_BEFORE_US: i64 = 3 * DAY_US;

/// A sample order and its content.
struct Sample {
    order: SampleOrder,
    country: &'static Country,
    buyer: Name,
    address: Address,
    /// The recipient of a gift.
    recipient: Option<Name>,
    lines: &'static [SampleLine],
    discount_percent: i64,
}

#[derive(Clone, Copy)]
struct Name {
    first: &'static str,
    last: &'static str,
}

struct Address {
    street: &'static str,
    city: &'static str,
    state: &'static str,
}

struct SampleLine {
    sku: &'static str,
    quantity: i64,
    special: Special,
}

/// What is special about a line.
enum Special {
    Nothing,
    FinalSale,
    TooLate,
    OneCanceled,
    OneWaiting,
}

const fn line(sku: &'static str, quantity: i64, special: Special) -> SampleLine {
    SampleLine { sku, quantity, special }
}

const SAMPLES: [Sample; 7] = [
    Sample {
        order: SampleOrder {
            number: "DEMO-1001",
            email: "dana.whitfield@example.com",
            postal_code: "97205",
            description: "Three items, all of them returnable: for a refund, for another size, or for a \
                          gift card with a bonus of 10 %.",
        },
        country: &US,
        buyer: Name { first: "Dana", last: "Whitfield" },
        address: Address { street: "418 Juniper Street", city: "Portland", state: "OR" },
        recipient: None,
        lines: &[
            line("HARBOUR-SHIRT-INDIGO-M", 1, Special::Nothing),
            line("TRAIL-SHOE-SLATE-42", 1, Special::Nothing),
            line("SCARF-GREY", 1, Special::Nothing),
        ],
        discount_percent: 0,
    },
    Sample {
        order: SampleOrder {
            number: "DEMO-1002",
            email: "jonah.parker@example.com",
            postal_code: "78704",
            description: "Not everything can be returned, and the portal says why: one item was a final \
                          sale, and another is past its return window.",
        },
        country: &US,
        buyer: Name { first: "Jonah", last: "Parker" },
        address: Address { street: "12 Mill Road", city: "Austin", state: "TX" },
        recipient: None,
        lines: &[
            line("RAIN-JACKET-PINE-M", 1, Special::FinalSale),
            line("TEE-NAVY-L", 1, Special::TooLate),
            line("SCARF-MOSS", 1, Special::Nothing),
        ],
        discount_percent: 0,
    },
    Sample {
        order: SampleOrder {
            number: "DEMO-1003",
            email: "henning.vogel@example.com",
            postal_code: "10115",
            description: "A gift: check “I received this as a gift” and use the gift code GIFT-DEMO-1003. \
                          The refund is a gift card, and the buyer is not notified.",
        },
        country: &DE,
        buyer: Name { first: "Henning", last: "Vogel" },
        address: Address { street: "Gartenstraße 8", city: "Berlin", state: "" },
        recipient: Some(Name { first: "Mira", last: "Lindner" }),
        lines: &[line("HARBOUR-SHIRT-CHALK-S", 1, Special::Nothing)],
        discount_percent: 0,
    },
    Sample {
        order: SampleOrder {
            number: "DEMO-1004",
            email: "priya.shah@example.com",
            postal_code: "94609",
            description: "Several units of the same items, with a discount: return some now and some \
                          later, and the refunds add up to the cent.",
        },
        country: &US,
        buyer: Name { first: "Priya", last: "Shah" },
        address: Address { street: "230 Harbor Avenue", city: "Oakland", state: "CA" },
        recipient: None,
        lines: &[line("SCARF-OCHRE", 4, Special::Nothing), line("TEE-NAVY-M", 3, Special::Nothing)],
        discount_percent: 10,
    },
    Sample {
        order: SampleOrder {
            number: "DEMO-1005",
            email: "avery.young@example.com",
            postal_code: "53703",
            description: "Partly shipped: one unit was canceled and one has not shipped yet, so only the \
                          others can be returned.",
        },
        country: &US,
        buyer: Name { first: "Avery", last: "Young" },
        address: Address { street: "5 Cedar Lane", city: "Madison", state: "WI" },
        recipient: None,
        lines: &[
            line("TEE-NAVY-S", 3, Special::OneCanceled),
            line("HARBOUR-SHIRT-MOSS-L", 2, Special::OneWaiting),
        ],
        discount_percent: 0,
    },
    Sample {
        order: SampleOrder {
            number: "DEMO-1006",
            email: "chloe.moreau@example.com",
            postal_code: "69002",
            description: "From France, in euros: exchange the shoes (some sizes are sold out), or have \
                          them picked up at home.",
        },
        country: &FR,
        buyer: Name { first: "Chloé", last: "Moreau" },
        address: Address { street: "14 rue des Lilas", city: "Lyon", state: "" },
        recipient: None,
        lines: &[line("TRAIL-SHOE-RUST-40", 1, Special::Nothing)],
        discount_percent: 0,
    },
    Sample {
        order: SampleOrder {
            number: "DEMO-1007",
            email: "lucia.ferrer@example.com",
            postal_code: "46023",
            description: "From Spain: choose that the tee arrived damaged. The shopper can keep it and \
                          still gets the refund.",
        },
        country: &ES,
        buyer: Name { first: "Lucía", last: "Ferrer" },
        address: Address { street: "calle de la Luna 3", city: "Valencia", state: "" },
        recipient: None,
        lines: &[
            line("TEE-NAVY-M", 1, Special::Nothing),
            line("RAIN-JACKET-OCHRE-S", 1, Special::Nothing),
        ],
        discount_percent: 0,
    },
];

pub(crate) fn list_sample_orders() -> Vec<SampleOrder> {
    SAMPLES.iter().map(|sample| sample.order.clone()).collect()
}

pub(crate) fn count() -> usize {
    SAMPLES.len()
}

/// The order at a position, placed or shipped.
pub(crate) fn draft(
    position: usize,
    shipped: bool,
    first_start_us: i64,
    stock: &Stock,
) -> Option<Draft<'static>> {
    let sample = SAMPLES.get(position)?;
    let shipped_us = first_start_us - SHIPPED_BEFORE_US;
    let lines = sample.lines.iter().filter_map(|line| line.draft(first_start_us, stock));
    Some(Draft {
        identifier: sample.order.number.to_owned(),
        country: sample.country,
        buyer: sample.person(sample.buyer),
        recipient: sample.recipient.map(|name| sample.person(name)),
        lines: lines.collect(),
        placed_us: first_start_us - PLACED_BEFORE_US,
        shipped_us: shipped.then_some(shipped_us),
        discount_percent: sample.discount_percent,
        tags: if sample.recipient.is_some() { vec!["web", "gift"] } else { vec!["web"] },
    })
}

impl Sample {
    /// A person at the address of the order.
    fn person(&self, name: Name) -> Person {
        let Address { street, city, state } = self.address;
        Person {
            first_name: name.first,
            last_name: name.last,
            email: self.order.email.to_owned(),
            street: street.to_owned(),
            city,
            state,
            zip_code: self.order.postal_code,
            country: self.country.code,
        }
    }
}

impl SampleLine {
    fn draft(&self, first_start_us: i64, stock: &Stock) -> Option<LineDraft> {
        let mut line = LineDraft::new(stock.article(self.sku)?.clone(), self.quantity);
        line.returnable_until_us = Some(first_start_us + 365 * DAY_US);
        match self.special {
            Special::Nothing => (),
            Special::FinalSale => line.tags.push("final_sale"),
            Special::TooLate => line.returnable_until_us = Some(first_start_us - 2 * DAY_US),
            Special::OneCanceled => line.canceled = 1,
            Special::OneWaiting => line.waiting = 1,
        }
        Some(line)
    }
}
