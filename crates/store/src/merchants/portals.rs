//! Merchants' portals: settings and logos.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    merchants::{merchant::Merchant, picture::PictureKind, portal::Portal},
    withdrawal::terms::WithdrawalTerms,
};
use serde::Deserialize;

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_body},
        value::{Row, params},
    },
};

/// A merchant with its portal, read in one query because every page of the portal needs them.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPortal {
    pub merchant: Merchant,
    /// The default if none was set.
    pub portal: Portal,
    pub has_logo: bool,
    /// As in the newest policy; the default if none was set.
    pub withdrawal: WithdrawalTerms,
}

/// The part of a policy that the pages need. To parse all of it takes longer than to read it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PolicyPart {
    withdrawal: WithdrawalTerms,
}

impl PolicyPart {
    fn parse(merchant: &str, body: &str) -> Result<Self, EngineError> {
        serde_json::from_str(body).map_err(|error| corrupt("policies", merchant, &error))
    }
}

impl Transaction {
    pub fn put_portal(&mut self, merchant: &MerchantId, portal: &Portal) {
        self.one_row(
            "INSERT INTO portals (merchant_id, body) VALUES ($1, $2)
             ON CONFLICT (merchant_id) DO UPDATE SET body = excluded.body",
            params![merchant, portal.to_json()],
        );
    }

    pub fn put_logo(&mut self, merchant: &MerchantId, kind: PictureKind, logo: &Bytes) {
        self.one_row(
            "INSERT INTO portal_logos (merchant_id, media_type, body) VALUES ($1, $2, $3)
             ON CONFLICT (merchant_id) DO UPDATE
                 SET media_type = excluded.media_type, body = excluded.body",
            params![merchant, kind.media_type(), logo.clone()],
        );
    }

    pub fn delete_logo(&mut self, merchant: &MerchantId) {
        self.any_rows("DELETE FROM portal_logos WHERE merchant_id = $1", params![merchant]);
    }
}

impl Store {
    /// The portal of a merchant that exists.
    #[boxed]
    pub async fn portal(&self, merchant: &MerchantId) -> Result<Option<StoredPortal>, StoreError> {
        self.read_first(
            "reading a portal",
            "SELECT m.merchant_id, m.body, p.body, l.media_type, y.body
             FROM merchants m
             LEFT JOIN portals p ON p.merchant_id = m.merchant_id
             LEFT JOIN portal_logos l ON l.merchant_id = m.merchant_id
             LEFT JOIN policies y ON y.merchant_id = m.merchant_id AND y.version =
                 (SELECT max(version) FROM policies WHERE merchant_id = $1)
             WHERE m.merchant_id = $1",
            params![merchant.as_str()],
            read_portal,
        )
        .await
    }

    #[boxed]
    pub async fn logo(
        &self,
        merchant: &MerchantId,
    ) -> Result<Option<(PictureKind, Bytes)>, StoreError> {
        self.read_first(
            "reading a logo",
            "SELECT media_type, body FROM portal_logos WHERE merchant_id = $1",
            params![merchant],
            read_logo,
        )
        .await
    }
}

fn read_portal(row: &Row) -> Result<StoredPortal, EngineError> {
    let id = row.text(0)?;
    let portal = row.optional_text(2)?.map(|body| parse_body("portals", id, body));
    let policy = row.optional_text(4)?.map(|body| PolicyPart::parse(id, body));
    Ok(StoredPortal {
        merchant: parse_body("merchants", id, row.text(1)?)?,
        portal: portal.transpose()?.unwrap_or_default(),
        has_logo: row.optional_text(3)?.is_some(),
        withdrawal: policy.transpose()?.unwrap_or_default().withdrawal,
    })
}

fn read_logo(row: &Row) -> Result<(PictureKind, Bytes), EngineError> {
    let media_type = row.text(0)?;
    let kind = PictureKind::parse(media_type);
    let kind = kind.ok_or_else(|| corrupt("portal_logos", media_type, &"not a picture"))?;
    Ok((kind, row.bytes(1)?))
}
