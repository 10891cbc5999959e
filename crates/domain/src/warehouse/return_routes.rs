//! Which warehouse returned goods go to: an ordered table of the platform. The first row that
//! matches a return decides; without one, the goods go to the merchant's own address.

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::settings::{Warehouse, WarehouseAddress, is_identifier, parse_country};
use crate::faults::Faults;
use crate::identifier::MerchantId;
use crate::json::Json;
use crate::orders::order::PostalAddress;
use crate::reader::fields::Fields;
use crate::reader::read;
use crate::returns::ReturnMethod;

/// The table has at most this many rows.
pub const ROUTES_MAX: usize = 1_000;

/// Where returned goods go, in the order in which the rows are tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReturnRoutes {
    /// The first one that matches a return decides.
    #[schema(max_items = 1000)]
    pub routes: Vec<ReturnRoute>,
}

/// A warehouse, and the returns that go to it. A condition that is absent matches every return.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReturnRoute {
    /// Only returns of this merchant.
    #[schema(example = "acme")]
    pub merchant: Option<String>,
    /// Only returns from this country, in two letters.
    #[schema(example = "CA", min_length = 2, max_length = 2)]
    pub country: Option<String>,
    /// Only returns that travel in this way.
    pub return_method: Option<ReturnMethod>,
    /// The identifier of the warehouse. It must have an address.
    #[schema(example = "31", min_length = 1, max_length = 255)]
    pub warehouse: String,
}

/// What decides where a return goes.
#[derive(Clone, Copy, Debug)]
pub struct RoutedReturn<'a> {
    pub merchant: &'a MerchantId,
    /// The country that it comes from.
    pub country: &'a str,
    pub return_method: ReturnMethod,
}

impl ReturnRoute {
    fn matches(&self, it: &RoutedReturn<'_>) -> bool {
        self.merchant.as_deref().is_none_or(|merchant| merchant == it.merchant.as_str())
            && self
                .country
                .as_deref()
                .is_none_or(|country| country.eq_ignore_ascii_case(it.country))
            && self.return_method.is_none_or(|method| method == it.return_method)
    }
}

impl ReturnRoutes {
    /// The warehouse that a return goes to. A row whose warehouse has no address is passed over.
    pub fn find_warehouse<'a>(
        &self,
        it: &RoutedReturn<'_>,
        warehouses: &'a [Warehouse],
    ) -> Option<&'a Warehouse> {
        let addressed = |route: &ReturnRoute| {
            warehouses.iter().find(|warehouse| {
                warehouse.identifier == route.warehouse && warehouse.settings.address.is_some()
            })
        };
        self.routes.iter().filter(|route| route.matches(it)).find_map(addressed)
    }
}

/// Where a return goes: to the warehouse that the table names, or else to the merchant's own
/// address, if it has one.
pub fn return_address(
    it: &RoutedReturn<'_>,
    routes: &ReturnRoutes,
    warehouses: &[Warehouse],
    own: Option<&PostalAddress>,
) -> Option<PostalAddress> {
    let warehouse = routes.find_warehouse(it, warehouses);
    let address = warehouse.and_then(|warehouse| warehouse.settings.address.as_ref());
    address.map(WarehouseAddress::to_postal).or_else(|| own.cloned())
}

/// Reads the table, or reports all of its faults.
pub fn read_routes(document: &Json<'_>) -> Result<ReturnRoutes, Faults> {
    let (routes, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            ReturnRoutes { routes: at.objects_up_to(ROUTES_MAX, "routes", route) }
        })
    })?;
    Ok(routes)
}

fn route(at: &Fields<'_>) -> ReturnRoute {
    at.refuse_unknown();
    let merchant = at.optional("merchant", |value| {
        value.named(|name| MerchantId::parse(name).ok(), "must be the identifier of a merchant")
    });
    let country = at.optional("country", |value| {
        value.named(parse_country, "must be a country in two letters, such as US")
    });
    let return_method = at.optional("return_method", |value| {
        let known = "must be one of mail-back, express-returns, customer-keep, home-pickup";
        value.named(ReturnMethod::parse, known)
    });
    let warehouse = at.identifier("warehouse");
    if at.sound(&["warehouse"]) && !is_identifier(&warehouse) {
        at.note("warehouse", "must be the identifier of a warehouse");
    }
    let merchant = merchant.map(|merchant| merchant.to_string());
    ReturnRoute { merchant, country, return_method, warehouse }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json as document;
    use crate::warehouse::settings::{ReceivingAddress, WarehouseSettings};

    fn judge(routes: &Value) -> Result<ReturnRoutes, Faults> {
        read_routes(&document::parse(routes.to_string().as_bytes()).unwrap())
    }

    fn warehouse(identifier: &str, city: Option<&str>) -> Warehouse {
        let address = city.map(|city| WarehouseAddress {
            address: ReceivingAddress {
                name: "Dock 4".to_owned(),
                company: Some("Juniper Logistics".to_owned()),
                street: "77 Mill Road".to_owned(),
                city: city.to_owned(),
                ..ReceivingAddress::default()
            },
            country: Some("CA".to_owned()),
            telephone_number: None,
        });
        let settings = WarehouseSettings { address, ..WarehouseSettings::default() };
        Warehouse { identifier: identifier.to_owned(), settings }
    }

    #[test]
    fn the_first_route_that_matches_decides_and_the_merchants_address_is_the_last() {
        let routes = judge(&json!({ "routes": [
            { "merchant": "acme", "country": "ca", "return_method": "mail-back", "warehouse": "1" },
            { "country": "CA", "warehouse": "2" },
            { "merchant": "acme", "warehouse": "without-address" },
            { "merchant": "acme", "warehouse": "3" },
        ] }))
        .unwrap();
        let warehouses = [
            warehouse("1", Some("One")),
            warehouse("2", Some("Two")),
            warehouse("3", Some("Three")),
            warehouse("without-address", None),
        ];
        let own = PostalAddress { city: "Own".to_owned(), ..PostalAddress::default() };
        let city = |merchant: &str, country: &str, return_method| {
            let merchant = MerchantId::parse(merchant).unwrap();
            let it = RoutedReturn { merchant: &merchant, country, return_method };
            return_address(&it, &routes, &warehouses, Some(&own)).unwrap().city
        };
        assert_eq!(city("acme", "CA", ReturnMethod::MailBack), "One");
        assert_eq!(city("acme", "ca", ReturnMethod::HomePickup), "Two");
        assert_eq!(city("other", "CA", ReturnMethod::MailBack), "Two");
        assert_eq!(city("acme", "US", ReturnMethod::MailBack), "Three");
        assert_eq!(city("other", "US", ReturnMethod::MailBack), "Own");
    }

    #[test]
    fn the_address_of_a_warehouse_is_complete_on_a_label() {
        let address = warehouse("1", Some("Calgary")).settings.address.unwrap().to_postal();
        assert_eq!(address.name, "Juniper Logistics, Dock 4");
        assert_eq!((address.city.as_str(), address.country_code.as_str()), ("Calgary", "CA"));
    }

    #[test]
    fn everything_wrong_with_the_table_is_reported_at_once() {
        let faults = judge(&json!({ "routes": [
            { "merchant": "A B", "country": "Canada", "return_method": "pigeon", "city": "x" },
        ] }))
        .unwrap_err();
        assert_eq!(faults.total, 5, "{faults:?}");
    }
}
