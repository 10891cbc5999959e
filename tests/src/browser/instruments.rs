//! Whether the instruments measure: what a browser test relies on to fail does make it fail.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;

use super::{
    axe,
    session::Session,
    shopper::Shopper,
    window::{Screen, Scripts, Theme},
};

/// Whether this makes a test fail.
fn fails(act: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(act)).is_err()
}

#[test]
fn a_request_to_another_host_does_not_go_unnoticed() {
    let Some(Shopper { browser, .. }) = Shopper::arrive(Scripts::On) else { return };
    browser.script("new Image().src = 'http://127.0.0.1:9/'", &[]);

    assert!(fails(|| drop(browser.visit("/openapi.json"))));
}

#[test]
fn what_keeps_people_from_using_a_page_does_not_go_unnoticed() {
    let Some(Shopper { browser, .. }) = Shopper::arrive(Scripts::On) else { return };
    browser.script("document.querySelector('label').remove()", &[]);

    let looked_at = axe::source().is_some();
    assert_eq!(fails(|| browser.examine("instruments")), looked_at);
}

#[test]
fn what_is_too_wide_for_a_phone_does_not_go_unnoticed() {
    let Some(Shopper { browser, .. }) = Shopper::arrive(Scripts::On) else { return };
    browser.assert_fits("the portal");
    browser.script("document.querySelector('h1').style.minInlineSize = '400px'", &[]);

    assert!(fails(|| browser.assert_fits("the portal")));
}

#[test]
fn scripts_that_are_off_do_not_run() {
    let Some(session) = Session::fresh() else { return };
    let page = "data:text/html,<p>still</p><script>document.body.textContent = 'ran'</script>";
    for (disabled, words) in [(true, "still"), (false, "ran")] {
        let value = json!({ "value": disabled });
        session.chrome("Emulation.setScriptExecutionDisabled", &value);
        session.go(page);

        let shown = session.script("return document.body.innerText", &[]);
        assert_eq!(shown, words);
    }
    session.keep();
}

#[test]
fn a_phone_is_narrow_and_the_dark_is_dark() {
    let Some(Shopper { browser, .. }) = Shopper::arrive(Scripts::On) else { return };
    browser.show_as(Screen::Phone, Theme::Dark);
    let look = "return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]";
    assert_eq!(browser.script(look, &[]), json!([390, true]));

    browser.show_as(Screen::Desktop, Theme::Light);
    assert_eq!(browser.script(look, &[]), json!([1280, false]));
}
