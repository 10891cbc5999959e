//! A consumer withdraws from a contract: without scripts, and with the keyboard alone.

use super::{
    shop::{EMAIL, ORDER, POSTAL_CODE},
    shopper::Shopper,
    window::{ENTER, Scripts},
};

const LINK: &str = "Withdraw from contract here";
const CONTINUE: &str = "Continue";
const CONFIRM: &str = "Confirm withdrawal";

#[test]
fn a_contract_is_withdrawn_from_without_scripts() {
    let Some(shopper) = Shopper::arrive(Scripts::Off) else { return };
    shopper.shop.ship_to_germany();
    let browser = &shopper.browser;
    browser.follow(LINK);
    browser.examine("portal-withdraw");
    browser.press(CONTINUE);
    browser.see("Please enter your name.");
    browser.examine("portal-withdraw-problem");
    browser.fill("Your name", "Dana Whitfield");
    browser.fill("Order number", ORDER);
    browser.fill("Email address or postal code", POSTAL_CODE);
    browser.fill("Your email address", EMAIL);
    browser.press(CONTINUE);
    browser.see("The whole order is selected.");
    browser.examine("portal-withdraw-items");
    browser.press(CONTINUE);
    browser.see("I hereby withdraw from the contract");
    browser.examine("portal-withdraw-review");

    let done = browser.press(CONFIRM);

    assert!(done.address.contains("/withdrawals/WDR-"), "{}", done.address);
    browser.see("Your withdrawal was received");
    browser.examine("portal-withdraw-done");
    let recorded = shopper.shop.only_withdrawal();
    assert_eq!(recorded["outcome"], "accepted", "{recorded}");
    browser.follow("Go to your return");
    browser.see(recorded["rma_identifier"].as_str().unwrap());
}

#[test]
fn a_contract_is_withdrawn_from_with_the_keyboard_alone() {
    let Some(shopper) = Shopper::arrive(Scripts::Off) else { return };
    shopper.shop.ship_to_germany();
    let browser = &shopper.browser;
    browser.tab_to(LINK);
    browser.key(ENTER);
    for (field, text) in [
        ("name", "Dana Whitfield"),
        ("order_number", ORDER),
        ("secret", POSTAL_CODE),
        ("email", EMAIL),
    ] {
        browser.tab_to(field);
        browser.keys(text);
    }
    browser.key(ENTER);
    browser.tab_to("quantity.0");
    browser.tab_to(CONTINUE);
    browser.key(ENTER);
    browser.tab_to(CONFIRM);
    let done = browser.key(ENTER);
    assert!(done.address.contains("/withdrawals/WDR-"), "{}", done.address);
}
