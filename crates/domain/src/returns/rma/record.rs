//! A return, as it is stored.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::label::{Label, VoidReason};
use super::new_rma::NewRma;
use super::receiving::ReceivingStatus;
use super::status::RmaStatus;
use super::tracking::TrackingStatus;
use super::unit::{ReportedRefund, RmaUnit, WrongItem, is_zero};
use crate::merchants::language::Language;
use crate::returns::identifier::RmaId;
use crate::returns::request::{is_one_parcel, one_parcel};
use crate::returns::{Resolution, ReturnMethod};
use crate::withdrawal::identifier::WithdrawalId;

/// A return in its current state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rma {
    pub rma_identifier: RmaId,
    pub status: RmaStatus,
    /// When the shopper confirmed the return.
    #[schema(example = "2026-02-20T10:15:00Z")]
    pub created_at: Timestamp,
    /// When the return last changed.
    #[schema(example = "2026-02-23T07:41:12Z")]
    pub updated_at: Timestamp,
    pub return_method: ReturnMethod,
    /// What the return shipping costs, in minor units of the currency.
    #[schema(example = 0, minimum = 0)]
    pub return_shipping_cost_cents: i64,
    /// What the merchant deducts from the refund for handling the return.
    #[schema(example = 0, minimum = 0)]
    pub fee_cents: i64,
    /// Of the fee: what gift cards pay. It stays on them when an exchange becomes a refund. Returns
    /// of older versions do not have it.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(ignore)]
    pub gift_card_fee_cents: i64,
    /// Bonus credit for taking a gift card or an exchange. It is not a refund.
    #[schema(example = 0, minimum = 0)]
    pub bonus_credit_amount_cents: i64,
    /// The shipping charge that is refunded with the return.
    #[serde(default)]
    #[schema(example = 0, minimum = 0)]
    pub shipping_refund_cents: i64,
    /// The e-mail address of the recipient of a gift. If present, the refund is a gift card.
    #[schema(example = "robin.ames@example.com")]
    pub giftee_email: Option<String>,
    /// The shopper's e-mail address. A gift may be returned without it.
    #[schema(example = "dana.whitfield@example.com")]
    pub email: Option<String>,
    /// The shopper's language, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// How many parcels the shopper sends the goods in. Their order says in which: the units are
    /// spread evenly over the parcels.
    #[serde(default = "one_parcel", skip_serializing_if = "is_one_parcel")]
    #[schema(required = false, example = 1, minimum = 1)]
    pub parcel_count: i64,
    /// The brand or storefront that sold the goods.
    #[schema(example = "Harbor & Pine")]
    pub concept: Option<String>,
    /// ISO 4217 code of all amounts.
    #[schema(example = "USD")]
    pub currency: String,
    /// The version of the merchant's policy that applies to the return.
    #[schema(example = 3)]
    pub policy_version: i64,
    /// Whether our warehouse receives the goods.
    pub managed_receiving: bool,
    /// Whether no more units are expected: each was received, rejected, or given up, or none was
    /// ever expected.
    pub receiving_complete: bool,
    /// A difference between a refund and the promise that the merchant accepts in advance.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(ignore)]
    pub refund_tolerance_cents: i64,
    /// Whether messages about the return have `extensions`.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schema(ignore)]
    pub message_extensions: bool,
    /// The withdrawal from the contract that started the return, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawal_identifier: Option<WithdrawalId>,
    /// How many messages about the return were enqueued: the sequence of the last one.
    #[schema(example = 4, minimum = 1)]
    pub messages_sent: i64,
    /// What opens the page of the label, together with the identifier: it cannot be guessed, and is
    /// not printed on the parcel. Empty: the page cannot be opened.
    #[serde(default)]
    #[schema(ignore)]
    pub label_key: String,
    /// Which labels are valid or awaited: those of this request, counted from 1.
    #[serde(default = "first_generation", skip_serializing_if = "is_first_generation")]
    #[schema(required = false, example = 1, minimum = 1)]
    pub label_generation: i64,
    /// The labels that the carrier issued, also those that are void.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub labels: Vec<Label>,
    /// The units that are returned: at least one.
    pub units: Vec<RmaUnit>,
    /// What the merchant reported as paid, in the order of the reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub refunds: Vec<ReportedRefund>,
    /// What was in its parcels and does not belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub wrong_items: Vec<WrongItem>,
}

/// Whether the label of a return can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelState {
    Usable,
    Canceled,
    /// The carrier or the warehouse has all parcels.
    Used,
    Expired,
}

/// How many days a label is valid, counted from the start of its return.
pub const LABEL_DAYS: i64 = 60;

