//! What happened to a return, in words for the shopper.

use domain::returns::{
    ReturnMethod,
    rma::{Receiving, Rma, Status, Tracking},
};

/// One step, and whether it is behind the shopper.
pub(super) struct Step {
    pub(super) words: &'static str,
    pub(super) done: bool,
}

/// The steps of a return, in their order.
pub(super) fn timeline(rma: &Rma) -> Vec<Step> {
    if rma.status == Status::Canceled {
        return vec![step("You started the return", true), step("The return was cancelled", true)];
    }
    let mut steps = vec![step("You started the return", true)];
    if rma.units.iter().any(domain::returns::rma::Unit::is_replaced) {
        let ordered = rma.units.iter().all(|unit| !unit.awaits_order());
        steps.push(step("Your exchange or gift card is ordered", ordered));
    }
    let reached = |least: &[Tracking]| {
        rma.units.iter().any(|unit| unit.tracking.is_some_and(|it| least.contains(&it)))
    };
    let on_its_way = [
        Tracking::Accepted,
        Tracking::Transit,
        Tracking::Delivered,
        Tracking::Returned,
        Tracking::Failure,
    ];
    match rma.return_method {
        ReturnMethod::CustomerKeep => (),
        ReturnMethod::MailBack => {
            let labelled = rma.units.iter().any(|unit| unit.tracking_number.is_some());
            steps.push(step("Your label is ready", labelled));
            steps.push(step("The parcel is on its way to us", reached(&on_its_way)));
        }
        ReturnMethod::ExpressReturns => {
            steps.push(step("You handed the goods over", reached(&on_its_way)));
        }
        ReturnMethod::HomePickup => {
            steps.push(step("The goods were collected", reached(&on_its_way)));
        }
    }
    if rma.managed_receiving && rma.return_method != ReturnMethod::CustomerKeep {
        let here = rma.units.iter().all(|unit| unit.receiving == Some(Receiving::Received));
        steps.push(step("The goods arrived", here));
    }
    steps.push(step("Everything is settled", rma.status == Status::Refunded));
    steps
}

fn step(words: &'static str, done: bool) -> Step {
    Step { words, done }
}
