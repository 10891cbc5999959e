//! What shoppers come for, from the first page to the last, with and without scripts.

use serde_json::json;

use super::{
    shop::{EMAIL, MUG, ORDER, POSTAL_CODE, Shop, TEE},
    shopper::{Shopper, Wanted},
    walker::walk,
    window::{ENTER, Scripts},
};

/// Declares each walk once and runs it twice.
macro_rules! with_and_without_scripts {
    ($($walk:ident),+ $(,)?) => {
        mod with_scripts { $(#[test] fn $walk() { super::start(super::Scripts::On, super::$walk); })+ }
        mod without_scripts { $(#[test] fn $walk() { super::start(super::Scripts::Off, super::$walk); })+ }
    };
}

with_and_without_scripts!(
    items_are_refunded,
    a_unit_is_exchanged,
    another_variant_replaces_one_that_sells_out,
    a_gift_card_comes_with_its_bonus,
    a_gift_is_returned_without_the_buyer,
    an_item_that_cannot_be_returned_has_a_reason,
    a_return_is_canceled,
    a_lost_label_is_replaced,
);

fn start(scripts: Scripts, walk: fn(&Shopper)) {
    if let Some(shopper) = Shopper::arrive(scripts) {
        walk(&shopper);
    }
}

fn items_are_refunded(shopper: &Shopper) {
    shopper.browser.examine("portal-find");
    shopper.find_order(ORDER, EMAIL);
    shopper.browser.examine("portal-choose");
    shopper.choose(TEE, 2, Wanted::Refund);
    shopper.choose_method("mail-back");
    shopper.review();
    shopper.browser.see("92.20");
    shopper.browser.examine("portal-review");
    let rma = shopper.confirm();
    shopper.browser.see(&rma);
    shopper.browser.examine("portal-status");

    let refund = ("REFUND".to_owned(), 4_610);
    assert_eq!(shopper.shop.given(&rma), [refund.clone(), refund]);
    shopper.show_label(&rma);
    shopper.browser.see(&rma);
    shopper.browser.examine("label");
}

fn a_unit_is_exchanged(shopper: &Shopper) {
    shopper.find_order(ORDER, EMAIL);
    shopper.choose(TEE, 1, Wanted::Exchange("TEE-NAVY-L"));
    shopper.review();
    shopper.browser.see("Exchange for Organic cotton tee, navy, L");
    shopper.browser.examine("portal-review-exchange");
    let rma = shopper.confirm();
    shopper.browser.examine("portal-status-exchange");

    assert_eq!(shopper.shop.given(&rma), [("EVEN_EXCHANGE".to_owned(), 0)]);
    assert_eq!(shopper.shop.held(&rma)["items"][0]["is_exchange"], true);
}

fn another_variant_replaces_one_that_sells_out(shopper: &Shopper) {
    shopper.find_order(ORDER, EMAIL);
    shopper.choose(TEE, 1, Wanted::Exchange("TEE-NAVY-L"));
    shopper.browser.see("What would you like if it sells out?");
    shopper.browser.set("fallback.0.0", "variant:TEE-NAVY-L");
    assert_eq!(shopper.review().status, 422, "it is the same variant");
    shopper.browser.see("Please choose something other than the variant you want.");
    shopper.browser.examine("portal-choose-fallback");
    shopper.browser.set("fallback.0.0", "variant:TEE-NAVY-S");
    shopper.shop.sell_out("TEE-NAVY-L");
    shopper.review();
    shopper.browser.see("Exchange for Organic cotton tee, navy, S");
    let rma = shopper.confirm();

    assert_eq!(shopper.shop.given(&rma), [("EVEN_EXCHANGE".to_owned(), 0)]);
}

fn a_gift_card_comes_with_its_bonus(shopper: &Shopper) {
    shopper.find_order(ORDER, POSTAL_CODE);
    shopper.browser.see("Confirm who you are");
    shopper.browser.examine("portal-choose-unproven");
    shopper.follow_mail();
    shopper.choose(TEE, 1, Wanted::GiftCard);
    shopper.review();
    shopper.browser.see("50.71");
    let rma = shopper.confirm();

    assert_eq!(shopper.shop.given(&rma), [("UNEVEN_EXCHANGE".to_owned(), 0)]);
    assert_eq!(shopper.shop.held(&rma)["bonus_credit_amount_cents"], 461);
}

fn a_gift_is_returned_without_the_buyer(shopper: &Shopper) {
    shopper.find_gift(ORDER, POSTAL_CODE);
    shopper.browser.examine("portal-choose-gift");
    shopper.browser.fill("Gift code", "gift 7q2m k4xd");
    shopper.browser.press("Confirm code");
    shopper.choose(TEE, 1, Wanted::Refund);
    shopper.enter_email("robin@example.com");
    shopper.review_gift();
    let rma = shopper.confirm();

    let held = shopper.shop.held(&rma);
    assert_eq!(
        (&held["gift_refund_only"], &held["giftee_email"]),
        (&true.into(), &"robin@example.com".into())
    );
    assert!(!shopper.browser.text().contains(EMAIL), "{}", shopper.browser.text());
}

fn an_item_that_cannot_be_returned_has_a_reason(shopper: &Shopper) {
    shopper.find_order(ORDER, EMAIL);
    let text = shopper.text_beside(MUG);
    assert!(text.to_lowercase().replace('_', " ").contains("final sale"), "{text}");
    assert!(!shopper.can_choose(MUG) && shopper.can_choose(TEE));

    let page = shopper.review();
    assert_eq!(page.status, 422, "nothing was chosen");
    shopper.browser.examine("portal-choose-problem");
}

fn a_return_is_canceled(shopper: &Shopper) {
    shopper.find_order(ORDER, EMAIL);
    shopper.choose(TEE, 1, Wanted::Refund);
    shopper.review();
    let rma = shopper.confirm();
    shopper.cancel();
    shopper.browser.see("canceled");
    shopper.browser.examine("portal-canceled");

    assert_eq!(shopper.shop.held(&rma)["status"], "CANCELED");
    shopper.browser.visit(&shopper.shop.portal());
    shopper.find_order(ORDER, EMAIL);
    assert!(shopper.can_choose(TEE), "the unit can be chosen again");
}

fn a_lost_label_is_replaced(shopper: &Shopper) {
    shopper.shop.wait_for_labels();
    shopper.follow_mail();
    shopper.choose(TEE, 1, Wanted::Refund);
    shopper.review();
    let rma = shopper.confirm();
    shopper.shop.issue_label(&rma, "OLD-1");
    let status = format!("{}/returns/{rma}", shopper.shop.portal());
    shopper.browser.visit(&status);
    shopper.browser.examine("portal-label-ready");
    shopper.show_label(&rma);
    shopper.browser.see("OLD-1");
    shopper.browser.examine("label-of-carrier");

    shopper.browser.visit(&status);
    shopper.renew_label();
    assert_eq!(shopper.shop.held(&rma)["label"], json!(null));
    shopper.shop.issue_label(&rma, "NEW-2");
    shopper.browser.visit(&status);
    shopper.browser.see("NEW-2");
    assert_eq!(shopper.shop.held(&rma)["labels"][0]["void"]["reason"], "lost");
}

#[test]
fn a_failed_lookup_can_be_corrected() {
    let Some(shopper) = Shopper::arrive(Scripts::On) else { return };
    shopper.find_order(ORDER, "nobody@example.com");
    shopper.browser.examine("portal-find-problem");

    shopper.find_order(ORDER, EMAIL);
    shopper.browser.see(TEE);
}

#[test]
fn a_keyboard_is_enough() {
    let Some(shopper) = Shopper::arrive(Scripts::On) else { return };

    let status = shopper.return_by_keyboard(ORDER, EMAIL);

    assert!(status.address.contains("/returns/RMA-"), "{}", status.address);
}

#[test]
fn every_page_of_the_portal_is_accessible() {
    let Some(shopper) = Shopper::arrive(Scripts::On) else { return };
    shopper.find_order(ORDER, EMAIL);
    shopper.choose(TEE, 1, Wanted::Refund);
    shopper.review();
    let rma = shopper.confirm();
    shopper.show_label(&rma);
    let portal = shopper.shop.portal();
    let starts = [&portal, &format!("{portal}/return"), &format!("{portal}/returns/{rma}")];

    let seen = walk(&shopper.browser, &starts.map(String::as_str));

    for kind in ["/portal/any", "/portal/any/return", "/portal/any/returns/any", "/labels/any"] {
        assert!(seen.contains(kind), "{kind} was not reached: {seen:?}");
    }
}

#[test]
fn every_return_method_has_an_accessible_page() {
    let Some(Shopper { browser, shop }) = Shopper::arrive(Scripts::On) else { return };
    shop.offer(&[
        json!({ "method": "express-returns", "unit_weight_max": 5 }),
        json!({ "method": "customer-keep", "amount_max_cents": 5_000 }),
    ]);
    let code = shop.start("express-returns");
    shop.await_label(&code);
    let kept = shop.start("customer-keep");
    let slow = Shop::open();
    slow.wait_for_labels();
    let waiting = slow.start("mail-back");

    for (shop, rma, name) in [
        (&shop, code, "label-code"),
        (&shop, kept, "label-kept"),
        (&slow, waiting, "label-waiting"),
    ] {
        browser.visit(&shop.label_address(&rma));
        browser.see(&rma);
        browser.examine(name);
    }
}

#[test]
fn the_reference_is_accessible() {
    let Some(shopper) = Shopper::arrive(Scripts::On) else { return };
    walk(&shopper.browser, &["/docs"]);
}

#[test]
fn the_enter_key_in_a_field_reviews_the_return() {
    let Some(shopper) = Shopper::arrive(Scripts::Off) else { return };
    shopper.find_order(ORDER, EMAIL);
    shopper.choose(TEE, 1, Wanted::Refund);
    shopper.browser.tab_to("parcels");
    shopper.browser.key(ENTER);
    shopper.browser.see("Review your return");
}

#[test]
fn a_minus_sign_stays_with_its_amount() {
    // A label that needs all the space, and the lines that the amounts take.
    let lines = "return [...document.querySelectorAll('.sums div')].map((row) => {
      row.querySelector('dt').textContent = 'Label '.repeat(60);
      const range = document.createRange();
      range.selectNodeContents(row.querySelector('dd'));
      return range.getClientRects().length;
    })";
    let Some(shopper) = Shopper::arrive(Scripts::On) else { return };
    shopper.shop.offer(&[json!({ "method": "mail-back", "fee_cents": 595 })]);
    shopper.find_order(ORDER, EMAIL);
    shopper.choose(TEE, 1, Wanted::Refund);
    let set = "document.querySelector('[name=\"reason.0.0\"]').value = 'changed_mind'";
    shopper.browser.script(set, &[]);
    shopper.review();
    shopper.browser.see("−$5.95");
    assert_eq!(shopper.browser.script(lines, &[]), json!([1, 1, 1]));
}
