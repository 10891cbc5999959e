//! What merchants' returns portals look like and say.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    merchants::{picture::PictureKind, portal::Portal},
};

use crate::{
    Store, StoreError, Transaction,
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
    /// The portal of a merchant; the default where none was set.
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
        let mut stored = StoredPortal::default();
        for row in &rows {
            let read = || Ok((row.text(0)?, row.text(1)?));
            match read().during(operation)? {
                ("portal", body) => stored.portal = parse_body("portals", merchant.as_str(), body)?,
                _ => stored.has_logo = true,
            }
        }
        Ok(stored)
    }

    pub async fn logo(
        &self,
        merchant: &MerchantId,
    ) -> Result<Option<(PictureKind, Bytes)>, StoreError> {
        let operation = "reading a logo";
        let rows = self
            .query(
                operation,
                "SELECT media_type, body FROM portal_logos WHERE merchant_id = $1",
                params![merchant],
            )
            .await?;
        let read = |row: &Row| {
            let (media_type, body) =
                row.text(0).and_then(|it| Ok((it, row.bytes(1)?))).during(operation)?;
            let kind = PictureKind::parse(media_type);
            let kind = kind.ok_or_else(|| corrupt("portal_logos", media_type, &"no picture"))?;
            Ok((kind, body))
        };
        rows.first().map(read).transpose()
    }
}
