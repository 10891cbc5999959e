//! Rules about what a receiver keeps, which it must say itself.

use domain::messages::{
    certificate::CertifyRule,
    kind::MessageKind,
    reconciliation::{ENTRIES_MAX, EntryReader, HeldEntry, HeldState},
};

use super::{
    Check,
    bodies::{compact, sample},
};
use crate::sender::probe::Probe;

impl Check<'_> {
    /// Sends an older message after a newer one, and one about something else, and asks what is
    /// held.
    pub(super) async fn check_held(&mut self) {
        let Some(url) = self.caller.target.held_url.clone() else {
            return self.skip_held("it is not known where the receiver lists what it holds");
        };
        let (kind, caller) = (MessageKind::Rma, &self.caller);
        let (changed, single) = (caller.new_reference(), caller.new_reference());
        let about = |reference: &str| caller.probe(compact(&sample(kind, reference)));
        let newer = Probe { sequence: 2, ..about(&changed) };
        let mut answers = Vec::new();
        for probe in [&newer, &about(&changed), &about(&single)] {
            answers.push(caller.send(kind, probe).await);
        }
        let held = match caller.ask_held(&url).await {
            Ok(held) => held,
            Err(refused) => return self.skip_held(&format!("{url} is not called: {refused}")),
        };
        let entries = read_held(held.body());
        let find = |reference: &str| {
            entries.iter().find(|it| it.kind == kind && &*it.reference == reference)
        };
        let holds = find(&changed).is_some() && find(&single).is_some();
        let is_newest = find(&changed).is_none_or(|it| it.state == HeldState::Sequence(2));
        answers.push(held);
        let faults = |failed: bool| if failed { answers.iter().collect() } else { Vec::new() };
        self.decide(CertifyRule::HoldsEverything, faults(!holds), &answers);
        self.decide(CertifyRule::KeepsNewest, faults(!is_newest), &answers);
    }

    fn skip_held(&mut self, why: &str) {
        for rule in [CertifyRule::HoldsEverything, CertifyRule::KeepsNewest] {
            self.skip(rule, why);
        }
    }
}

fn read_held(body: &[u8]) -> Vec<HeldEntry> {
    let mut reader = EntryReader::new(ENTRIES_MAX);
    match reader.push(body) {
        Ok(()) => reader.finish().unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}
