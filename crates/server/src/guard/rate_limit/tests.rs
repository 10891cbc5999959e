//! The limiter against examples, and against a list of times that does the same slowly.

use std::{collections::HashMap, net::Ipv4Addr};

use proptest::prelude::*;

use super::*;

fn v4(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, last))
}

fn parsed(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn the_limit_is_reached_and_then_refused() {
    let limiter = RateLimit::new(2);

    let first = limiter.check(v4(1), at(100));
    let second = limiter.check(v4(1), at(110));
    let third = limiter.check(v4(1), at(115));

    assert_eq!(first, RateDecision { allowed: true, limit: 2, remaining: 1, reset_s: 60 });
    assert_eq!(second, RateDecision { allowed: true, limit: 2, remaining: 0, reset_s: 60 });
    assert_eq!(third, RateDecision { allowed: false, limit: 2, remaining: 0, reset_s: 45 });
}

#[test]
fn what_is_taken_back_was_never_counted() {
    let limiter = RateLimit::<&str>::new(1);

    for second in 100..110 {
        assert!(limiter.check_key("lena", at(second)).allowed);
        limiter.take_back_key(&"lena", at(second + 1));
    }
    limiter.take_back_key(&"lena", at(120));
    assert!(limiter.check_key("lena", at(130)).allowed);
    assert!(!limiter.check_key("lena", at(130)).allowed);
    assert!(limiter.check_key("mara", at(130)).allowed);
}

#[test]
fn a_refused_client_is_let_in_when_it_was_told() {
    let limiter = RateLimit::new(1);
    limiter.check(v4(1), at(100));

    let refused = limiter.check(v4(1), at(130));

    let told = 130 + u64::from(refused.reset_s);
    assert!(!limiter.check(v4(1), at(told - 1)).allowed);
    assert!(limiter.check(v4(1), at(told)).allowed);
}

#[test]
fn knocking_while_refused_does_not_prolong_the_refusal() {
    let limiter = RateLimit::new(1);
    limiter.check(v4(1), at(0));

    let knocks = (1..60).filter(|second| limiter.check(v4(1), at(*second)).allowed).count();

    assert_eq!(knocks, 0);
    assert!(limiter.check(v4(1), at(60)).allowed);
}

#[test]
fn one_address_does_not_use_up_the_limit_of_another() {
    let limiter = RateLimit::new(1);

    assert!(limiter.check(v4(1), at(0)).allowed);
    assert!(limiter.check(v4(2), at(0)).allowed);
    assert!(!limiter.check(v4(1), at(0)).allowed);
}

#[test]
fn a_v6_client_is_its_network_of_64_bits() {
    let limiter = RateLimit::new(1);

    assert!(limiter.check(parsed("2001:db8:1:2::1"), at(0)).allowed);
    assert!(!limiter.check(parsed("2001:db8:1:2:ffff::9"), at(0)).allowed);
    assert!(limiter.check(parsed("2001:db8:1:3::1"), at(0)).allowed);
}

#[test]
fn a_v4_address_written_as_v6_is_the_v4_address() {
    let limiter = RateLimit::new(1);

    assert!(limiter.check(parsed("::ffff:192.0.2.1"), at(0)).allowed);
    assert!(!limiter.check(parsed("192.0.2.1"), at(0)).allowed);
    assert!(limiter.check(parsed("::ffff:192.0.2.2"), at(0)).allowed);
}

#[test]
fn a_limit_of_zero_refuses_everybody() {
    let verdict = RateLimit::new(0).check(v4(1), at(7));

    assert_eq!(verdict, RateDecision { allowed: false, limit: 0, remaining: 0, reset_s: 60 });
}

#[test]
fn a_clock_read_late_counts_in_the_later_second() {
    let limiter = RateLimit::new(2);
    limiter.check(v4(1), at(100));
    limiter.check(v4(1), at(99));

    assert!(!limiter.check(v4(1), at(159)).allowed);
    assert!(limiter.check(v4(1), at(160)).allowed);
}

#[test]
fn strangers_share_one_window_when_there_is_no_room() {
    let limiter = RateLimit::bounded(2, 0);

    assert!(limiter.check(v4(1), at(0)).allowed);
    assert!(limiter.check(v4(2), at(0)).allowed);
    assert!(!limiter.check(v4(3), at(0)).allowed);
}

#[test]
fn a_full_shard_keeps_its_addresses_and_forgets_the_quiet_ones() {
    let mut shard = Shard::default();
    shard.window(v4(1), 0, 2).unwrap().check(Quota { limit: 9, nodes: 1 }, 0);
    shard.window(v4(2), 30, 2).unwrap().check(Quota { limit: 9, nodes: 1 }, 30);

    assert!(shard.window(v4(3), 59, 2).is_none(), "both are within the minute");
    assert!(shard.window(v4(1), 59, 2).is_some(), "a known address has its place");
    assert!(shard.window(v4(3), 60, 2).is_some(), "the first was quiet for a minute");
    assert!(shard.windows.contains_key(&v4(2)));
    assert!(!shard.windows.contains_key(&v4(1)));
}

#[test]
fn memory_stays_bounded_under_a_flood_of_addresses() {
    let limiter = RateLimit::bounded(5, 10);

    for number in 0..10_000_u32 {
        limiter.check(IpAddr::V4(Ipv4Addr::from_bits(number)), at(u64::from(number / 1_000)));
    }

    for shard in &limiter.shards {
        assert_eq!(lock(shard).windows.len(), 10);
    }
}

/// The same rule without buckets: every counted second of every address.
#[derive(Default)]
struct Model {
    counted_s: HashMap<IpAddr, Vec<u64>>,
}

impl Model {
    fn check(&mut self, address: IpAddr, limit: u32, now_s: u64) -> RateDecision {
        let counted_s = self.counted_s.entry(address).or_default();
        counted_s.retain(|second| now_s - second < 60);
        let used = u32::try_from(counted_s.len()).unwrap();
        if used >= limit {
            let reset_s = counted_s.first().map_or(60, |oldest| oldest + 60 - now_s);
            let reset_s = u32::try_from(reset_s).unwrap();
            return RateDecision { allowed: false, limit, remaining: 0, reset_s };
        }
        counted_s.push(now_s);
        RateDecision { allowed: true, limit, remaining: limit - used - 1, reset_s: 60 }
    }
}

proptest! {
    #[test]
    fn the_ring_answers_like_a_list_of_times(
        limit in 0_u32..6,
        start_ms in 0_u64..200_000,
        requests in prop::collection::vec((0_u8..3, 0_u64..25_000), 0..120),
    ) {
        let limiter = RateLimit::new(limit);
        let mut model = Model::default();
        let mut now_ms = start_ms;
        for (last, pause_ms) in requests {
            now_ms += pause_ms;
            let answer = limiter.check(v4(last), Duration::from_millis(now_ms));
            prop_assert_eq!(answer, model.check(v4(last), limit, now_ms / 1_000));
        }
    }
}

#[test]
fn nodes_that_share_their_counts_allow_the_limit_together() {
    let nodes = [RateLimit::new(100), RateLimit::new(100)];
    for node in &nodes {
        node.set_nodes(2);
    }
    let mut allowed = 0;
    for second in 0..20 {
        for node in &nodes {
            allowed += (0..90).filter(|_| node.check(v4(1), at(second)).allowed).count();
        }
        let news = nodes.each_ref().map(RateLimit::take_news);
        for (client, count) in &news[1] {
            nodes[0].add(*client, *count, at(second));
        }
        for (client, count) in &news[0] {
            nodes[1].add(*client, *count, at(second));
        }
    }
    assert!((90..=102).contains(&allowed), "{allowed}");
}
