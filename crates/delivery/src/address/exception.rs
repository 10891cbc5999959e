//! Exceptions from the rule that calls go to public addresses over https.
//!
//! An exception opens one network, at one port, to one merchant: what an operator needs for a
//! merchant with systems inside must not let the others reach the rest of the inside.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use domain::identifier::MerchantId;

use super::network::Network;

const ALL: &str = "*";

/// Calls for `merchant` may go to `network` at `port`; None stands for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkException {
    merchant: Option<MerchantId>,
    network: Network,
    port: Option<u16>,
}

impl NetworkException {
    /// Accepts `acme@10.1.0.0/16:8443`, `acme@[fd00::1]:443`, and `*` for every merchant or port;
    /// or says in words what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (merchant, rest) = text.split_once('@').ok_or("it does not name a merchant")?;
        // The colons of an IPv6 network are before its prefix or inside brackets.
        let (network, port) = if let Some((address, rest)) = rest.split_once('/') {
            let (prefix, port) = rest.split_once(':').ok_or("it does not name a port")?;
            (format!("{address}/{prefix}"), port)
        } else {
            let (address, port) = rest.rsplit_once(':').ok_or("it does not name a port")?;
            (address.trim_matches(['[', ']']).to_owned(), port)
        };
        let is_named = |text: &&str| *text != ALL;
        let merchant = Some(merchant).filter(is_named).map(MerchantId::parse).transpose();
        let port = Some(port).filter(is_named).map(str::parse::<u16>).transpose();
        Ok(Self {
            merchant: merchant.map_err(|_| "its merchant is not an identifier")?,
            network: Network::parse(&network)?,
            port: port.map_err(|_| "its port is not a number from 1 to 65535")?,
        })
    }

    /// All addresses, at all ports, for every merchant.
    pub(super) fn everywhere() -> [Self; 2] {
        [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)].map(|address| Self {
            merchant: None,
            network: Network { address, prefix: 0 },
            port: None,
        })
    }

    pub(super) fn is_for(&self, merchant: &MerchantId) -> bool {
        self.merchant.as_ref().is_none_or(|own| own == merchant)
    }

    pub(super) fn covers(&self, address: IpAddr, port: u16) -> bool {
        self.network.contains(address) && self.port.is_none_or(|own| own == port)
    }
}

impl fmt::Display for NetworkException {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let merchant = self.merchant.as_ref().map_or(ALL, MerchantId::as_str);
        write!(formatter, "{merchant}@{}:", self.network)?;
        match self.port {
            Some(port) => write!(formatter, "{port}"),
            None => formatter.write_str(ALL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_says_merchant_network_and_port() {
        for (text, shown) in [
            ("acme@10.1.0.0/16:8443", "acme@10.1.0.0/16:8443"),
            ("acme@10.1.2.3:443", "acme@10.1.2.3/32:443"),
            ("*@127.0.0.0/8:*", "*@127.0.0.0/8:*"),
            ("acme@fd00::/8:443", "acme@fd00::/8:443"),
            ("acme@[fd00::1]:443", "acme@fd00::1/128:443"),
        ] {
            assert_eq!(NetworkException::parse(text).unwrap().to_string(), shown);
        }
        for text in [
            "10.0.0.0/8",
            "10.0.0.0/8:443",
            "acme@10.0.0.0/8",
            "acme@10.0.0.0",
            "acme@10.0.0.0/33:443",
            "acme@10.0.0.0/8:x",
            "acme@10.0.0.0/8:70000",
            "Not A Merchant@10.0.0.0/8:443",
            "@10.0.0.0/8:443",
            "acme@:443",
            "",
        ] {
            assert!(NetworkException::parse(text).is_err(), "{text}");
        }
    }
}
