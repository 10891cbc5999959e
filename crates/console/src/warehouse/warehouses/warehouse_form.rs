//! The form of a warehouse, read by the same code as the body of the API.

use domain::warehouse::settings::{WarehouseSettings, read_settings};
use serde_json::Value;

use crate::core::{
    field::{Field, to_document},
    form::Form,
};
use server::{error::ApiError, json_body::JsonBody};

pub(super) fn with_identifier(fields: Vec<Field>) -> Vec<Field> {
    let hint = "Receipts and shipments name the warehouse by it. It cannot be changed later.";
    let mut all = vec![Field::text("identifier", "Identifier").hint(hint)];
    all.extend(fields);
    all
}

pub(super) fn form_fields(settings: Option<&WarehouseSettings>) -> Vec<Field> {
    let settings = settings.cloned().unwrap_or_default();
    let address = settings.address.unwrap_or_default();
    let optional = |name, label, value: Option<String>| {
        Field::text(name, label).optional().value(value.unwrap_or_default())
    };
    let part = |name, label, value: String| Field::text(name, label).optional().value(value);
    let to = address.address;
    vec![
        optional("external_identifier", "External identifier", settings.external_identifier)
            .hint("In messages about freight."),
        optional(
            "stock_transfer_identifier",
            "Identifier in stock transfers",
            settings.stock_transfer_identifier,
        ),
        optional("time_zone", "Time zone", settings.time_zone)
            .hint("For example America/New_York."),
        optional("default_channel", "Default channel", settings.default_channel)
            .hint("Of shipments that name none."),
        part("address.name", "Name", to.name),
        optional("address.company", "Company", to.company),
        part("address.street", "Street", to.street),
        optional("address.street2", "Second line", to.street2),
        part("address.city", "City", to.city),
        part("address.state", "State", to.state),
        part("address.zip", "Postal code", to.zip),
        optional("address.country", "Country", address.country).hint("In two letters, such as US."),
        optional("address.telephone_number", "Telephone", address.telephone_number),
    ]
}

/// The settings that were entered. An address of which nothing was entered is absent.
pub(super) fn read_form(form: &Form) -> Result<WarehouseSettings, ApiError> {
    let mut document = to_document(&form_fields(None), form);
    if let Some(address) = document.get_mut("address").and_then(Value::as_object_mut) {
        for name in ["name", "street", "city", "state", "zip"] {
            address.entry(name).or_insert_with(|| Value::String(String::new()));
        }
    }
    JsonBody::from(document.to_string()).read(read_settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_completely_or_is_absent() {
        let settings = read_form(&Form::of(&[("time_zone", "UTC")])).unwrap();
        assert!(settings.address.is_none());
        let entered = [("address.city", "Calgary"), ("address.country", "ca")];
        let address = read_form(&Form::of(&entered)).unwrap().address.unwrap();
        assert_eq!(
            (address.address.city.as_str(), address.country.as_deref()),
            ("Calgary", Some("CA"))
        );
    }
}
