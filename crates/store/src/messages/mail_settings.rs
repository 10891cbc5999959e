//! How the mails of merchants are sent. The secrets in the settings are sealed.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, messages::mail::settings::MailSettings};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{body::read_versioned, value::params},
};

impl Transaction {
    /// Replaces a merchant's settings that were read at `version`; 0 when there were none.
    pub fn put_mail_settings(
        &mut self,
        merchant: &MerchantId,
        settings: &MailSettings<String>,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO mail_settings (merchant_id, version, body) VALUES ($1, 1, $2)
             ON CONFLICT (merchant_id) DO UPDATE
                 SET version = mail_settings.version + 1, body = excluded.body
                 WHERE mail_settings.version = $3",
            params![merchant, settings.to_json(), version],
        );
    }
}

impl Store {
    /// A merchant's settings. Before any were set: the usual ones, with version 0.
    #[boxed]
    pub async fn mail_settings(
        &self,
        merchant: &MerchantId,
    ) -> Result<Versioned<MailSettings<String>>, StoreError> {
        let found = self
            .read_first(
                "reading mail settings",
                "SELECT version, body FROM mail_settings WHERE merchant_id = $1",
                params![merchant],
                |row| read_versioned("mail_settings", merchant.as_str(), row),
            )
            .await?;
        Ok(found.unwrap_or_else(|| Versioned { value: MailSettings::default(), version: 0 }))
    }
}
