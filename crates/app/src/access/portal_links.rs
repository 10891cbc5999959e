//! Links that open an order in the portal, for a shop's own mails.
//!
//! A link is signed with the merchant's signing secret, so that the shop can make it without asking
//! us: HMAC-SHA256 over `portal-link`, the merchant, the order, the end in seconds since 1970, and
//! `gift` or `buyer`, each on a line of its own. Who has the link reads the mail of the order's
//! address, or got the gift receipt.

use base64::{Engine, engine::general_purpose::STANDARD};
use boxed::boxed;
use domain::identifier::MerchantId;
use jiff::{SignedDuration, Timestamp};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use serde::{Deserialize, Serialize};
use world::Secret;

use crate::{
    App, AppError,
    access::secrets::{hexadecimal, signing_secrets},
    orders::load_order::find_order,
    returns::{policies::load_policy, shopper::Shopper},
};

/// The most days that a link is valid, and the usual number.
pub const LINK_DAYS_MAX: i64 = 400;
pub const LINK_DAYS_DEFAULT: i64 = 60;
const SECRET_PREFIX: &str = "whsec_";

/// A link that is wanted.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct NewPortalLink {
    /// The order that it opens.
    #[schema(example = "ORD-100472", min_length = 1, max_length = 255)]
    pub order_identifier: String,
    /// Whether it is for the person who gets the goods as a gift.
    #[schema(value_type = Option<bool>)]
    pub gift: bool,
    /// How many days it is valid: 1 to 400.
    #[schema(value_type = Option<i64>, example = 60, minimum = 1, maximum = 400)]
    pub days: i64,
}

/// A signed link.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PortalLink {
    /// Its path at the address of this service.
    #[schema(
        example = "/portal/acme/link?order=ORD-100472&expires=1776762000&signature=5f2c9ab01d"
    )]
    pub path: String,
    /// Until when it is valid.
    pub expires_at: Timestamp,
}

/// What a link says, as it was received.
#[derive(Clone, Debug, Deserialize)]
pub struct LinkClaim {
    #[serde(default)]
    pub order: String,
    /// Seconds since 1970.
    #[serde(default)]
    pub expires: i64,
    #[serde(default)]
    pub gift: Option<String>,
    #[serde(default)]
    pub signature: String,
}

impl LinkClaim {
    fn is_gift(&self) -> bool {
        self.gift.as_deref() == Some("yes")
    }
}

/// Signs a link. The order need not exist yet.
#[boxed]
pub async fn create_link(
    app: &App,
    merchant: &MerchantId,
    wanted: &NewPortalLink,
) -> Result<PortalLink, AppError> {
    let secrets = load_secrets(app, merchant).await?;
    let secret = secrets.first().ok_or(AppError::NotFound("signing secret"))?;
    let days = wanted.days.clamp(1, LINK_DAYS_MAX);
    let until = app.world.now().checked_add(SignedDuration::from_hours(days * 24));
    let expires = until.unwrap_or(Timestamp::MAX).as_second();
    let order = &wanted.order_identifier;
    let signature = hexadecimal(&sign(secret, merchant, order, expires, wanted.gift));
    let encoded = utf8_percent_encode(order, NON_ALPHANUMERIC);
    let gift = if wanted.gift { "&gift=yes" } else { "" };
    Ok(PortalLink {
        path: format!(
            "/portal/{merchant}/link?order={encoded}&expires={expires}{gift}&signature={signature}"
        ),
        expires_at: Timestamp::from_second(expires).unwrap_or(Timestamp::MAX),
    })
}

/// The shopper who has a link, if it is genuine and has not expired.
#[boxed]
pub async fn follow_link(
    app: &App,
    merchant: &MerchantId,
    claim: &LinkClaim,
) -> Result<Option<Shopper>, AppError> {
    if claim.expires <= app.world.now().as_second() {
        return Ok(None);
    }
    let secrets = load_secrets(app, merchant).await?;
    let is_signed = |secret: &Secret| {
        let expected = sign(secret, merchant, &claim.order, claim.expires, claim.is_gift());
        is_equal(&hexadecimal(&expected), &claim.signature)
    };
    if !secrets.iter().any(is_signed) {
        return Ok(None);
    }
    if claim.is_gift() && !load_policy(app, merchant).await?.policy.gift_returns {
        return Ok(None);
    }
    let order = find_order(app, merchant, &claim.order).await?;
    Ok(order.map(|order| Shopper::new(app, merchant, &order, claim.is_gift()).prove()))
}

async fn load_secrets(app: &App, merchant: &MerchantId) -> Result<Vec<Secret>, AppError> {
    let stored = app.store.merchant(merchant).await?.filter(|it| it.value.is_live());
    let merchant = stored.ok_or(AppError::NotFound("merchant"))?.value;
    Ok(signing_secrets(app, &merchant)?)
}

fn sign(secret: &Secret, merchant: &MerchantId, order: &str, expires: i64, gift: bool) -> Vec<u8> {
    let encoded = secret.reveal().strip_prefix(SECRET_PREFIX).unwrap_or_default();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(encoded).unwrap_or_default());
    let who = if gift { "gift" } else { "buyer" };
    let signed = format!("portal-link\n{merchant}\n{order}\n{expires}\n{who}");
    hmac::sign(&key, signed.as_bytes()).as_ref().to_vec()
}

/// Compares hashes, so that the time it takes reveals nothing about the signature.
fn is_equal(expected: &str, given: &str) -> bool {
    super::secrets::hash(expected.as_bytes()) == super::secrets::hash(given.as_bytes())
}
