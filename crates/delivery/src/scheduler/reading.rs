//! What one queue reads from disk, and what it keeps in memory.
//!
//! It reads when the window runs low, so that sending never waits for the disk, and when it is
//! *starved*: it could send, and all that it holds waits for something. Then messages that will not
//! move soon are evicted to make room, and reading continues behind them until a lane is found that
//! can move, or no more may be evicted. That is how one parked lane with ten thousand messages does
//! not block all the others.

use super::{
    PageRequest,
    cursor::Reading,
    endpoint_state::EndpointState,
    queue_state::{Allowance, QueueState},
    window::Delivery,
};

/// What a queue that holds nothing reads at first. After a start all queues do so one after the
/// other, and the first ones cannot know how many will follow.
const FIRST_PAGE: usize = 32;
/// The same in bytes, if nothing is known of the size of its messages.
const FIRST_PAGE_BYTES: usize = 64 * 1_024;
/// What any queue reads at once.
const PAGE_BYTES_MAX: usize = 8 * 1_024 * 1_024;

impl<P> QueueState<P> {
    /// Decides what to read, and makes room for it.
    pub(super) fn begin_reading(
        &mut self,
        now_us: i64,
        allowance: &Allowance,
    ) -> Option<PageRequest> {
        let reading = self.wanted_reading(now_us, allowance)?;
        let window_max = self.window_max(allowance);
        let half = window_max.div_ceil(2);
        let (after, wanted) = match reading {
            Reading::Forward | Reading::Void if self.window.held() == 0 => {
                (self.cursor.after(), window_max.min(FIRST_PAGE))
            }
            Reading::Forward | Reading::Void => (self.cursor.after(), window_max),
            Reading::Recall { first } => {
                (first.saturating_sub(1), self.window.run(first, half, now_us))
            }
        };
        if self.is_starved(now_us) {
            let short = (half.min(wanted) + self.window.held()).saturating_sub(window_max);
            let most = match reading {
                Reading::Forward | Reading::Void => self.evictable(allowance),
                // As many get their payload back as lose it.
                Reading::Recall { .. } => usize::MAX,
            };
            self.window.evict(short.min(most), now_us);
        }
        let most = wanted.min(window_max.saturating_sub(self.window.held()));
        self.cursor.begin(reading);
        self.page_bytes = self.choose_page_bytes(most, allowance);
        Some(PageRequest { after, most, bytes: self.page_bytes })
    }

    /// How large so many messages may be together. Until they are read, this much counts as used,
    /// so that queues that read at the same time do not take the same room.
    fn choose_page_bytes(&self, most: usize, allowance: &Allowance) -> usize {
        let expected = match self.usual_bytes() {
            0 => FIRST_PAGE_BYTES,
            usual => most.saturating_mul(usual).min(PAGE_BYTES_MAX),
        };
        expected.min(self.bytes_max(allowance).saturating_sub(self.held_bytes())).max(1)
    }

    pub(super) fn finish_reading(
        &mut self,
        rows: Vec<Delivery<P>>,
        reached_end: bool,
        window_max: usize,
    ) {
        self.page_bytes = 0;
        let count = rows.len();
        let bytes = rows.iter().map(|row| row.bytes).sum::<usize>();
        self.read_bytes = bytes.checked_div(count).unwrap_or(self.read_bytes);
        let last = rows.last().map(|row| row.message);
        let mut look_again = None;
        match self.cursor.reading() {
            None => return,
            Some(Reading::Void) => (),
            Some(Reading::Forward) => look_again = self.insert_new(rows),
            Some(Reading::Recall { first }) => {
                self.restore_payloads(rows, window_max);
                let looked = reached_end || last.is_some_and(|last| last >= first);
                if looked && self.window.is_evicted(first) && self.window.held() < window_max {
                    // It is no longer on disk, although no outcome said so: nothing to send.
                    self.window.forget_evicted(first);
                }
            }
        }
        // Messages that arrived meanwhile had room when they came, perhaps the same as what was
        // read. Behind one that stays on disk, all stay there.
        let mut fits = self.cursor.end(count, reached_end);
        self.late_bytes = 0;
        for late in std::mem::take(&mut self.late) {
            fits = fits && self.window.held() < window_max;
            if fits {
                self.append(late);
            } else {
                self.cursor.note_left_on_disk();
            }
        }
        if let Some(message) = look_again {
            self.cursor.rewind(message);
        }
    }

