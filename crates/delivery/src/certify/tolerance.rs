//! Calls that must be accepted, although they are unusual.

use domain::messages::{certificate::CertifyRule, kind::MessageKind};
use futures_util::future::join_all;

use super::{
    Check,
    bodies::{
        compact, repeat_units, spaced, with_scripts, with_unknown_field, with_unknown_values,
    },
};
use crate::sender::probe::Probe;

/// Units of a large return.
const MANY_UNITS: usize = 400;
const LARGE_BODY_BYTES: usize = 1024 * 1024;
/// Messages that are sent at the same time.
const CONCURRENT: usize = 16;

impl Check<'_> {
    pub(super) async fn check_tolerance(&mut self, kind: MessageKind) {
        let body = spaced(&self.caller.sample(kind));
        self.expect_success(CertifyRule::VerifiesExactBytes, kind, body).await;
        self.check_rotation(kind).await;
        self.check_repeats(kind).await;

        let caller = &self.caller;
        let probes: Vec<Probe> = (0..CONCURRENT).map(|_| caller.sample_probe(kind)).collect();
        let answers = join_all(probes.iter().map(|probe| caller.send(kind, probe))).await;
        self.decide_success(CertifyRule::AcceptsConcurrentCalls, &answers);

        let body = compact(&with_unknown_field(self.caller.sample(kind)));
        self.expect_success(CertifyRule::AcceptsUnknownFields, kind, body).await;
    }

    /// Two signatures, as while a secret is rotated. The receiver has either of the secrets.
    async fn check_rotation(&mut self, kind: MessageKind) {
        let caller = &self.caller;
        let mut answers = Vec::new();
        for is_first in [true, false] {
            let probe = caller.sample_probe(kind);
            let right = probe.signature.clone().unwrap_or_default();
            let other = caller.sign_with_stranger(&probe);
            let both =
                if is_first { format!("{right} {other}") } else { format!("{other} {right}") };
            answers.push(caller.send(kind, &probe.with_signature(Some(both))).await);
        }
        self.decide_success(CertifyRule::AcceptsEitherSignature, &answers);
    }

    /// Messages that come again, and one whose earlier attempts were lost.
    async fn check_repeats(&mut self, kind: MessageKind) {
        let caller = &self.caller;
        let first = caller.sample_probe(kind);
        let again = Probe { attempt: 2, ..first.clone() };
        let repeats = [caller.send(kind, &first).await, caller.send(kind, &again).await];

        let first = caller.sample_probe(kind);
        let replay = Probe { replay: true, ..first.clone() };
        let replays = [caller.send(kind, &first).await, caller.send(kind, &replay).await];

        let late = Probe { attempt: 3, ..caller.sample_probe(kind) };
        let late = [caller.send(kind, &late).await];
        self.decide_success(CertifyRule::AcceptsRepeats, &repeats);
        self.decide_success(CertifyRule::AcceptsReplays, &replays);
        self.decide_success(CertifyRule::AcceptsLaterAttempts, &late);
    }

    /// Returns that are larger, or say more, than the usual ones.
    pub(super) async fn check_returns(&mut self) {
        let kind = MessageKind::Rma;
        let body = compact(&with_unknown_values(self.caller.sample(kind)));
        self.expect_success(CertifyRule::AcceptsUnknownValues, kind, body).await;
        let body = compact(&with_scripts(self.caller.sample(kind)));
        self.expect_success(CertifyRule::AcceptsAllScripts, kind, body).await;
        let body = compact(&repeat_units(self.caller.sample(kind), MANY_UNITS, 0));
        if self.expect_success(CertifyRule::AcceptsManyUnits, kind, body).await {
            let body = compact(&repeat_units(self.caller.sample(kind), 0, LARGE_BODY_BYTES));
            self.expect_success(CertifyRule::AcceptsLargeBodies, kind, body).await;
        } else {
            self.skip(CertifyRule::AcceptsLargeBodies, "many units are not accepted");
        }
    }

    /// Sends a body that must be accepted. Returns whether it was.
    async fn expect_success(
        &mut self,
        rule: CertifyRule,
        kind: MessageKind,
        body: Vec<u8>,
    ) -> bool {
        let answer = self.caller.send(kind, &self.caller.probe(body)).await;
        self.decide_success(rule, &[answer])
    }
}
