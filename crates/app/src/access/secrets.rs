//! Secrets: how they are generated, and what is stored of them.
//!
//! Client secrets and tokens have 256 random bits, so a single SHA-256 protects them well enough. A
//! token contains its merchant, because every lookup starts with the merchant. Clients treat it as
//! opaque.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use bytes::Bytes;
use domain::{
    access::client::SecretHash,
    identifier::MerchantId,
    merchants::merchant::{Merchant, SIGNING_SECRETS_MAX, SealedSecret},
};
use ring::digest::{SHA256, digest};

use world::{Purpose, SealContext, Secret, Vault, VaultError, World};

use crate::App;

pub fn hash(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(digest(&SHA256, bytes).as_ref())
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| DIGITS.get(usize::from(digit))).collect()
}

/// A new client secret and what is stored of it.
pub(crate) fn new_client_secret(world: &World) -> (Secret, SecretHash) {
    let text = format!("hws_{}", URL_SAFE_NO_PAD.encode(world.random::<32>()));
    let kept = SecretHash { hash: hexadecimal(&hash(text.as_bytes())), created_at: world.now() };
    (Secret::new(text), kept)
}

/// Whether `kept` is the hash of `secret`. Both sides are hashes, so the time of the comparison
/// reveals nothing that an attacker can use.
pub(crate) fn is_same(secret: &str, kept: &SecretHash) -> bool {
    hexadecimal(&hash(secret.as_bytes())) == kept.hash
}

/// A new access token for clients of `merchant`.
pub(crate) fn new_token(world: &World, merchant: &MerchantId) -> Secret {
    Secret::new(format!("hwt.{merchant}.{}", URL_SAFE_NO_PAD.encode(world.random::<32>())))
}

/// The merchant in a token. This does not check that the token is valid.
pub(crate) fn merchant_of_token(token: &str) -> Option<MerchantId> {
    let (merchant, _) = token.strip_prefix("hwt.")?.split_once('.')?;
    MerchantId::parse_stored(merchant).ok()
}

/// A new secret to sign messages with, and its sealed form. The text follows Standard Webhooks.
pub(crate) fn new_signing_secret(app: &App, merchant: &MerchantId) -> (Secret, SealedSecret) {
    let text = format!("whsec_{}", STANDARD.encode(app.world.random::<32>()));
    let created_at = app.world.now();
    let row = created_at.to_string();
    let context = signing_secret_context(merchant, &row);
    let sealed = app.vault.seal(&app.world, context, text.as_bytes());
    let kept = SealedSecret { sealed: STANDARD.encode(sealed), created_at };
    (Secret::new(text), kept)
}

/// The merchant with a new signing secret. The newest old one stays valid, unless it is revoked.
pub(crate) fn with_signing_secret(
    mut merchant: Merchant,
    secret: SealedSecret,
    revoke_old: bool,
) -> Merchant {
    merchant.signing_secrets.truncate(if revoke_old { 0 } else { SIGNING_SECRETS_MAX - 1 });
    merchant.signing_secrets.insert(0, secret);
    merchant
}

/// The secrets that sign a merchant's messages, newest first.
pub(crate) fn signing_secrets(app: &App, merchant: &Merchant) -> Result<Vec<Secret>, VaultError> {
    let open = |kept: &SealedSecret| {
        let sealed = STANDARD.decode(&kept.sealed).unwrap_or_default();
        let row = kept.created_at.to_string();
        open_secret(&app.vault, signing_secret_context(&merchant.id, &row), &sealed)
    };
    merchant.signing_secrets.iter().map(open).collect()
}

/// What a signing secret is bound to: its merchant, and the time at which it was created.
pub(crate) fn signing_secret_context<'a>(
    merchant: &'a MerchantId,
    created_at: &'a str,
) -> SealContext<'a> {
    let merchant = merchant.as_str();
    SealContext { purpose: Purpose::SigningSecret, merchant, row: created_at }
}

/// A text that the vault sealed for `context`.
pub(crate) fn open_secret(
    vault: &Vault,
    context: SealContext<'_>,
    sealed: &[u8],
) -> Result<Secret, VaultError> {
    let bytes = vault.open(context, sealed)?;
    Ok(Secret::new(String::from_utf8_lossy(&bytes).into_owned()))
}
