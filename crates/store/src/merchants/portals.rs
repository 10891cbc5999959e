//! Merchants' portals: settings and logos.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    merchants::{picture::PictureKind, portal::Portal},
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_body, to_json},
        error::During,
        value::{Row, params},
    },
};

/// The portal of a merchant, and whether it has a logo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredPortal {
    pub portal: Portal,
    pub has_logo: bool,
}

impl Transaction {
    pub fn put_portal(&mut self, merchant: &MerchantId, portal: &Portal) {
        self.one_row(
            "INSERT INTO portals (merchant_id, body) VALUES ($1, $2)
             ON CONFLICT (merchant_id) DO UPDATE SET body = excluded.body",
            params![merchant, to_json(portal)],
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
    /// The portal of a merchant; the default if none was set.
    pub async fn portal(&self, merchant: &MerchantId) -> Result<StoredPortal, StoreError> {
        let operation = "reading a portal";
        let rows = self
            .query(
                operation,
                "SELECT 'portal', body FROM portals WHERE merchant_id = $1
                 UNION ALL SELECT 'logo', media_type FROM portal_logos WHERE merchant_id = $1",
                params![merchant],
            )
            .await?;
        read_portal(merchant, &rows).during(operation)
    }

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

fn read_portal(merchant: &MerchantId, rows: &[Row]) -> Result<StoredPortal, EngineError> {
    let mut stored = StoredPortal::default();
    for row in rows {
        match row.text(0)? {
            "portal" => {
                stored.portal = parse_body("portals", merchant.as_str(), row.text(1)?)?;
            }
            _ => stored.has_logo = true,
        }
    }
    Ok(stored)
}

fn read_logo(row: &Row) -> Result<(PictureKind, Bytes), EngineError> {
    let media_type = row.text(0)?;
    let kind = PictureKind::parse(media_type);
    let kind = kind.ok_or_else(|| corrupt("portal_logos", media_type, &"not a picture"))?;
    Ok((kind, row.bytes(1)?))
}
