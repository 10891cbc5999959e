//! A shopper proves to be the buyer with a code that is sent to the order's e-mail address.

use boxed::boxed;
use domain::{
    access::proof::{CODES, PROOF_STATE_US, ProofAnswer},
    merchants::language::Language,
    messages::mail::{MailKind, content::MailContent},
    orders::order::Order,
};
use store::{Transaction, Versioned};
use world::{Purpose, SealContext};

use crate::{
    App, AppError,
    access::secrets::hexadecimal,
    core::commit_once::retry_conflicts,
    messages::mail::{
        enqueue::{NewMail, enqueue_mail},
        profile::find_profile,
    },
    orders::load_order::find_order,
    returns::shopper::{Identification, Shopper},
};

/// What became of the request for a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRequest {
    Sent,
    /// Too many codes were sent, or entered wrongly.
    TooMany,
    /// The merchant sends no mails, or the shopper must not write to the buyer.
    NotSent,
}

/// How a shopper can prove who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofWay {
    /// With a code that is sent to the e-mail address of the order.
    SentCode,
    /// With the code on the gift receipt.
    GiftCode,
    /// Only with a link that the merchant has signed.
    Link,
}

/// How a shopper can prove who they are. Nothing is ever sent to the buyer of a gift: the buyer
/// must not hear of its return.
#[boxed]
pub async fn find_proof_way(app: &App, shopper: &Shopper) -> Result<ProofWay, AppError> {
    if shopper.gift {
        let order = find_order(app, &shopper.merchant, &shopper.order_id).await?;
        let has_code = order.is_some_and(|order| order.gift_code.is_some());
        return Ok(if has_code { ProofWay::GiftCode } else { ProofWay::Link });
    }
    let profile = find_profile(app, &shopper.merchant).await?;
    let sends = profile.is_some_and(|profile| profile.settings.sends(MailKind::ProofCode));
    Ok(if sends { ProofWay::SentCode } else { ProofWay::Link })
}

/// Sends a code to the e-mail address of the shopper's order.
#[boxed]
pub async fn send_code(
    app: &App,
    shopper: &Shopper,
    language: Language,
) -> Result<CodeRequest, AppError> {
    if shopper.gift {
        return Ok(CodeRequest::NotSent);
    }
    retry_conflicts(|| try_to_send(app, shopper, language)).await
}

async fn try_to_send(
    app: &App,
    shopper: &Shopper,
    language: Language,
) -> Result<CodeRequest, AppError> {
    let (merchant, order_id) = (&shopper.merchant, shopper.order_id.as_str());
    let order = find_order(app, merchant, order_id).await?.ok_or(AppError::NotFound("order"))?;
    let Versioned { value: state, version } = app.store.order_proof(merchant, order_id).await?;
    let number = u64::from_be_bytes(app.world.random()) % u64::from(CODES);
    let code = format!("{number:06}");
    let now_us = app.world.wall_clock_us();
    let Ok(state) = state.issue(&fingerprint(app, shopper, &code), now_us) else {
        return Ok(CodeRequest::TooMany);
    };
    let sequence = state.codes_sent();
    let mut transaction = Transaction::new("sending a code");
    transaction.put_order_proof(merchant, order_id, &Versioned { value: state, version }, now_us);
    let mail = build_mail(&order, language, sequence, code);
    if !enqueue_mail(app, &mut transaction, merchant, mail).await? {
        return Ok(CodeRequest::NotSent);
    }
    app.commit(transaction).await?;
    Ok(CodeRequest::Sent)
}

fn build_mail(order: &Order, language: Language, sequence: i64, code: String) -> NewMail<'_> {
    NewMail {
        kind: MailKind::ProofCode,
        recipient: &order.customer.email,
        language: Some(language),
        reference: &order.identifier,
        sequence,
        content: MailContent {
            order_number: Some(order.identifier.clone()),
            code: Some(code),
            ..MailContent::default()
        },
        attachment: None,
    }
}

/// The shopper with proof, if this is the code that was sent last.
#[boxed]
pub async fn enter_code(
    app: &App,
    shopper: &Shopper,
    code: &str,
) -> Result<Identification, AppError> {
    let code: String = code.chars().filter(char::is_ascii_digit).collect();
    let answer = retry_conflicts(|| try_code(app, shopper, &code)).await?;
    Ok(match answer {
        ProofAnswer::Proven => Identification::Found(shopper.clone().prove()),
        ProofAnswer::Wrong => Identification::NotFound,
        ProofAnswer::TooManyFailures => Identification::TooManyFailures,
    })
}

/// The answer counts once it is committed, so that attempts that arrive together are all counted.
async fn try_code(app: &App, shopper: &Shopper, code: &str) -> Result<ProofAnswer, AppError> {
    let (merchant, order_id) = (&shopper.merchant, shopper.order_id.as_str());
    let stored = app.store.order_proof(merchant, order_id).await?;
    let now_us = app.world.wall_clock_us();
    let (state, answer) = stored.value.enter(&fingerprint(app, shopper, code), now_us);
    if state != stored.value {
        let mut transaction = Transaction::new("entering a code");
        let next = Versioned { value: state, version: stored.version };
        transaction.put_order_proof(merchant, order_id, &next, now_us);
        app.commit(transaction).await?;
    }
    Ok(answer)
}

/// What is stored of a code: a hash with a key that is not in the database.
fn fingerprint(app: &App, shopper: &Shopper, code: &str) -> String {
    let context = SealContext {
        purpose: Purpose::ProofCode,
        merchant: shopper.merchant.as_str(),
        row: &shopper.order_id,
    };
    hexadecimal(&app.vault.fingerprint(context, code.as_bytes()))
}

/// Codes and attempts from before this time no longer count.
pub(crate) fn proof_cutoff_us(app: &App) -> i64 {
    app.world.wall_clock_us() - PROOF_STATE_US
}
