//! Tasks of operators at the console, from page to page, with and without scripts: retry failed
//! messages, set up a merchant, change its policy, find an order and its return.

mod enter_key;
mod warehouse_lists;

use std::sync::{
    OnceLock,
    atomic::{AtomicU32, Ordering},
};

use sim::Settings;

use super::{
    operator::{log_in, search},
    page::Page,
    walker::walk,
    window::{Browser, ENTER, Scripts},
};
use crate::{
    console::{
        fixture::ConsoleFixture,
        merchants::read_secrets,
        problems::{create_exceptions, create_unmatched_refund},
    },
    harness::{
        home::{Home, Merchant},
        samples::{message, sample_order},
        server::Server,
        stage::{QUICK, Stage, receiver},
    },
};

/// A server that contains only the data of these tests.
fn shared_server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Home::new().serve(&QUICK))
}

/// A browser with a new operator who is logged in.
fn open_console(scripts: Scripts) -> Option<Browser> {
    open_console_with_password(scripts).map(|(browser, _)| browser)
}

/// The same, with the operator's password.
fn open_console_with_password(scripts: Scripts) -> Option<(Browser, String)> {
    let browser = Browser::open(shared_server(), scripts)?;
    let (name, password) = shared_server().operator("operator");
    let overview = log_in(&browser, &name, &password);
    assert!(overview.address.ends_with("/console"), "{}", overview.address);
    Some((browser, password))
}

/// Enters the password that the console asks for before it shows a secret.
fn confirm(browser: &Browser, password: &str) -> Page {
    browser.see("The next page shows a secret.");
    browser.examine("console-confirm");
    browser.fill("Your password", password);
    browser.press("Continue")
}

/// Opens the failures of one merchant.
fn open_failures(browser: &Browser, stage: &Stage<'_>) -> Page {
    browser.follow("Failures");
    browser.fill("Merchant", &stage.merchant.id);
    browser.press("Filter")
}

fn retry_failures(scripts: Scripts) {
    let Some(browser) = open_console(scripts) else { return };
    let (stage, _running, ids) = Stage::with_failures(shared_server(), 3);
    let [opened, selected, last] = ids.as_slice() else { panic!("{ids:?}") };
    browser.follow("Overview");
    browser.see(&stage.merchant.id);
    browser.examine("console-overview");

    open_failures(&browser, &stage);
    browser.see("3 messages");
    browser.examine("console-failures");
    browser.press("Retry");
    browser.see("Select messages");
    browser.examine("console-failures-refused");

    browser.follow(opened);
    browser.see("503");
    browser.examine("console-message");
    browser.press("Retry");
    browser.see("Retrying the message.");
    stage.until(opened, "delivered");

    open_failures(&browser, &stage);
    browser.tick(&format!("Select {selected}"));
    browser.press("Retry");
    browser.see("Retrying 1 message.");
    stage.until(selected, "delivered");

    browser.tick("All that match the filter");
    browser.press("Retry");
    browser.see("Back to the failure queue");
    browser.see("1 of 1 message");
    browser.examine("console-job");
    stage.until(last, "delivered");
    open_failures(&browser, &stage);
    browser.see("No failures found");
    browser.examine("console-failures-retried");
}

#[test]
fn a_failure_is_retried_to_success_with_scripts() {
    retry_failures(Scripts::On);
}

#[test]
fn a_failure_is_retried_to_success_without_scripts() {
    retry_failures(Scripts::Off);
}

/// Adds a merchant, after a refused attempt, and reads its credentials from the page.
fn add_merchant(browser: &Browser, password: &str) -> Merchant {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let id = format!("walked-{}", COUNT.fetch_add(1, Ordering::Relaxed));
    browser.follow("Merchants");
    browser.follow("Add merchant");
    browser.examine("console-add-merchant");
    browser.fill("Identifier", "Not A Name");
    browser.fill("Name", "Northwind Outfitters");
    let refused = browser.press("Add merchant");
    assert_eq!(refused.status, 422, "{}", refused.html);
    browser.examine("console-add-merchant-refused");

    browser.fill("Identifier", &id);
    browser.press("Add merchant");
    let added = confirm(browser, password);
    browser.see("They will not be shown again");
    browser.examine("console-added-merchant");
    let shown = read_secrets(&added.html);
    let [client_id, client_secret, _signing_secret] = shown.as_slice() else { panic!("{shown:?}") };
    Merchant { id, client_id: client_id.clone(), client_secret: client_secret.clone() }
}

