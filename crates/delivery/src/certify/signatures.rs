//! Calls that must be refused, because someone else may have made them.

use domain::messages::{certificate::CertifyRule, endpoint::Auth, kind::MessageKind};
use world::Secret;

use super::{Check, bodies::compact};
use crate::sender::probe::Probe;

/// The age of a message that someone may have recorded, in seconds.
const OLD_S: i64 = 3_600;
const WRONG: &str = "certify-wrong-credential";

impl Check<'_> {
    pub(super) async fn check_signatures(&mut self, kind: MessageKind) {
        let caller = &self.caller;
        let forge = |probe: &Probe| probe.with_signature(Some(caller.sign_with_stranger(probe)));
        let forged = caller.send(kind, &forge(&caller.sample_probe(kind))).await;
        if forged.is_success() {
            self.decide_refusal(CertifyRule::ChecksSignature, &forged);
            for rule in [
                CertifyRule::RequiresSignature,
                CertifyRule::RefusesOldTimestamp,
                CertifyRule::VerifiesRepeats,
            ] {
                self.skip(rule, "signatures are not checked");
            }
        } else {
            let unsigned = caller.sample_probe(kind).with_signature(None);
            let unsigned = caller.send(kind, &unsigned).await;
            let old = caller.probe_at(Some(compact(&caller.sample(kind))), caller.now_s() - OLD_S);
            let old = caller.send(kind, &old).await;
            let known = caller.sample_probe(kind);
            caller.send(kind, &known).await;
            let repeated = caller.send(kind, &forge(&known)).await;
            self.decide_refusal(CertifyRule::ChecksSignature, &forged);
            self.decide_refusal(CertifyRule::RequiresSignature, &unsigned);
            self.decide_refusal(CertifyRule::RefusesOldTimestamp, &old);
            self.decide_refusal(CertifyRule::VerifiesRepeats, &repeated);
        }
        self.check_credentials(kind).await;
    }

    /// A call whose credentials are wrong, or whose token has expired.
    async fn check_credentials(&mut self, kind: MessageKind) {
        let rule = CertifyRule::ChecksCredentials;
        let caller = &self.caller;
        let auth = caller.target.endpoints.target(kind).map(|(_, auth)| auth);
        let has_tokens = matches!(auth, Some(Auth::Oauth2 { .. }));
        let Some(auth) = auth.and_then(spoil) else {
            return self.skip(rule, "the receiver needs no credentials");
        };
        match caller.send_as(kind, auth, &caller.sample_probe(kind)).await {
            Ok(answer) => {
                let is_right = answer.is_refused() && (!has_tokens || answer.has_status(401));
                let faults = if is_right { Vec::new() } else { vec![&answer] };
                self.decide(rule, faults, std::slice::from_ref(&answer));
            }
            Err(refused) => self.skip(rule, &refused.to_string()),
        }
    }
}

/// The same credentials with something wrong in them. None if there are none.
fn spoil(auth: &Auth<Secret>) -> Option<Auth<Secret>> {
    let wrong = || Secret::new(WRONG.to_owned());
    match auth {
        Auth::None => None,
        Auth::Basic { username, .. } => {
            Some(Auth::Basic { username: username.clone(), password: wrong() })
        }
        Auth::Header { name, .. } => Some(Auth::Header { name: name.clone(), value: wrong() }),
        Auth::Bearer { .. } | Auth::Oauth2 { .. } => Some(Auth::Bearer { token: wrong() }),
    }
}
