//! The start page, rendered.

use world::Pace;

use super::*;
use server::demo::{DemoLogin, SampleOrder};

fn new_demo() -> DemoStatus {
    let login = DemoLogin {
        name: "operator".to_owned(),
        password: "<secret>".to_owned(),
        purpose: "Solve problems",
        description: "Messages have failed.",
    };
    let order = SampleOrder {
        number: "DEMO-1001",
        email: "mia@example.com",
        postal_code: "97205",
        description: "Everything can be returned.",
    };
    let guide = Guide {
        merchant: "acme".to_owned(),
        logins: vec![login],
        orders: vec![order],
        ..Guide::default()
    };
    let demo = DemoStatus::new(Pace::new(1_794_700_000_000_000, 60));
    demo.set_guide(guide);
    demo
}

fn render(demo: &DemoStatus) -> String {
    build_demo_page(demo).render().unwrap()
}

#[test]
fn the_page_refreshes_only_while_the_history_is_created() {
    let demo = new_demo();
    demo.set_progress(430);
    let page = render(&demo);
    assert!(page.contains("six months: 43 %") && page.contains("http-equiv=\"refresh\""), "{page}");

    demo.set_progress(COMPLETE);
    let page = render(&demo);
    assert!(!page.contains("six months: ") && !page.contains("http-equiv"), "{page}");
}

#[test]
fn the_page_shows_the_time_the_speed_the_logins_and_the_orders() {
    let demo = new_demo();
    demo.set_progress(COMPLETE);
    let page = render(&demo);
    for text in [
        "14 November 2026, 23:46 UTC",
        "value=\"60\" aria-pressed=\"true\"",
        "value=\"1\" aria-pressed=\"false\"",
        "&#60;secret&#62;",
        "DEMO-1001",
        "href=\"/portal/acme\"",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn browsers_say_where_a_form_comes_from() {
    let response = render_page(&build_demo_page(&new_demo()));
    assert_eq!(response.headers()[REFERRER_POLICY], "same-origin");
}
