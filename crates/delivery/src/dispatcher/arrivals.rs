//! Messages that were just committed, in the order of their numbers.
//!
//! Commits end side by side, so a message may come here a moment before an earlier one of its
//! merchant. To read the store then would cost more than to wait: it returns everything that is on
//! its way here, too. So an early message is kept for a short time. If the earlier one does not
//! come, because another node has committed it or because it was read already, the store is read
//! after all.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    time::{Duration, Instant},
};

use domain::identifier::MerchantId;
use store::PendingMessage;

/// Longer than two commits at the same time differ.
const KEPT_FOR: Duration = Duration::from_millis(10);
/// Early messages of a merchant, and bytes of all of them.
const KEPT_MAX: usize = 256;
const KEPT_BYTES_MAX: usize = 4 << 20;

#[derive(Default)]
pub(super) struct Arrivals {
    merchants: HashMap<MerchantId, Sequence>,
    /// Since when merchants wait for a message, in this order. Some have it by now.
    waiting: VecDeque<(Instant, MerchantId)>,
    kept_bytes: usize,
}

#[derive(Default)]
struct Sequence {
    /// The last message that has arrived without a gap before it, or that was given up.
    last: i64,
    early: BTreeMap<i64, PendingMessage>,
    since: Option<Instant>,
}

pub(super) enum Arrival {
    /// It directly follows the last one. Others may follow it: [`Arrivals::next_kept`].
    InOrder(PendingMessage),
    /// It is kept.
    Early,
    /// Earlier messages are missing, and these no longer wait for them.
    BehindGap(Vec<PendingMessage>),
}

impl Arrivals {
    pub(super) fn add(&mut self, message: PendingMessage) -> Arrival {
        let Some(sequence) = self.merchants.get_mut(&message.merchant) else {
            let sequence = Sequence { last: message.message_id, ..Sequence::default() };
            self.merchants.insert(message.merchant.clone(), sequence);
            return Arrival::BehindGap(vec![message]);
        };
        if message.message_id == sequence.last + 1 {
            sequence.last = message.message_id;
            return Arrival::InOrder(message);
        }
        if message.message_id <= sequence.last {
            return Arrival::BehindGap(vec![message]);
        }
        if sequence.early.len() >= KEPT_MAX || self.kept_bytes + message.body.len() > KEPT_BYTES_MAX
        {
            let merchant = message.merchant.clone();
            let mut messages = self.give_up(&merchant);
            if let Some(sequence) = self.merchants.get_mut(&merchant) {
                sequence.last = sequence.last.max(message.message_id);
            }
            messages.push(message);
            return Arrival::BehindGap(messages);
        }
        self.kept_bytes += message.body.len();
        if sequence.since.is_none() {
            let now = Instant::now();
            sequence.since = Some(now);
            self.waiting.push_back((now, message.merchant.clone()));
        }
        sequence.early.insert(message.message_id, message);
        Arrival::Early
    }

