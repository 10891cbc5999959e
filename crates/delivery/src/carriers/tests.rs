//! Jobs against a carrier whose answers get lost, by nodes that are interrupted: from seeds, so
//! that a failure can be repeated. The carrier itself allows what EasyPost allows, no more.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

use domain::{
    carriers::{
        job::{CarrierJob, LabelKey, LabelPurchase},
        label_request::LabelFormat,
        rate::Rate,
    },
    random::SeededRandom,
    returns::rma::DocumentFormat,
    samples::label_purchase,
};

use super::{
    job::{JobTools, run_job},
    *,
};

#[derive(Default)]
struct CarrierState {
    shipments: Vec<(String, Shipment)>,
    purchases: Vec<String>,
    refunds: Vec<String>,
}

#[derive(Default)]
struct DeskState {
    canceled: bool,
    remembered: BTreeMap<String, String>,
    label: Option<BoughtLabel>,
    wants_code: bool,
}

/// A carrier and a desk that share their bad luck.
struct FaultyWorld {
    random: Mutex<SeededRandom>,
    /// Of 100 calls, so many fail.
    faults: u64,
    carrier: Mutex<CarrierState>,
    desk: Mutex<DeskState>,
}

/// When a call fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Before,
    /// The call has its effect, and its answer is lost.
    After,
}

impl FaultyWorld {
    fn new(seed: u64, faults: u64) -> Self {
        Self {
            random: Mutex::new(SeededRandom::new(seed)),
            faults,
            carrier: Mutex::default(),
            desk: Mutex::default(),
        }
    }

    fn carrier(&self) -> MutexGuard<'_, CarrierState> {
        self.carrier.lock().unwrap()
    }

    fn desk(&self) -> MutexGuard<'_, DeskState> {
        self.desk.lock().unwrap()
    }

    fn draw(&self, below: u64) -> u64 {
        self.random.lock().unwrap().below(below)
    }

    /// Lets other nodes go first, a few times.
    async fn pause(&self) {
        for _ in 0..self.draw(4) {
            tokio::task::yield_now().await;
        }
    }

    fn fault(&self) -> Fault {
        if self.draw(100) >= self.faults {
            return Fault::None;
        }
        if self.draw(2) == 0 { Fault::Before } else { Fault::After }
    }

    /// Runs `effect` with a fault.
    async fn faulty<T>(&self, effect: impl FnOnce() -> T) -> Result<T, String> {
        self.pause().await;
        let fault = self.fault();
        if fault == Fault::Before {
            return Err("connection refused".to_owned());
        }
        let done = effect();
        self.pause().await;
        if fault == Fault::After { Err("timeout".to_owned()) } else { Ok(done) }
    }

    async fn call<T>(
        &self,
        effect: impl FnOnce() -> Result<T, CarrierFailure>,
    ) -> Result<T, CarrierFailure> {
        self.faulty(effect).await.map_err(CarrierFailure::passing)?
    }
}

fn refuse() -> CarrierFailure {
    CarrierFailure::answered(http::StatusCode::UNPROCESSABLE_ENTITY, None)
}

impl CarrierState {
    fn find(&mut self, id_or_reference: &str) -> Option<&mut Shipment> {
        let is_it = |(reference, shipment): &&mut (String, Shipment)| {
            reference == id_or_reference || shipment.id == id_or_reference
        };
        self.shipments.iter_mut().find(is_it).map(|(_, shipment)| shipment)
    }
}

impl CarrierApi for FaultyWorld {
    fn find_shipment<'a>(&'a self, id_or_reference: &'a str) -> CarrierCall<'a, Option<Shipment>> {
        Box::pin(self.call(|| Ok(self.carrier().find(id_or_reference).cloned())))
    }

