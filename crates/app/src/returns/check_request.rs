//! The bounds of a return request that was not read from JSON, such as a form of the portal: they
//! are those of the API, because the API's reader checks them.

use domain::{
    faults::Faults,
    json,
    returns::request::{ReturnRequest, read_request},
};

pub fn check_request(request: &ReturnRequest) -> Result<(), Faults> {
    let text = serde_json::to_string(request).expect("a request is plain text and numbers");
    let document = json::parse(text.as_bytes()).expect("what was just written is JSON");
    read_request(&document).map(drop)
}

#[cfg(test)]
mod tests {
    use domain::returns::{
        Resolution, ReturnMethod,
        request::{Gift, ITEMS_MAX, ReturnItem},
    };

    use super::*;

    fn item(number: usize) -> ReturnItem {
        ReturnItem {
            order_identifier: "A".to_owned(),
            order_line_item_identifier: number.to_string(),
            quantity: 1,
            return_reason: "other".to_owned(),
            resolution: Resolution::Refund,
            exchange_sku: None,
            fallback: None,
            fallback_sku: None,
        }
    }

    fn request(items: Vec<ReturnItem>) -> ReturnRequest {
        let gift = Some(Gift { giftee_email: "robin@example.com".to_owned() });
        ReturnRequest {
            email: None,
            return_method: ReturnMethod::MailBack,
            items,
            gift,
            language: None,
            parcel_count: 1,
        }
    }

    fn refused_fields(request: &ReturnRequest) -> Vec<String> {
        let faults = check_request(request).err();
        faults.into_iter().flat_map(|it| it.errors).map(|error| error.field).collect()
    }

    #[test]
    fn a_form_has_the_bounds_of_the_api() {
        assert!(refused_fields(&request(vec![item(1)])).is_empty());

        let long = ReturnItem { return_reason: "x".repeat(256), ..item(1) };
        let many = ReturnItem { quantity: 1_001, ..item(2) };
        let mut refused = request(vec![long, many]);
        refused.gift = Some(Gift { giftee_email: format!("{}@example.com", "x".repeat(255)) });
        assert_eq!(
            refused_fields(&refused),
            ["$.items[0].return_reason", "$.items[1].quantity", "$.gift.giftee_email"]
        );
        let many = request((0..=ITEMS_MAX).map(item).collect());
        assert_eq!(refused_fields(&many), ["$.items"]);
    }
}
