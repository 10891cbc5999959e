//! Returns, the parcels they travel in, and the labels that carriers owe them.

use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaStatus},
    },
    time::micros,
};

use crate::{
    CountedEvent, Store, StoreError, Transaction, Versioned,
    core::{
        body::{corrupt, parse_body, to_json},
        cursor::Cursor,
        error::During,
        value::{Row, params},
    },
};

/// A return that waits for its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRequest {
    pub merchant: MerchantId,
    pub rma_id: String,
    pub requested_us: i64,
}

impl LabelRequest {
    /// Its position in the list of what a carrier is asked for.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.to_string(), self.rma_id.clone());
        Cursor { at_us: self.requested_us, merchant, id }
    }
}

impl Transaction {
    /// Adds a return; a conflict when its identifier is taken.
    pub fn insert_return(&mut self, merchant: &MerchantId, rma: &Rma) {
        self.count(merchant, CountedEvent::ReturnsStarted, micros(rma.created_at), 1);
        self.one_row(
            "INSERT INTO returns (merchant_id, rma_id, version, created_us, status, body)
             VALUES ($1, $2, 1, $3, $4, $5) ON CONFLICT DO NOTHING",
            params![
                merchant,
                rma.rma_identifier.as_str(),
                micros(rma.created_at),
                rma.status.name(),
                to_json(rma)
            ],
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
            "UPDATE returns SET version = version + 1, status = $4, body = $5
             WHERE merchant_id = $1 AND rma_id = $2 AND version = $3",
            params![
                merchant,
                rma.rma_identifier.as_str(),
                version,
                rma.status.name(),
                to_json(rma)
            ],
        );
    }

    /// Lets a return be found by the number of its parcel.
    pub fn put_parcel(&mut self, merchant: &MerchantId, tracking_number: &str, rma: &RmaId) {
        self.any_rows(
            "INSERT INTO parcels (merchant_id, tracking_number, rma_id) VALUES ($1, $2, $3)
             ON CONFLICT DO NOTHING",
            params![merchant, tracking_number, rma.as_str()],
        );
    }

    /// Asks a carrier for a label.
    pub fn request_label(
        &mut self,
        merchant: &MerchantId,
        rma: &RmaId,
        carrier: &str,
        now_us: i64,
    ) {
        self.one_row(
            "INSERT INTO label_requests (merchant_id, rma_id, requested_us, carrier)
             VALUES ($1, $2, $3, $4)",
            params![merchant, rma.as_str(), now_us, carrier],
        );
    }

    /// No label is wanted any more.
    pub fn end_label_request(&mut self, merchant: &MerchantId, rma: &RmaId) {
        self.any_rows(
            "DELETE FROM label_requests WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
        );
    }
}

impl Store {
    pub async fn rma(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
    ) -> Result<Option<Versioned<Rma>>, StoreError> {
        let operation = "reading a return";
        let rows = self
            .query(
                operation,
                "SELECT version, body FROM returns WHERE merchant_id = $1 AND rma_id = $2",
                params![merchant, rma.as_str()],
            )
            .await?;
        let read = |row: &Row| {
            let (version, body) =
                row.int(0).and_then(|it| Ok((it, row.text(1)?))).during(operation)?;
            Ok(Versioned { value: parse_body("returns", rma.as_str(), body)?, version })
        };
        rows.first().map(read).transpose()
    }

    /// Whose return this is.
    pub async fn merchant_of_rma(&self, rma: &RmaId) -> Result<Option<MerchantId>, StoreError> {
        let operation = "looking up a return";
        let rows = self
            .query(
                operation,
                "SELECT merchant_id FROM returns WHERE rma_id = $1 ORDER BY merchant_id LIMIT 1",
                params![rma.as_str()],
            )
            .await?;
        rows.first().map(|row| merchant(row, 0)).transpose()
    }

    /// The returns that travel under a tracking number, of one merchant or of all.
    pub async fn returns_by_parcel(
        &self,
        owner: Option<&MerchantId>,
        tracking_number: &str,
    ) -> Result<Vec<(MerchantId, RmaId)>, StoreError> {
        let operation = "looking up a parcel";
        let rows = self
            .query(
                operation,
                "SELECT merchant_id, rma_id FROM parcels WHERE tracking_number = $1
                 ORDER BY merchant_id, rma_id LIMIT 100",
                params![tracking_number],
            )
            .await?;
        let read = |row: &Row| Ok((merchant(row, 0)?, rma_id(row.text(1).during(operation)?)?));
        let found: Vec<_> = rows.iter().map(read).collect::<Result<_, StoreError>>()?;
        let wanted = |(merchant, _): &(MerchantId, RmaId)| owner.is_none_or(|it| it == merchant);
        Ok(found.into_iter().filter(wanted).collect())
    }

    /// The oldest returns that wait for a label of `carrier`, of one merchant or of all.
    pub async fn label_requests(
        &self,
        carrier: &str,
        owner: Option<&MerchantId>,
        after: &Cursor,
        limit: usize,
    ) -> Result<Vec<LabelRequest>, StoreError> {
        let operation = "listing wanted labels";
        let rows = self
            .query(
                operation,
                "SELECT merchant_id, rma_id, requested_us FROM label_requests
                 WHERE carrier = $1 AND (requested_us, rma_id) > ($2, $3)
                     AND ($4 = '' OR merchant_id = $4)
                 ORDER BY requested_us, rma_id LIMIT $5",
                params![
                    carrier,
                    after.at_us,
                    after.id.as_str(),
                    owner.map(MerchantId::as_str).unwrap_or_default(),
                    limit
                ],
            )
            .await?;
        let read = |row: &Row| {
            let (rma_id, requested_us) =
                row.text(1).and_then(|it| Ok((it.to_owned(), row.int(2)?))).during(operation)?;
            Ok(LabelRequest { merchant: merchant(row, 0)?, rma_id, requested_us })
        };
        rows.iter().map(read).collect()
    }
}

fn merchant(row: &Row, column: usize) -> Result<MerchantId, StoreError> {
    let text = row.text(column).during("reading a merchant's name")?;
    MerchantId::parse_stored(text).map_err(|why| corrupt("returns", text, &why))
}

fn rma_id(text: &str) -> Result<RmaId, StoreError> {
    RmaId::parse(text).ok_or_else(|| corrupt("parcels", text, &"not an RMA identifier"))
}
