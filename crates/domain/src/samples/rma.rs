//! A return in the middle of its life: on its way, one unit received, one exchanged.

use super::time;
use crate::returns::identifier::RmaId;
use crate::returns::request::Fallback;
use crate::returns::rma::{CarrierScan, NewRma, ReturnAmounts, Rma, RmaEvent, RmaGoods, apply};
use crate::returns::{Resolution, ReturnMethod, UnitAmounts};

/// A return of both units of the first line of [`order_message`](super::order_message).
pub fn rma() -> Rma {
    let events = [
        ("2026-02-20T10:15:02Z", exchange_placed()),
        ("2026-02-20T10:15:09Z", label_created()),
        ("2026-02-23T07:41:12Z", scanned()),
        ("2026-02-24T14:20:00Z", received()),
    ];
    let mut opened = Rma::open(opening(), time("2026-02-20T10:15:00Z"));
    "5H2QK8N4W7RXD3MZT6YB9VCJ1P".clone_into(&mut opened.label_key);
    events.into_iter().fold(opened, |rma, (at, event)| {
        apply(&rma, &event, time(at)).expect("the sample's events befall the sample").rma
    })
}

/// What [`rma()`] starts with.
pub fn opening() -> NewRma {
    let rma_identifier = RmaId::parse("RMA-7K3Q-9XWD-2M4T");
    NewRma {
        rma_identifier: rma_identifier.expect("the sample's identifier is one"),
        return_method: ReturnMethod::MailBack,
        amounts: ReturnAmounts::default(),
        giftee_email: Some("robin.ames@example.com".to_owned()),
        email: Some("dana.whitfield@example.com".to_owned()),
        concept: Some("Harbor & Pine".to_owned()),
        currency: "USD".to_owned(),
        policy_version: 3,
        managed_receiving: true,
        refund_tolerance_cents: 0,
        message_extensions: false,
        withdrawal_identifier: None,
        goods: vec![
            tee(1),
            RmaGoods {
                resolution: Resolution::Exchange,
                exchange_sku: Some("TEE-NAVY-L".to_owned()),
                exchange_price_cents: Some(4500),
                exchange_title: Some("Organic cotton tee, navy, L".to_owned()),
                fallback: Some(Fallback::GiftCard),
                fallback_sku: None,
                ..tee(2)
            },
        ],
    }
}

pub(super) fn tee(unit_number: i64) -> RmaGoods {
    RmaGoods {
        order_identifier: "ORD-100472".to_owned(),
        original_order_identifier: None,
        order_line_item_identifier: "ORD-100472-1".to_owned(),
        unit_number,
        sku: Some("TEE-NAVY-M".to_owned()),
        upc: Some("012345678905".to_owned()),
        title: "Organic cotton tee, navy, M".to_owned(),
        return_reason: "too_small".to_owned(),
        resolution: Resolution::Refund,
        exchange_sku: None,
        exchange_price_cents: None,
        fallback: None,
        fallback_sku: None,
        amounts: UnitAmounts { price_cents: 4500, discount_cents: 250, tax_cents: 360 },
        weight_thousandths: None,
        exchange_title: None,
    }
}

fn exchange_placed() -> RmaEvent {
    RmaEvent::ExchangePlaced {
        order_identifier: "ORD-100472".to_owned(),
        exchange_order_identifier: "EX-100472".to_owned(),
    }
}

fn label_created() -> RmaEvent {
    RmaEvent::label("9400111899223197428490".to_owned(), Vec::new())
}

fn scanned() -> RmaEvent {
    RmaEvent::Scanned { scan: CarrierScan::InTransit, tracking_number: None, lines: Vec::new() }
}

fn received() -> RmaEvent {
    RmaEvent::receipt("LP-0093321", "ORD-100472-1")
}
