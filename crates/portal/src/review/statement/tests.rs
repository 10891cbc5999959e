//! The statement in every language, and its sums.

use domain::{
    money::statement::Statement,
    returns::{
        condition::Condition,
        rma::{LineQuantity, ReceivingStatus, Rma, RmaEvent, apply},
    },
    samples,
};
use jiff::Timestamp;

use super::*;

/// A refund of 46.10 with shipping and less a fee, and an exchange whose order is placed.
fn sample_return() -> Rma {
    let mut rma = samples::rma();
    rma.giftee_email = None;
    rma.fee_cents = 595;
    rma.shipping_refund_cents = 400;
    rma
}

fn after(rma: &Rma, event: &RmaEvent) -> Rma {
    let at: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    apply(rma, event, at).unwrap().rma
}

fn refund(amount_cents: i64) -> RmaEvent {
    let line = LineQuantity { order_line_item_identifier: "ORD-100472-1".to_owned(), quantity: 1 };
    RmaEvent::Refunded {
        refund_identifier: "RF-1".to_owned(),
        order_identifier: "ORD-100472".to_owned(),
        lines: vec![line],
        amount_cents,
        accepted_cents: 0,
    }
}

fn lines(rows: &[AmountRow]) -> Vec<String> {
    rows.iter().map(|row| format!("{} {}", row.label, row.amount).replace('\u{a0}', " ")).collect()
}

#[test]
fn the_components_of_a_return_are_named_in_every_language() {
    let statements = Language::ALL.map(|it| ReturnStatement::new(it, &sample_return()));
    let [english, german, french, spanish] = &statements;

    assert_eq!(
        lines(&english.components),
        ["Refund $46.10", "Shipping $4.00", "Return fee −$5.95"]
    );
    assert_eq!(english.total, "$44.15");
    assert_eq!(
        lines(&german.components),
        ["Erstattung 46,10 $", "Versandkosten 4,00 $", "Rücksendegebühr −5,95 $"]
    );
    assert_eq!(
        lines(&french.components),
        ["Remboursement 46,10 $US", "Frais de livraison 4,00 $US", "Frais de retour −5,95 $US"]
    );
    assert_eq!(lines(&spanish.components)[0], "Reembolso 46,10 US$");
    for statement in &statements {
        assert_eq!(statement.components.len(), 3);
        assert_eq!(statement.changes.len(), 2, "the exchange and its order");
    }
    assert_eq!(
        lines(&english.changes),
        ["Exchange credit $46.10", "Order EX-100472 was placed on 20 February 2026 −$46.10"]
    );
    assert_eq!(english.balance.as_deref(), Some("$44.15"));
}

#[test]
fn a_refund_and_what_is_left_are_named_in_every_language() {
    let rma = after(&sample_return(), &refund(4_000));
    let statements = Language::ALL.map(|it| ReturnStatement::new(it, &rma));

    let paid = statements.each_ref().map(|it| lines(&it.changes).pop().unwrap());
    assert_eq!(
        paid,
        [
            "Refunded on 1 March 2026 −$40.00",
            "Erstattet am 1. März 2026 −40,00 $",
            "Remboursé le 1er mars 2026 −40,00 $US",
            "Reembolsado el 1 de marzo de 2026 −40,00 US$",
        ]
    );
    assert_eq!(Statement::of(&rma).balance_cents, 415);
    let balances = statements.map(|it| it.balance.unwrap().replace('\u{a0}', " "));
    assert_eq!(balances, ["$4.15", "4,15 $", "4,15 $US", "4,15 US$"]);
}

#[test]
fn nothing_is_still_to_come_when_all_or_more_was_paid() {
    for amount in [4_415, 4_420] {
        let rma = after(&sample_return(), &refund(amount));
        let statement = ReturnStatement::new(Language::English, &rma);
        assert_eq!(statement.balance, None);
        assert_eq!(statement.total, "$44.15", "the promise stays");
    }
}

