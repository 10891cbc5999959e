//! The dispatcher's memory: which endpoints there are, what is under way, what waits to be stored.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};
use store::PendingMessage;

use super::{
    Delivery, Event, Parts,
    ends::Ends,
    messengers::{Errand, Messengers},
    work,
};
use crate::{
    attempts::{Ended, Tried},
    scheduler::{Action, EndpointId, Owner, Scheduler, Settings, Waiting},
    sender::Endpoint,
};

const NAP_MAX: Duration = Duration::from_secs(60);

pub(super) struct Desk {
    delivery: Delivery,
    parts: Parts,
    pub(super) scheduler: Scheduler<PendingMessage>,
    /// By number; an endpoint keeps its number for as long as the process lives.
    endpoints: Vec<Known>,
    pub(super) numbers: HashMap<(MerchantId, QueueKind), EndpointId>,
    owners: HashMap<MerchantId, Owner>,
    /// The last message of a merchant that was handed over without a gap before it.
    last_enqueued: HashMap<MerchantId, i64>,
    ends: Ends,
    messengers: Messengers,
    reading: usize,
}

/// A queue of messages and what is needed to send them.
struct Known {
    merchant: MerchantId,
    queue: QueueKind,
    /// For each kind of the queue, which is a door; None while nothing may be sent.
    ready: Vec<Option<Arc<Endpoint>>>,
}

/// The door that messages of a kind go through.
pub(super) fn door(kind: MessageKind) -> usize {
    kind.queue().kinds().iter().position(|it| *it == kind).unwrap_or(0)
}

