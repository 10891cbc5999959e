//! Labels that a carrier cancels, of shoppers that were erased and of others.

use domain::{
    identifier::MerchantId,
    merchants::merchant::CarrierMode,
    returns::{
        carrier::{CarrierEvent, CarrierEventKind},
        rma::{NewRma, Rma, VoidReason},
    },
    samples,
};
use store::Cursor;

use super::{Fixture, scope_of, started_return, test_operator};
use crate::{
    AppError,
    merchants::change_merchant::{MerchantChange, change_merchant},
    returns::{
        carrier_events::{EventOutcome, Reporter, apply_carrier_events},
        renew_label::{LabelRequester, renew_label},
    },
};

const EMAIL: &str = "dana.whitfield@example.com";

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

/// A merchant with an external carrier.
async fn external_carrier() -> Fixture {
    let fixture = Fixture::new().await;
    let (merchant, operator) = (acme(), test_operator());
    let carrier = Some(CarrierMode::External);
    let change = MerchantChange { carrier, ..MerchantChange::default() };
    let scope = scope_of(&fixture.app, &operator).for_merchant(&merchant);
    change_merchant(scope, &change).await.unwrap();
    fixture
}

async fn report(fixture: &Fixture, rma: &Rma, kind: CarrierEventKind, number: &str) {
    let (merchant, operator) = (acme(), test_operator());
    let event = CarrierEvent {
        kind,
        rma_identifier: Some(rma.rma_identifier.clone()),
        tracking_number: Some(number.to_owned()),
        order_line_item_identifiers: Vec::new(),
        generation: None,
        label: None,
        occurred_at: None,
    };
    let scope = scope_of(&fixture.app, &operator).for_merchant(&merchant);
    let results = apply_carrier_events(scope, Reporter::Carrier, &[event]).await.unwrap();
    assert_eq!(results.results[0].result, EventOutcome::Applied);
}

async fn count_requests(fixture: &Fixture) -> usize {
    let (carrier, oldest) = (CarrierMode::External.name(), Cursor::oldest());
    fixture.app.store.label_requests(carrier, None, &oldest, 9).await.unwrap().len()
}

#[tokio::test]
async fn a_canceled_label_is_requested_again_unless_the_shopper_was_erased() {
    for (is_erased, expected) in [(false, 1), (true, 0)] {
        let fixture = external_carrier().await;
        let rma = started_return(NewRma { giftee_email: None, ..samples::rma_opening() });
        fixture.store_return(&rma).await;
        report(&fixture, &rma, CarrierEventKind::LabelCreated, "1Z9").await;
        if is_erased {
            fixture.erase(EMAIL).await;
        }

        report(&fixture, &rma, CarrierEventKind::LabelVoided, "1Z9").await;

        assert_eq!(count_requests(&fixture).await, expected, "erased: {is_erased}");
    }
}

#[tokio::test]
async fn a_return_without_an_address_has_no_sender_if_its_order_was_erased() {
    let fixture = external_carrier().await;
    fixture.publish(None, samples::order_message()).await.unwrap();
    let opening = NewRma { email: None, giftee_email: None, ..samples::rma_opening() };
    let rma = started_return(opening);
    fixture.store_return(&rma).await;
    report(&fixture, &rma, CarrierEventKind::LabelCreated, "1Z9").await;
    fixture.erase(EMAIL).await;

    report(&fixture, &rma, CarrierEventKind::LabelVoided, "1Z9").await;

    assert_eq!(count_requests(&fixture).await, 0);
}

#[tokio::test]
async fn a_new_label_cannot_be_requested_for_an_erased_shopper() {
    let fixture = external_carrier().await;
    let (merchant, operator) = (acme(), test_operator());
    let rma = started_return(samples::rma_opening());
    fixture.store_return(&rma).await;
    report(&fixture, &rma, CarrierEventKind::LabelCreated, "1Z9").await;
    let renew = || {
        let scope = scope_of(&fixture.app, &operator).for_merchant(&merchant);
        renew_label(scope, LabelRequester::Client, rma.rma_identifier.as_str(), VoidReason::Lost)
    };
    renew().await.unwrap();
    assert_eq!(count_requests(&fixture).await, 1);
    report(&fixture, &rma, CarrierEventKind::LabelCreated, "1Z10").await;

    fixture.erase(EMAIL).await;

    assert!(matches!(renew().await, Err(AppError::Conflict(_))));
    assert_eq!(count_requests(&fixture).await, 0);
}
