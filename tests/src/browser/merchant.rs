//! A merchant's person in a browser: writes the words of the portal, and checks the endpoints.

use super::{
    operator::log_in,
    window::{Browser, Scripts},
};
use crate::harness::{
    home::Home,
    stage::{QUICK, Stage},
};

#[test]
fn a_merchant_looks_after_its_integration_by_itself() {
    let server = Home::new().serve(&QUICK);
    let Some(browser) = Browser::open(&server, Scripts::On) else { return };
    let (stage, _running) = Stage::with_receiver(&server);
    let merchant = &stage.merchant.id;
    let (name, password) = server.merchants_person(merchant);

    let start = log_in(&browser, &name, &password);
    assert!(start.address.ends_with(merchant), "{}", start.address);
    browser.examine("console-merchant-start");

    browser.follow("Portal");
    browser.set("en.help", "Write to help@shop.example.");
    browser.examine("console-merchant-portal");
    browser.press("Save portal");
    browser.see("The portal is saved.");
    browser.follow("Open the portal");
    browser.see("Write to help@shop.example.");

    browser.visit("/console/merchant");
    browser.follow("Certify");
    browser.examine("console-merchant-certify");
    browser.press("Check endpoints");
    browser.see("Accept the documented sample of every kind with a 2xx status.");
    browser.examine("console-merchant-certified");

    browser.follow("Messages");
    browser.examine("console-merchant-messages");
    browser.follow("Finance");
    browser.examine("console-merchant-finance");
}
