//! What mails of each kind say about the sample return.

use jiff::SignedDuration;

use super::{rma, rma_opening};
use crate::messages::mail::{
    MailKind,
    content::{
        MailAmount, MailAmountKind, MailContent, MailItem, MailItemState, MailLink, MailLinkTarget,
        MailPayment,
    },
    occasion::of_start,
};
use crate::returns::rma::{NewRma, Rma};

const STATEMENT: &str = "I hereby withdraw from the contract about order ORD-100472.\n\
                         Dana Whitfield, 20 February 2026, 10:15 UTC";

/// The facts of a mail in which everything occurs that its kind has.
pub fn mail_content(kind: MailKind) -> MailContent {
    let bought = Rma::open(NewRma { giftee_email: None, ..rma_opening() }, rma().created_at);
    let start = of_start(&bought).content;
    let plain =
        MailContent { method: None, amounts: Vec::new(), amount_cents: None, ..start.clone() };
    let later = bought.created_at.checked_add(SignedDuration::from_hours(60 * 24)).ok();
    let item = |state: MailItemState| MailItem {
        title: "Organic cotton tee, navy, M".to_owned(),
        quantity: 1,
        state: Some(state),
    };
    let link = |opens: MailLinkTarget, path: &str| {
        Some(MailLink { opens, url: format!("https://returns.example.com/{path}") })
    };
    let label = link(MailLinkTarget::Label, "labels/RMA-7K3Q-9XWD-2M4T-5H2QK8N4W7RXD3MZT6YB9VCJ1P");
    let status = link(MailLinkTarget::Return, "portal/acme/returns/RMA-7K3Q-9XWD-2M4T");
    let linked = MailContent { link: status, ..plain.clone() };
    match kind {
        MailKind::ReturnConfirmed => MailContent { link: label, ..start },
        MailKind::LabelReady | MailKind::Reminder => {
            MailContent { method: start.method, date: later, link: label, ..plain }
        }
        MailKind::ParcelSeen => {
            MailContent { tracking_number: Some("9400111899223197428490".to_owned()), ..linked }
        }
        MailKind::Received => {
            let rejected = MailItemState::Rejected("stained".to_owned());
            let items = [MailItemState::Received, rejected, MailItemState::NotReceived];
            MailContent { items: items.map(item).into(), ..linked }
        }
        MailKind::RefundReported => MailContent {
            paid_as: Some(MailPayment::OriginalPayment),
            amount_cents: Some(4610),
            amounts: vec![MailAmount { kind: MailAmountKind::Refund, amount_cents: 4610 }],
            items: linked.items.get(..1).unwrap_or_default().to_vec(),
            ..linked
        },
        MailKind::ExchangeShipped => MailContent {
            items: vec![item(MailItemState::Exchanged("Organic cotton tee, navy, L".to_owned()))],
            ..linked
        },
        MailKind::ExchangeRefunded => MailContent { amount_cents: Some(9220), ..linked },
        MailKind::Canceled => linked,
        MailKind::ProofCode => MailContent {
            order_number: plain.order_number,
            code: Some("274905".to_owned()),
            ..MailContent::default()
        },
        MailKind::WithdrawalAcknowledged => MailContent {
            order_number: plain.order_number,
            date: Some(bought.created_at),
            document: Some(STATEMENT.to_owned()),
            link: link(
                MailLinkTarget::Withdrawal,
                "portal/acme/withdrawals/WDR-4H8N-Q2XK-7RZ1-2QK8N4W7RXD3MZT6YB9VCJ1P5H",
            ),
            ..MailContent::default()
        },
    }
}