    fn create_shipment<'a>(&'a self, purchase: &'a LabelPurchase) -> CarrierCall<'a, Shipment> {
        Box::pin(self.call(|| {
            let mut carrier = self.carrier();
            let number = carrier.shipments.len() + 1;
            let rate = Rate {
                id: format!("rate_{number}"),
                carrier: "USPS".to_owned(),
                service: "GroundAdvantage".to_owned(),
                price_cents: 758,
                currency: "USD".to_owned(),
            };
            let shipment = Shipment {
                id: format!("shp_{number}"),
                rates: vec![rate],
                label: None,
                code_url: None,
                refund: None,
            };
            carrier.shipments.push((purchase.key.reference(), shipment.clone()));
            Ok(shipment)
        }))
    }

    fn buy<'a>(&'a self, shipment: &'a Shipment, rate: &'a Rate) -> CarrierCall<'a, Shipment> {
        Box::pin(self.call(|| {
            let mut carrier = self.carrier();
            let bought = carrier.find(&shipment.id).ok_or_else(refuse)?;
            if bought.label.is_some() {
                return Err(refuse());
            }
            bought.label = Some(PostageLabel {
                tracking_number: format!("TRACK-{}", shipment.id),
                document_url: format!("https://files.example/{}.pdf", shipment.id),
                rate: Some(rate.clone()),
            });
            let bought = bought.clone();
            carrier.purchases.push(shipment.id.clone());
            Ok(bought)
        }))
    }

    fn request_code<'a>(&'a self, shipment: &'a Shipment) -> CarrierCall<'a, Shipment> {
        Box::pin(self.call(|| {
            let mut carrier = self.carrier();
            let found = carrier.find(&shipment.id).ok_or_else(refuse)?;
            found.code_url = Some("https://files.example/code.png".to_owned());
            Ok(found.clone())
        }))
    }

    fn fetch_document<'a>(&'a self, url: &'a str) -> CarrierCall<'a, FetchedDocument> {
        let format = if url.contains(".png") { DocumentFormat::Png } else { DocumentFormat::Pdf };
        Box::pin(self.call(move || {
            Ok(FetchedDocument { format, bytes: Bytes::copy_from_slice(url.as_bytes()) })
        }))
    }

    fn refund<'a>(&'a self, shipment_id: &'a str) -> CarrierCall<'a, RefundStatus> {
        Box::pin(self.call(|| {
            let mut carrier = self.carrier();
            let found = carrier.find(shipment_id).ok_or_else(refuse)?;
            if found.refund.is_some() {
                return Err(refuse());
            }
            found.refund = Some(RefundStatus::Submitted);
            carrier.refunds.push(shipment_id.to_owned());
            Ok(RefundStatus::Submitted)
        }))
    }

    fn choose_rate<'a>(&self, shipment: &'a Shipment, _: &str) -> Option<&'a Rate> {
        shipment.rates.first()
    }
}

impl CarrierDesk for FaultyWorld {
    fn state_of<'a>(&'a self, key: &'a LabelKey) -> DeskAnswer<'a, PurchaseState> {
        Box::pin(self.faulty(|| {
            let desk = self.desk();
            let shipment_id = desk.remembered.get(&key.reference()).cloned();
            if desk.canceled {
                return PurchaseState::Unwanted { shipment_id };
            }
            if desk.label.is_some() {
                return PurchaseState::Stored;
            }
            let mut request = label_purchase().request;
            if desk.wants_code {
                request.formats.insert(0, LabelFormat::Qr);
            }
            PurchaseState::Wanted { request: Box::new(request), shipment_id }
        }))
    }

    fn remember_shipment<'a>(
        &'a self,
        key: &'a LabelKey,
        shipment_id: &'a str,
    ) -> DeskAnswer<'a, String> {
        Box::pin(self.faulty(|| {
            let mut desk = self.desk();
            let first = desk.remembered.entry(key.reference());
            first.or_insert_with(|| shipment_id.to_owned()).clone()
        }))
    }

    fn find_shipment_id<'a>(&'a self, key: &'a LabelKey) -> DeskAnswer<'a, Option<String>> {
        Box::pin(self.faulty(|| self.desk().remembered.get(&key.reference()).cloned()))
    }

    fn store_label<'a>(&'a self, _: &'a LabelKey, label: BoughtLabel) -> DeskAnswer<'a, bool> {
        Box::pin(self.faulty(|| {
            let mut desk = self.desk();
            if desk.canceled {
                return false;
            }
            desk.label.get_or_insert(label);
            true
        }))
    }
}

