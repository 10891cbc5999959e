//! The keys that encrypt secrets in the database: that they are the right ones, and their rotation.
//!
//! The database knows the identifiers of the keys with which its values may be encrypted, each with
//! a known value that the key encrypted. So a missing or a wrong key file is noticed at the start,
//! before anything is encrypted with another key.
//!
//! After a rotation, new values are sealed with the new key at once, and the old ones are sealed
//! anew in batches. Each is replaced only if no other request has changed it meanwhile. When none
//! is left, the database forgets the old key. A node that does not have the new file yet still
//! seals with the old key, so it makes the database remember that key again. It seals those values
//! anew when it gets the file, and until then no further rotation can remove the old key.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use boxed::boxed;
use domain::identifier::MerchantId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Cursor, ListFilter, ResponseKey, SealingKeyRow, Store, StoreError, Transaction};
use world::{KeyRing, Purpose, SealContext, Vault, VaultError, World};

use crate::{
    App, AppError,
    access::secrets::signing_secret_context,
    carriers::accounts::carrier_secret_context,
    core::{
        audit_trail::{AuditEvent, record_event},
        idempotency::response_context,
    },
    messages::{endpoint_target::endpoint_secret_context, mail::mail_secret_context},
    withdrawal::acknowledgement::seal_context,
};

/// The actor in the audit trail: no request changes the keys.
const SERVER: &str = "server";
const CHECK: &[u8] = b"homeward";
const BATCH: usize = 200;
/// Between two batches, so that other writers come first.
const PAUSE: Duration = Duration::from_millis(20);
/// Requests that were under way when the key changed may store a value that they sealed before.
const LATE_VALUES_WAIT: Duration = Duration::from_secs(2);

