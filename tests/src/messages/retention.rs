//! What is finished goes away after its days; what is not stays.
//!
//! The server looks once a minute, so this takes a minute, on both engines at the same time.

use std::{
    thread,
    time::{Duration, Instant},
};

use sim::Behavior;

use crate::harness::home::Home;
use crate::harness::stage::{ALLOW, Stage, homes};

/// Messages are old enough at once.
const NO_DAYS: [&str; 2] = ["--retention-days", "0"];
const REMOVED_WITHIN: Duration = Duration::from_secs(100);

#[test]
fn finished_messages_are_removed_and_no_others() {
    thread::scope(|scope| {
        for home in homes("delivery_retention") {
            scope.spawn(move || only_finished_messages_go(&home));
        }
    });
}

fn only_finished_messages_go(home: &Home) {
    let once = ["--retry-base-ms", "1", "--retry-factor", "1"];
    let server = home.serve(&[&ALLOW[..], &once, &NO_DAYS].concat());
    let (stage, running) = Stage::with_receiver(&server);
    let delivered = stage.test("delivered", 1);
    stage.until(&delivered, "delivered");
    running.merchant().behave(&[Behavior::status(500)]).unwrap();
    let failed = stage.test("failed", 1);
    stage.until(&failed, "failed");
    stage.turn("pause");
    let waiting = stage.test("waiting", 1);

    let begun = Instant::now();
    while stage.get(&format!("/admin/messages/{delivered}")).status != 404 {
        assert!(begun.elapsed() < REMOVED_WITHIN, "{delivered} is still there");
        thread::sleep(Duration::from_millis(200));
    }

    stage.until(&failed, "failed");
    stage.until(&waiting, "waiting");
    let about = format!("/admin/messages?merchant={}&ref=", stage.merchant.id);
    for (reference, count) in [("delivered", 0), ("failed", 1), ("waiting", 1)] {
        let found = stage.get(&format!("{about}{reference}")).json();
        assert_eq!(found["messages"].as_array().unwrap().len(), count, "{reference}: {found}");
    }
}
