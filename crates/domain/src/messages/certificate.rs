//! The rules that a merchant's receiver must follow, and the verdict about each.
//!
//! A rule is checked from outside: by the responses of the receiver, and by what it says it holds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A rule for receivers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CertifyRule {
    AcceptsSamples,
    AnswersInTime,
    AnswersItself,
    AnswersWithoutPage,
    ChecksSignature,
    RequiresSignature,
    RefusesOldTimestamp,
    VerifiesRepeats,
    VerifiesExactBytes,
    AcceptsEitherSignature,
    ChecksCredentials,
    AcceptsRepeats,
    AcceptsReplays,
    AcceptsLaterAttempts,
    AcceptsConcurrentCalls,
    AcceptsUnknownFields,
    AcceptsUnknownValues,
    AcceptsManyUnits,
    AcceptsAllScripts,
    AcceptsLargeBodies,
    PlacesOrdersOnce,
    PlacesEveryOrder,
    ListsVariants,
    HoldsEverything,
    KeepsNewest,
}

impl CertifyRule {
    /// In the order in which they are reported.
    pub const ALL: [Self; 25] = [
        Self::AcceptsSamples,
        Self::AnswersInTime,
        Self::AnswersItself,
        Self::AnswersWithoutPage,
        Self::ChecksSignature,
        Self::RequiresSignature,
        Self::RefusesOldTimestamp,
        Self::VerifiesRepeats,
        Self::VerifiesExactBytes,
        Self::AcceptsEitherSignature,
        Self::ChecksCredentials,
        Self::AcceptsRepeats,
        Self::AcceptsReplays,
        Self::AcceptsLaterAttempts,
        Self::AcceptsConcurrentCalls,
        Self::AcceptsUnknownFields,
        Self::AcceptsUnknownValues,
        Self::AcceptsManyUnits,
        Self::AcceptsAllScripts,
        Self::AcceptsLargeBodies,
        Self::PlacesOrdersOnce,
        Self::PlacesEveryOrder,
        Self::ListsVariants,
        Self::HoldsEverything,
        Self::KeepsNewest,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::AcceptsSamples => "accepts_samples",
            Self::AnswersInTime => "answers_in_time",
            Self::AnswersItself => "answers_itself",
            Self::AnswersWithoutPage => "answers_without_page",
            Self::ChecksSignature => "checks_signature",
            Self::RequiresSignature => "requires_signature",
            Self::RefusesOldTimestamp => "refuses_old_timestamp",
            Self::VerifiesRepeats => "verifies_repeats",
            Self::VerifiesExactBytes => "verifies_exact_bytes",
            Self::AcceptsEitherSignature => "accepts_either_signature",
            Self::ChecksCredentials => "checks_credentials",
            Self::AcceptsRepeats => "accepts_repeats",
            Self::AcceptsReplays => "accepts_replays",
            Self::AcceptsLaterAttempts => "accepts_later_attempts",
            Self::AcceptsConcurrentCalls => "accepts_concurrent_calls",
            Self::AcceptsUnknownFields => "accepts_unknown_fields",
            Self::AcceptsUnknownValues => "accepts_unknown_values",
            Self::AcceptsManyUnits => "accepts_many_units",
            Self::AcceptsAllScripts => "accepts_all_scripts",
            Self::AcceptsLargeBodies => "accepts_large_bodies",
            Self::PlacesOrdersOnce => "places_orders_once",
            Self::PlacesEveryOrder => "places_every_order",
            Self::ListsVariants => "lists_variants",
            Self::HoldsEverything => "holds_everything",
            Self::KeepsNewest => "keeps_newest",
        }
    }

    /// What the receiver must do.
    pub const fn demand(self) -> &'static str {
        match self {
            Self::AcceptsSamples => "Accept the documented sample of every kind with a 2xx status.",
            Self::AnswersInTime => "Respond within the time limit.",
            Self::AnswersItself => "Respond itself: redirects are not followed.",
            Self::AnswersWithoutPage => {
                "Respond with a 2xx status only if the message was accepted, and not with a page \
                 for people."
            }
            Self::ChecksSignature => {
                "Refuse a message whose signature was made with another secret."
            }
            Self::RequiresSignature => "Refuse a message without a signature.",
            Self::RefusesOldTimestamp => {
                "Refuse a correctly signed message that is an hour old: someone may have \
                 recorded it."
            }
            Self::VerifiesRepeats => {
                "Refuse a wrong signature also if the webhook-id is known: verify first, then \
                 look for repetitions."
            }
            Self::VerifiesExactBytes => {
                "Verify the signature over the bytes that arrived, not over JSON that was \
                 written again."
            }
            Self::AcceptsEitherSignature => {
                "Accept a message with two signatures if one of them fits, whichever it is: the \
                 secret is being rotated."
            }
            Self::ChecksCredentials => {
                "Refuse a call with wrong credentials; with tokens by 401, so that a new one is \
                 fetched."
            }
            Self::AcceptsRepeats => {
                "Accept a message again that was accepted before: the first response may be lost."
            }
            Self::AcceptsReplays => {
                "Accept a message with X-Service-Replay that was accepted before."
            }
            Self::AcceptsLaterAttempts => "Accept a message whose earlier attempts never arrived.",
            Self::AcceptsConcurrentCalls => {
                "Accept messages about different things that arrive at the same time."
            }
            Self::AcceptsUnknownFields => "Ignore fields that it does not know.",
            Self::AcceptsUnknownValues => {
                "Accept values of a field that it does not know, such as a new status."
            }
            Self::AcceptsManyUnits => "Accept a return of 400 units.",
            Self::AcceptsAllScripts => "Accept texts in every script.",
            Self::AcceptsLargeBodies => "Accept a body of one MiB.",
            Self::PlacesOrdersOnce => {
                "Place an exchange order once, also if it is asked twice at the same time, and \
                 name the same order again."
            }
            Self::PlacesEveryOrder => "Place an order of its own for each original order.",
            Self::ListsVariants => "List variants as JSON, or respond with 404.",
            Self::HoldsEverything => "Hold everything that it accepted.",
            Self::KeepsNewest => "Keep the newest state when an older message arrives late.",
        }
    }
}

