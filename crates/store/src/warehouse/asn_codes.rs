//! Codes on the outside of announced goods: cartons, and the tracking number. They find the ASN.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    warehouse::{asn::InboundAsn, scanned_code::parcel_codes},
};

use crate::{
    Store, StoreError, Transaction,
    core::{
        body::parse_merchant,
        value::{Row, params},
    },
};

/// Codes that one statement inserts.
const CODES_AT_ONCE: usize = 1_000;

/// An ASN that a code on the outside of its goods leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodedAsn {
    pub merchant: MerchantId,
    pub asn_number: String,
    /// The carton with the code, as the merchant wrote it. None for a tracking number.
    pub carton: Option<String>,
}

impl Transaction {
    pub(super) fn insert_asn_codes(&mut self, merchant: &MerchantId, asn: &InboundAsn) {
        let mut codes: BTreeMap<String, &str> = BTreeMap::new();
        for carton in asn.cartons.iter().filter_map(|carton| carton.identifier.as_deref()) {
            codes.extend(parcel_codes(carton).into_iter().next().map(|code| (code, carton)));
        }
        if let Some(number) = &asn.tracking_number {
            codes.entry(number.clone()).or_default();
        }
        let rows: Vec<_> = codes
            .iter()
            .map(|(code, carton)| {
                let (number, program) = (asn.asn_number.as_str(), asn.program_identifier.as_str());
                params![merchant, number, program, code.as_str(), *carton]
            })
            .collect();
        for rows in rows.chunks(CODES_AT_ONCE) {
            self.one_row_each(
                "INSERT INTO asn_codes (merchant_id, asn_number, program_id, code, carton_id)
                 SELECT r.merchant_id, r.asn_number, r.program_id, r.code, r.carton_id
                 FROM ROWS(merchant_id, asn_number, program_id, code, carton_id) WHERE true
                 ON CONFLICT DO NOTHING",
                rows.to_vec(),
            );
        }
    }

    pub(super) fn replace_asn_codes(&mut self, merchant: &MerchantId, asn: &InboundAsn) {
        self.any_rows(
            "DELETE FROM asn_codes
             WHERE merchant_id = $1 AND asn_number = $2 AND program_id = $3",
            params![merchant, asn.asn_number.as_str(), asn.program_identifier.as_str()],
        );
        self.insert_asn_codes(merchant, asn);
    }
}

impl Store {
    /// The ASNs that have this code on the outside of their goods.
    #[boxed]
    pub async fn asns_by_code(&self, code: &str) -> Result<Vec<CodedAsn>, StoreError> {
        self.read_all(
            "looking up ASNs by a code",
            "SELECT DISTINCT merchant_id, asn_number, carton_id FROM asn_codes WHERE code = $1
             ORDER BY merchant_id, asn_number, carton_id LIMIT 20",
            params![code],
            |row: &Row| {
                Ok(CodedAsn {
                    merchant: parse_merchant("asn_codes", row.text(0)?)?,
                    asn_number: row.text(1)?.to_owned(),
                    carton: Some(row.text(2)?.to_owned()).filter(|carton| !carton.is_empty()),
                })
            },
        )
        .await
    }
}