impl Desk {
    pub(super) fn new(delivery: Delivery, parts: Parts) -> Self {
        Self {
            delivery,
            parts,
            scheduler: Scheduler::new(Settings::default()),
            endpoints: Vec::new(),
            numbers: HashMap::new(),
            owners: HashMap::new(),
            last_enqueued: HashMap::new(),
            ends: Ends::default(),
            messengers: Messengers::default(),
            reading: 0,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.scheduler.in_flight() == 0 && self.ends.are_stored()
    }

    /// How long nothing can happen by itself.
    pub(super) fn until_due(&self) -> Duration {
        let Some(at_us) = self.scheduler.wake_at_us() else { return NAP_MAX };
        let world = &self.parts.world;
        world.nap(at_us.saturating_sub(world.now_us())).min(NAP_MAX)
    }

    pub(super) fn look_for_work(&self) {
        tokio::spawn(work::look(self.parts.store.clone(), self.delivery.clone()));
    }

    /// Now and then: work that other nodes committed, and shards that changed hands.
    pub(super) fn look_around(&mut self) {
        if self.parts.leases.are_shared() {
            self.drop_foreign();
            self.look_for_work();
        }
    }

    fn drop_foreign(&mut self) {
        let leases = &self.parts.leases;
        let foreign =
            self.numbers.iter().filter(|((merchant, queue), _)| !leases.own(merchant, *queue));
        let foreign: Vec<EndpointId> = foreign.map(|(_, id)| *id).collect();
        for id in foreign {
            self.give_up(id);
        }
    }

    /// Another node sends to this endpoint now; should it come back, it gets a new number.
    fn give_up(&mut self, id: EndpointId) {
        self.scheduler.remove_endpoint(id);
        if let Some(known) = self.known(id) {
            let key = (known.merchant.clone(), known.queue);
            self.numbers.remove(&key);
        }
    }

    pub(super) fn hear(&mut self, event: Event) {
        match event {
            Event::Enqueued(messages) => {
                messages.into_iter().for_each(|message| self.enqueue(message));
            }
            Event::DeliveriesAdded(merchant) => self.rewind(&merchant),
            Event::EndpointsChanged(merchant) => self.reload(&merchant),
            Event::Ready(id, door, ready) => self.ready(id, door, ready),
            Event::Refilled { endpoint, rows, most } => self.refilled(endpoint, rows, most),
            Event::Ended(id, ended, messenger) => {
                self.messengers.is_back(messenger);
                self.ended(id, &ended);
            }
            Event::Durable(concluded) => self.durable(concluded),
            Event::Work(merchants) => self.expect(&merchants),
            Event::Leased => self.look_for_work(),
            Event::States(merchant, answer) => {
                let _ = answer.send(self.states(&merchant));
            }
            Event::Troubled(answer) => {
                let _ = answer.send(self.troubled());
            }
        }
    }

    /// Carries out what the scheduler decides; once `sending` is over, nothing new is begun.
    pub(super) fn act(&mut self, sending: bool) {
        let now_us = self.parts.world.now_us();
        while sending && let Some(action) = self.scheduler.next(now_us) {
            match action {
                Action::Refill { endpoint, after, most } => self.refill(endpoint, after, most),
                Action::Send { endpoint, message, lane, attempt, payload, .. } => {
                    self.send(endpoint, (message, lane, attempt), payload);
                }
            }
        }
        self.store_ends();
    }

    fn refill(&mut self, id: EndpointId, after: i64, most: usize) {
        let Some(known) = self.known(id) else { return };
        let (merchant, queue) = (known.merchant.clone(), known.queue);
        let (store, delivery) = (self.parts.store.clone(), self.delivery.clone());
        self.reading += 1;
        tokio::spawn(async move {
            let rows = work::read(&store, &merchant, queue, after, most).await;
            delivery.tell(Event::Refilled { endpoint: id, rows, most });
        });
    }

    fn refilled(&mut self, id: EndpointId, rows: Option<Vec<PendingMessage>>, most: usize) {
        self.reading = self.reading.saturating_sub(1);
        let rows = rows.unwrap_or_default();
        let reached_end = rows.len() < most;
        self.scheduler.refilled(id, rows.into_iter().map(waiting).collect(), reached_end);
    }

    fn send(&mut self, id: EndpointId, heading: (i64, u64, u32), payload: Arc<PendingMessage>) {
        let (message, lane, before) = heading;
        let Some(known) = self.known(id) else { return };
        // A process that was stopped for a while finds its leases ended before it is told so.
        if !self.parts.leases.own(&known.merchant, known.queue) {
            return self.give_up(id);
        }
        let ready = known.ready.get(door(payload.kind)).and_then(Option::clone);
        let Some(endpoint) = ready else { return };
        let tried = Tried {
            merchant: known.merchant.clone(),
            kind: payload.kind,
            message,
            lane: i64::try_from(lane).unwrap_or(i64::MAX),
            cycle: payload.cycle,
            attempt: before + 1,
            created_us: payload.created_us,
        };
        let errand = Errand { id, endpoint, tried, payload };
        self.messengers.send(errand, &self.delivery, &self.parts.world);
    }

    fn ended(&mut self, id: EndpointId, ended: &Ended) {
        self.parts.meters.count(ended);
        let (verdict, conclusion) = ended.concluded(&self.parts.cadence, &self.parts.world);
        let now_us = self.parts.world.now_us();
        self.scheduler.finished(id, ended.of.message, verdict, now_us);
        self.ends.push((id, conclusion));
    }

    fn store_ends(&mut self) {
        if let Some(batch) = self.ends.next_batch() {
            tokio::spawn(work::store(self.parts.clone(), self.delivery.clone(), batch));
        }
    }

    fn durable(&mut self, concluded: Vec<(EndpointId, i64)>) {
        self.ends.batch_is_stored();
        for (id, message) in concluded {
            self.scheduler.durable(id, message);
        }
    }

    fn enqueue(&mut self, message: PendingMessage) {
        let gapless = self.follows(&message.merchant, message.message_id);
        if !gapless {
            self.expect_any(&message.merchant);
        }
        if !self.parts.leases.own(&message.merchant, message.kind.queue()) {
            self.parts.leases.announce(&message.merchant);
            return;
        }
        let id = self.endpoint(&message.merchant, message.kind.queue());
        if gapless {
            self.scheduler.arrived(id, waiting(message));
        }
    }

    /// Whether a message comes directly behind the last one of its merchant that was handed over.
    fn follows(&mut self, merchant: &MerchantId, message_id: i64) -> bool {
        let Some(last) = self.last_enqueued.get_mut(merchant) else {
            self.last_enqueued.insert(merchant.clone(), message_id);
            return false;
        };
        let follows = *last + 1 == message_id;
        *last = (*last).max(message_id);
        follows
    }

    /// Messages are missing, and nobody knows of which kind: a later one of any kind must not be taken for the next.
    fn expect_any(&mut self, merchant: &MerchantId) {
        for queue in QueueKind::all() {
            if let Some(id) = self.numbers.get(&(merchant.clone(), queue)) {
                self.scheduler.expect_more(*id);
            }
        }
    }

    fn rewind(&mut self, merchant: &MerchantId) {
        for queue in QueueKind::all() {
            if self.parts.leases.own(merchant, queue) {
                let id = self.endpoint(merchant, queue);
                self.scheduler.rewind(id, 0);
            } else {
                self.parts.leases.announce(merchant);
            }
        }
    }

    fn expect(&mut self, merchants: &[MerchantId]) {
        for merchant in merchants {
            for queue in QueueKind::all() {
                if self.parts.leases.own(merchant, queue) {
                    let id = self.endpoint(merchant, queue);
                    self.scheduler.expect_more(id);
                }
            }
        }
    }

    fn known(&self, id: EndpointId) -> Option<&Known> {
        self.endpoints.get(usize::try_from(id.0).ok()?)
    }

    /// The number of a queue; one that is new waits until its addresses are known.
    fn endpoint(&mut self, merchant: &MerchantId, queue: QueueKind) -> EndpointId {
        let key = (merchant.clone(), queue);
        if let Some(id) = self.numbers.get(&key) {
            return *id;
        }
        let id = EndpointId(u32::try_from(self.endpoints.len()).unwrap_or(u32::MAX));
        let next_owner = Owner(u32::try_from(self.owners.len()).unwrap_or(u32::MAX));
        let owner = *self.owners.entry(merchant.clone()).or_insert(next_owner);
        let doors = queue.kinds().len();
        self.endpoints.push(Known { merchant: merchant.clone(), queue, ready: vec![None; doors] });
        self.numbers.insert(key, id);
        self.scheduler.add_endpoint(id, owner, doors);
        self.scheduler.expect_more(id);
        self.load(id);
        id
    }

    /// Has the addresses looked up; until they are known, nothing is sent.
    fn load(&mut self, id: EndpointId) {
        let Some(known) = self.known(id) else { return };
        let (merchant, queue) = (known.merchant.clone(), known.queue);
        for (door, kind) in queue.kinds().iter().enumerate() {
            self.scheduler.pause(id, door);
            let (merchant, parts) = (merchant.clone(), self.parts.clone());
            let delivery = self.delivery.clone();
            tokio::spawn(async move {
                let ready = work::prepare(&parts, merchant, *kind).await;
                delivery.tell(Event::Ready(id, door, ready));
            });
        }
    }

    fn ready(&mut self, id: EndpointId, door: usize, ready: Option<Arc<Endpoint>>) {
        let resumed = ready.is_some();
        let position = usize::try_from(id.0).unwrap_or(usize::MAX);
        let known = self.endpoints.get_mut(position);
        if let Some(place) = known.and_then(|known| known.ready.get_mut(door)) {
            *place = ready;
        }
        if resumed {
            self.scheduler.resume(id, door);
        } else {
            self.scheduler.pause(id, door);
        }
    }

    /// Nothing is sent to the old addresses from now on.
    fn reload(&mut self, merchant: &MerchantId) {
        for queue in QueueKind::all() {
            if let Some(id) = self.numbers.get(&(merchant.clone(), queue)).copied() {
                self.load(id);
            }
        }
    }
}

fn waiting(message: PendingMessage) -> Waiting<PendingMessage> {
    Waiting {
        message: message.message_id,
        lane: u64::try_from(message.lane).unwrap_or(0),
        door: door(message.kind),
        attempt: u32::try_from(message.attempts).unwrap_or(u32::MAX),
        due_us: message.due_us,
        payload: message,
    }
}