/// The result of checking a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CertifyResult {
    Passed,
    Failed,
    /// It could not be checked, because a rule that it builds on failed, or it does not apply.
    Skipped,
}

/// A request and the response to it, as text without credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CertifyExchange {
    /// Its first line, headers and body.
    pub request: String,
    /// Its status, how long it took, and its body.
    pub response: String,
}

/// The verdict about one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CertifyVerdict {
    pub rule: CertifyRule,
    /// What the receiver must do.
    pub demand: String,
    pub result: CertifyResult,
    /// Why it failed or was skipped.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub detail: String,
    /// What shows it: some of the calls that failed, or the last one that did not.
    pub exchanges: Vec<CertifyExchange>,
}

/// All verdicts about a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Certificate {
    /// The base address.
    #[schema(example = "https://hooks.acme.example")]
    pub url: String,
    /// Whether a rule was followed and none was broken.
    pub passed: bool,
    /// One for each rule.
    pub verdicts: Vec<CertifyVerdict>,
}

impl Certificate {
    /// A receiver passes if it follows a rule and breaks none.
    pub fn new(url: &str, verdicts: Vec<CertifyVerdict>) -> Self {
        let has = |result| verdicts.iter().any(|it| it.result == result);
        let passed = has(CertifyResult::Passed) && !has(CertifyResult::Failed);
        Self { url: url.to_owned(), passed, verdicts }
    }

    pub fn count(&self, result: CertifyResult) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.result == result).count()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_is_listed_once_in_order_and_named_as_it_is_written() {
        let names: BTreeSet<&str> = CertifyRule::ALL.map(CertifyRule::name).into();
        assert_eq!(names.len(), CertifyRule::ALL.len());
        assert!(CertifyRule::ALL.is_sorted());
        for rule in CertifyRule::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        }
    }

    #[test]
    fn a_certificate_needs_a_rule_that_passed_and_none_that_failed() {
        let verdict = |result| CertifyVerdict {
            rule: CertifyRule::AcceptsSamples,
            demand: String::new(),
            result,
            detail: String::new(),
            exchanges: Vec::new(),
        };
        let passes = |results: &[CertifyResult]| {
            Certificate::new("", results.iter().map(|it| verdict(*it)).collect()).passed
        };
        assert!(passes(&[CertifyResult::Passed, CertifyResult::Skipped]));
        assert!(!passes(&[CertifyResult::Passed, CertifyResult::Failed]));
        assert!(!passes(&[CertifyResult::Skipped]));
    }
}