    /// Whether any message is kept.
    pub(super) fn is_keeping(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A kept message that directly follows the last one of its merchant.
    pub(super) fn next_kept(&mut self, merchant: &MerchantId) -> Option<PendingMessage> {
        let sequence = self.merchants.get_mut(merchant)?;
        let message = sequence.early.remove(&(sequence.last + 1))?;
        sequence.last = message.message_id;
        if sequence.early.is_empty() {
            sequence.since = None;
        }
        self.kept_bytes -= message.body.len();
        Some(message)
    }

    /// The kept messages of a merchant, which wait for no others any more.
    pub(super) fn give_up(&mut self, merchant: &MerchantId) -> Vec<PendingMessage> {
        let Some(sequence) = self.merchants.get_mut(merchant) else { return Vec::new() };
        sequence.since = None;
        let early = std::mem::take(&mut sequence.early);
        if let Some((last, _)) = early.last_key_value() {
            sequence.last = sequence.last.max(*last);
        }
        let messages: Vec<PendingMessage> = early.into_values().collect();
        self.kept_bytes -= messages.iter().map(|it| it.body.len()).sum::<usize>();
        messages
    }

    /// The messages that were kept long enough.
    pub(super) fn give_up_overdue(&mut self) -> Vec<PendingMessage> {
        let mut overdue = Vec::new();
        while self.wait().is_some_and(|wait| wait.is_zero())
            && let Some((since, merchant)) = self.waiting.pop_front()
        {
            let sequence = self.merchants.get(&merchant);
            if sequence.is_some_and(|sequence| sequence.since == Some(since)) {
                overdue.extend(self.give_up(&merchant));
            }
        }
        overdue
    }

    /// How long the first merchant waits yet, if one does.
    pub(super) fn wait(&self) -> Option<Duration> {
        let (since, _) = self.waiting.front()?;
        Some(KEPT_FOR.saturating_sub(since.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use domain::messages::kind::MessageKind;

    use super::*;

    fn acme() -> MerchantId {
        MerchantId::parse("acme").unwrap()
    }

    fn message(message_id: i64, bytes: usize) -> PendingMessage {
        PendingMessage {
            merchant: acme(),
            message_id,
            kind: MessageKind::Rma,
            lane: 1,
            cycle: 1,
            attempts: 0,
            due_us: 0,
            sequence: 1,
            created_us: 0,
            replay: false,
            body: Bytes::from(vec![0; bytes]),
        }
    }

    fn numbers(messages: &[PendingMessage]) -> Vec<i64> {
        messages.iter().map(|it| it.message_id).collect()
    }

    /// What a message is followed by, and whether it came behind a gap.
    fn add(arrivals: &mut Arrivals, message: PendingMessage) -> (Vec<i64>, bool) {
        match arrivals.add(message) {
            Arrival::InOrder(first) => {
                let mut messages = vec![first];
                messages.extend(std::iter::from_fn(|| arrivals.next_kept(&acme())));
                (numbers(&messages), false)
            }
            Arrival::Early => (Vec::new(), false),
            Arrival::BehindGap(messages) => (numbers(&messages), true),
        }
    }

    #[test]
    fn early_messages_follow_the_one_that_they_wait_for() {
        let mut arrivals = Arrivals::default();
        let arrived = [7, 8, 10, 12, 9, 11].map(|it| add(&mut arrivals, message(it, 1)));

        let none = (vec![], false);
        let followed = [(vec![9, 10], false), (vec![11, 12], false)];
        assert_eq!(arrived[0], (vec![7], true), "nothing is known of earlier ones");
        assert_eq!(arrived[1], (vec![8], false));
        assert_eq!(arrived[2..4], [none.clone(), none]);
        assert_eq!(arrived[4..], followed);
        assert_eq!(arrivals.kept_bytes, 0);
    }

    #[test]
    fn a_message_that_does_not_come_is_given_up() {
        let mut arrivals = Arrivals::default();
        for number in [1, 3, 4] {
            add(&mut arrivals, message(number, 1));
        }
        assert!(arrivals.give_up_overdue().is_empty());
        std::thread::sleep(arrivals.wait().unwrap());
        assert_eq!(numbers(&arrivals.give_up_overdue()), [3, 4]);

        assert!(!arrivals.is_keeping());
        assert_eq!(add(&mut arrivals, message(5, 1)), (vec![5], false));
        assert_eq!(add(&mut arrivals, message(2, 1)), (vec![2], true), "it may not be read yet");
    }

    #[test]
    fn a_merchant_that_has_its_message_waits_anew_for_the_next() {
        let mut arrivals = Arrivals::default();
        for number in [1, 3, 2, 5] {
            add(&mut arrivals, message(number, 1));
        }
        assert_eq!(arrivals.waiting.len(), 2);
        std::thread::sleep(KEPT_FOR);
        assert_eq!(numbers(&arrivals.give_up_overdue()), [5]);
        assert_eq!(arrivals.wait(), None);
    }

    #[test]
    fn few_messages_and_bytes_are_kept() {
        let mut arrivals = Arrivals::default();
        add(&mut arrivals, message(1, 1));
        let last = 3 + i64::try_from(KEPT_MAX).unwrap();
        for number in 3..last {
            assert_eq!(add(&mut arrivals, message(number, 1)), (vec![], false));
        }
        assert_eq!(add(&mut arrivals, message(last, 1)), ((3..=last).collect(), true));
        assert_eq!(arrivals.kept_bytes, 0);

        let large = message(last + 2, KEPT_BYTES_MAX + 1);
        assert_eq!(add(&mut arrivals, large), (vec![last + 2], true));
        assert_eq!(add(&mut arrivals, message(last + 3, 1)), (vec![last + 3], false));
    }
}
