//! The pictures of the README, taken from the demo: `docs/screenshots` runs this and copies them to
//! `docs/images`.

use super::{
    operator::log_in,
    shopper::{CONFIRM, FIND, REVIEW},
    window::{Browser, Screen, Scripts, Theme},
};
use crate::{
    demo::place::Demo,
    harness::home::{Home, text},
};

/// What is shown of a page on a desk, and on a phone.
const DESK_HEIGHT: u64 = 900;
const PHONE_HEIGHT: u64 = 844;

#[test]
fn the_pictures_of_the_readme_can_be_taken() {
    if super::driver::start_driver().is_none() {
        return;
    }
    let home = Home::sqlite();
    let demo = Demo::start(&home, &[]);
    demo.wait_for_the_history();
    let browser = Browser::open_at(&text(&demo.told["address"]), Scripts::On).unwrap();
    let take = |name: &str| browser.picture(&format!("readme/{name}"), DESK_HEIGHT);

    browser.visit("/");
    take("start");
    walk_the_portal(&browser, take);
    let logins = demo.told["logins"].as_array().unwrap();
    let operator = logins.iter().find(|it| it["operator"] == "operator").unwrap();
    let password = text(&operator["password"]);
    log_in(&browser, "operator", &password);
    for (path, name) in [
        ("/console", "console-overview"),
        ("/console/returns", "console-returns"),
        ("/console/failures", "console-failures"),
        ("/console/receive", "console-receive"),
    ] {
        browser.visit(path);
        take(name);
    }
    browser.visit("/docs");
    take("reference");

    drop(browser);
    demo.stop();
}

fn walk_the_portal(browser: &Browser, take: impl Fn(&str)) {
    browser.visit("/portal/acme");
    take("portal-find");
    browser.set("order_number", "DEMO-1001");
    browser.set("secret", "dana.whitfield@example.com");
    browser.press(FIND);
    browser.set("quantity.0.0", "1");
    browser.set("reason.0.0", "too_small");
    take("portal-choose");
    browser.show_as(Screen::Phone, Theme::Dark);
    browser.picture("readme/portal-phone", PHONE_HEIGHT);
    browser.show_as(Screen::Desktop, Theme::Light);
    browser.press(REVIEW);
    take("portal-review");
    browser.press(CONFIRM);
    take("portal-status");
}
