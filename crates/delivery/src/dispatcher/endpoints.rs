//! Where the messages of a queue go.

use std::sync::Arc;

use domain::{identifier::MerchantId, messages::kind::QueueKind};

use super::{Dispatcher, events::Event, tasks::load_channel};
use crate::{channel::Channel, scheduler::QueueId};

impl Dispatcher {
    /// Looks up where the messages of a queue go; until they are known, nothing is sent.
    pub(super) fn load_channels(&mut self, id: QueueId) {
        self.queues.begin_look_up(id);
        let Some(known) = self.queues.get(id) else { return };
        let (merchant, queue, look_up) = (known.merchant.clone(), known.queue, known.look_ups);
        let permit = known.permit.clone();
        for (index, kind) in queue.kinds().iter().enumerate() {
            self.scheduler.pause(id, index);
            let (merchant, parts) = (merchant.clone(), self.parts.clone());
            let (handle, permit) = (self.handle.clone(), permit.clone());
            tokio::spawn(async move {
                let channel = load_channel(&parts, merchant, *kind, &permit).await;
                handle.notify(Event::ChannelLoaded { queue: id, look_up, index, channel });
            });
        }
    }

    pub(super) fn use_channel(&mut self, id: QueueId, index: usize, channel: Option<Arc<Channel>>) {
        let may_send = channel.is_some();
        self.queues.set_channel(id, index, channel);
        if may_send {
            self.scheduler.resume(id, index);
        } else {
            self.scheduler.pause(id, index);
        }
    }

    /// Nothing is sent to the old addresses from now on.
    pub(super) fn reload_endpoints(&mut self, merchant: &MerchantId) {
        for queue in QueueKind::all() {
            if let Some(id) = self.queues.id(merchant, queue) {
                self.load_channels(id);
            }
        }
    }
}
