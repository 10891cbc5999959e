//! Which behaviour meets the next call.
//!
//! Behaviours with a count stand in a queue, and a call takes the first that is meant for it.
//! Without one, the lasting behaviour of its kind applies, and else the lasting one of all
//! kinds. A count goes down with every call that meets the behaviour, also when chance spares
//! the call.

use std::collections::VecDeque;

use domain::{messages::kind::MessageKind, random::SeededRandom};

use crate::behavior::{Behaviour, BehaviourError};

const COUNTED_MAX: usize = 1_000;

pub(crate) struct Script {
    counted: VecDeque<Behaviour>,
    /// At most one for each kind, and one for all.
    lasting: Vec<Behaviour>,
    random: SeededRandom,
}

impl Script {
    pub(crate) fn new(seed: u64) -> Self {
        Self { counted: VecDeque::new(), lasting: Vec::new(), random: SeededRandom::new(seed) }
    }

    /// Puts each of `behaviours` in the queue, or in the place of the lasting one for the same
    /// calls; none if there is no room for all.
    pub(crate) fn add(&mut self, behaviours: &[Behaviour]) -> Result<(), BehaviourError> {
        let counted = behaviours.iter().filter(|behaviour| behaviour.count.is_some()).count();
        if self.counted.len().saturating_add(counted) > COUNTED_MAX {
            return Err(BehaviourError::TooMany);
        }
        for &behaviour in behaviours {
            if behaviour.count.is_some() {
                self.counted.push_back(behaviour);
                continue;
            }
            self.lasting.retain(|lasting| lasting.kind != behaviour.kind);
            if behaviour.kind.is_some() || !behaviour.is_normal() {
                self.lasting.push(behaviour);
            }
        }
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.counted.clear();
        self.lasting.clear();
    }

    /// All that is in force, in the order in which it is looked at.
    pub(crate) fn behaviours(&self) -> Vec<Behaviour> {
        let (of_a_kind, of_all): (Vec<_>, Vec<_>) =
            self.lasting.iter().partition(|behaviour| behaviour.kind.is_some());
        self.counted.iter().copied().chain(of_a_kind).chain(of_all).collect()
    }

    /// The behaviour for a call of `kind` that has just come.
    pub(crate) fn next(&mut self, kind: MessageKind) -> Behaviour {
        let behaviour = self.counted_for(kind).or_else(|| self.lasting_for(kind));
        let behaviour = behaviour.unwrap_or(Behaviour::NORMAL);
        match behaviour.fail_percent {
            Some(percent) if !self.random.percent(u64::from(percent)) => Behaviour::NORMAL,
            Some(_) | None => behaviour,
        }
    }

    fn counted_for(&mut self, kind: MessageKind) -> Option<Behaviour> {
        let position = self.counted.iter().position(|behaviour| meant_for(behaviour, kind))?;
        let behaviour = self.counted.get_mut(position)?;
        let found = *behaviour;
        behaviour.count = found.count.map(|count| count.saturating_sub(1));
        if behaviour.count == Some(0) {
            self.counted.remove(position);
        }
        Some(found)
    }

    fn lasting_for(&self, kind: MessageKind) -> Option<Behaviour> {
        let of = |kind| self.lasting.iter().find(|behaviour| behaviour.kind == kind).copied();
        of(Some(kind)).or_else(|| of(None))
    }
}

fn meant_for(behaviour: &Behaviour, kind: MessageKind) -> bool {
    behaviour.kind.is_none_or(|meant| meant == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statuses(script: &mut Script, kinds: &[MessageKind]) -> Vec<Option<u16>> {
        kinds.iter().map(|&kind| script.next(kind).status).collect()
    }

    #[test]
    fn counted_comes_before_the_kind_and_the_kind_before_all() {
        let mut script = Script::new(1);
        script.add(&[Behaviour::status(500)]).unwrap();
        script.add(&[Behaviour::status(502).of(MessageKind::Rma)]).unwrap();
        script.add(&[Behaviour::status(503).times(1)]).unwrap();
        script.add(&[Behaviour::status(504).of(MessageKind::Rma).times(2)]).unwrap();
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
        script.add(&[Behaviour::status(500)]).unwrap();
        script.add(&[Behaviour::NORMAL.of(MessageKind::Rma)]).unwrap();
        assert_eq!(
            statuses(&mut script, &[MessageKind::Rma, MessageKind::OutboundAsn]),
            [None, Some(500)]
        );
        script.add(&[Behaviour::NORMAL]).unwrap();
        assert_eq!(statuses(&mut script, &[MessageKind::OutboundAsn]), [None]);
    }

    #[test]
    fn chance_is_fair_and_the_same_for_the_same_seed() {
        let draw = |seed| {
            let mut script = Script::new(seed);
            script.add(&[Behaviour { fail_percent: Some(30), ..Behaviour::NORMAL }]).unwrap();
            let calls: Vec<_> = (0..10_000)
                .map(|_| script.next(MessageKind::Rma).told_status().is_some())
                .collect();
            calls
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let failed = draw(7).into_iter().filter(|failed| *failed).count();
        assert!((2_800..3_200).contains(&failed), "{failed}");
    }

    #[test]
    fn the_queue_has_an_end() {
        let mut script = Script::new(1);
        for _ in 0..COUNTED_MAX {
            script.add(&[Behaviour::status(500).times(1)]).unwrap();
        }
        assert_eq!(script.add(&[Behaviour::status(500).times(1)]), Err(BehaviourError::TooMany));
    }
}
