//! The acknowledgement of a withdrawal: a document with the record, its hash, and a seal of the
//! hash by the service. It proves what was recorded: a changed document, a changed record and a
//! changed hash are noticed.

use base64::{Engine, engine::general_purpose::STANDARD};
use boxed::boxed;
use domain::{
    identifier::MerchantId,
    withdrawal::{identifier::WithdrawalId, record::WithdrawalRecord},
};
use omit_none::omit_none;
use serde::{Deserialize, Serialize, de::Error};
use store::WithdrawalRow;
use world::{Purpose, SealContext, VaultError};

use crate::{App, AppError, access::secrets};

/// What the shopper gets.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WithdrawalAcknowledgement {
    /// The record.
    pub withdrawal: WithdrawalRecord,
    /// SHA-256 of the record, written as JSON without spaces: of the body of the message to the
    /// merchant.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: String,
    /// Proves that this service made the record.
    #[schema(example = "azd3Mm1xOWR...")]
    pub seal: String,
}

/// The hash of a record, and its seal.
pub(crate) struct RecordSeal {
    pub(crate) sha256: String,
    pub(crate) seal: String,
}

/// The result of checking a document.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentCheck {
    /// Whether the document is what was recorded, byte for byte.
    pub genuine: bool,
    /// The withdrawal that the document names.
    pub withdrawal_identifier: Option<WithdrawalId>,
    /// What is wrong, one sentence for each problem.
    #[schema(example = json!([]))]
    pub problems: Vec<String>,
}

/// Seals the hash of a record.
pub(crate) fn seal_record(
    app: &App,
    merchant: &MerchantId,
    id: &WithdrawalId,
    record: &str,
) -> RecordSeal {
    let sha256 = hash_of(record);
    let context = seal_context(merchant.as_str(), id.as_str());
    let seal = STANDARD.encode(app.vault.seal(&app.world, context, sha256.as_bytes()));
    RecordSeal { sha256, seal }
}

/// What a seal is bound to: the merchant and the withdrawal.
pub(crate) fn seal_context<'a>(merchant: &'a str, id: &'a str) -> SealContext<'a> {
    SealContext { purpose: Purpose::Withdrawal, merchant, row: id }
}

/// A withdrawal whose page the visitor may see, because the name of the page has its key.
#[boxed]
pub async fn load_acknowledgement(
    app: &App,
    merchant: &MerchantId,
    page_name: &str,
) -> Result<WithdrawalAcknowledgement, AppError> {
    let missing = || AppError::NotFound("withdrawal");
    let (id, key) = page_name.rsplit_once('-').ok_or_else(missing)?;
    let id = WithdrawalId::parse(id).ok_or_else(missing)?;
    let row = app.store.withdrawal(merchant, &id).await?.ok_or_else(missing)?;
    // Hashes are compared, so that the time it takes reveals nothing about the key.
    if secrets::hash(key.as_bytes()) != secrets::hash(row.access_key.as_bytes()) {
        return Err(missing());
    }
    let withdrawal = parse_record(&row)?;
    Ok(WithdrawalAcknowledgement { withdrawal, sha256: row.sha256, seal: row.seal })
}

pub(crate) fn parse_record(row: &WithdrawalRow) -> Result<WithdrawalRecord, AppError> {
    serde_json::from_str(&row.record).map_err(AppError::UnreadableResponse)
}

impl WithdrawalAcknowledgement {
    fn parse(document: &[u8]) -> Result<Self, serde_json::Error> {
        str::from_utf8(document).map_err(Error::custom).and_then(serde_json::from_str)
    }

    /// The document, as it is downloaded and mailed.
    pub fn document(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record has string keys");
        text.push('\n');
        text
    }
}

/// Checks a document against what was recorded.
#[boxed]
pub async fn check_document(app: &App, document: &[u8]) -> Result<DocumentCheck, AppError> {
    let read: WithdrawalAcknowledgement = match WithdrawalAcknowledgement::parse(document) {
        Ok(read) => read,
        Err(why) => {
            let problem = format!("this is not an acknowledgement of a withdrawal: {why}");
            return Ok(DocumentCheck::failed(None, vec![problem]));
        }
    };
    let id = read.withdrawal.withdrawal_identifier.clone();
    let merchant = MerchantId::parse(&read.withdrawal.merchant).ok();
    let row = match &merchant {
        Some(merchant) => app.store.withdrawal(merchant, &id).await?,
        None => None,
    };
    let Some(row) = row else {
        let problem = format!("no withdrawal {id} of this merchant is recorded");
        return Ok(DocumentCheck::failed(Some(id), vec![problem]));
    };
    let mut problems = find_changes(app, &row);
    let expected = parse_record(&row).map(|withdrawal| WithdrawalAcknowledgement {
        withdrawal,
        sha256: row.sha256.clone(),
        seal: read.seal.clone(),
    });
    if !expected.is_ok_and(|expected| expected.document().as_bytes() == document) {
        problems.push("the document is not what was recorded".to_owned());
    }
    match open_seal(app, &row, &read.seal) {
        Ok(sealed) if sealed == read.sha256 => {}
        // A key that was replaced is gone. The stored seal was made anew with the next one.
        Err(VaultError::UnknownKey { .. }) => {}
        Ok(_) | Err(VaultError::Damaged { .. }) => {
            problems.push("the seal of the document does not belong to its hash".to_owned());
        }
    }
    let genuine = problems.is_empty();
    Ok(DocumentCheck { genuine, withdrawal_identifier: Some(id), problems })
}

impl DocumentCheck {
    fn failed(withdrawal_identifier: Option<WithdrawalId>, problems: Vec<String>) -> Self {
        Self { genuine: false, withdrawal_identifier, problems }
    }
}

/// How the stored record differs from what was stored first.
fn find_changes(app: &App, row: &WithdrawalRow) -> Vec<String> {
    let mut problems = Vec::new();
    if hash_of(&row.record) != row.sha256 {
        problems.push("the stored record was changed: it has another hash".to_owned());
    }
    match open_seal(app, row, &row.seal) {
        Ok(sealed) if sealed == row.sha256 => {}
        Ok(_) => problems.push("the stored hash was changed: its seal has another".to_owned()),
        Err(why) => problems.push(format!("the stored seal cannot be opened: {why}")),
    }
    problems
}

fn open_seal(app: &App, row: &WithdrawalRow, seal: &str) -> Result<String, VaultError> {
    let sealed = STANDARD.decode(seal).unwrap_or_default();
    let opened = app.vault.open(seal_context(&row.merchant, &row.withdrawal_id), &sealed)?;
    Ok(String::from_utf8_lossy(&opened).into_owned())
}

fn hash_of(text: &str) -> String {
    secrets::hexadecimal(&secrets::hash(text.as_bytes()))
}