    /// Inserts new messages. Returns the first one that is known to be gone and was read all the
    /// same: it may be stale, or an operator put it back.
    fn insert_new(&mut self, rows: Vec<Delivery<P>>) -> Option<i64> {
        let mut gone = None;
        for row in rows {
            self.cursor.pass(row.message);
            if self.cursor.is_gone(row.message) {
                gone = gone.or(Some(row.message));
            } else if self.window.is_finished(row.message) {
                self.cursor.doubt(row.message);
            } else if !self.window.contains(row.message) {
                self.window.insert(row);
            }
        }
        gone
    }

    /// Notes a message that was finished and is on disk again. Where all up to it is known, nothing
    /// is read for it but its payload, so that nothing else waits for a reading.
    pub(super) fn put_back(&mut self, delivery: Delivery<()>, allowance: &Allowance) {
        let message = delivery.message;
        let has_room = self.evictable(allowance) > 0;
        // What is evicted may be read right now, by a recall that does not find it.
        if !has_room || !self.cursor.is_behind(message) || self.window.is_evicted(message) {
            self.cursor.rewind(message);
        } else if self.window.is_finished(message) {
            self.cursor.doubt(message);
        } else if !self.window.contains(message) {
            self.window.insert_evicted(delivery);
        }
    }

    fn restore_payloads(&mut self, rows: Vec<Delivery<P>>, window_max: usize) {
        for row in rows {
            if self.window.is_evicted(row.message) && self.window.held() < window_max {
                self.window.restore(row);
            }
        }
    }

    /// Evicts payloads that a degraded queue will hardly get to, so that failing endpoints do not
    /// fill the memory of healthy ones.
    pub(super) fn evict_excess(&mut self, now_us: i64, allowance: &Allowance) {
        if !self.is_healthy() {
            let excess = self.window.held().saturating_sub(self.window_max(allowance));
            self.window.evict(excess.min(self.evictable(allowance)), now_us);
        }
    }

    pub(super) fn wanted_reading(&self, now_us: i64, allowance: &Allowance) -> Option<Reading> {
        if self.is_paused() || self.cursor.is_reading() {
            return None;
        }
        let window_max = self.window_max(allowance);
        let starved = self.is_starved(now_us);
        let low = self.window.held() <= window_max / 2 && !self.is_suspended();
        if !starved && !low {
            return None;
        }
        let idle = if starved { self.window.idle() } else { 0 };
        let room = |idle: usize| (window_max + idle).saturating_sub(self.window.held());
        let worth_reading_for = |endpoint: &EndpointState| {
            if starved {
                endpoint.is_open(now_us)
            } else {
                !endpoint.paused && !endpoint.is_suspended()
            }
        };
        let recall = self
            .with_heads()
            .filter(|(_, endpoint, _)| worth_reading_for(endpoint))
            .filter_map(|(_, _, heads)| heads.wanted)
            .min()
            .filter(|(due_us, _)| *due_us <= now_us && room(idle) > 0)
            .map(|(_, first)| Reading::Recall { first });
        let page_min = (window_max / 16).max(1);
        let may_read_on = self.cursor.more()
            && self.window.evicted() <= allowance.evicted_max
            && room(idle.min(self.evictable(allowance))) >= page_min;
        let forward = may_read_on.then_some(Reading::Forward);
        if self.cursor.recalled_last { forward.or(recall) } else { recall.or(forward) }
    }

    /// Whether it could send, and has nothing in memory to send.
    fn is_starved(&self, now_us: i64) -> bool {
        let later = |first: Option<(i64, i64)>| first.is_none_or(|(due_us, _)| due_us > now_us);
        let open = self.with_heads().filter(|(_, endpoint, _)| endpoint.is_open(now_us));
        let mut open = open.peekable();
        open.peek().is_some() && open.all(|(_, _, it)| later(it.fresh) && later(it.retry))
    }

    /// How many more messages may be evicted.
    fn evictable(&self, allowance: &Allowance) -> usize {
        allowance.evicted_soft.saturating_sub(self.window.evicted())
    }
}
