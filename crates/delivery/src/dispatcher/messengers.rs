//! The tasks that send: each makes one attempt after another.
//!
//! A task is not begun anew for each message, which would cost more than the signature. One that
//! has made its attempt reports it, and with the report the way to give it another.

use std::sync::Arc;

use store::PendingMessage;
use tokio::sync::mpsc;
use world::World;

use super::{Delivery, Event, work};
use crate::{attempts::Tried, scheduler::EndpointId, sender::Endpoint};

/// Tasks that are kept for the next burst; more than that end when they are done.
const IDLE_MAX: usize = 256;

/// An attempt to make.
pub(super) struct Errand {
    pub(super) id: EndpointId,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) tried: Tried,
    pub(super) payload: Arc<PendingMessage>,
}

/// The way to a task that sends. The task ends when nobody has it any more.
pub(crate) struct Messenger(mpsc::UnboundedSender<(Errand, Messenger)>);

#[derive(Default)]
pub(super) struct Messengers {
    idle: Vec<Messenger>,
}

impl Messengers {
    pub(super) fn send(&mut self, errand: Errand, delivery: &Delivery, world: &World) {
        let messenger = self.idle.pop().unwrap_or_else(|| engage(delivery.clone(), world.clone()));
        let way_back = Messenger(messenger.0.clone());
        // Its task cannot have ended: we held the way to it.
        let _ = messenger.0.send((errand, way_back));
    }

    /// One has made its attempt.
    pub(super) fn is_back(&mut self, messenger: Messenger) {
        if self.idle.len() < IDLE_MAX {
            self.idle.push(messenger);
        }
    }
}

fn engage(delivery: Delivery, world: World) -> Messenger {
    let (messenger, mut errands) = mpsc::unbounded_channel::<(Errand, Messenger)>();
    tokio::spawn(async move {
        while let Some((errand, way_back)) = errands.recv().await {
            let Errand { id, endpoint, tried, payload } = errand;
            let ended = work::send(&endpoint, &world, tried, &payload).await;
            delivery.tell(Event::Ended(id, Box::new(ended), way_back));
        }
    });
    Messenger(messenger)
}
