//! A shopper withdraws from a contract. The statement is recorded with what follows from it, the
//! merchant is told, and a return starts, all in one transaction.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    merchants::merchant::MerchantSettings,
    messages::{
        kind::MessageKind,
        mail::{
            MailAttachment, MailKind,
            content::{MailContent, MailLink, MailLinkTarget},
        },
    },
    returns::identifier::RmaId,
    time::micros,
    withdrawal::{
        decide::{
            DecidedWithdrawal, StatementFault, WithdrawalContext, WithdrawalIds, decide_withdrawal,
        },
        identifier::WithdrawalId,
        record::{WithdrawalRecord, WithdrawalStatement},
    },
};
use serde::{Deserialize, Serialize};
use store::{Transaction, WithdrawalRow};

use crate::{
    App, AppError,
    access::lookup_limit::count_statement,
    core::{
        commit_once::commit_once,
        idempotency::{replay_response, replayable},
        scope::RequestScope,
    },
    messages::{
        mail::enqueue::{NewMail, enqueue_mail},
        outbox::{self, About},
    },
    orders::returnability::{ReturnableOrder, load_returnable_order},
    returns::{
        origin::Origin,
        renew_label::notify_carrier,
        start_return::{LABEL_KEY_LETTERS, StartedGoods, put_started_return},
    },
    withdrawal::acknowledgement::{RecordSeal, WithdrawalAcknowledgement, seal_record},
};

/// 130 random bits.
const ACCESS_KEY_LETTERS: usize = 26;

/// A withdrawal that was recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordedWithdrawal {
    pub record: WithdrawalRecord,
    /// What opens its page, together with its identifier.
    pub access_key: String,
}

replayable!(RecordedWithdrawal);

impl RecordedWithdrawal {
    /// The last part of the address of its page.
    pub fn page_name(&self) -> String {
        format!("{}-{}", self.record.withdrawal_identifier, self.access_key)
    }
}

/// Decides what would follow from a statement. Nothing is stored.
pub fn preview_withdrawal(
    app: &App,
    merchant: &MerchantId,
    returnable: &ReturnableOrder,
    statement: &WithdrawalStatement,
) -> Result<WithdrawalRecord, StatementFault> {
    let settings = MerchantSettings::default();
    decide(app, merchant, settings, returnable, statement).map(|decided| decided.record)
}

/// Records a statement of the shopper about an order, and does what follows from it.
#[boxed]
pub async fn declare_withdrawal(
    scope: RequestScope<'_>,
    settings: MerchantSettings,
    order_id: &str,
    statement: &WithdrawalStatement,
) -> Result<RecordedWithdrawal, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    // The same form again is not another statement, so it does not count.
    if let Some(recorded) = replay_response(scope).await? {
        return Ok(recorded);
    }
    if !count_statement(app, merchant, order_id).await? {
        return Err(AppError::Conflict(
            "too many statements about this order in an hour".to_owned(),
        ));
    }
    // Boxed, because it holds everything that was loaded about the order.
    let attempt = || {
        Box::pin(async {
            let returnable = load_returnable_order(app, merchant, order_id).await?;
            let decided = decide(app, merchant, settings, &returnable, statement);
            let decided = decided.map_err(|_| {
                AppError::Conflict("the statement does not fit the order any more".to_owned())
            })?;
            build_transaction(scope, merchant, settings, &returnable, decided).await
        })
    };
    let recorded = commit_once(scope, attempt).await?;
    if recorded.record.rma_identifier.is_some() {
        notify_carrier(app, settings.carrier);
    }
    Ok(recorded)
}

fn decide(
    app: &App,
    merchant: &MerchantId,
    settings: MerchantSettings,
    returnable: &ReturnableOrder,
    statement: &WithdrawalStatement,
) -> Result<DecidedWithdrawal, StatementFault> {
    let loaded = &returnable.loaded;
    let origin = loaded.origin.as_ref().map(|record| record.original_order_id.as_str());
    let context = WithdrawalContext {
        merchant: merchant.as_str(),
        order: &loaded.order,
        ledger: &loaded.ledger.value,
        original_order_identifier: origin,
        policy: &returnable.policy.policy,
        policy_version: returnable.policy.version,
        settings,
        now: app.world.now(),
    };
    let ids = WithdrawalIds {
        withdrawal: WithdrawalId::from_random(app.world.random()),
        rma: RmaId::from_random(app.world.random()),
    };
    decide_withdrawal(&context, statement, ids)
}

