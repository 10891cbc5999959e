//! Who may call: the credentials that the merchant requires, and the tokens it has issued.
//!
//! Tokens are numbers rather than secrets. They protect nothing real, and are readable in the
//! output of a test.

use std::collections::VecDeque;

use axum::http::{HeaderMap, HeaderName, header::AUTHORIZATION};
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::messages::endpoint::Auth;

const TOKENS_MAX: usize = 1_000;

/// The credentials that a call must have.
pub(crate) enum RequiredAuth {
    Nothing,
    Header {
        name: HeaderName,
        value: String,
    },
    /// `Authorization` with a scheme, in any case, and a value.
    Authorization {
        scheme: &'static str,
        rest: String,
    },
    Token {
        client_id: String,
        client_secret: String,
    },
}

impl RequiredAuth {
    /// None if the header of `auth` is not a valid name.
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

    /// The header with the credentials, which is not shown.
    pub(crate) fn header(&self) -> HeaderName {
        match self {
            Self::Header { name, .. } => name.clone(),
            Self::Nothing | Self::Authorization { .. } | Self::Token { .. } => AUTHORIZATION,
        }
    }

    /// The value of `WWW-Authenticate` for a refused call.
    pub(crate) fn challenge(&self) -> &'static str {
        match self {
            Self::Authorization { scheme: "Basic", .. } => "Basic realm=\"simulated merchant\"",
            Self::Authorization { .. }
            | Self::Nothing
            | Self::Header { .. }
            | Self::Token { .. } => "Bearer",
        }
    }

    /// Whether a call with `headers` is authorized; `is_live` checks tokens.
    pub(crate) fn accepts(&self, headers: &HeaderMap, is_live: impl FnOnce(&str) -> bool) -> bool {
        match self {
            Self::Nothing => true,
            Self::Header { name, value } => {
                headers.get(name).is_some_and(|sent| sent.as_bytes() == value.as_bytes())
            }
            Self::Authorization { scheme, rest } => {
                after_scheme(headers, scheme).is_some_and(|sent| sent == rest)
            }
            Self::Token { .. } => after_scheme(headers, "Bearer").is_some_and(is_live),
        }
    }

    /// Whether these are the client credentials that tokens are issued for.
    pub(crate) fn matches_client(&self, id: &str, secret: &str) -> bool {
        match self {
            Self::Token { client_id, client_secret } => id == client_id && secret == client_secret,
            Self::Nothing | Self::Header { .. } | Self::Authorization { .. } => false,
        }
    }
}

/// The value after `scheme` in `Authorization`.
pub(crate) fn after_scheme<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (sent_scheme, rest) = value.split_once(' ')?;
    sent_scheme.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// The valid tokens, and how often one was requested.
#[derive(Default)]
pub(crate) struct Tokens {
    live: VecDeque<LiveToken>,
    last_number: u64,
    pub(crate) requests: u64,
    pub(crate) issued: u64,
}

struct LiveToken {
    token: String,
    ends_us: i64,
}

impl Tokens {
    /// Issues a token that is valid until `ends_us`.
    pub(crate) fn issue(&mut self, ends_us: i64) -> String {
        self.issued += 1;
        self.last_number += 1;
        let token = format!("sim_token_{:06}", self.last_number);
        if self.live.len() >= TOKENS_MAX {
            self.live.pop_front();
        }
        self.live.push_back(LiveToken { token: token.clone(), ends_us });
        token
    }

    pub(crate) fn is_live(&self, token: &str, now_us: i64) -> bool {
        // The newest is the most likely.
        self.live.iter().rev().any(|live| live.token == token && now_us < live.ends_us)
    }

    pub(crate) fn revoke_all(&mut self) {
        self.live.clear();
    }

    pub(crate) fn reset_counts(&mut self) {
        self.requests = 0;
        self.issued = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())])
    }

    fn accepts(auth: Auth<String>, headers: &HeaderMap) -> bool {
        RequiredAuth::new(auth).unwrap().accepts(headers, |token| token == "live")
    }

    #[test]
    fn every_kind_of_credentials_is_checked() {
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
        assert!(accepts(Auth::None, &HeaderMap::new()));
        assert!(accepts(basic(), &header("authorization", "basic YTpiOmM=")));
        assert!(accepts(key(), &header("x-api-key", "k")));
        assert!(accepts(bearer(), &header("authorization", "bearer t")));
        assert!(accepts(oauth2(), &header("authorization", "Bearer live")));

        assert!(!accepts(basic(), &header("authorization", "Bearer YTpiOmM=")));
        assert!(!accepts(key(), &header("x-api-key", "kk")));
        assert!(!accepts(bearer(), &HeaderMap::new()));
        assert!(!accepts(oauth2(), &header("authorization", "Bearer dead")));
    }

    #[test]
    fn a_token_expires_or_is_revoked() {
        let mut tokens = Tokens::default();
        let first = tokens.issue(100);
        assert!(tokens.is_live(&first, 99));
        assert!(!tokens.is_live(&first, 100));
        tokens.revoke_all();
        assert!(!tokens.is_live(&first, 0));
        assert_ne!(tokens.issue(100), first);
    }
}
