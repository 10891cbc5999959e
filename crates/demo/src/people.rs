//! The shoppers of the demo: their names, addresses and currencies.

use serde_json::{Value, json};

use domain::random::SeededRandom;

use crate::random::pick_word;

/// A country of shoppers.
pub(crate) struct Country {
    pub(crate) code: &'static str,
    pub(crate) currency: &'static str,
    pub(crate) tax_percent: i64,
    pub(crate) shipping_cents: i64,
    /// As written, and as in an email address.
    first_names: &'static [(&'static str, &'static str)],
    last_names: &'static [(&'static str, &'static str)],
    streets: &'static [&'static str],
    /// City, state and postal code.
    places: &'static [(&'static str, &'static str, &'static str)],
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Person {
    pub(crate) first_name: &'static str,
    pub(crate) last_name: &'static str,
    pub(crate) email: String,
    pub(crate) street: String,
    pub(crate) city: &'static str,
    pub(crate) state: &'static str,
    pub(crate) zip_code: &'static str,
    pub(crate) country: &'static str,
}

impl Person {
    pub(crate) fn customer(&self) -> Value {
        json!({
            "identifier": format!("CUS-{}", self.email.split('@').next().unwrap_or_default()),
            "first_name": self.first_name,
            "last_name": self.last_name,
            "email": self.email,
        })
    }

    pub(crate) fn address(&self) -> Value {
        json!({
            "name": format!("{} {}", self.first_name, self.last_name),
            "street1": self.street,
            "city": self.city,
            "state": self.state,
            "zip_code": self.zip_code,
            "country_code": self.country,
        })
    }
}

pub(crate) const US: Country = Country {
    code: "US",
    currency: "USD",
    tax_percent: 8,
    shipping_cents: 595,
    first_names: &[
        ("Dana", "dana"),
        ("Robin", "robin"),
        ("Avery", "avery"),
        ("Maya", "maya"),
        ("Jonah", "jonah"),
        ("Priya", "priya"),
        ("Luis", "luis"),
        ("Grace", "grace"),
        ("Owen", "owen"),
        ("Naomi", "naomi"),
        ("Theo", "theo"),
        ("Ruth", "ruth"),
    ],
    last_names: &[
        ("Ames", "ames"),
        ("Castillo", "castillo"),
        ("Nguyen", "nguyen"),
        ("Okafor", "okafor"),
        ("Parker", "parker"),
        ("Shah", "shah"),
        ("Sutton", "sutton"),
        ("Vaughn", "vaughn"),
        ("Whitlock", "whitlock"),
        ("Young", "young"),
        ("Larsen", "larsen"),
        ("Brooks", "brooks"),
    ],
    streets: &["Juniper Street", "Alder Court", "Mill Road", "Harbor Avenue", "Cedar Lane"],
    places: &[
        ("Portland", "OR", "97205"),
        ("Austin", "TX", "78704"),
        ("Madison", "WI", "53703"),
        ("Asheville", "NC", "28801"),
        ("Oakland", "CA", "94609"),
        ("Ithaca", "NY", "14850"),
    ],
};

pub(crate) const DE: Country = Country {
    code: "DE",
    currency: "EUR",
    tax_percent: 19,
    shipping_cents: 490,
    first_names: &[
        ("Lena", "lena"),
        ("Jörg", "joerg"),
        ("Anke", "anke"),
        ("Till", "till"),
        ("Mira", "mira"),
        ("Henning", "henning"),
        ("Käthe", "kaethe"),
        ("Emre", "emre"),
    ],
    last_names: &[
        ("Brandt", "brandt"),
        ("Müller", "mueller"),
        ("Vogel", "vogel"),
        ("Krause", "krause"),
        ("Yıldız", "yildiz"),
        ("Schröder", "schroeder"),
        ("Lindner", "lindner"),
    ],
    streets: &["Lindenallee", "Am Kanal", "Gartenstraße", "Schillerplatz"],
    places: &[
        ("Berlin", "", "10115"),
        ("Hamburg", "", "20359"),
        ("Leipzig", "", "04109"),
        ("München", "", "80469"),
    ],
};

pub(crate) const FR: Country = Country {
    code: "FR",
    currency: "EUR",
    tax_percent: 20,
    shipping_cents: 590,
    first_names: &[
        ("Chloé", "chloe"),
        ("Élodie", "elodie"),
        ("Hugo", "hugo"),
        ("Inès", "ines"),
        ("Mathis", "mathis"),
        ("Zoé", "zoe"),
    ],
    last_names: &[
        ("Lefèvre", "lefevre"),
        ("Moreau", "moreau"),
        ("Garnier", "garnier"),
        ("Petit", "petit"),
        ("Benali", "benali"),
    ],
    streets: &["rue des Lilas", "quai de la Loire", "avenue Pasteur"],
    places: &[("Lyon", "", "69002"), ("Nantes", "", "44000"), ("Paris", "", "75011")],
};

pub(crate) const ES: Country = Country {
    code: "ES",
    currency: "EUR",
    tax_percent: 21,
    shipping_cents: 590,
    first_names: &[
        ("Lucía", "lucia"),
        ("Íñigo", "inigo"),
        ("Carmen", "carmen"),
        ("Pablo", "pablo"),
        ("Nerea", "nerea"),
    ],
    last_names: &[
        ("García", "garcia"),
        ("Muñoz", "munoz"),
        ("Ferrer", "ferrer"),
        ("Ibáñez", "ibanez"),
    ],
    streets: &["calle de la Luna", "avenida del Puerto", "plaza Mayor"],
    places: &[("Valencia", "", "46023"), ("Bilbao", "", "48005"), ("Sevilla", "", "41004")],
};

const GB: Country = Country {
    code: "GB",
    currency: "GBP",
    tax_percent: 20,
    shipping_cents: 450,
    first_names: &[("Isla", "isla"), ("Callum", "callum"), ("Freya", "freya"), ("Rhys", "rhys")],
    last_names: &[
        ("Hughes", "hughes"),
        ("Stewart", "stewart"),
        ("Begum", "begum"),
        ("Clarke", "clarke"),
    ],
    streets: &["Station Road", "Church Lane", "Victoria Terrace"],
    places: &[("Leeds", "", "LS1 4AP"), ("Bristol", "", "BS1 5TR"), ("Glasgow", "", "G1 1XQ")],
};

/// A country and a person who lives there.
pub(crate) fn random_person(random: &mut SeededRandom) -> (&'static Country, Person) {
    let country: &'static Country = match random.between(0, 99) {
        0..50 => &US,
        50..70 => &DE,
        70..82 => &FR,
        82..92 => &ES,
        _ => &GB,
    };
    (country, country.random_person(random))
}

impl Country {
    pub(crate) fn random_person(&self, random: &mut SeededRandom) -> Person {
        let (first_name, first) = random.pick(self.first_names).copied().unwrap_or_default();
        let (last_name, last) = random.pick(self.last_names).copied().unwrap_or_default();
        let (city, state, zip_code) = random.pick(self.places).copied().unwrap_or_default();
        let (street, number) = (pick_word(random, self.streets), random.between(2, 240));
        let street = match self.code {
            "US" | "GB" | "FR" => format!("{number} {street}"),
            _ => format!("{street} {number}"),
        };
        let email = format!("{first}.{last}@example.com");
        let country = self.code;
        Person { first_name, last_name, email, street, city, state, zip_code, country }
    }
}