/// Sets the address of the merchant's server, and sends it a test message.
fn set_base_address(browser: &Browser, url: &str) {
    browser.follow("Next: set the address for messages");
    browser.fill("Base address", "http://hooks.example.com");
    browser.set("auth.type", "bearer");
    let refused = browser.press("Save base address");
    assert_eq!(refused.status, 422, "{}", refused.html);
    browser.examine("console-endpoints-refused");

    browser.fill("Base address", url);
    browser.set("auth.type", "none");
    browser.press("Save base address");
    browser.see("Base address saved.");
    browser.examine("console-endpoints");
    browser.press("Test rma");
    browser.see("server accepted the test message");
    browser.examine("console-endpoint-test");
}

fn set_up_a_merchant(scripts: Scripts) {
    let Some((browser, password)) = open_console_with_password(scripts) else { return };
    let merchant = add_merchant(&browser, &password);
    let running = receiver(Settings::default());
    set_base_address(&browser, &running.url());
    browser.follow("Merchant");
    browser.see("Setup");
    browser.examine("console-merchant-setup");

    let first = format!("FIRST-{}", merchant.id);
    let token = shared_server().token(&merchant);
    assert_eq!(shared_server().publish(&token, &message(&[sample_order(&first)])).status, 200);
    browser.follow("Merchant");
    assert!(!browser.text().contains("Setup"), "{}", browser.text());
    browser.examine("console-merchant");
    browser.press("Add secret");
    confirm(&browser, &password);
    browser.examine("console-secret");
    browser.follow("I have copied it");
    browser.follow("Orders");
    browser.follow(&first);
    browser.see("Returnable units");
    browser.examine("console-first-order");
    let portal = browser.visit(&format!("/portal/{}", merchant.id));
    assert_eq!(portal.status, 200, "{}", portal.html);
    browser.see("Northwind Outfitters");
}

#[test]
fn a_merchant_is_set_up_until_its_first_order_with_scripts() {
    set_up_a_merchant(Scripts::On);
}

#[test]
fn a_merchant_is_set_up_until_its_first_order_without_scripts() {
    set_up_a_merchant(Scripts::Off);
}

fn change_a_policy(scripts: Scripts) {
    const TEXT: &str = "Policy as JSON";
    const PREVIEW: &str = "Preview changes";
    let Some(browser) = open_console(scripts) else { return };
    let stage = Stage::set(shared_server());
    browser.follow("Merchants");
    browser.follow(&stage.merchant.id);
    browser.follow("Policy");
    browser.see("Version 0");
    browser.examine("console-policy");

    browser.fill(TEXT, "{ \"window_days\": \"many\" }");
    browser.press(PREVIEW);
    browser.see("Nothing was saved");
    browser.see("$.window_days");
    browser.examine("console-policy-refused");

    browser.fill(TEXT, "{ \"window_days\": 45 }");
    browser.press(PREVIEW);
    browser.see("Changes");
    browser.see("45");
    browser.see("Version 0");
    browser.examine("console-policy-preview");
    browser.press("Save policy");
    browser.see("Version 1 saved");
    browser.examine("console-policy-saved");
    let held = shared_server().home.json(&["policy", "show", &stage.merchant.id]);
    assert_eq!(held["policy"]["window_days"], 45);
    browser.follow("1");
    browser.see("45");
    browser.examine("console-policy-version");
}

#[test]
fn a_policy_is_changed_after_a_preview_with_scripts() {
    change_a_policy(Scripts::On);
}

#[test]
fn a_policy_is_changed_after_a_preview_without_scripts() {
    change_a_policy(Scripts::Off);
}