impl Rma {
    /// Starts a return. Its first message is due immediately.
    ///
    /// Nothing is in transit yet. Goods are expected if we receive them for the merchant, unless
    /// the shopper keeps them.
    pub fn open(new: NewRma, now: Timestamp) -> Self {
        let expected = new.managed_receiving && is_transported(new.return_method);
        let receiving = expected.then_some(ReceivingStatus::Pending);
        let mut rma = Self {
            rma_identifier: new.rma_identifier,
            status: RmaStatus::Created,
            created_at: now,
            updated_at: now,
            return_method: new.return_method,
            return_shipping_cost_cents: new.amounts.return_shipping_cost_cents,
            fee_cents: new.amounts.fee_cents,
            gift_card_fee_cents: new.amounts.gift_card_fee_cents,
            bonus_credit_amount_cents: new.amounts.bonus_credit_amount_cents,
            shipping_refund_cents: new.amounts.shipping_refund_cents,
            giftee_email: new.giftee_email,
            email: new.email,
            language: None,
            parcel_count: one_parcel(),
            concept: new.concept,
            currency: new.currency,
            policy_version: new.policy_version,
            managed_receiving: new.managed_receiving,
            receiving_complete: !expected,
            refund_tolerance_cents: new.refund_tolerance_cents,
            message_extensions: new.message_extensions,
            withdrawal_identifier: new.withdrawal_identifier,
            messages_sent: 1,
            label_key: String::new(),
            label_generation: first_generation(),
            labels: Vec::new(),
            units: new.goods.into_iter().map(|goods| RmaUnit::new(goods, receiving)).collect(),
            refunds: Vec::new(),
            wrong_items: Vec::new(),
        };
        rma.status = rma.derive_status();
        rma
    }

    /// The status that follows from the units, unless the return was canceled.
    pub(super) fn derive_status(&self) -> RmaStatus {
        if self.status == RmaStatus::Canceled {
            return RmaStatus::Canceled;
        }
        RmaStatus::of(&self.units)
    }

    /// Which parcel the unit at this position travels in, from 1.
    pub fn parcel_of(&self, position: usize) -> i64 {
        let count = usize::try_from(self.parcel_count).unwrap_or(1);
        let before = position.saturating_mul(count) / self.units.len().max(1);
        i64::try_from(before).unwrap_or_default().saturating_add(1)
    }

    /// The return as far as it travels in one parcel.
    #[must_use]
    pub fn only_parcel(&self, parcel: i64) -> Self {
        let units = self.units.iter().enumerate();
        let its = units.filter(|(position, _)| self.parcel_of(*position) == parcel);
        let units = its.map(|(_, unit)| unit.clone()).collect();
        Self { units, parcel_count: one_parcel(), ..self.clone() }
    }

    /// The parcels with units that have no label.
    pub fn parcels_without_label(&self) -> Vec<i64> {
        let lacks_label = |parcel: &i64| {
            let mut units = self.units.iter().enumerate();
            units.any(|(position, unit)| {
                unit.tracking_number.is_none() && self.parcel_of(position) == *parcel
            })
        };
        (1..=self.parcel_count).filter(lacks_label).collect()
    }

    /// Whether the warehouse expects no more units. If it receives none of them, this is what it
    /// was at the start: returns of older versions have false, and an event must not change what
    /// applying it again results in.
    pub(super) fn derive_receiving_complete(&self) -> bool {
        let expected = |unit: &RmaUnit| unit.receiving == Some(ReceivingStatus::Pending);
        if self.units.iter().all(|unit| unit.receiving.is_none()) {
            return self.receiving_complete;
        }
        !self.units.iter().any(expected)
    }

    /// When something that happens `now` happens to the return: after everything before it, so
    /// that a time names one state.
    pub fn next_change_at(&self, now: Timestamp) -> Timestamp {
        let soonest = self.updated_at.checked_add(SignedDuration::from_micros(1));
        now.max(soonest.unwrap_or(self.updated_at))
    }

    /// Counts a change, about which a message is due. If the clock was set back, the return keeps
    /// its later time.
    pub(super) fn count_change(&mut self, now: Timestamp) {
        self.updated_at = now.max(self.updated_at);
        self.messages_sent = self.messages_sent.saturating_add(1);
    }

    /// Whether something is promised for a unit of the return.
    pub fn owes_for(&self, unit: &RmaUnit) -> bool {
        self.status != RmaStatus::Canceled && !unit.is_lapsed()
    }

    /// The order whose gift card has the bonus, and pays what the refund does not of the fee: the
    /// first one with a gift card.
    pub fn first_gift_card(&self) -> Option<&str> {
        let cards = self.units.iter().filter(|it| it.goods.resolution == Resolution::GiftCard);
        cards.map(|unit| unit.goods.order_identifier.as_str()).min()
    }

    /// The order whose address the goods are sent from: that of the first unit. The orders of a
    /// return may have been sent to several addresses.
    pub fn sender_order(&self) -> &str {
        self.units.first().map_or("", |unit| unit.goods.order_identifier.as_str())
    }

    /// The last part of the address of the label's page: the identifier and the key.
    pub fn label_name(&self) -> String {
        format!("{}-{}", self.rma_identifier, self.label_key)
    }

