//! Which behavior applies to the next call.
//!
//! Behaviors with a count are in a queue, and a call uses the first that applies to it. Otherwise
//! the lasting behavior of its kind applies, and otherwise the lasting one of all kinds. Every call
//! that uses a behavior decreases its count, also a call that `fail_percent` spares.

use std::collections::VecDeque;

use domain::{messages::kind::MessageKind, random::SeededRandom};

use crate::behavior::{Behavior, BehaviorError};

const COUNTED_MAX: usize = 1_000;

pub(crate) struct Script {
    counted: VecDeque<Behavior>,
    /// At most one for each kind, and one for all.
    lasting: Vec<Behavior>,
    random: SeededRandom,
}

impl Script {
    pub(crate) fn new(seed: u64) -> Self {
        Self { counted: VecDeque::new(), lasting: Vec::new(), random: SeededRandom::new(seed) }
    }

    /// Adds each of `behaviors` to the queue, or replaces the lasting one for the same calls. Adds
    /// none if there is no room for all.
    pub(crate) fn add(&mut self, behaviors: &[Behavior]) -> Result<(), BehaviorError> {
        let counted = behaviors.iter().filter(|behavior| behavior.count.is_some()).count();
        if self.counted.len().saturating_add(counted) > COUNTED_MAX {
            return Err(BehaviorError::TooMany);
        }
        for &behavior in behaviors {
            if behavior.count.is_some() {
                self.counted.push_back(behavior);
                continue;
            }
            self.lasting.retain(|lasting| lasting.kind != behavior.kind);
            if behavior.kind.is_some() || !behavior.is_normal() {
                self.lasting.push(behavior);
            }
        }
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.counted.clear();
        self.lasting.clear();
    }

    /// All behaviors, in the order in which they are considered.
    pub(crate) fn behaviors(&self) -> Vec<Behavior> {
        let (of_a_kind, of_all): (Vec<_>, Vec<_>) =
            self.lasting.iter().partition(|behavior| behavior.kind.is_some());
        self.counted.iter().copied().chain(of_a_kind).chain(of_all).collect()
    }

    /// The behavior for a call of `kind`. Decreases its count.
    pub(crate) fn next(&mut self, kind: MessageKind) -> Behavior {
        let behavior = self.take_counted(kind).or_else(|| self.find_lasting(kind));
        let behavior = behavior.unwrap_or(Behavior::NORMAL);
        match behavior.fail_percent {
            Some(percent) if !self.random.percent(u64::from(percent)) => Behavior::NORMAL,
            Some(_) | None => behavior,
        }
    }

    fn take_counted(&mut self, kind: MessageKind) -> Option<Behavior> {
        let position = self.counted.iter().position(|behavior| applies_to(behavior, kind))?;
        let behavior = self.counted.get_mut(position)?;
        let current = *behavior;
        behavior.count = current.count.map(|count| count.saturating_sub(1));
        if behavior.count == Some(0) {
            self.counted.remove(position);
        }
        Some(current)
    }

    fn find_lasting(&self, kind: MessageKind) -> Option<Behavior> {
        let of = |kind| self.lasting.iter().find(|behavior| behavior.kind == kind).copied();
        of(Some(kind)).or_else(|| of(None))
    }
}

fn applies_to(behavior: &Behavior, kind: MessageKind) -> bool {
    behavior.kind.is_none_or(|only| only == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses(script: &mut Script, kinds: &[MessageKind]) -> Vec<Option<u16>> {
        kinds.iter().map(|&kind| script.next(kind).status).collect()
    }

    #[test]
    fn counted_behavior_comes_before_the_kind_and_the_kind_before_all() {
        let mut script = Script::new(1);
        script.add(&[Behavior::status(500)]).unwrap();
        script.add(&[Behavior::status(502).of(MessageKind::Rma)]).unwrap();
        script.add(&[Behavior::status(503).times(1)]).unwrap();
        script.add(&[Behavior::status(504).of(MessageKind::Rma).times(2)]).unwrap();
        let calls = [
            MessageKind::OutboundAsn,
            MessageKind::Rma,
            MessageKind::Rma,
            MessageKind::Rma,
            MessageKind::OutboundAsn,
        ];
        assert_eq!(
            statuses(&mut script, &calls),
            [Some(503), Some(504), Some(504), Some(502), Some(500)]
        );
    }

    #[test]
    fn a_kind_can_be_normal_while_the_others_are_not() {
        let mut script = Script::new(1);
        script.add(&[Behavior::status(500)]).unwrap();
        script.add(&[Behavior::NORMAL.of(MessageKind::Rma)]).unwrap();
        assert_eq!(
            statuses(&mut script, &[MessageKind::Rma, MessageKind::OutboundAsn]),
            [None, Some(500)]
        );
        script.add(&[Behavior::NORMAL]).unwrap();
        assert_eq!(statuses(&mut script, &[MessageKind::OutboundAsn]), [None]);
    }

    #[test]
    fn failures_are_random_and_the_same_for_the_same_seed() {
        let draw = |seed| {
            let mut script = Script::new(seed);
            script.add(&[Behavior { fail_percent: Some(30), ..Behavior::NORMAL }]).unwrap();
            let calls: Vec<_> = (0..10_000)
                .map(|_| script.next(MessageKind::Rma).effective_status().is_some())
                .collect();
            calls
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let failed = draw(7).into_iter().filter(|failed| *failed).count();
        assert!((2_800..3_200).contains(&failed), "{failed}");
    }

    #[test]
    fn the_queue_is_limited() {
        let mut script = Script::new(1);
        for _ in 0..COUNTED_MAX {
            script.add(&[Behavior::status(500).times(1)]).unwrap();
        }
        assert_eq!(script.add(&[Behavior::status(500).times(1)]), Err(BehaviorError::TooMany));
    }
}
