//! Who may call: what the merchant asks a caller to prove, and the tokens it has given out.
//!
//! Tokens are numbered rather than secret. Nothing real is behind this door, and a test that
//! prints them can be read.

use std::collections::VecDeque;

use axum::http::{HeaderMap, HeaderName, header::AUTHORIZATION};
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::messages::endpoint::Auth;

const TOKENS_MAX: usize = 1_000;

/// What a call must carry.
pub(crate) enum Proof {
    Nothing,
    Header {
        name: HeaderName,
        value: String,
    },
    /// `Authorization` with a scheme, which may be in any case, and what follows it.
    Authorization {
        scheme: &'static str,
        rest: String,
    },
    Token {
        client_id: String,
        client_secret: String,
    },
}

impl Proof {
    /// None when the header of `auth` cannot be the name of one.
    pub(crate) fn new(auth: Auth<String>) -> Option<Self> {
        Some(match auth {
            Auth::None => Self::Nothing,
            Auth::Basic { username, password } => Self::Authorization {
                scheme: "Basic",
                rest: BASE64_STANDARD.encode(format!("{username}:{password}")),
            },
            Auth::Header { name, value } => Self::Header { name: name.parse().ok()?, value },
            Auth::Bearer { token } => Self::Authorization { scheme: "Bearer", rest: token },
            Auth::Oauth2 { client_id, client_secret, .. } => {
                Self::Token { client_id, client_secret }
            }
        })
    }

    pub(crate) fn uses_tokens(&self) -> bool {
        matches!(self, Self::Token { .. })
    }

    /// The header that holds the proof, whose value is nobody's business.
    pub(crate) fn header(&self) -> HeaderName {
        match self {
            Self::Header { name, .. } => name.clone(),
            Self::Nothing | Self::Authorization { .. } | Self::Token { .. } => AUTHORIZATION,
        }
    }

    /// What a refused caller is told in `WWW-Authenticate`.
    pub(crate) fn challenge(&self) -> &'static str {
        match self {
            Self::Authorization { scheme: "Basic", .. } => "Basic realm=\"simulated merchant\"",
            Self::Authorization { .. }
            | Self::Nothing
            | Self::Header { .. }
            | Self::Token { .. } => "Bearer",
        }
    }

    /// Whether a call with `headers` may come in; `is_live` knows the tokens.
    pub(crate) fn holds(&self, headers: &HeaderMap, is_live: impl FnOnce(&str) -> bool) -> bool {
        match self {
            Self::Nothing => true,
            Self::Header { name, value } => {
                headers.get(name).is_some_and(|found| found.as_bytes() == value.as_bytes())
            }
            Self::Authorization { scheme, rest } => {
                after_scheme(headers, scheme).is_some_and(|found| found == rest)
            }
            Self::Token { .. } => after_scheme(headers, "Bearer").is_some_and(is_live),
        }
    }

    /// Whether these are the client credentials that tokens are given out for.
    pub(crate) fn are_ours(&self, id: &str, secret: &str) -> bool {
        match self {
            Self::Token { client_id, client_secret } => id == client_id && secret == client_secret,
            Self::Nothing | Self::Header { .. } | Self::Authorization { .. } => false,
        }
    }
}

/// What follows `scheme` in `Authorization`.
pub(crate) fn after_scheme<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (found, rest) = value.split_once(' ')?;
    found.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// The tokens that are good at the moment, and how often one was asked for.
#[derive(Default)]
pub(crate) struct Tokens {
    live: VecDeque<(String, i64)>,
    last_number: u64,
    pub(crate) requests: u64,
    pub(crate) issued: u64,
}

impl Tokens {
    /// A new token that is good until `ends_us`.
    pub(crate) fn issue(&mut self, ends_us: i64) -> String {
        self.issued += 1;
        self.last_number += 1;
        let token = format!("sim_token_{:06}", self.last_number);
        if self.live.len() >= TOKENS_MAX {
            self.live.pop_front();
        }
        self.live.push_back((token.clone(), ends_us));
        token
    }

    pub(crate) fn is_live(&self, token: &str, now_us: i64) -> bool {
        // The newest is the likeliest.
        self.live.iter().rev().any(|(live, ends_us)| live == token && now_us < *ends_us)
    }

    pub(crate) fn revoke_all(&mut self) {
        self.live.clear();
    }

    pub(crate) fn forget_counts(&mut self) {
        self.requests = 0;
        self.issued = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())])
    }

    fn holds(auth: Auth<String>, headers: &HeaderMap) -> bool {
        Proof::new(auth).unwrap().holds(headers, |token| token == "live")
    }

    #[test]
    fn each_way_to_prove_oneself_is_understood() {
        let text = str::to_owned;
        let basic = || Auth::Basic { username: text("a"), password: text("b:c") };
        let key = || Auth::Header { name: text("X-Api-Key"), value: text("k") };
        let bearer = || Auth::Bearer { token: text("t") };
        let oauth2 = || Auth::Oauth2 {
            token_url: text("http://unused"),
            client_id: text("i"),
            client_secret: text("s"),
            scope: None,
        };
        assert!(holds(Auth::None, &HeaderMap::new()));
        assert!(holds(basic(), &with("authorization", "basic YTpiOmM=")));
        assert!(holds(key(), &with("x-api-key", "k")));
        assert!(holds(bearer(), &with("authorization", "bearer t")));
        assert!(holds(oauth2(), &with("authorization", "Bearer live")));

        assert!(!holds(basic(), &with("authorization", "Bearer YTpiOmM=")));
        assert!(!holds(key(), &with("x-api-key", "kk")));
        assert!(!holds(bearer(), &HeaderMap::new()));
        assert!(!holds(oauth2(), &with("authorization", "Bearer dead")));
    }

    #[test]
    fn a_token_ends_by_time_or_by_word() {
        let mut tokens = Tokens::default();
        let first = tokens.issue(100);
        assert!(tokens.is_live(&first, 99));
        assert!(!tokens.is_live(&first, 100));
        tokens.revoke_all();
        assert!(!tokens.is_live(&first, 0));
        assert_ne!(tokens.issue(100), first);
    }
}
