//! The exchange orders of returns, and the answers to them.

use crate::exchanges::answer::read_answer;
use serde_json::json;

use super::*;
use crate::json;
use crate::returns::ReturnMethod;
use crate::returns::identifier::RmaId;
use crate::returns::ledger::{Ledger, LedgerUnit};
use crate::returns::rma::{NewRma, RmaGoods};
use crate::returns::test_orders::{new_rma, order_line, order_of};

/// A return of two units of line A for variant L and of the one of line B for a gift card.
fn both() -> (Rma, Order) {
    let mut order =
        order_of(vec![order_line("A", 2, [9000, 720, 0]), order_line("B", 1, [3900, 312, 0])], 500);
    order.identifier = "O-1".to_owned();
    let goods = |line: &OrderLine, unit: &LedgerUnit, resolution| RmaGoods {
        return_reason: "too_small".to_owned(),
        resolution,
        exchange_sku: (resolution == Resolution::Exchange).then(|| "L".to_owned()),
        ..RmaGoods::of_unit(&order, line, unit.unit, unit.amounts)
    };
    let units = Ledger::default().units(&order);
    let first = units[0].units.iter().map(|it| goods(&order.items[0], it, Resolution::Exchange));
    let second = units[1].units.iter().map(|it| goods(&order.items[1], it, Resolution::GiftCard));
    let opening = NewRma {
        rma_identifier: RmaId::parse("RMA-7K3Q-9XWD-2M4T").unwrap(),
        ..new_rma(ReturnMethod::MailBack, false, first.chain(second).collect())
    };
    (Rma::open(opening, "2026-01-10T12:00:00Z".parse().unwrap()), order)
}

static NO_VARIANTS: VariantLists = VariantLists::new();
const TERMS: ExchangeTerms<'static> = ExchangeTerms {
    gift_card_sku: "GIFT",
    fee_cents: 100,
    bonus_cents: 300,
    variants: &NO_VARIANTS,
};

#[test]
fn variants_and_a_gift_card_travel_in_one_order_of_the_units_worth() {
    let (rma, order) = both();

    let (asked, record) = exchange_order(&rma, &order, &TERMS, 1).unwrap();

    let worth: i64 = rma.units.iter().map(|unit| unit.goods.amounts.refund_cents()).sum();
    let card = rma.units[2].goods.amounts.refund_cents();
    let discount =
        rma.units[0].goods.amounts.discount_cents + rma.units[1].goods.amounts.discount_cents;
    assert_eq!((record.credit_cents, record.goods_credit_cents), (worth, worth - card));
    assert_eq!(
        serde_json::to_value(&asked.items).unwrap(),
        json!([
            {
                "sku": "L", "quantity": 2, "title": "Organic cotton tee",
                "unit_price_amount_cents": 4500, "product_amount_cents": 9000,
                "discount_amount_cents": discount, "tax_amount_cents": 720,
                "product_identifier": "PRD-A", "variant_identifier": "VAR-A",
                "original_sku": "SKU-A", "original_item_identifier": "A", "concept": order.concept,
            },
            {
                "sku": "GIFT", "quantity": 1, "unit_price_amount_cents": card - 100,
                "bonus_credit_amount_cents": 300,
                "return_items": [{
                    "title": "Organic cotton tee", "original_sku": "SKU-B",
                    "original_item_identifier": "B", "quantity": 1, "concept": order.concept,
                }]
            }
        ])
    );
    let whole = serde_json::to_value(&asked).unwrap();
    let fields: Vec<&String> = whole.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "currency",
            "original_order_id",
            "rma_identifier",
            "is_gift",
            "items",
            "customer",
            "shipping_address",
            "billing_address",
            "payment"
        ]
    );
    assert_eq!(whole["payment"]["transaction_id"], "PAY-7K3Q-9XWD-2M4T-1");
}

#[test]
fn a_return_for_money_has_no_exchange_order() {
    let (mut rma, order) = both();
    for unit in &mut rma.units {
        unit.goods.resolution = Resolution::Refund;
    }

    assert_eq!(exchange_order(&rma, &order, &TERMS, 1), None);
}

#[test]
fn an_answer_is_read_as_far_as_it_goes_and_the_first_one_stands() {
    let (rma, order) = both();
    let (_, record) = exchange_order(&rma, &order, &TERMS, 1).unwrap();
    let answer = |text: &str| read_answer(&json::parse(text.as_bytes()).unwrap());
    let now = "2026-01-10T12:00:05Z".parse().unwrap();

    let full =
        answer(r#"{"order_identifier":"E-1","total_amount_cents":100,"tax_amount_cents":"x"}"#);
    let placed = record.placed(&full, now);
    assert_eq!(placed.exchange_order_identifier.as_deref(), Some("E-1"));
    assert_eq!((placed.total_amount_cents, placed.tax_amount_cents), (Some(100), None));
    assert_eq!(placed.placed(&answer(r#"{"order_identifier":"E-2"}"#), now), placed);

    let numbered = record.placed(&answer(r#"{"order_identifier":77001}"#), now);
    assert_eq!(numbered.exchange_order_identifier.as_deref(), Some("77001"));

    for text in ["[]", r#"{"order_identifier":"O-1"}"#] {
        let silent = record.placed(&answer(text), now);
        assert_eq!(silent.exchange_order_identifier.as_deref(), Some("EXC-O-1"), "{text}");
    }
}

#[test]
fn a_replacement_names_the_product_of_its_variant_or_the_new_sku_or_the_returned_product() {
    let (rma, mut order) = both();
    let listed = |product_identifier: Option<&str>| Variant {
        sku: Some("L".to_owned()),
        title: None,
        product_identifier: product_identifier.map(str::to_owned),
        attributes: Vec::new(),
        unit_price_amount_cents: None,
        quantity_in_stock: None,
        image_url: None,
        product_url: None,
    };
    let product = |order: &Order, variant: Variant| {
        let identifier = order.items[0].variant_identifier.clone();
        let variants = VariantLists::from([(identifier, Some(vec![variant]))]);
        let terms = ExchangeTerms { variants: &variants, ..TERMS };
        let (asked, _) = exchange_order(&rma, order, &terms, 1).unwrap();
        match asked.items.into_iter().next() {
            Some(ExchangeOrderItem::Replacement(item)) => item.product_identifier,
            other => panic!("{other:?}"),
        }
    };

    order.items[0].product_identifier = "PRD-1".to_owned();
    assert_eq!(product(&order, listed(Some("PRD-2"))), "PRD-2");
    assert_eq!(product(&order, listed(None)), "PRD-1");
    order.items[0].product_identifier = order.items[0].sku.clone().unwrap();
    assert_eq!(product(&order, listed(Some("PRD-2"))), "PRD-2");
    assert_eq!(product(&order, listed(None)), "L");
}
