//! Every variant of the page has all it needs, and loads nothing from elsewhere.

use domain::{merchants::language::Language, orders::order::PostalAddress};

use super::super::frame::LabelItem;
use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use proptest::prelude::*;
use tower::ServiceExt;

use super::*;
use crate::language::LanguageSwitch;
use server::assets;

fn shopper() -> PostalAddress {
    PostalAddress {
        name: "Dana Whitfield".to_owned(),
        street1: "418 Juniper Street".to_owned(),
        street2: Some("Flat 3".to_owned()),
        city: "Portland".to_owned(),
        state: "OR".to_owned(),
        zip_code: "97205".to_owned(),
        country_code: "US".to_owned(),
        phone: Some("+1 503 555 0142".to_owned()),
    }
}

fn warehouse() -> PostalAddress {
    PostalAddress {
        name: "Acme Outfitters Returns".to_owned(),
        street1: "2200 Harbor Gate Road".to_owned(),
        city: "Columbus".to_owned(),
        state: "OH".to_owned(),
        zip_code: "43217".to_owned(),
        country_code: "US".to_owned(),
        ..PostalAddress::default()
    }
}

/// A switch without other languages.
fn single_language() -> LanguageSwitch {
    LanguageSwitch { address: String::new(), fields: Vec::new(), choices: Vec::new() }
}

fn render(return_method: ReturnMethod, tracking_number: Option<&str>) -> String {
    render_in(LabelState::Usable, return_method, tracking_number)
}

fn render_in(
    state: LabelState,
    return_method: ReturnMethod,
    tracking_number: Option<&str>,
) -> String {
    render_label(&LabelPage {
        merchant_name: "Acme Outfitters",
        rma_identifier: "RMA-7K3Q-9XWD-2M4T",
        return_method,
        state,
        tracking_number,
        from: &shopper(),
        to: &warehouse(),
        carrier_labels: Vec::new(),
        parcels: Vec::new(),
        items: vec![
            LabelItem { title: "Organic cotton tee, navy, L", sku: "TEE-NAVY-L", quantity: 2 },
            LabelItem { title: "Trail running shoe <wide>, 42", sku: "SHOE-TRAIL-42", quantity: 1 },
        ],
        created_on: "15 November 2026",
        language: Language::English,
        switch: &single_language(),
        theme_address: None,
        withdrawal_address: None,
    })
}

#[test]
fn a_label_that_was_used_or_has_expired_shows_no_address() {
    for state in [LabelState::Used, LabelState::Expired] {
        for return_method in ReturnMethod::ALL {
            let page = render_in(state, return_method, Some("9400111899223100001234"));
            for secret in ["9400111899223100001234", "Whitfield", "Juniper", "<svg"] {
                assert!(!page.contains(secret), "{secret}: {page}");
            }
        }
    }
}

#[test]
fn a_canceled_return_has_nothing_to_print() {
    for return_method in ReturnMethod::ALL {
        let page = render_in(LabelState::Canceled, return_method, Some("9400111899223100001234"));
        assert!(page.contains("This return was canceled"), "{page}");
        assert!(!page.contains("<svg") && !page.contains("9400111899223100001234"), "{page}");
    }
}

/// All variants of the page.
fn variants() -> Vec<String> {
    let methods = ReturnMethod::ALL.into_iter();
    let numbers = [Some("9400111899223100001234"), Some("1Z999AA10123456784"), None];
    methods.flat_map(|method| numbers.map(|number| render(method, number))).collect()
}

#[test]
fn a_parcel_has_a_label_with_both_addresses_and_both_numbers_and_a_packing_list() {
    for method in [ReturnMethod::MailBack, ReturnMethod::HomePickup] {
        let page = render(method, Some("1Z999AA10123456784"));
        for essential in [
            "<p>Dana Whitfield</p><p>418 Juniper Street</p><p>Flat 3</p><p>PORTLAND OR 97205</p>",
            "<p>Acme Outfitters Returns</p><p>2200 Harbor Gate Road</p><p>COLUMBUS OH 43217</p>",
            "<title>Barcode for tracking number 1Z999AA10123456784</title>",
            "<title>QR code for return RMA-7K3Q-9XWD-2M4T</title>",
            "<p class=\"number\">1Z999AA10123456784</p>",
            "<p class=\"number\">RMA-7K3Q-9XWD-2M4T</p>",
            "Packing list",
            "<span class=\"sku\">SKU TEE-NAVY-L</span>",
        ] {
            assert!(page.contains(essential), "{essential}");
        }
        assert_eq!(page.matches("<li>").count(), 3);
        assert!(!page.contains("http-equiv"));
    }
}

#[test]
fn a_parcel_is_dropped_off_or_picked_up() {
    let number = Some("1Z999AA10123456784");
    let sent = render(ReturnMethod::MailBack, number);
    let collected = render(ReturnMethod::HomePickup, number);

    assert!(sent.contains("Take the package to one of the carrier’s drop-off points"));
    assert!(collected.contains("The carrier will pick it up"));
    assert!(!collected.contains("Take the package"));
}

#[test]
fn the_label_does_not_show_the_shoppers_phone_number() {
    for page in variants() {
        assert!(!page.contains("555 0142"));
    }
}

#[test]
fn goods_without_a_parcel_have_a_code_and_no_label() {
    let page = render(ReturnMethod::ExpressReturns, Some("1Z999AA10123456784"));

    let title = "QR code for return RMA-7K3Q-9XWD-2M4T and tracking number 1Z999AA10123456784";
    assert!(page.contains(&format!("<title>{title}</title>")));
    assert!(page.contains("No box, label, or tape needed"));
    assert!(page.contains("<span class=\"sku\">SKU SHOE-TRAIL-42</span>"));
    for absent in ["class=\"barcode\"", "Packing list", "418 Juniper Street", "http-equiv"] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert_eq!(page.matches("<li>").count(), 3);
}

