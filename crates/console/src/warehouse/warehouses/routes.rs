//! The table of which warehouse returns go to, as rows of a form.

use app::{AppError, warehouse::settings::set_return_routes};
use domain::{
    faults::FieldError,
    warehouse::return_routes::{ReturnRoute, ReturnRoutes, read_routes},
};
use serde_json::{Value, json};

use crate::{
    access::visitor::Visitor,
    core::{
        field::describe_fault_of,
        form::{Form, non_empty},
        format::to_sentence,
    },
};
use server::{Web, error::ApiError, json_body::JsonBody};

/// A row as it is entered. Empty fields match every return; a row without a warehouse is left out.
#[derive(Clone, Default)]
pub(super) struct RouteRow {
    pub(super) merchant: String,
    pub(super) country: String,
    pub(super) return_method: String,
    pub(super) warehouse: String,
}

/// The rows of the table, and an empty one to add another.
pub(super) fn view_routes(routes: &ReturnRoutes) -> Vec<RouteRow> {
    let row = |route: &ReturnRoute| RouteRow {
        merchant: route.merchant.clone().unwrap_or_default(),
        country: route.country.clone().unwrap_or_default(),
        return_method: route.return_method.map_or("", |method| method.name()).to_owned(),
        warehouse: route.warehouse.clone(),
    };
    routes.routes.iter().map(row).chain([RouteRow::default()]).collect()
}

pub(super) fn read_rows(form: &Form) -> Vec<RouteRow> {
    let column = |name| form.all(name).map(|value| value.trim().to_owned()).collect::<Vec<_>>();
    let (merchants, countries) = (column("merchant"), column("country"));
    let rows = column("return_method").into_iter().zip(column("warehouse"));
    let rows = rows.zip(merchants.into_iter().zip(countries));
    rows.map(|((return_method, warehouse), (merchant, country))| RouteRow {
        merchant,
        country,
        return_method,
        warehouse,
    })
    .collect()
}

/// Stores the table, or says why it is refused.
pub(super) async fn set_rows(
    web: &Web,
    visitor: &Visitor,
    rows: &[RouteRow],
) -> Result<Result<(), String>, ApiError> {
    let body = JsonBody::from(to_document(rows).to_string());
    let done = match body.read(read_routes) {
        Ok(routes) => set_return_routes(visitor.session.scope(&web.app), &routes).await,
        Err(ApiError::App(error)) => Err(error),
        Err(error) => return Err(error),
    };
    match done {
        Ok(_) => Ok(Ok(())),
        Err(AppError::Invalid(faults)) => {
            let fault = |it: &FieldError| describe_fault(rows, it);
            let all: Vec<String> = faults.errors.iter().map(fault).collect();
            Ok(Err(all.join(" ")))
        }
        Err(error) => Err(error.into()),
    }
}

/// What is wrong with a row, with the number and the label that the page has for it.
fn describe_fault(rows: &[RouteRow], error: &FieldError) -> String {
    let sent = || rows.iter().zip(1..).filter(|(row, _)| !row.warehouse.is_empty());
    let place = error.field.strip_prefix("$.routes[").and_then(|rest| rest.split_once(']'));
    let number = place.and_then(|(position, _)| sent().nth(position.parse().ok()?));
    let (Some((_, number)), Some((_, name))) = (number, place) else {
        return to_sentence(&format!("the table {}", error.reason));
    };
    let label = match name.trim_start_matches('.') {
        "merchant" => "Merchant",
        "country" => "Country",
        "return_method" => "Method",
        "warehouse" => "Warehouse",
        _ => return to_sentence(&format!("row {number} {}", error.reason)),
    };
    describe_fault_of(&format!("{label} of row {number}"), &error.reason)
}

fn to_document(rows: &[RouteRow]) -> Value {
    let rows = rows.iter().filter(|row| !row.warehouse.is_empty());
    let rows = rows.map(|row| {
        let fields = [
            ("merchant", &row.merchant),
            ("country", &row.country),
            ("return_method", &row.return_method),
            ("warehouse", &row.warehouse),
        ];
        let given = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), Value::from(non_empty(value)?))));
        Value::Object(given.collect())
    });
    json!({ "routes": rows.collect::<Vec<Value>>() })
}

#[cfg(test)]
mod tests {
    use domain::faults::FaultCode;

    use super::*;

    #[test]
    fn a_fault_names_the_row_and_the_column_of_the_page() {
        let row =
            |warehouse: &str| RouteRow { warehouse: warehouse.to_owned(), ..RouteRow::default() };
        let rows = [row("31"), row(""), row("32")];
        let describe = |field: &str| {
            let (field, reason) = (field.to_owned(), "is odd".to_owned());
            describe_fault(&rows, &FieldError { field, code: FaultCode::Invalid, reason })
        };
        assert_eq!(describe("$.routes[1].warehouse"), "“Warehouse of row 3” is odd.");
        assert_eq!(describe("$.routes[0]"), "Row 1 is odd.");
        assert_eq!(describe("$.routes"), "The table is odd.");
    }

    #[test]
    fn a_row_without_a_warehouse_is_left_out_and_empty_conditions_are_absent() {
        let form = Form::of(&[
            ("merchant", "acme"),
            ("country", " ca "),
            ("return_method", ""),
            ("warehouse", "31"),
            ("merchant", ""),
            ("country", "US"),
            ("return_method", "mail-back"),
            ("warehouse", ""),
        ]);
        let document = to_document(&read_rows(&form));
        let route = json!({ "warehouse": "31", "merchant": "acme", "country": "ca" });
        assert_eq!(document, json!({ "routes": [route] }));
    }
}
