//! Operators send messages again from the log, watch the progress, and stop it.

use super::fixture::{ConsoleFixture, console_fixtures};
use crate::harness::{
    eventually,
    stage::{accepted, list_calls},
};

/// The fields of a search in the log, by reference.
fn search(reference: &str) -> [(&str, &str); 4] {
    [("kind", ""), ("reference", reference), ("from", ""), ("to", "")]
}

/// How many calls of the receiver were replays.
fn count_replays(fixture: &ConsoleFixture) -> usize {
    let calls = list_calls(&fixture.running);
    let is_replay =
        |call: &&sim::Call| call.content.as_ref().unwrap().headers.contains_key("x-service-replay");
    calls.iter().filter(is_replay).count()
}

#[test]
fn what_a_search_finds_is_sent_again_and_its_progress_is_shown() {
    for fixture in console_fixtures() {
        let ConsoleFixture { stage, running, visitor } = &fixture;
        let ids: Vec<String> = (1..=3).map(|sequence| stage.test("lane", sequence)).collect();
        stage.test("other", 1);
        accepted(running, 4);
        stage.until(&ids[2], "delivered");
        let log = format!("/console/messages?merchant={}", fixture.merchant());
        let target = format!("/console/merchants/{}/replays", fixture.merchant());
        let form = format!("action=\"{target}\"");
        assert!(!visitor.page(&log).contains(&form), "everything cannot be sent again by mistake");
        let found = visitor.page(&format!("{log}&reference=lane"));
        assert!(found.contains(&form) && found.contains("Replay these messages"), "{found}");

        let nothing = visitor.submit(&target, &search(""));
        let started = visitor.post(&target, &search("lane"));

        assert!(nothing.contains("Nothing was sent: filter by kind"), "{nothing}");
        assert_eq!(started.status, 303, "{}", started.said());
        let place = started.header("location").unwrap();
        let done = eventually("the replay is done", || {
            Some(visitor.get(place)).filter(|page| page.header("refresh").is_none())
        });
        let page = done.text();
        assert!(page.contains("1 of 1 examined") && page.contains(">Done<"), "{page}");
        assert!(page.contains("<dt>Sent again</dt><dd>3</dd>"), "{page}");
        assert!(!page.contains("Stop replay"), "{page}");
        assert_eq!(count_replays(&fixture), 3);
        let single = visitor.submit(&format!("/console/messages/{}/replay", ids[2]), &[]);
        assert!(single.contains(&format!("Replay for {}", fixture.merchant())), "{single}");
        eventually("one more replay", || (count_replays(&fixture) == 4).then_some(()));
    }
}

#[test]
fn a_replay_that_waits_is_shown_and_stopped() {
    for fixture in console_fixtures() {
        let ConsoleFixture { stage, running, visitor } = &fixture;
        let id = stage.test("lane", 1);
        accepted(running, 1);
        stage.until(&id, "delivered");
        stage.turn("pause");
        let target = format!("/console/merchants/{}/replays", fixture.merchant());
        let started = visitor.post(&target, &search("lane"));
        let place = started.header("location").unwrap();
        let waiting = eventually("the message waits", || {
            let page = visitor.get(place);
            page.text().contains("<dt>Waiting</dt><dd>1</dd>").then_some(page)
        });
        assert_eq!(waiting.header("refresh"), Some("2"));
        assert!(waiting.text().contains(">Running<"), "{}", waiting.text());
        assert!(waiting.text().contains("Stop replay"), "{}", waiting.text());
        let second = visitor.submit(&target, &search("lane"));
        assert!(second.contains("is still running; wait for it or cancel it."), "{second}");

        let stopped = visitor.submit(&format!("{place}/cancel"), &[]);

        assert!(stopped.contains("Replay stopped after 1 message."), "{stopped}");
        assert!(stopped.contains(">Stopped<") && !stopped.contains("Stop replay"), "{stopped}");
        assert_eq!(visitor.get(place).header("refresh"), None);
        let strange = format!(
            "/console/merchants/no-such-shop/replays/{}",
            place.rsplit('/').next().unwrap()
        );
        assert_eq!(visitor.get(&strange).status, 404);
        // What was enqueued is sent nevertheless.
        stage.turn("resume");
        eventually("the message comes again", || (count_replays(&fixture) == 1).then_some(()));
    }
}
