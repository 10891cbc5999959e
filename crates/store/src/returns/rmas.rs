//! Returns, the parcels they travel in, and the labels that carriers are asked for.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaStatus},
    },
    time::micros,
};

use crate::{
    CountedEvent, EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::{corrupt, parse_merchant, read_versioned},
        cursor::Cursor,
        value::params,
    },
    money::postings::owed_cents,
    returns::journal::EventHeader,
};

/// A return that waits for its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRequestRow {
    pub merchant: MerchantId,
    pub rma_id: String,
    pub requested_us: i64,
}

impl LabelRequestRow {
    /// Its position in the list of label requests.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.to_string(), self.rma_id.clone());
        Cursor { at_us: self.requested_us, merchant, id }
    }
}

impl Transaction {
    /// Adds a return and the first event of its journal; a conflict when its identifier is taken.
    /// Both have the same body, which is written once.
    pub fn start_return(&mut self, merchant: &MerchantId, rma: &Rma, started: &EventHeader<'_>) {
        let body = rma.to_json();
        self.insert_return_event_body(merchant, &rma.rma_identifier, started, body.clone());
        self.insert_return_body(merchant, rma, body);
    }

    /// Adds a return without a journal.
    #[cfg(test)]
    pub(crate) fn insert_return(&mut self, merchant: &MerchantId, rma: &Rma) {
        self.insert_return_body(merchant, rma, rma.to_json());
    }

    fn insert_return_body(&mut self, merchant: &MerchantId, rma: &Rma, body: String) {
        self.count(merchant, CountedEvent::ReturnsStarted, micros(rma.created_at), 1);
        self.one_row_each(
            "INSERT INTO returns
                 (merchant_id, rma_id, version, created_us, status, currency, owed_cents, body,
                 changed, changed_us)
             SELECT r.merchant_id, r.rma_id, 1, r.created_us, r.status, r.currency, r.owed_cents,
                 r.body, CHANGE_NUMBER, r.changed_us
             FROM ROWS(merchant_id, rma_id, created_us, status, currency, owed_cents, body,
                 changed_us)
             WHERE true ON CONFLICT DO NOTHING",
            vec![params![
                merchant,
                rma.rma_identifier.as_str(),
                micros(rma.created_at),
                rma.status.name(),
                rma.currency.as_str(),
                owed_cents(rma),
                body,
                micros(rma.updated_at)
            ]],
        );
    }

    /// Replaces a return that was read at `version`, when its status was `before`.
    pub fn update_return(
        &mut self,
        merchant: &MerchantId,
        rma: &Rma,
        version: i64,
        before: RmaStatus,
    ) {
        self.count_closed(merchant, rma, before);
        self.one_row(
            "UPDATE returns SET version = version + 1, status = $4, owed_cents = $5, body = $6,
                 changed = CHANGE_NUMBER, changed_us = $7
             WHERE merchant_id = $1 AND rma_id = $2 AND version = $3",
            params![
                merchant,
                rma.rma_identifier.as_str(),
                version,
                rma.status.name(),
                owed_cents(rma),
                rma.to_json(),
                micros(rma.updated_at)
            ],
        );
    }

    /// Makes a return findable by the tracking number of its parcel.
    pub fn put_parcel(&mut self, merchant: &MerchantId, tracking_number: &str, rma: &RmaId) {
        self.any_rows(
            "INSERT INTO parcels (merchant_id, tracking_number, rma_id) VALUES ($1, $2, $3)
             ON CONFLICT DO NOTHING",
            params![merchant, tracking_number, rma.as_str()],
        );
    }

    /// Asks a carrier for a label. A newer request replaces the one before.
    pub fn request_label(
        &mut self,
        merchant: &MerchantId,
        rma: &RmaId,
        carrier: &str,
        now_us: i64,
    ) {
        self.one_row_each(
            "INSERT INTO label_requests (merchant_id, rma_id, requested_us, carrier)
             SELECT r.merchant_id, r.rma_id, r.requested_us, r.carrier
             FROM ROWS(merchant_id, rma_id, requested_us, carrier) WHERE true
             ON CONFLICT (merchant_id, rma_id)
             DO UPDATE SET requested_us = excluded.requested_us, carrier = excluded.carrier",
            vec![params![merchant, rma.as_str(), now_us, carrier]],
        );
    }

    /// Removes the request for a label, if there is one.
    pub fn end_label_request(&mut self, merchant: &MerchantId, rma: &RmaId) {
        self.any_rows(
            "DELETE FROM label_requests WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn rma(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
    ) -> Result<Option<Versioned<Rma>>, StoreError> {
        self.read_first(
            "reading a return",
            "SELECT version, body FROM returns WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
            |row| read_versioned("returns", rma.as_str(), row),
        )
        .await
    }

    /// The merchant of a return.
    #[boxed]
    pub async fn merchant_of_rma(&self, rma: &RmaId) -> Result<Option<MerchantId>, StoreError> {
        self.read_first(
            "looking up a return",
            "SELECT merchant_id FROM returns WHERE rma_id = $1 ORDER BY merchant_id LIMIT 1",
            params![rma.as_str()],
            |row| parse_merchant("returns", row.text(0)?),
        )
        .await
    }

    /// The returns that travel under a tracking number, of one merchant or of all.
    #[boxed]
    pub async fn returns_by_parcel(
        &self,
        owner: Option<&MerchantId>,
        tracking_number: &str,
    ) -> Result<Vec<(MerchantId, RmaId)>, StoreError> {
        let (sql, values) = match owner {
            Some(owner) => (
                "SELECT merchant_id, rma_id FROM parcels
                 WHERE merchant_id = $1 AND tracking_number = $2 ORDER BY rma_id LIMIT 100",
                params![owner, tracking_number],
            ),
            None => (
                "SELECT merchant_id, rma_id FROM parcels WHERE tracking_number = $1
                 ORDER BY merchant_id, rma_id LIMIT 100",
                params![tracking_number],
            ),
        };
        self.read_all("looking up a parcel", sql, values, |row| {
            Ok((parse_merchant("parcels", row.text(0)?)?, parse_rma(row.text(1)?)?))
        })
        .await
    }

    /// The oldest returns that wait for a label of `carrier`, of one merchant or of all.
    #[boxed]
    pub async fn label_requests(
        &self,
        carrier: &str,
        owner: Option<&MerchantId>,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<LabelRequestRow>, StoreError> {
        let owner = owner.map_or("", MerchantId::as_str);
        self.read_all(
            "listing label requests",
            "SELECT merchant_id, rma_id, requested_us FROM label_requests
             WHERE carrier = $1 AND (requested_us, rma_id) > ($2, $3)
                 AND ($4 = '' OR merchant_id = $4)
             ORDER BY requested_us, rma_id LIMIT $5",
            params![carrier, after.at_us, after.id.as_str(), owner, limit],
            |row| {
                Ok(LabelRequestRow {
                    merchant: parse_merchant("label_requests", row.text(0)?)?,
                    rma_id: row.text(1)?.to_owned(),
                    requested_us: row.int(2)?,
                })
            },
        )
        .await
    }
}

fn parse_rma(text: &str) -> Result<RmaId, EngineError> {
    RmaId::parse(text).ok_or_else(|| corrupt("parcels", text, &"not an RMA identifier"))
}
