//! Where a merchant's systems are, and how calls authenticate there.
//!
//! A merchant has a base address, under which every kind of call has its path, and may set a
//! different address for a single kind. Secrets have the type `S`: sealed in the store, plain text
//! in the sender.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::messages::kind::MessageKind;

/// How a call authenticates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Auth<S> {
    #[default]
    None,
    Basic {
        username: String,
        password: S,
    },
    /// A key in a header of the merchant's choosing.
    Header {
        name: String,
        value: S,
    },
    Bearer {
        token: S,
    },
    /// Client credentials: a token is fetched, cached until it expires, and renewed after a 401.
    Oauth2 {
        token_url: String,
        client_id: String,
        client_secret: S,
        scope: Option<String>,
    },
}

impl<S> Auth<S> {
    /// The same with its secret converted by `change`.
    pub fn try_map<T, E>(self, change: impl FnOnce(S) -> Result<T, E>) -> Result<Auth<T>, E> {
        Ok(match self {
            Self::None => Auth::None,
            Self::Basic { username, password } => {
                Auth::Basic { username, password: change(password)? }
            }
            Self::Header { name, value } => Auth::Header { name, value: change(value)? },
            Self::Bearer { token } => Auth::Bearer { token: change(token)? },
            Self::Oauth2 { token_url, client_id, client_secret, scope } => {
                Auth::Oauth2 { token_url, client_id, client_secret: change(client_secret)?, scope }
            }
        })
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic { .. } => "basic",
            Self::Header { .. } => "header",
            Self::Bearer { .. } => "bearer",
            Self::Oauth2 { .. } => "oauth2",
        }
    }
}

/// All endpoints of one merchant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoints<S> {
    pub base_url: Option<String>,
    pub auth: Auth<S>,
    /// Paths that differ from the usual ones.
    pub paths: BTreeMap<MessageKind, String>,
    pub overrides: BTreeMap<MessageKind, EndpointOverride<S>>,
    /// Kinds of messages that wait until an operator resumes them.
    pub paused: BTreeSet<MessageKind>,
    /// The addresses that passed the last check of the rules for receivers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub certified: BTreeMap<MessageKind, String>,
}

impl<S> Endpoints<S> {
    /// The same with every secret converted by `change`.
    pub fn try_map<T, E>(self, change: impl Fn(S) -> Result<T, E>) -> Result<Endpoints<T>, E> {
        let overrides = self.overrides.into_iter().map(|(kind, EndpointOverride { url, auth })| {
            Ok((kind, EndpointOverride { url, auth: auth.try_map(&change)? }))
        });
        Ok(Endpoints {
            base_url: self.base_url,
            auth: self.auth.try_map(&change)?,
            paths: self.paths,
            overrides: overrides.collect::<Result<_, E>>()?,
            paused: self.paused,
            certified: self.certified,
        })
    }
}

impl<S> Default for Endpoints<S> {
    fn default() -> Self {
        Self {
            base_url: None,
            auth: Auth::None,
            paths: BTreeMap::new(),
            overrides: BTreeMap::new(),
            paused: BTreeSet::new(),
            certified: BTreeMap::new(),
        }
    }
}

/// A separate address for one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointOverride<S> {
    pub url: String,
    pub auth: Auth<S>,
}

impl<S> Endpoints<S> {
    /// The address for `kind` and how to authenticate there; None if no address is set.
    pub fn target(&self, kind: MessageKind) -> Option<(String, &Auth<S>)> {
        if let Some(own) = self.overrides.get(&kind) {
            return Some((own.url.clone(), &own.auth));
        }
        let base = self.base_url.as_deref()?.trim_end_matches('/');
        let path = self.paths.get(&kind).map(String::as_str).or(kind.default_path())?;
        Some((format!("{base}/{}", path.trim_start_matches('/')), &self.auth))
    }

    /// Whether the current address for `kind` passed its check.
    pub fn is_certified(&self, kind: MessageKind) -> bool {
        let url = self.target(kind).map(|(url, _)| url);
        url.is_some_and(|url| self.certified.get(&kind) == Some(&url))
    }

    /// Pauses what has another address than `before`, which did not pass its check. What keeps its
    /// address keeps its state, too. Mails are not checked: most go through a mail server.
    pub fn pause_uncertified(&mut self, before: &Self) {
        let url = |endpoints: &Self, kind| endpoints.target(kind).map(|(url, _)| url);
        for kind in MessageKind::to_merchant().filter(|kind| *kind != MessageKind::Mail) {
            let new = url(self, kind).filter(|new| url(before, kind).as_ref() != Some(new));
            if new.is_some() && !self.is_certified(kind) {
                self.paused.insert(kind);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_endpoints() -> Endpoints<String> {
        Endpoints {
            base_url: Some("https://shop.example.com/hooks/".to_owned()),
            auth: Auth::Bearer { token: "t".to_owned() },
            paths: [(MessageKind::Rma, "returns/rma".to_owned())].into(),
            overrides: [(
                MessageKind::OutboundAsn,
                EndpointOverride {
                    url: "https://wms.example.com/asn".to_owned(),
                    auth: Auth::None,
                },
            )]
            .into(),
            ..Endpoints::default()
        }
    }

    #[test]
    fn a_kind_is_under_the_base_address_unless_it_has_its_own() {
        let endpoints = sample_endpoints();
        let url = |kind| endpoints.target(kind).unwrap().0;
        assert_eq!(url(MessageKind::Rma), "https://shop.example.com/hooks/returns/rma");
        assert_eq!(
            url(MessageKind::ExchangeOrder),
            "https://shop.example.com/hooks/exchange_orders"
        );
        assert_eq!(url(MessageKind::OutboundAsn), "https://wms.example.com/asn");
        assert_eq!(endpoints.target(MessageKind::OutboundAsn).unwrap().1, &Auth::None);
    }

    #[test]
    fn an_endpoint_is_certified_for_one_address_and_the_others_are_paused() {
        let mut endpoints = sample_endpoints();
        let (url, _) = endpoints.target(MessageKind::Rma).unwrap();
        endpoints.certified.insert(MessageKind::Rma, url);
        endpoints.pause_uncertified(&Endpoints::default());
        assert!(endpoints.is_certified(MessageKind::Rma));
        assert!(endpoints.paused.contains(&MessageKind::ExchangeOrder));
        for kind in [MessageKind::Rma, MessageKind::Mail, MessageKind::CarrierRequest] {
            assert!(!endpoints.paused.contains(&kind), "{kind}");
        }
        endpoints.base_url = Some("https://other.example.com".to_owned());
        assert!(!endpoints.is_certified(MessageKind::Rma));
    }

    #[test]
    fn a_change_pauses_only_the_kinds_whose_address_is_new() {
        let before = sample_endpoints();
        let mut endpoints = before.clone();
        let own = endpoints.overrides.get_mut(&MessageKind::OutboundAsn).unwrap();
        own.url = "https://wms.example.com/other".to_owned();
        endpoints.pause_uncertified(&before);
        assert_eq!(endpoints.paused, [MessageKind::OutboundAsn].into());
    }

    #[test]
    fn without_any_address_there_is_no_target() {
        assert_eq!(Endpoints::<String>::default().target(MessageKind::Rma), None);
    }
}
