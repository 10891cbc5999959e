//! How much is kept in memory, by number and by size.

use super::{reading::small, *};

const KIBIBYTE: usize = 1_024;
const MEBIBYTE: usize = 1_024 * KIBIBYTE;

/// What the disk returns of a queue with an endless number of messages that are `size` bytes each.
fn read(page: PageRequest, size: usize) -> Vec<Delivery<i64>> {
    let first = page.after.max(0) + 1;
    let count = page.most.min(page.bytes.div_ceil(size));
    (first..).take(count).map(|it| Delivery { bytes: size, ..row(it, UNORDERED) }).collect()
}

/// Carries out everything that the scheduler asks for now, where attempts do not end: all reads are
/// under way at the same time. Returns the bytes that were read.
fn read_all(rig: &mut Rig, size: usize) -> usize {
    let mut bytes = 0;
    loop {
        let mut pages = Vec::new();
        while let Some(action) = rig.next() {
            if let Action::Refill { queue, page } = action {
                pages.push((queue, page));
            }
        }
        if pages.is_empty() {
            return bytes;
        }
        for (queue, page) in pages {
            let rows = read(page, size);
            bytes += rows.len() * size;
            rig.scheduler.complete_refill(queue, rows, false);
        }
    }
}

#[test]
fn queues_share_the_memory_when_many_hold_something() {
    let settings = SchedulerSettings { window_min: 1, held_max: 6, ..small() };
    let mut rig = Rig::with_queues(settings, 3);
    rig.arrive_many(QueueId(2), 1..=1);
    rig.arrive_many(QueueId(3), 2..=2);
    rig.arrive_many(HERE, 3..=9);
    assert_eq!(rig.report().window, 2, "a third of it, not the least");
}

#[test]
fn a_paused_endpoint_keeps_hardly_anything_in_memory() {
    let mut rig = Rig::new(SchedulerSettings { window_max: 16, window_min: 1, ..small() });
    rig.arrive_many(HERE, 1..=16);
    rig.scheduler.pause(HERE, 0);
    let report = rig.report();
    assert_eq!((report.window, report.evicted), (2, 14));

    rig.scheduler.resume(HERE, 0);
    assert_eq!(rig.refill(), (2, 8), "the oldest two were kept");
    assert_eq!(rig.sent(), [1, 2]);
}

#[test]
fn after_a_start_a_thousand_backlogs_are_not_read_into_memory_all_at_once() {
    let settings = SchedulerSettings::default();
    let held_max = settings.held_max;
    let mut rig = Rig::with_queues(settings, 1_000);
    for id in 1..=1_000 {
        rig.scheduler.expect_more(QueueId(id));
    }
    let mut held = 0;
    while let Some(action) = rig.next() {
        if let Action::Refill { queue, page: PageRequest { after, most, .. } } = action {
            let first = after.max(0) + 1;
            let rows: Vec<_> = (first..).take(most).map(|it| row(it, UNORDERED)).collect();
            held += rows.len();
            rig.scheduler.complete_refill(queue, rows, false);
        }
    }
    assert!(held >= 1_000 * 8, "each has something to send: {held}");
    assert!(held <= held_max * 2, "{held} messages in memory");
}

#[test]
fn large_messages_make_a_window_small_and_one_has_room_always() {
    let settings = SchedulerSettings { held_bytes_max: 400, ..small() };
    let large = |message: i64| Delivery { bytes: 40, ..row(message, UNORDERED) };
    let mut rig = Rig::new(settings);
    for message in 1..=4 {
        rig.scheduler.enqueue(HERE, large(message));
    }
    let report = rig.report();
    assert_eq!((report.window, report.more_on_disk), (2, true), "a third would be too much");

    assert_eq!(rig.sent(), [1, 2]);
    rig.deliver(1);
    rig.deliver(2);
    assert_eq!(rig.refill(), (2, 4), "nothing is known of what follows");
    rig.scheduler.complete_refill(HERE, vec![Delivery { bytes: 900, ..row(3, 0) }], false);
    assert_eq!(rig.sent(), [3]);
    rig.deliver(3);
    assert_eq!(rig.refill(), (3, 1), "those that follow may be as large");
}

#[test]
fn after_a_start_large_messages_of_many_queues_fill_the_memory_once() {
    let (queues, size) = (200, 600 * KIBIBYTE);
    let mut rig = Rig::with_queues(SchedulerSettings::default(), queues);
    for id in 1..=queues {
        rig.scheduler.expect_more(QueueId(id));
    }
    let bytes = read_all(&mut rig, size);
    let one_of_each = 200 * size;
    assert!(bytes >= one_of_each, "each has something to send: {bytes}");
    assert!(bytes <= 64 * MEBIBYTE + one_of_each, "{bytes} bytes in memory");
}

#[test]
fn queues_that_begin_one_after_the_other_share_the_memory() {
    let (queues, size) = (200, 50 * KIBIBYTE);
    let mut rig = Rig::with_queues(SchedulerSettings::default(), queues);
    let mut bytes = 0;
    for id in 1..=queues {
        rig.scheduler.expect_more(QueueId(id));
        let more = read_all(&mut rig, size);
        assert!(more >= size, "queue {id} has something to send");
        bytes += more;
    }
    assert!(bytes >= 64 * MEBIBYTE, "{bytes} bytes: it is used");
    assert!(bytes <= 2 * 64 * MEBIBYTE, "{bytes} bytes in memory");
}

#[test]
fn after_a_start_small_messages_are_read_in_full_pages() {
    let mut rig = Rig::with_queues(SchedulerSettings::default(), 1_000);
    for id in 1..=1_000 {
        rig.scheduler.expect_more(QueueId(id));
    }
    let mut pages = 0;
    while let Some(action) = rig.next() {
        let Action::Refill { page, .. } = action else { panic!("nothing is read yet: {action:?}") };
        assert_eq!(read(page, KIBIBYTE).len(), 32);
        pages += 1;
    }
    assert_eq!(pages, 1_000);
}

#[test]
fn a_reading_that_ends_gives_back_the_room_that_was_kept_for_it() {
    let settings = SchedulerSettings { held_bytes_max: 40 * KIBIBYTE, ..small() };
    let mut rig = Rig::with_queues(settings, 6);
    let ask = |rig: &mut Rig, id: u32| {
        rig.scheduler.expect_more(QueueId(id));
        let action = rig.next();
        let Some(Action::Refill { page, .. }) = action else { panic!("not a refill: {action:?}") };
        page.bytes / KIBIBYTE
    };
    let asked: Vec<usize> = (1..=5).map(|id| ask(&mut rig, id)).collect();
    assert_eq!(asked, [10, 10, 10, 10, 1], "a quarter each, and what is left for the last");
    for id in 1..=5 {
        rig.scheduler.complete_refill(QueueId(id), Vec::new(), true);
    }
    assert_eq!(ask(&mut rig, 6), 10);
}