    /// Whether the label can be shown. It has a name and an address, so that it is shown only as
    /// long as the shopper needs it.
    pub fn label_state(&self, now: Timestamp) -> LabelState {
        if self.status == RmaStatus::Canceled {
            LabelState::Canceled
        } else if self.is_handed_over() {
            LabelState::Used
        } else if now > self.labels_expire_at() {
            LabelState::Expired
        } else {
            LabelState::Usable
        }
    }

    /// Whether the carrier or the warehouse has all parcels. Units with the same tracking number
    /// travel together; if one of two units has none, their order says whether they do.
    fn is_handed_over(&self) -> bool {
        let (mut numbers, mut parcels) = (BTreeSet::new(), BTreeSet::new());
        let mut parcels_without_number = BTreeSet::new();
        for (position, unit) in self.units.iter().enumerate().filter(|(_, unit)| is_gone(unit)) {
            let parcel = self.parcel_of(position);
            parcels.insert(parcel);
            match &unit.tracking_number {
                Some(number) => numbers.insert(number),
                None => parcels_without_number.insert(parcel),
            };
        }
        self.units.iter().enumerate().all(|(position, unit)| {
            let parcel = self.parcel_of(position);
            match &unit.tracking_number {
                Some(number) => {
                    numbers.contains(number) || parcels_without_number.contains(&parcel)
                }
                None => parcels.contains(&parcel),
            }
        })
    }

    /// Whether the parcel with this tracking number is still with the shopper.
    pub fn awaits_hand_over(&self, tracking_number: &str) -> bool {
        let mut units = self.units.iter();
        !units.any(|it| it.tracking_number.as_deref() == Some(tracking_number) && is_gone(it))
    }

    /// The valid labels whose parcels are still with the shopper.
    pub fn open_labels(&self) -> impl Iterator<Item = &Label> {
        self.valid_labels().filter(|label| self.awaits_hand_over(&label.tracking_number))
    }

    /// The labels that can be used, as far as they were not used already.
    pub fn valid_labels(&self) -> impl Iterator<Item = &Label> {
        self.labels.iter().filter(|label| label.void.is_none())
    }

    /// When the first valid label expires. Carriers that say nothing about it get some time from
    /// the start of the return, or of the last request.
    pub fn labels_expire_at(&self) -> Timestamp {
        let told = self.valid_labels().filter_map(|label| label.details.expires_at).min();
        let renewed = self.labels.iter().filter_map(|label| Some(label.void.as_ref()?.at)).max();
        told.unwrap_or_else(|| usual_expiry(renewed.unwrap_or(self.created_at)))
    }

    /// Whether its carrier is asked for another label after it canceled one. Labels cost money:
    /// there is none for goods that have arrived, were refunded or are no longer awaited, and none
    /// for a shopper who let a label expire. What replaces goods may be sent before they are.
    pub fn needs_another_label(&self, now: Timestamp) -> bool {
        let is_awaited = |unit: &RmaUnit| {
            let is_given_up = unit.receiving == Some(ReceivingStatus::NotReceived);
            let lacks_label = unit.tracking_number.is_none();
            lacks_label && unit.receipt.is_none() && unit.refund.is_none() && !is_given_up
        };
        let voids = self.labels.iter().filter_map(|label| Some((label, label.void.as_ref()?)));
        let by_request = voids.clone().filter(|(_, void)| void.reason != VoidReason::Carrier);
        let asked_at = by_request.map(|(_, void)| void.at).max().unwrap_or(self.created_at);
        let last = voids.max_by_key(|(_, void)| void.at);
        let had_expired = last.is_some_and(|(label, void)| {
            label.details.expires_at.is_some_and(|expires_at| expires_at < void.at)
        });
        let is_in_time = !had_expired && now <= usual_expiry(asked_at);
        self.status != RmaStatus::Canceled && is_in_time && self.units.iter().any(is_awaited)
    }

    /// Whether the shopper gets a gift card, because the goods were a gift.
    pub fn gift_refund_only(&self) -> bool {
        self.giftee_email.is_some()
    }
}

/// When a label expires that was requested at this time, unless the carrier says otherwise.
fn usual_expiry(requested_at: Timestamp) -> Timestamp {
    let lifetime = SignedDuration::from_hours(LABEL_DAYS * 24);
    requested_at.checked_add(lifetime).unwrap_or(Timestamp::MAX)
}

/// Whether the carrier or the warehouse has the unit.
fn is_gone(unit: &RmaUnit) -> bool {
    unit.tracking.is_some_and(TrackingStatus::is_handed_over) || unit.receipt.is_some()
}

const fn first_generation() -> i64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first_generation(generation: &i64) -> bool {
    *generation == first_generation()
}

/// Settings that are off are not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(setting: &bool) -> bool {
    !*setting
}

/// Whether goods are sent back at all.
pub(super) const fn is_transported(method: ReturnMethod) -> bool {
    match method {
        ReturnMethod::MailBack | ReturnMethod::ExpressReturns | ReturnMethod::HomePickup => true,
        ReturnMethod::CustomerKeep => false,
    }
}
