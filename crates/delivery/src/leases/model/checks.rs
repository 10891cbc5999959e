//! Every state is visited, and every broken variant is found out.

use std::collections::{BTreeSet, HashMap};

use stateright::{Checker, HasDiscoveries, Model};

use super::{
    state::{MESSAGES, State},
    steps::{Protocol, Variant},
};

#[test]
fn no_order_of_steps_loses_repeats_or_reorders_messages() {
    let protocol = Protocol { variant: Variant::Real, delivered: 0, checks_repeats: false };
    let checker = protocol.checker().spawn_bfs().join();
    println!("{} states", checker.unique_state_count());
    assert!(checker.is_done());
    checker.assert_properties();
}

/// With two messages of one lane. Three of them would have millions of states more.
#[test]
fn nothing_is_sent_twice_unless_an_answer_a_node_or_its_lease_was_lost() {
    let protocol = Protocol { variant: Variant::Real, delivered: 1, checks_repeats: true };
    let checker = protocol.checker().spawn_bfs().join();
    println!("{} states", checker.unique_state_count());
    assert!(checker.is_done());
    checker.assert_properties();
}

/// Whether the model finds a fault when the protocol is broken on purpose. Two messages of one lane
/// are mostly enough: the one of the other lane was delivered before.
fn finds_fault(variant: Variant, property: &'static str) -> bool {
    let needs_three = matches!(variant, Variant::IgnoreGaps | Variant::ForgetWhileOld);
    let checks_repeats = variant == Variant::DropEarly;
    let broken = Protocol { variant, delivered: u8::from(!needs_three), checks_repeats };
    let found = HasDiscoveries::AnyOf(BTreeSet::from([property]));
    let checker = broken.checker().finish_when(found).spawn_bfs().join();
    println!("{variant:?}: {} states", checker.unique_state_count());
    checker.discovery(property).is_some()
}

#[test]
fn a_lease_without_an_epoch_repeats_what_another_node_has_sent() {
    assert!(finds_fault(Variant::NoEpoch, "only heads repeat"));
}

#[test]
fn a_request_that_is_written_without_a_permit_may_come_too_late() {
    assert!(finds_fault(Variant::NoPermit, "only heads repeat"));
}

#[test]
fn a_lane_that_opens_before_its_outcome_is_stored_repeats_more_than_its_head() {
    assert!(finds_fault(Variant::OpenEarly, "only heads repeat"));
}

#[test]
fn an_outcome_that_is_stored_before_the_message_is_sent_loses_it() {
    assert!(finds_fault(Variant::StoreFirst, "no message is lost"));
}

#[test]
fn a_lease_that_is_taken_early_is_held_twice() {
    assert!(finds_fault(Variant::TakeEarly, "only heads repeat"));
}

#[test]
fn a_shard_that_is_released_early_is_sent_by_two_nodes() {
    assert!(finds_fault(Variant::ReleaseEarly, "only heads repeat"));
}

#[test]
fn a_gap_in_the_numbers_that_is_ignored_changes_the_order() {
    assert!(finds_fault(Variant::IgnoreGaps, "lanes stay in order"));
}

#[test]
fn a_message_that_comes_while_the_lease_is_old_must_not_be_forgotten() {
    assert!(finds_fault(Variant::ForgetWhileOld, "lanes stay in order"));
}

#[test]
fn a_queue_that_is_read_again_under_the_same_lease_is_sent_twice() {
    assert!(finds_fault(Variant::DropEarly, "nothing is sent twice"));
}

/// With two messages of one lane, which is enough for one to wait for the other.
#[test]
fn everything_can_be_delivered_whatever_has_happened() {
    let protocol = Protocol { variant: Variant::Real, delivered: 1, checks_repeats: false };
    let Graph { states, before } = explore(&protocol);
    let is_delivered =
        |state: &State| state.database.committed == MESSAGES && state.database.pending == 0;
    let mut reaches = vec![false; states.len()];
    let mut next: Vec<usize> =
        (0..states.len()).filter(|number| is_delivered(&states[*number])).collect();
    while let Some(number) = next.pop() {
        if !std::mem::replace(&mut reaches[number], true) {
            next.extend(&before[number]);
        }
    }
    println!("{} states", states.len());
    let stuck = reaches.iter().position(|reached| !reached);
    assert_eq!(stuck.map(|number| states[number]), None);
}

/// All states, and for each the states from which one step leads there.
struct Graph {
    states: Vec<State>,
    before: Vec<Vec<usize>>,
}

fn explore(protocol: &Protocol) -> Graph {
    let mut states = protocol.init_states();
    let mut before = vec![Vec::new()];
    let mut numbers: HashMap<State, usize> = states.iter().copied().zip(0..).collect();
    let mut actions = Vec::new();
    let mut number = 0;
    while let Some(state) = states.get(number).copied() {
        protocol.actions(&state, &mut actions);
        for next in actions.drain(..).filter_map(|action| protocol.next_state(&state, action)) {
            let place = *numbers.entry(next).or_insert(states.len());
            if place == states.len() {
                states.push(next);
                before.push(Vec::new());
            }
            before[place].push(number);
        }
        number += 1;
    }
    Graph { states, before }
}
