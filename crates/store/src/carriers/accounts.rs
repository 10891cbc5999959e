//! Merchants' accounts at carriers. The secrets in them are sealed.

use boxed::boxed;
use domain::{bodies::WriteJson, carriers::account::CarrierAccount, identifier::MerchantId};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{body::read_versioned, value::params},
};

impl Transaction {
    /// Replaces a merchant's account that was read at `version`; 0 when there was none.
    pub fn put_carrier_account(
        &mut self,
        merchant: &MerchantId,
        account: &CarrierAccount<String>,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO carrier_accounts (merchant_id, version, body) VALUES ($1, 1, $2)
             ON CONFLICT (merchant_id) DO UPDATE
                 SET version = carrier_accounts.version + 1, body = excluded.body
                 WHERE carrier_accounts.version = $3",
            params![merchant, account.to_json(), version],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn carrier_account(
        &self,
        merchant: &MerchantId,
    ) -> Result<Option<Versioned<CarrierAccount<String>>>, StoreError> {
        self.read_first(
            "reading a carrier account",
            "SELECT version, body FROM carrier_accounts WHERE merchant_id = $1",
            params![merchant],
            |row| read_versioned("carrier_accounts", merchant.as_str(), row),
        )
        .await
    }
}
