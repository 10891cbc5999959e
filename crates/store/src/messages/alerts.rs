//! Problems that people were notified of, until they end.

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{
    Store, StoreError, Transaction,
    core::{body::parse_merchant, value::params},
};

/// A problem that people were notified of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAlert {
    /// Whose problem it is; the platform for its own.
    pub merchant: MerchantId,
    /// What distinguishes it from other problems of the merchant.
    pub problem: String,
    pub since_us: i64,
    /// What people were notified.
    pub detail: String,
}

impl Transaction {
    /// Remembers that people are notified of a problem. Fails with a conflict if they were
    /// notified.
    pub fn open_alert(&mut self, alert: &OpenAlert) {
        let OpenAlert { merchant, problem, since_us, detail } = alert;
        self.one_row(
            "INSERT INTO alerts (merchant_id, problem, since_us, detail) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING",
            params![merchant, problem.as_str(), *since_us, detail.as_str()],
        );
    }

    /// The problem has ended. Fails with a conflict if people were notified of its end.
    pub fn close_alert(&mut self, merchant: &MerchantId, problem: &str) {
        self.one_row(
            "DELETE FROM alerts WHERE merchant_id = $1 AND problem = $2",
            params![merchant, problem],
        );
    }
}

impl Store {
    /// The problems of all merchants that people were notified of and that have not ended.
    #[boxed]
    pub async fn open_alerts(&self, limit: usize) -> Result<Vec<OpenAlert>, StoreError> {
        self.read_all(
            "reading open alerts",
            "SELECT merchant_id, problem, since_us, detail FROM alerts
             WHERE merchant_id > '' ORDER BY merchant_id, problem LIMIT $1",
            params![limit],
            |row| {
                Ok(OpenAlert {
                    merchant: parse_merchant("alerts", row.text(0)?)?,
                    problem: row.text(1)?.to_owned(),
                    since_us: row.int(2)?,
                    detail: row.text(3)?.to_owned(),
                })
            },
        )
        .await
    }
}