/// Why the keys do not fit the database.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(
        "values in the database are encrypted with the key {0}, which the file does not contain"
    )]
    Missing(String),
    #[error("the key {0} in the file is not the key {0} that encrypted values in the database")]
    Different(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The keys with which stored values may be encrypted.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SealingKeys {
    /// The identifier of the key that encrypts new values.
    #[schema(example = "k7w2mq9d")]
    pub newest: String,
    /// The identifiers of older keys with which some values are still encrypted.
    pub older: Vec<String>,
}

/// Checks that `ring` contains every key that the database needs, and adds its newest key to the
/// database.
#[boxed]
pub async fn check_keys(store: &Store, world: &World, ring: &KeyRing) -> Result<(), KeyError> {
    let vault = Vault::new(ring);
    let mut known = Vec::new();
    for row in store.sealing_keys().await? {
        if !ring.contains(&row.id) {
            return Err(KeyError::Missing(row.id));
        }
        if vault.open(check_context(&row.id), &row.check).is_err() {
            return Err(KeyError::Different(row.id));
        }
        known.push(row.id);
    }
    let id = ring.newest();
    if known.iter().any(|known| known == id) {
        return Ok(());
    }
    let check = vault.seal(world, check_context(id), CHECK).into();
    let mut transaction = Transaction::new("adding a sealing key");
    transaction.insert_sealing_key(&SealingKeyRow { id: id.to_owned(), check });
    // The first key of a database replaces none.
    if !known.is_empty() {
        let detail = json!({ "new": id, "old": known });
        record_key_event(world, &mut transaction, "key.rotate", &detail);
    }
    commit_unless_done(store, transaction).await?;
    // Two nodes with different files may have added their keys at the same time.
    let rows = store.sealing_keys().await?;
    if let Some(other) = rows.into_iter().find(|row| !ring.contains(&row.id)) {
        forget_keys(store, world, &[id.to_owned()]).await?;
        return Err(KeyError::Missing(other.id));
    }
    Ok(())
}

/// Commits a change of the keys. A conflict means that another node has made the same change.
async fn commit_unless_done(store: &Store, transaction: Transaction) -> Result<(), StoreError> {
    match store.commit(transaction).await {
        Ok(_) | Err(StoreError::Conflict) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn forget_keys(store: &Store, world: &World, ids: &[String]) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("removing sealing keys");
    for id in ids {
        transaction.delete_sealing_key(id);
    }
    record_key_event(world, &mut transaction, "key.forget", &json!({ "old": ids }));
    commit_unless_done(store, transaction).await
}

/// Records a change of the keys, which the server makes when their file has changed. The record has
/// identifiers of keys, never keys.
fn record_key_event(world: &World, transaction: &mut Transaction, action: &str, detail: &Value) {
    let merchant = MerchantId::platform();
    let event = AuditEvent { merchant: &merchant, actor: SERVER, address: None, action, detail };
    record_event(world, transaction, &event);
}

fn check_context(id: &str) -> SealContext<'_> {
    SealContext { purpose: Purpose::KeyCheck, merchant: "", row: id }
}

/// Whether the database has values that are encrypted with some key.
#[boxed]
pub async fn has_keys(store: &Store) -> Result<bool, StoreError> {
    Ok(!store.sealing_keys().await?.is_empty())
}

/// Seals with the newest key of `ring` from now on.
#[boxed]
pub async fn use_keys(app: &App, ring: &KeyRing) -> Result<(), KeyError> {
    check_keys(&app.store, &app.world, ring).await?;
    app.vault.replace(ring);
    Ok(())
}

/// Makes the database remember the newest key of this node again, if another node with a newer file
/// has made it forget the key. Returns the key of the newer file.
#[boxed]
pub async fn remember_key(app: &App, ring: &KeyRing) -> Result<Option<String>, StoreError> {
    let rows = app.store.sealing_keys().await?;
    let id = ring.newest();
    if rows.iter().any(|row| row.id == id) {
        return Ok(None);
    }
    let check = app.vault.seal(&app.world, check_context(id), CHECK).into();
    let mut transaction = Transaction::new("remembering a sealing key");
    transaction.insert_sealing_key(&SealingKeyRow { id: id.to_owned(), check });
    commit_unless_done(&app.store, transaction).await?;
    Ok(rows.into_iter().map(|row| row.id).find(|it| !ring.contains(it)))
}

/// The keys that are in use.
#[boxed]
pub async fn list_keys(app: &App) -> Result<SealingKeys, AppError> {
    let newest = app.vault.newest();
    let ids = app.store.sealing_keys().await?.into_iter().map(|row| row.id);
    Ok(SealingKeys { older: ids.filter(|id| *id != newest).collect(), newest })
}

/// Seals every stored value with the newest key, if some are sealed with older ones. Returns how
/// many were changed.
#[boxed]
pub async fn finish_rotation(app: &App) -> Result<u64, AppError> {
    let SealingKeys { older, .. } = list_keys(app).await?;
    if older.is_empty() {
        return Ok(0);
    }
    let mut changed = 0;
    loop {
        let now_changed = reseal_secrets(app).await?
            + reseal_responses(app).await?
            + reseal_withdrawals(app).await?;
        changed += now_changed;
        if now_changed == 0 {
            break;
        }
        tokio::time::sleep(LATE_VALUES_WAIT).await;
    }
    forget_keys(&app.store, &app.world, &older).await?;
    Ok(changed)
}

/// Seals the secrets of all merchants and their endpoints.
async fn reseal_secrets(app: &App) -> Result<u64, AppError> {
    let (mut changed, mut after) = (0, String::new());
    loop {
        let merchants = app.store.merchants(&after, BATCH).await?;
        let Some(last) = merchants.last() else { return Ok(changed) };
        after = last.id.to_string();
        for merchant in &merchants {
            changed += reseal_merchant(app, &merchant.id).await?;
        }
    }
}

async fn reseal_merchant(app: &App, id: &MerchantId) -> Result<u64, AppError> {
    let mut transaction = Transaction::new("sealing the secrets of a merchant anew");
    let mut changed = 0;
    if let Some(mut merchant) = app.store.merchant(id).await? {
        let before = merchant.value.clone();
        for secret in &mut merchant.value.signing_secrets {
            let created_at = secret.created_at.to_string();
            let context = signing_secret_context(id, &created_at);
            secret.sealed = reseal_text(app, context, &secret.sealed)?;
        }
        if merchant.value != before {
            transaction.update_merchant(&merchant.value, merchant.version);
            changed += 1;
        }
    }
    if let Some(account) = app.store.carrier_account(id).await? {
        let reseal = |text: String| reseal_text(app, carrier_secret_context(id), &text);
        let resealed = account.value.clone().try_map(reseal)?;
        if resealed != account.value {
            transaction.put_carrier_account(id, &resealed, account.version);
            changed += 1;
        }
    }
    let mail = app.store.mail_settings(id).await?;
    let reseal = |text: String| reseal_text(app, mail_secret_context(id), &text);
    let resealed = mail.value.clone().try_map(reseal)?;
    if resealed != mail.value {
        transaction.put_mail_settings(id, &resealed, mail.version);
        changed += 1;
    }
    let endpoints = app.store.endpoints(id).await?;
    let reseal = |text: String| reseal_text(app, endpoint_secret_context(id), &text);
    let resealed = endpoints.value.clone().try_map(reseal)?;
    if resealed != endpoints.value {
        transaction.put_endpoints(id, &resealed, endpoints.version);
        changed += 1;
    }
    match app.store.commit(transaction).await {
        Ok(_) => Ok(changed),
        // Another request changed them meanwhile. The next pass looks again.
        Err(StoreError::Conflict) => Ok(1),
        Err(error) => Err(error.into()),
    }
}

fn reseal_text(app: &App, context: SealContext<'_>, text: &str) -> Result<String, VaultError> {
    let sealed = STANDARD.decode(text).unwrap_or_default();
    let resealed = app.vault.reseal(&app.world, context, &sealed)?;
    Ok(resealed.map_or_else(|| text.to_owned(), |bytes| STANDARD.encode(bytes)))
}

/// Seals the stored responses.
async fn reseal_responses(app: &App) -> Result<u64, AppError> {
    let (mut changed, mut after) = (0, ResponseKey::default());
    loop {
        let rows = app.store.responses_after(&after, BATCH).await?;
        let Some((last, _)) = rows.last() else { return Ok(changed) };
        after = last.clone();
        let mut transaction = Transaction::new("sealing stored responses anew");
        for (key, body) in &rows {
            let row = key.row();
            let context = response_context(&key.merchant, &row);
            if let Some(resealed) = app.vault.reseal(&app.world, context, body)? {
                transaction.replace_response(key, body.clone(), resealed.into());
                changed += 1;
            }
        }
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Seals the hashes of the records of withdrawals.
async fn reseal_withdrawals(app: &App) -> Result<u64, AppError> {
    let (mut changed, mut before) = (0, Cursor::newest());
    loop {
        let filter = ListFilter { before, merchant: None, status: None, limit: BATCH };
        let (rows, _) = app.store.withdrawals(&filter).await?;
        let Some(last) = rows.last() else { return Ok(changed) };
        before = last.cursor();
        let mut transaction = Transaction::new("sealing the records of withdrawals anew");
        for row in &rows {
            let context = seal_context(&row.merchant, &row.withdrawal_id);
            let resealed = reseal_text(app, context, &row.seal)?;
            if resealed != row.seal {
                transaction.reseal_withdrawal(row, &resealed);
                changed += 1;
            }
        }
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
}
