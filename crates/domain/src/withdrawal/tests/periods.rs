//! When the period ends: over daylight saving, leap days, weekends and several parcels.

use jiff::civil::{Date, Weekday, date};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use proptest::prelude::*;

use super::{german_order, time};
use crate::orders::order::{Order, PostalAddress};
use crate::returns::test_orders::{order_line, order_of};
use crate::withdrawal::period::{WithdrawalPeriod, is_shipped_to_eu, withdrawal_period, zone_of};
use crate::withdrawal::terms::WithdrawalTerms;

fn delivered(dates: &[&str]) -> Order {
    let line = |(number, delivered): (usize, &&str)| {
        let mut line = order_line(&format!("L{number}"), 1, [1_000, 0, 0]);
        line.delivered_date = Some(crate::time::parse(delivered).unwrap());
        line
    };
    let mut order = order_of(dates.iter().enumerate().map(line).collect(), 0);
    order.shipping_address.country_code = "DE".to_owned();
    order
}

fn period(dates: &[&str]) -> WithdrawalPeriod {
    withdrawal_period(&delivered(dates), &WithdrawalTerms::default())
}

fn informed(informed: bool) -> WithdrawalTerms {
    WithdrawalTerms { informed, ..WithdrawalTerms::default() }
}

#[test]
fn the_period_ends_with_the_fourteenth_day_after_the_last_delivery() {
    let found = period(&["2026-06-15T08:00:00Z", "2026-06-16T21:59:00Z", "2026-06-01"]);
    assert_eq!((found.delivered_on, found.assumed), (Some(date(2026, 6, 16)), false));
    assert_eq!(found.last_day, Some(date(2026, 6, 30)));
    assert_eq!(found.ends_at, Some(time("2026-06-30T22:00:00Z")));
    let after_midnight = period(&["2026-06-16T22:01:00Z"]);
    assert_eq!(after_midnight.last_day, Some(date(2026, 7, 1)), "it is the 17th in Germany");
}

#[test]
fn daylight_saving_moves_the_moment_but_not_the_day() {
    // Clocks change on 29 March and 25 October 2026.
    let spring = period(&["2026-03-17T12:00:00Z"]);
    assert_eq!(spring.ends_at, Some(time("2026-03-31T22:00:00Z")));
    let autumn = period(&["2026-10-13T12:00:00Z"]);
    assert_eq!(autumn.ends_at, Some(time("2026-10-27T23:00:00Z")));
}

#[test]
fn a_last_day_without_work_moves_to_the_next_working_day() {
    assert_eq!(period(&["2026-06-13"]).last_day, Some(date(2026, 6, 29)), "a Saturday");
    assert_eq!(period(&["2026-06-14"]).last_day, Some(date(2026, 6, 29)), "a Sunday");
    assert_eq!(period(&["2026-12-11"]).last_day, Some(date(2026, 12, 28)), "Christmas");
    assert_eq!(period(&["2026-12-18"]).last_day, Some(date(2027, 1, 4)), "New Year");
}

#[test]
fn without_information_the_period_is_twelve_months_longer() {
    let order = delivered(&["2027-02-15"]);
    let usual = withdrawal_period(&order, &informed(true));
    assert_eq!(usual.last_day, Some(date(2027, 3, 1)));
    assert_eq!(
        withdrawal_period(&order, &informed(false)).last_day,
        Some(date(2028, 3, 1)),
        "the leap day in between changes nothing"
    );
    let leap_day = delivered(&["2028-02-15"]);
    assert_eq!(withdrawal_period(&leap_day, &informed(true)).last_day, Some(date(2028, 2, 29)));
    assert_eq!(withdrawal_period(&leap_day, &informed(false)).last_day, Some(date(2029, 2, 28)));
}

#[test]
fn without_a_delivery_date_the_parcel_travels_as_long_as_the_merchant_says() {
    let order = german_order();
    let found = withdrawal_period(&order, &WithdrawalTerms::default());
    assert_eq!((found.delivered_on, found.assumed), (Some(date(2026, 1, 7)), true));
    let terms = WithdrawalTerms { delivery_days_assumed: 10, ..WithdrawalTerms::default() };
    assert_eq!(withdrawal_period(&order, &terms).delivered_on, Some(date(2026, 1, 12)));

    let mut unknown = german_order();
    unknown.updated_at = time("2026-03-02T12:00:00Z");
    unknown.items.iter_mut().for_each(|line| line.shipped_date = None);
    let found = withdrawal_period(&unknown, &WithdrawalTerms::default());
    assert_eq!(found.delivered_on, Some(date(2026, 3, 7)), "shipped before the last change");
}

