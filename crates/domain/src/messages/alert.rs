//! Problems that people are notified of by mail, once when they begin and once when they end.

use crate::{identifier::MerchantId, messages::kind::MessageKind};

/// From so many failed messages of a kind on, people are notified.
pub const FAILURES_ALARMING: i64 = 20;

/// Below this number the failure queue is no longer a problem. It is lower, so that a number that
/// goes up and down causes no stream of mails.
pub const FAILURES_CALM: i64 = 10;

/// How many days before its end people are notified of a certificate.
pub const CERTIFICATE_DAYS: i64 = 14;

/// Something that needs a person.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// An endpoint failed for so long that it is only probed.
    EndpointSuspended(MessageKind),
    /// Many messages failed all attempts.
    FailuresGrow(MessageKind),
    /// Work at the merchant's carrier failed all attempts.
    CarrierFails,
    /// The certificate of this server ends soon.
    CertificateEnds,
}

impl Problem {
    /// The problem when many messages of a kind failed: those that do not go to the merchant go to
    /// its carrier.
    pub const fn of_failures(kind: MessageKind) -> Self {
        if kind.goes_to_merchant() { Self::FailuresGrow(kind) } else { Self::CarrierFails }
    }

    /// What distinguishes it from other problems of the same merchant.
    pub fn name(&self) -> String {
        match self {
            Self::EndpointSuspended(kind) => format!("endpoint_suspended {kind}"),
            Self::FailuresGrow(kind) => format!("failures_grow {kind}"),
            Self::CarrierFails => "carrier_fails".to_owned(),
            Self::CertificateEnds => "certificate_ends".to_owned(),
        }
    }

    /// Reads what [`Problem::name`] writes.
    pub fn parse(name: &str) -> Option<Self> {
        let (problem, kind) = name.split_once(' ').unwrap_or((name, ""));
        let kind = MessageKind::parse(kind);
        match problem {
            "endpoint_suspended" => kind.map(Self::EndpointSuspended),
            "failures_grow" => kind.map(Self::FailuresGrow),
            "carrier_fails" => Some(Self::CarrierFails),
            "certificate_ends" => Some(Self::CertificateEnds),
            _ => None,
        }
    }

    /// The problem in a few words.
    pub fn title(&self, merchant: &MerchantId) -> String {
        match self {
            Self::EndpointSuspended(kind) => {
                format!("The endpoint of {merchant} for {kind} is suspended")
            }
            Self::FailuresGrow(kind) => format!("Messages of kind {kind} to {merchant} fail"),
            Self::CarrierFails => format!("The carrier account of {merchant} fails"),
            Self::CertificateEnds => "The certificate of this server ends soon".to_owned(),
        }
    }

    /// What to do about it.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::EndpointSuspended(_) => {
                "No message was accepted for an hour, and many wait. Homeward tries one now and \
                 then, and sends all of them in order as soon as one is accepted. Check whether \
                 the server at this address runs and answers with 2xx."
            }
            Self::FailuresGrow(_) => {
                "These messages failed all attempts and are kept in the failure queue. Find the \
                 cause in the attempts of one of them, then retry or discard them in the console."
            }
            Self::CarrierFails => {
                "Labels were not bought or not given back. Check the key and the balance of the \
                 account at the carrier, then retry the failed messages in the console."
            }
            Self::CertificateEnds => {
                "Browsers and merchants' systems will refuse the connection afterwards. Replace \
                 the files of the certificate; Homeward reads them again by itself."
            }
        }
    }
}

/// A problem of a merchant, or of the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProblem {
    pub merchant: MerchantId,
    pub problem: Problem,
    /// The facts, in one sentence.
    pub detail: String,
}

/// Whether so many failed messages are a problem, if it was one before or not.
pub const fn is_alarming(kind: MessageKind, failures: i64, was_alarming: bool) -> bool {
    if !kind.goes_to_merchant() {
        return failures > 0;
    }
    let limit = if was_alarming { FAILURES_CALM } else { FAILURES_ALARMING };
    failures >= limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_parsed_from_its_name() {
        let kinds = MessageKind::ALL.into_iter();
        let of_kinds =
            kinds.flat_map(|it| [Problem::EndpointSuspended(it), Problem::FailuresGrow(it)]);
        for problem in of_kinds.chain([Problem::CarrierFails, Problem::CertificateEnds]) {
            assert_eq!(Problem::parse(&problem.name()), Some(problem));
        }
        assert_eq!(Problem::parse("failures_grow pigeons"), None);
    }

    #[test]
    fn a_number_of_failures_that_goes_up_and_down_is_one_problem() {
        let mut told = Vec::new();
        let mut alarming = false;
        for failures in [0, 19, 20, 15, 21, 10, 9, 19, 5] {
            let is_now = is_alarming(MessageKind::Rma, failures, alarming);
            if is_now != alarming {
                told.push(failures);
            }
            alarming = is_now;
        }
        assert_eq!(told, [20, 9]);
        assert!(is_alarming(MessageKind::CarrierRequest, 1, false));
    }
}