#[test]
fn items_that_were_rejected_or_never_arrived_reduce_what_is_due() {
    let mut rejected = sample_return();
    rejected.units[0].receiving = Some(ReceivingStatus::Pending);
    rejected.units[0].receipt = None;
    let event = RmaEvent::Received {
        receipt_identifier: "LP-1".to_owned(),
        line: Some("ORD-100472-1".to_owned()),
        sku: None,
        condition: Condition::X,
        reject_reason: Some("stained".to_owned()),
        channel: None,
        assigned: false,
    };
    let mut lost = rejected.clone();
    lost.units[0].receiving = Some(ReceivingStatus::NotReceived);
    rejected = after(&rejected, &event);
    let words = [
        ["Not accepted", "Not received"],
        ["Nicht angenommen", "Nicht eingegangen"],
        ["Non accepté", "Non reçu"],
        ["No aceptado", "No recibido"],
    ];
    for (language, labels) in Language::ALL.into_iter().zip(words) {
        for (rma, label) in [&rejected, &lost].into_iter().zip(labels) {
            let statement = ReturnStatement::new(language, rma);
            let row = statement.changes.iter().find(|row| row.label == label).unwrap();
            assert_eq!(row.amount, format_money(language, -4_610, "USD"));
            // The exchange is still due, and shipping with it.
            assert_eq!(Statement::of(rma).balance_cents, 400);
            assert_eq!(statement.balance, Some(format_money(language, 400, "USD")));
        }
    }
}

#[test]
fn the_rows_lead_from_the_total_to_the_balance() {
    let short = after(&sample_return(), &refund(4_410));
    let accepted = RmaEvent::DifferenceAccepted {
        refund_identifier: "RF-1".to_owned(),
        amount_cents: 3,
        note: "agreed".to_owned(),
    };
    let mut lost = sample_return();
    lost.units[0].receiving = Some(ReceivingStatus::NotReceived);
    lost.units[0].receipt = None;
    for rma in [sample_return(), short.clone(), after(&short, &accepted), lost] {
        let statement = ReturnStatement::new(Language::English, &rma);
        let cents = |text: &str| -> i64 {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            let amount: i64 = digits.parse().unwrap();
            if text.starts_with('−') { -amount } else { amount }
        };
        let components: i64 = statement.components.iter().map(|row| cents(&row.amount)).sum();
        assert_eq!(components, cents(&statement.total));
        let changes: i64 = statement.changes.iter().map(|row| cents(&row.amount)).sum();
        assert_eq!(components + changes, Statement::of(&rma).balance_cents);
    }
}

#[test]
fn a_cheaper_variant_shows_its_difference() {
    let mut rma = sample_return();
    rma.units[1].goods.exchange_price_cents = Some(4_000);
    let difference = Statement::of(&rma).promised.difference_cents;
    assert!(difference > 0);
    let labels =
        ["Price difference", "Preisdifferenz", "Différence de prix", "Diferencia de precio"];
    for (language, label) in Language::ALL.into_iter().zip(labels) {
        let statement = ReturnStatement::new(language, &rma);
        let row = statement.components.iter().find(|row| row.label == label).unwrap();
        assert_eq!(row.amount, format_money(language, difference, "USD"));
    }
}

#[test]
fn amounts_have_the_decimals_of_the_currency_in_every_language() {
    let currencies = [
        ("JPY", ["¥4,610", "4.610 ¥", "4\u{202f}610 ¥", "4.610 ¥"]),
        ("KRW", ["KRW 4,610", "4.610 KRW", "4\u{202f}610 KRW", "4.610 KRW"]),
        ("KWD", ["KWD 4.610", "4,610 KWD", "4,610 KWD", "4,610 KWD"]),
        ("BHD", ["BHD 4.610", "4,610 BHD", "4,610 BHD", "4,610 BHD"]),
    ];
    for (currency, amounts) in currencies {
        let rma = Rma { currency: currency.to_owned(), ..sample_return() };
        for (language, amount) in Language::ALL.into_iter().zip(amounts) {
            let statement = ReturnStatement::new(language, &rma);
            assert_eq!(statement.components[0].amount.replace('\u{a0}', " "), amount);
            assert_eq!(statement.total, format_money(language, 4_415, currency));
        }
    }
}

#[test]
fn a_canceled_return_shows_only_what_was_paid() {
    let mut rma = sample_return();
    rma.status = RmaStatus::Canceled;
    let statement = ReturnStatement::new(Language::English, &rma);
    assert_eq!(statement.components, []);
    assert_eq!(statement.balance, None);
}

#[test]
fn the_refund_of_a_gift_is_a_gift_card_in_every_language() {
    let mut gift = after(&sample_return(), &refund(4_415));
    gift.giftee_email = Some("robin.ames@example.com".to_owned());
    let paid = Language::ALL.map(|it| ReturnStatement::new(it, &gift).changes.pop().unwrap().label);
    assert_eq!(
        paid,
        [
            "Gift card issued on 1 March 2026",
            "Gutschein ausgestellt am 1. März 2026",
            "Carte cadeau émise le 1er mars 2026",
            "Tarjeta regalo emitida el 1 de marzo de 2026",
        ]
    );
}
