//! Checks whether a merchant's receiver follows the rules, by calling it.
//!
//! Each rule has calls of its own that differ from a correct message in one respect, so that a
//! receiver with one defect fails one rule. A rule that builds on another is skipped when that
//! failed. One call follows the other, except where the rule is about calls at the same time.

mod bodies;
mod calls;
mod held;
mod orders;
mod signatures;
mod tolerance;

use std::{collections::BTreeSet, time::Duration};

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    messages::{
        certificate::{Certificate, CertifyExchange, CertifyResult, CertifyRule, CertifyVerdict},
        endpoint::Endpoints,
        kind::MessageKind,
    },
    samples,
};
use world::{Secret, World};

use self::calls::{Answer, Caller};
use crate::{address::Refused, sender::client::HttpClient};

/// A verdict shows at most this many calls.
const EXCHANGES_MAX: usize = 4;

/// The receiver to check.
#[derive(Clone, Debug)]
pub struct CertifyTarget {
    /// Whose exceptions from the rules about addresses apply.
    pub merchant: MerchantId,
    pub endpoints: Endpoints<Secret>,
    /// What it verifies signatures with.
    pub secret: Secret,
    /// The kinds of messages that it gets.
    pub kinds: BTreeSet<MessageKind>,
    /// Where it lists what it holds, in the form of a reconciliation.
    pub held_url: Option<String>,
    /// For each call.
    pub time_max: Duration,
}

/// Is told of each verdict at once.
pub type CertifyProgress<'a> = &'a mut (dyn FnMut(&CertifyVerdict) + Send);

/// Checks every rule.
#[boxed]
pub async fn certify(
    target: &CertifyTarget,
    client: &HttpClient,
    world: &World,
    progress: CertifyProgress<'_>,
) -> Result<Certificate, Refused> {
    let caller = Caller::new(target, client, world)?;
    let mut check = Check { caller, verdicts: Vec::new(), progress };
    check.run().await;
    check.verdicts.sort_by_key(|verdict| verdict.rule);
    let url = target.endpoints.base_url.as_deref().unwrap_or_default();
    Ok(Certificate::new(url, check.verdicts))
}

struct Check<'a> {
    caller: Caller<'a>,
    verdicts: Vec<CertifyVerdict>,
    progress: CertifyProgress<'a>,
}

impl Check<'_> {
    async fn run(&mut self) {
        let working = self.check_samples().await;
        // The kind that the general rules are checked with: one that orders nothing, if possible.
        let plain = working.iter().copied().find(|kind| *kind != MessageKind::ExchangeOrder);
        match plain.or(working.first().copied()) {
            Some(kind) => {
                self.check_signatures(kind).await;
                self.check_tolerance(kind).await;
            }
            None => self.skip_rest("no sample was accepted"),
        }
        if working.contains(&MessageKind::Rma) {
            self.check_returns().await;
            self.check_held().await;
        }
        if working.contains(&MessageKind::ExchangeOrder) {
            self.check_orders().await;
        }
        if self.caller.target.kinds.contains(&MessageKind::ExchangeVariants) {
            self.check_variants().await;
        }
        self.skip_rest("the receiver does not get this kind of message, or refuses its sample");
    }

    /// Sends the sample of each kind, and returns the kinds that were accepted.
    async fn check_samples(&mut self) -> Vec<MessageKind> {
        let mut working = Vec::new();
        let mut answers = Vec::new();
        for kind in MessageKind::to_merchant().filter(|kind| samples::message(*kind).is_some()) {
            if self.caller.target.kinds.contains(&kind) {
                let answer = self.caller.send(kind, &self.caller.sample_probe(kind)).await;
                if answer.is_success() {
                    working.push(kind);
                }
                answers.push(answer);
            }
        }
        if answers.is_empty() {
            return working;
        }
        let faults = |wanted: fn(&Answer) -> bool| answers.iter().filter(|it| wanted(it)).collect();
        self.decide(CertifyRule::AnswersInTime, faults(Answer::is_late), &answers);
        self.decide(CertifyRule::AnswersItself, faults(Answer::is_redirect), &answers);
        self.decide(CertifyRule::AnswersWithoutPage, faults(Answer::is_page), &answers);
        let refused = faults(|it| !it.is_success() && !it.is_late() && !it.is_redirect());
        if !refused.is_empty() || !working.is_empty() {
            self.decide(CertifyRule::AcceptsSamples, refused, &answers);
        }
        working
    }

    /// A rule that all calls must succeed for. Returns whether they did.
    fn decide_success(&mut self, rule: CertifyRule, answers: &[Answer]) -> bool {
        let faults: Vec<&Answer> = answers.iter().filter(|it| !it.is_success()).collect();
        let passed = faults.is_empty();
        self.decide(rule, faults, answers);
        passed
    }

    /// A rule that a call must be refused for.
    fn decide_refusal(&mut self, rule: CertifyRule, answer: &Answer) {
        let faults = if answer.is_refused() { Vec::new() } else { vec![answer] };
        self.decide(rule, faults, std::slice::from_ref(answer));
    }

    /// Adds the verdict about a rule, which failed if there are faults.
    fn decide(&mut self, rule: CertifyRule, faults: Vec<&Answer>, answers: &[Answer]) {
        let failed = !faults.is_empty();
        let detail = faults.first().map(|fault| fault.describe()).unwrap_or_default();
        let shown = if failed { faults } else { answers.last().into_iter().collect() };
        let exchanges: Vec<CertifyExchange> =
            shown.into_iter().take(EXCHANGES_MAX).map(|answer| answer.exchange.clone()).collect();
        let result = if failed { CertifyResult::Failed } else { CertifyResult::Passed };
        self.add(CertifyVerdict {
            rule,
            demand: rule.demand().to_owned(),
            result,
            detail,
            exchanges,
        });
    }

    fn skip(&mut self, rule: CertifyRule, why: &str) {
        self.add(CertifyVerdict {
            rule,
            demand: rule.demand().to_owned(),
            result: CertifyResult::Skipped,
            detail: why.to_owned(),
            exchanges: Vec::new(),
        });
    }

    /// Skips every rule without a verdict.
    fn skip_rest(&mut self, why: &str) {
        for rule in CertifyRule::ALL {
            self.skip(rule, why);
        }
    }

    /// The first verdict about a rule counts.
    fn add(&mut self, verdict: CertifyVerdict) {
        if self.verdicts.iter().all(|known| known.rule != verdict.rule) {
            (self.progress)(&verdict);
            self.verdicts.push(verdict);
        }
    }
}
