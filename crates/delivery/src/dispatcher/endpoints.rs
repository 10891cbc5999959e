//! Where the messages of a queue go.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{identifier::MerchantId, messages::kind::QueueKind};

use super::{Dispatcher, events::Event, tasks::load_channel};
use crate::{channel::Channel, scheduler::QueueId};

/// By then, a commit whose result was lost has taken effect, or hardly ever will: it may still wait
/// for a synchronous standby when its connection is lost.
const DOUBT: Duration = Duration::from_secs(60);

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

    /// Endpoints were changed: all nodes look them up again.
    pub(super) fn reload_everywhere(&mut self, merchant: &MerchantId) {
        self.reload_endpoints(merchant);
        self.parts.leases.announce_changed(merchant);
    }

    /// Endpoints may have been changed, or may be yet: they are looked up now, and once more later.
    pub(super) fn reload_in_doubt(&mut self, merchant: MerchantId) {
        self.reload_everywhere(&merchant);
        self.in_doubt.insert(merchant, Instant::now() + DOUBT);
    }

    pub(super) fn settle_doubts(&mut self, now: Instant) {
        let settled: Vec<MerchantId> =
            self.in_doubt.extract_if(|_, until| *until <= now).map(|it| it.0).collect();
        for merchant in settled {
            self.reload_everywhere(&merchant);
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