#[test]
fn without_a_tracking_number_the_page_has_a_link_that_checks_again() {
    for (method, heading) in [
        (ReturnMethod::MailBack, "Your label is being prepared"),
        (ReturnMethod::HomePickup, "Your label is being prepared"),
        (ReturnMethod::ExpressReturns, "Your code is being prepared"),
    ] {
        for page in [render(method, None), render(method, Some(" "))] {
            assert!(page.contains(&format!("<h1>{heading}</h1>")));
            assert!(page.contains("<a href=\"\">Check again</a>"));
            // A page that reloads itself makes slow readers lose their place.
            assert!(!page.contains("http-equiv"));
            assert!(!page.contains("<svg"));
        }
    }
}

#[test]
fn goods_that_are_kept_need_nothing() {
    for number in [None, Some("1Z999AA10123456784")] {
        let page = render(ReturnMethod::CustomerKeep, number);
        assert!(page.contains("nothing to print and nothing to send"));
        assert!(!page.contains("http-equiv") && !page.contains("<svg"));
    }
}

#[test]
fn a_number_that_a_barcode_cannot_hold_becomes_a_qr_code() {
    for number in ["Sendung-Nr. ü1", &"9".repeat(80)] {
        let page = render(ReturnMethod::MailBack, Some(number));
        assert!(page.contains(&format!("<title>QR code for tracking number {number}</title>")));
        assert!(page.contains(&format!("<p class=\"number\">{number}</p>")));
    }
}

#[test]
fn a_number_too_long_for_any_code_is_shown_as_text() {
    let number = "9".repeat(8000);
    for method in [ReturnMethod::MailBack, ReturnMethod::ExpressReturns] {
        assert!(render(method, Some(&number)).contains(&format!("\"number\">{number}<")));
    }
}

#[test]
fn markup_in_values_is_escaped() {
    let page = render(ReturnMethod::MailBack, Some("<b>\"1\"</b>"));

    assert!(page.contains("Trail running shoe &#60;wide&#62;, 42"));
    assert!(page.contains("<p class=\"number\">&#60;b&#62;&#34;1&#34;&#60;/b&#62;</p>"));
    assert!(page.contains("tracking number &#60;b&#62;&#34;1&#34;&#60;/b&#62;</title>"));
}

#[test]
fn no_variant_has_scripts_or_inline_styles_or_loads_from_other_hosts() {
    for page in variants() {
        for forbidden in ["<script", "<style", "style=", "javascript:", "://", "url("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        for before in ["href=\"", "src=\""] {
            for address in page.split(before).skip(1).filter_map(|it| it.split('"').next()) {
                let own = address.is_empty() || address.starts_with("/assets/");
                assert!(own, "{address}");
            }
        }
    }
}

#[test]
fn every_picture_has_a_text_alternative() {
    for page in variants() {
        let pictures = page.matches("<svg").count();
        assert_eq!(page.matches("role=\"img\"").count(), pictures);
        assert_eq!(page.matches("<title>").count(), pictures + 1);
        assert!(!page.contains("<title></title>"));
    }
}

#[test]
fn a_long_address_has_smaller_type() {
    let mut to = warehouse();
    assert!(!is_crowded(&to.lines()));

    to.street1 = "Building 14, Gate 3, 2200 Harbor Gate Distribution Park Road North".to_owned();
    assert!(is_crowded(&to.lines()));
}

#[test]
fn the_label_is_four_by_six_inches_and_black_on_white() {
    let style = include_str!("../../../../server/static/label_paper.css");
    for rule in [
        "@page {",
        "width: 4in;",
        "min-height: 150cqi;",
        "outline: 1px dashed",
        "--ink: #000000;",
        "--surface: #ffffff;",
    ] {
        assert!(style.contains(rule), "{rule}");
    }
}

#[tokio::test]
async fn everything_that_the_page_loads_exists() {
    let page = render(ReturnMethod::MailBack, None);
    let addresses: Vec<&str> = page.split("href=\"/").skip(1).collect();
    assert_eq!(addresses.len(), 3);

    for address in addresses.iter().filter_map(|rest| rest.split('"').next()) {
        let router: Router = assets::routes();
        let request = Request::get(format!("/{address}")).body(Body::empty()).unwrap();
        assert_eq!(router.oneshot(request).await.unwrap().status(), StatusCode::OK, "{address}");
    }
}

proptest! {
    // Each case draws five QR codes, which is slow in debug builds.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_text_causes_a_panic_or_injects_markup(text in "\\PC{0,40}") {
        let (name, city) = (text.clone(), text.clone());
        let address = PostalAddress { name, city, ..PostalAddress::default() };
        for return_method in ReturnMethod::ALL {
            let page = render_label(&LabelPage {
                merchant_name: &text,
                rma_identifier: &text,
                return_method,
                state: LabelState::Usable,
                tracking_number: Some(&text),
                from: &address,
                to: &address,
                carrier_labels: Vec::new(),
        parcels: Vec::new(),
                items: vec![LabelItem { title: &text, sku: &text, quantity: u32::MAX }],
                created_on: &text,
                language: Language::German,
                switch: &single_language(),
                theme_address: None,
                withdrawal_address: None,
            });
            prop_assert!(!page.contains("<script"));
            prop_assert_eq!(page.matches("<main").count(), 1);
        }
    }
}
