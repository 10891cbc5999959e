//! The start page, rendered.

use world::Pace;

use super::*;
use server::demo::{Login, OrderToTry};

fn demo() -> Demo {
    let login = Login {
        name: "operator".to_owned(),
        password: "<secret>".to_owned(),
        purpose: "Look after it",
        what: "Something is stuck.",
    };
    let order = OrderToTry {
        number: "DEMO-1001",
        email: "mia@example.com",
        postal_code: "97205",
        what: "Everything can come back.",
    };
    let guide = Guide {
        merchant: "acme".to_owned(),
        logins: vec![login],
        orders: vec![order],
        ..Guide::default()
    };
    let demo = Demo::new(Pace::new(1_794_700_000_000_000, 60));
    demo.tell(guide);
    demo
}

fn rendered(demo: &Demo) -> String {
    demo_page(demo).render().unwrap()
}

#[test]
fn the_page_looks_again_only_while_the_history_is_made() {
    let demo = demo();
    demo.set_made(430);
    let page = rendered(&demo);
    assert!(page.contains("six months: 43 %") && page.contains("http-equiv=\"refresh\""), "{page}");

    demo.set_made(WHOLE);
    let page = rendered(&demo);
    assert!(!page.contains("six months: ") && !page.contains("http-equiv"), "{page}");
}

#[test]
fn the_page_tells_the_time_the_speed_the_logins_and_the_orders() {
    let demo = demo();
    demo.set_made(WHOLE);
    let page = rendered(&demo);
    for words in [
        "14 November 2026, 23:46 UTC",
        "value=\"60\" aria-pressed=\"true\"",
        "value=\"1\" aria-pressed=\"false\"",
        "&#60;secret&#62;",
        "DEMO-1001",
        "href=\"/portal/acme\"",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