async fn attempt(world: &FaultyWorld, job: &CarrierJob) -> Result<(), CarrierFailure> {
    run_job(job, JobTools { api: world, desk: world }).await
}

/// Repeats a job until it is done. A process that ends in the middle of a call is the same as a
/// fault: what was in memory is gone.
async fn finish(world: &FaultyWorld, job: &CarrierJob) {
    for _ in 0..1_000 {
        if attempt(world, job).await.is_ok() {
            return;
        }
    }
    panic!("the job is never done");
}

fn buy() -> CarrierJob {
    CarrierJob::BuyLabel(label_purchase().key)
}

fn assert_bought_once(world: &FaultyWorld, seed: u64) {
    let (carrier, desk) = (world.carrier(), world.desk());
    assert_eq!(carrier.purchases.len(), 1, "seed {seed}: {:?}", carrier.purchases);
    let label = desk.label.as_ref().unwrap();
    assert_eq!(label.shipment_id, carrier.purchases[0], "seed {seed}");
    assert_eq!(label.tracking_number, format!("TRACK-{}", carrier.purchases[0]));
}

#[tokio::test]
async fn a_label_is_bought_exactly_once_whatever_gets_lost() {
    for seed in 0..3_000 {
        let world = FaultyWorld::new(seed, 40);
        finish(&world, &buy()).await;
        assert_bought_once(&world, seed);
    }
}

#[tokio::test]
async fn two_nodes_that_do_the_same_job_buy_one_label() {
    for seed in 0..3_000 {
        let world = FaultyWorld::new(seed, 15);
        let job = buy();
        tokio::join!(finish(&world, &job), finish(&world, &job));
        assert_bought_once(&world, seed);
    }
}

#[tokio::test]
async fn a_canceled_return_buys_nothing_and_what_it_bought_before_is_given_back() {
    let mut bought = 0;
    for seed in 0..2_000 {
        let world = FaultyWorld::new(seed, 40);
        for _ in 0..world.draw(6) {
            let _ = attempt(&world, &buy()).await;
        }
        let before = world.carrier().purchases.clone();
        world.desk().canceled = true;

        finish(&world, &buy()).await;

        let carrier = world.carrier();
        assert_eq!(carrier.purchases, before, "seed {seed}: bought although it is canceled");
        assert_eq!(carrier.refunds, before, "seed {seed}: not given back");
        bought += before.len();
    }
    assert!(bought > 100, "some must be canceled in the middle: {bought}");
}

#[tokio::test]
async fn a_return_that_is_canceled_while_its_label_is_bought_gets_none() {
    for seed in 0..2_000 {
        let world = FaultyWorld::new(seed, 10);
        let cancel = async {
            world.pause().await;
            world.pause().await;
            world.desk().canceled = true;
        };
        let job = buy();
        tokio::join!(finish(&world, &job), cancel);
        // The cancellation gives back what was stored before it.
        finish(&world, &CarrierJob::RefundLabel(label_purchase().key)).await;

        let carrier = world.carrier();
        assert!(carrier.purchases.len() <= 1, "seed {seed}");
        assert_eq!(carrier.refunds, carrier.purchases, "seed {seed}");
    }
}

#[tokio::test]
async fn a_label_is_given_back_once_whatever_gets_lost() {
    for seed in 0..1_000 {
        let world = FaultyWorld::new(seed, 40);
        finish(&world, &buy()).await;

        finish(&world, &CarrierJob::RefundLabel(label_purchase().key)).await;

        let carrier = world.carrier();
        assert_eq!(carrier.refunds, carrier.purchases, "seed {seed}");
    }
}

#[tokio::test]
async fn only_a_return_without_a_printer_gets_a_code() {
    for wants_code in [true, false] {
        let world = FaultyWorld::new(1, 0);
        world.desk().wants_code = wants_code;
        finish(&world, &buy()).await;
        assert_eq!(world.desk().label.as_ref().unwrap().code.is_some(), wants_code);
    }
}
