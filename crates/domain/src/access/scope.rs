//! What the bearer of a token may do.
//!
//! A client is granted a set of scopes, and a token carries all or some of them. In requests and
//! responses, a set is the names of its scopes, separated by spaces.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Publish orders.
    OrdersWrite,
    /// Start and change returns.
    ReturnsWrite,
    /// Announce inbound shipments to the warehouse.
    AsnsWrite,
    /// Place drop-ship orders.
    DropShipWrite,
    /// Read what belongs to the merchant.
    Read,
    /// Change the merchant's own settings: endpoints, clients, policy, portal, mail.
    MerchantAdmin,
    /// Report what happened to a parcel.
    CarrierWrite,
    /// Report what happened in the warehouse.
    WarehouseWrite,
    /// Operate the service for every merchant.
    Admin,
    /// Read the metrics of a node.
    Metrics,
}

impl Scope {
    /// All scopes, in the order in which a set is written.
    pub const ALL: [Self; 10] = [
        Self::OrdersWrite,
        Self::ReturnsWrite,
        Self::AsnsWrite,
        Self::DropShipWrite,
        Self::Read,
        Self::MerchantAdmin,
        Self::CarrierWrite,
        Self::WarehouseWrite,
        Self::Admin,
        Self::Metrics,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::OrdersWrite => "orders:write",
            Self::ReturnsWrite => "returns:write",
            Self::AsnsWrite => "asns:write",
            Self::DropShipWrite => "drop_ship:write",
            Self::Read => "read",
            Self::MerchantAdmin => "merchant:admin",
            Self::CarrierWrite => "carrier:write",
            Self::WarehouseWrite => "warehouse:write",
            Self::Admin => "admin",
            Self::Metrics => "metrics",
        }
    }

    /// What it permits, for the API reference.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::OrdersWrite => "publish orders",
            Self::ReturnsWrite => "start and change returns",
            Self::AsnsWrite => "announce inbound shipments",
            Self::DropShipWrite => "place drop-ship orders",
            Self::Read => "read what belongs to the merchant",
            Self::MerchantAdmin => "change the merchant's own settings",
            Self::CarrierWrite => "report what happened to a parcel",
            Self::WarehouseWrite => "report what happened in the warehouse",
            Self::Admin => "operate the service for every merchant",
            Self::Metrics => "read the metrics of a node",
        }
    }

    const fn bit(self) -> u16 {
        match self {
            Self::OrdersWrite => 1,
            Self::ReturnsWrite => 1 << 1,
            Self::AsnsWrite => 1 << 2,
            Self::DropShipWrite => 1 << 3,
            Self::Read => 1 << 4,
            Self::CarrierWrite => 1 << 5,
            Self::WarehouseWrite => 1 << 6,
            Self::Admin => 1 << 7,
            Self::Metrics => 1 << 8,
            Self::MerchantAdmin => 1 << 9,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A set of permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Scopes(u16);

impl Scopes {
    pub const fn none() -> Self {
        Self(0)
    }

    /// What a merchant's own systems get.
    pub const fn merchant() -> Self {
        Self::none()
            .with(Scope::OrdersWrite)
            .with(Scope::ReturnsWrite)
            .with(Scope::AsnsWrite)
            .with(Scope::DropShipWrite)
            .with(Scope::Read)
    }

    /// Everything that a client of a merchant can get.
    pub const fn merchant_most() -> Self {
        Self::merchant().with(Scope::MerchantAdmin)
    }

    /// What the carrier gateway gets.
    pub const fn carrier() -> Self {
        Self::none().with(Scope::CarrierWrite)
    }

    /// What the warehouse gets.
    pub const fn warehouse() -> Self {
        Self::none().with(Scope::WarehouseWrite)
    }

    /// What an operator gets.
    pub const fn admin() -> Self {
        Self::none().with(Scope::Admin)
    }

    /// What systems of the platform can get.
    pub const fn platform() -> Self {
        Self::carrier().union(Self::warehouse()).union(Self::admin()).with(Scope::Metrics)
    }

    /// Reads names separated by spaces. The error is the first unknown name.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(' ').filter(|name| !name.is_empty()).try_fold(Self::none(), |scopes, name| {
            let scope = Scope::ALL.into_iter().find(|scope| scope.name() == name);
            scope.map(|scope| scopes.with(scope)).ok_or_else(|| name.to_owned())
        })
    }

    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether everything in this set is in `other` too.
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
    }
}

impl TryFrom<String> for Scopes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|unknown| format!("unknown scope {unknown}"))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scopes = Scope::ALL.into_iter().filter(|scope| self.contains(*scope));
        for (position, scope) in scopes.enumerate() {
            if position > 0 {
                formatter.write_str(" ")?;
            }
            formatter.write_str(scope.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_in_one_order_however_it_was_read() {
        let scopes = Scopes::parse("read  orders:write read ").unwrap();

        assert_eq!(scopes.to_string(), "orders:write read");
        assert!(scopes.contains(Scope::Read));
        assert!(!scopes.contains(Scope::Admin));
    }

    #[test]
    fn every_scope_can_be_written_and_read_back() {
        for scope in Scope::ALL {
            assert_eq!(Scopes::parse(scope.name()), Ok(Scopes::none().with(scope)));
        }
        let all = Scope::ALL.into_iter().fold(Scopes::none(), Scopes::with);
        assert_eq!(Scopes::parse(&all.to_string()), Ok(all));
        assert_eq!(
            all.to_string(),
            "orders:write returns:write asns:write drop_ship:write read merchant:admin \
             carrier:write warehouse:write admin metrics"
        );
    }

    #[test]
    fn a_set_is_stored_as_text() {
        let written = serde_json::to_string(&Scopes::merchant()).unwrap();

        let expected = r#""orders:write returns:write asns:write drop_ship:write read""#;
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_str::<Scopes>(&written).unwrap(), Scopes::merchant());
        assert!(serde_json::from_str::<Scopes>(r#""everything""#).is_err());
    }

    #[test]
    fn an_unknown_scope_is_named() {
        assert_eq!(Scopes::parse("read orders:delete"), Err("orders:delete".to_owned()));
        assert_eq!(Scopes::parse("READ"), Err("READ".to_owned()));
    }

    #[test]
    fn empty_text_is_an_empty_set() {
        assert!(Scopes::parse("").unwrap().is_empty());
        assert_eq!(Scopes::none().to_string(), "");
    }

    #[test]
    fn a_narrower_set_is_a_subset_and_a_wider_one_is_not() {
        let read = Scopes::none().with(Scope::Read);

        assert!(read.is_subset(Scopes::merchant()));
        assert!(!Scopes::merchant().is_subset(read));
        assert!(!Scopes::admin().is_subset(Scopes::merchant()));
        assert!(Scopes::none().is_subset(read));
        assert_eq!(
            Scopes::carrier().union(Scopes::warehouse()).to_string(),
            "carrier:write warehouse:write"
        );
    }
}