fn find_a_return(scripts: Scripts) {
    let Some(browser) = open_console(scripts) else { return };
    let console = ConsoleFixture::new(shared_server());
    let order = console.unique("A");
    let rma = console.start_return(&order, "refund");
    let number = console.wait_for_label(&rma);

    search(&browser, &order);
    browser.see("Returnable units");
    browser.examine("console-order");
    browser.follow(&rma);
    browser.see("Timeline");
    browser.see("Return started: 1 unit");
    browser.see("Label created for 1 unit");
    browser.examine("console-return");

    search(&browser, &number);
    browser.see(&rma);
    browser.fill("Reason for canceling", "requested by phone");
    browser.press("Cancel return");
    browser.see("Return canceled.");
    browser.see("requested by phone");
    browser.examine("console-return-canceled");

    console.publish(&[console.order(&console.unique("B"))]);
    search(&browser, &console.email());
    browser.see("2 results for");
    browser.examine("console-search");
    search(&browser, "nobody");
    browser.see("No results for nobody");
    browser.examine("console-search-nothing");
}

#[test]
fn an_order_and_its_return_are_found_with_scripts() {
    find_a_return(Scripts::On);
}

#[test]
fn an_order_and_its_return_are_found_without_scripts() {
    find_a_return(Scripts::Off);
}

fn accept_a_difference(scripts: Scripts) {
    let Some(browser) = open_console(scripts) else { return };
    let console = ConsoleFixture::new(shared_server());
    let order = console.unique("A");
    let rma = console.start_return(&order, "refund");
    console.wait_for_label(&rma);
    console.pay_a_cent_short(&order, &rma);
    browser.follow("Finance");
    browser.set("merchant", console.merchant());
    browser.press("Show");
    browser.see("Balanced");
    browser.see("Paid too little");
    browser.examine("console-finance");

    browser.follow("Resolve refund problems");
    browser.see("Missing");
    browser.examine("console-difference");
    browser.press("Accept");
    browser.see(&format!("The difference of refund RF-{order} is accepted."));
    browser.examine("console-difference-accepted");

    search(&browser, &rma);
    browser.see("Accepted differences");
    browser.examine("console-return-statement");
    browser.follow("State after event 1");
    browser.see("State after event 1 of 4");
    browser.see("Nothing yet.");
    browser.examine("console-return-past");
    browser.tab_to("Next state");
    browser.key(ENTER);
    browser.see("State after event 2 of 4");
    browser.follow("Newest state");
    browser.see("Newest state, after event 4.");
}

#[test]
fn a_difference_is_accepted_and_the_past_is_read_with_scripts() {
    accept_a_difference(Scripts::On);
}

#[test]
fn a_difference_is_accepted_and_the_past_is_read_without_scripts() {
    accept_a_difference(Scripts::Off);
}

#[test]
fn the_login_of_the_console_is_accessible() {
    let Some(browser) = Browser::open(shared_server(), Scripts::On) else { return };
    let (name, password) = shared_server().operator("operator");
    browser.visit("/console");
    browser.examine("console-login");
    log_in(&browser, &name, "not the password");
    browser.see("Log in");
    browser.examine("console-login-refused");
    log_in(&browser, &name, &password);
    browser.follow(&name);
    browser.examine("console-password");
    browser.press("Log out");
    browser.see("Log in");
}

#[test]
fn every_page_of_the_console_is_accessible() {
    let Some(browser) = open_console(Scripts::On) else { return };
    let (stage, _running, _ids) = Stage::with_failures(shared_server(), 1);
    create_unmatched_refund(&stage);
    create_exceptions(&stage, &format!("ASN-{}", stage.merchant.id));

    let seen = walk(&browser, &["/console"]);

    for part in ["failures", "messages", "refunds", "finance", "exceptions", "receive", "audit"] {
        assert!(seen.contains(&format!("/console/{part}")), "{part} was not reached: {seen:?}");
    }
    for kind in ["/console/orders/any/any", "/console/returns/any", "/console/merchants/any/policy"]
    {
        assert!(seen.contains(kind), "{kind} was not reached: {seen:?}");
    }
}