async fn build_transaction(
    scope: RequestScope<'_>,
    merchant: &MerchantId,
    settings: MerchantSettings,
    returnable: &ReturnableOrder,
    decided: DecidedWithdrawal,
) -> Result<(RecordedWithdrawal, Transaction), AppError> {
    let app = scope.app;
    let mut transaction = Transaction::new("recording a withdrawal");
    let DecidedWithdrawal { record, started, ledger } = decided;
    let loaded = &returnable.loaded;
    // A statement about an order that has just changed is decided again.
    transaction.guard_order(merchant, &loaded.order.identifier, loaded.version);
    if ledger != loaded.ledger.value {
        let order_id = &loaded.order.identifier;
        transaction.put_ledger(merchant, order_id, &ledger, loaded.ledger.version);
    }
    if let Some(mut rma) = started {
        rma.label_key = app.world.readable::<LABEL_KEY_LETTERS>();
        rma.language = Some(record.language);
        let started = StartedGoods {
            rma: &rma,
            recipients: vec![&loaded.order.shipping_address],
            carrier: settings.carrier,
        };
        let cause = Some(record.withdrawal_identifier.to_string());
        let origin = Origin { cause, ..Origin::of_request(scope) };
        put_started_return(app, &mut transaction, merchant, &started, &origin).await?;
    }
    let recorded =
        RecordedWithdrawal { record, access_key: app.world.readable::<ACCESS_KEY_LETTERS>() };
    let seal = put_record(app, &mut transaction, merchant, &recorded);
    put_mail(app, &mut transaction, merchant, &recorded, seal).await?;
    Ok((recorded, transaction))
}

/// Adds the mail with the acknowledgement, which is a file that proves itself.
async fn put_mail(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    recorded: &RecordedWithdrawal,
    seal: RecordSeal,
) -> Result<(), AppError> {
    let record = &recorded.record;
    let path = format!("/portal/{merchant}/withdrawals/{}", recorded.page_name());
    let link = |url| MailLink { opens: MailLinkTarget::Withdrawal, url };
    let RecordSeal { sha256, seal } = seal;
    let document = format!("{}\n\nSHA-256: {sha256}", record.text);
    let acknowledgement = WithdrawalAcknowledgement { withdrawal: record.clone(), sha256, seal };
    let mail = NewMail {
        kind: MailKind::WithdrawalAcknowledged,
        recipient: &record.email,
        language: Some(record.language),
        reference: record.withdrawal_identifier.as_str(),
        sequence: 1,
        content: MailContent {
            order_number: Some(record.order_identifier.clone()),
            date: Some(record.received_at),
            document: Some(document),
            link: app.mail.link_to(&path).map(link),
            ..MailContent::default()
        },
        attachment: Some(MailAttachment {
            name: format!("{}.json", record.withdrawal_identifier),
            text: acknowledgement.document(),
        }),
    };
    enqueue_mail(app, transaction, merchant, mail).await.map(drop)
}

/// Adds the record, and the message to the merchant, which has the same bytes.
fn put_record(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    recorded: &RecordedWithdrawal,
) -> RecordSeal {
    let record = &recorded.record;
    let text = record.to_json();
    let seal = seal_record(app, merchant, &record.withdrawal_identifier, &text);
    let about = About {
        kind: MessageKind::Withdrawal,
        reference: record.withdrawal_identifier.as_str(),
        sequence: 1,
    };
    let body = text.clone().into_bytes().into();
    transaction.enqueue(outbox::message(app, merchant, &about, body));
    transaction.insert_withdrawal(
        merchant,
        &WithdrawalRow {
            merchant: merchant.to_string(),
            withdrawal_id: record.withdrawal_identifier.to_string(),
            order_id: record.order_identifier.clone(),
            rma_id: record.rma_identifier.as_ref().map(ToString::to_string).unwrap_or_default(),
            recorded_us: micros(record.received_at),
            outcome: record.outcome.name().to_owned(),
            record: text,
            sha256: seal.sha256.clone(),
            seal: seal.seal.clone(),
            access_key: recorded.access_key.clone(),
        },
    );
    seal
}