#[test]
fn only_member_states_count_and_each_has_its_time() {
    let to = |country: &str, postal_code: &str| PostalAddress {
        country_code: country.to_owned(),
        zip_code: postal_code.to_owned(),
        ..PostalAddress::default()
    };
    let mut order = german_order();
    for (country, member) in
        [("de", true), (" FR ", true), ("EL", true), ("GB", false), ("", false)]
    {
        order.shipping_address = to(country, "");
        assert_eq!(is_shipped_to_eu(&order), member, "{country}");
    }
    for country in ["US", "CH", "NO", "TR"] {
        order.shipping_address = to(country, "");
        assert!(!is_shipped_to_eu(&order), "{country}");
    }
    let hours = [
        (to("DE", "10115"), 2),
        (to("PT", "1000-001"), 1),
        (to("PT", "9500-001"), 0),
        (to("ES", "28001"), 2),
        (to("ES", "35001"), 1),
        (to("FI", "00100"), 3),
        (to("FR", "97100"), -4),
        (to("FR", "97300"), -3),
    ];
    for (address, offset) in hours {
        let found = zone_of(&address).to_offset(time("2026-07-01T12:00:00Z"));
        assert_eq!(found.seconds(), offset * 3_600, "{address:?}");
    }
}

/// The first day that is a working day, counted by hand.
fn working(mut day: Date) -> Date {
    while matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
        || [(1, 1), (12, 25)].contains(&(day.month(), day.day()))
    {
        day = day.tomorrow().unwrap();
    }
    day
}

proptest! {
    #[test]
    fn the_last_parcel_decides_whatever_their_order_and_number(
        hours in proptest::collection::vec(0..60_000_i64, 1..6), country in 0..4_usize,
    ) {
        let country = ["DE", "PT", "FI", "ES"][country];
        let start = Timestamp::from_second(1_780_000_000).unwrap();
        let at = |hour: &i64| start.checked_add(hour.hours().minutes(7)).unwrap();
        let mut order = delivered(&vec!["2026-01-01"; hours.len()]);
        country.clone_into(&mut order.shipping_address.country_code);
        for (line, hour) in order.items.iter_mut().zip(&hours) {
            line.delivered_date = Some(at(hour));
        }
        let zone = zone_of(&order.shipping_address);
        let last = hours.iter().map(|hour| zone.to_datetime(at(hour)).date()).max().unwrap();

        let found = withdrawal_period(&order, &WithdrawalTerms::default());

        prop_assert_eq!(found.delivered_on, Some(last));
        let last_day = working(last.checked_add(14.days()).unwrap());
        prop_assert_eq!(found.last_day, Some(last_day));
        let end = found.ends_at.unwrap();
        let local = zone.to_datetime(end);
        prop_assert_eq!(local.date(), last_day.tomorrow().unwrap());
        prop_assert_eq!((local.hour(), local.minute()), (0, 0));
        let before = Timestamp::from_microsecond(end.as_microsecond() - 1).unwrap();
        prop_assert!(found.includes(before) && !found.includes(end));
        order.items.reverse();
        prop_assert_eq!(withdrawal_period(&order, &WithdrawalTerms::default()), found);
    }

    #[test]
    fn the_period_is_never_shorter_than_the_law_says(day in 0..4_000_i32) {
        let first = date(2026, 1, 1).checked_add(i64::from(day).days()).unwrap();
        let order = delivered(&[&first.to_string()]);
        let days = |terms: &WithdrawalTerms| {
            let last = withdrawal_period(&order, terms).last_day.unwrap();
            (last - first).get_days()
        };
        let (short, long) = (days(&informed(true)), days(&informed(false)));
        prop_assert!((14..=18).contains(&short), "{short} days from {first}");
        prop_assert!((14 + 364..=18 + 370).contains(&long), "{long} days from {first}");
        let end = withdrawal_period(&order, &informed(true)).ends_at.unwrap();
        let midnight = TimeZone::UTC.to_timestamp(first.at(0, 0, 0, 0)).unwrap();
        let elapsed = end.as_second() - midnight.as_second();
        prop_assert!(elapsed >= 15 * 86_400 - 2 * 3_600, "whole days: {elapsed}");
    }
}
