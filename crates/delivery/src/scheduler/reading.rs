//! What one endpoint reads from disk, and what it keeps in memory.
//!
//! It reads when the window runs low, so that sending never waits for the disk, and
//! when it is *hungry*: it could send, and all that it holds waits for something. Then
//! messages that will not move soon are shelved to make room, and the reading goes on
//! behind them until a lane is found that can move, or the shelf is full. That is how
//! one parked lane with ten thousand messages does not stand before all the others.

use super::{Waiting, cursor::Reading, desk::Allowance, door::Door, endpoint::Endpoint};

impl<P> Endpoint<P> {
    pub(super) fn arrived(&mut self, waiting: Waiting<P>, allowance: &Allowance) {
        let room = self.held() < self.window_max(allowance)
            && self.window.shelved() <= allowance.shelf_max;
        if room && self.cursor.is_at_end() {
            self.follow(waiting);
        } else if room && self.cursor.is_reading_to_end() {
            self.late.push(waiting);
        } else if !self.is_known(&waiting) {
            self.cursor.left_on_disk();
        }
    }

    /// Takes in a message that follows directly on what is known.
    fn follow(&mut self, waiting: Waiting<P>) {
        if !self.is_known(&waiting) {
            self.cursor.pass(waiting.message);
            self.window.insert(waiting);
        }
    }

    fn is_known(&self, waiting: &Waiting<P>) -> bool {
        self.cursor.has_passed(waiting.message) || self.window.contains(waiting.message)
    }

    /// Decides what to read, and makes room for it: the id to read after, and how
    /// many messages at most.
    pub(super) fn read(&mut self, now_us: i64, allowance: &Allowance) -> Option<(i64, usize)> {
        let reading = self.wanted_reading(now_us, allowance)?;
        let window_max = self.window_max(allowance);
        let half = window_max.div_ceil(2);
        let (after, wished) = match reading {
            Reading::Forward | Reading::Void => (self.cursor.after(), window_max),
            Reading::Recall { first } => {
                (first.saturating_sub(1), self.window.run(first, half, now_us))
            }
        };
        if self.is_hungry(now_us) {
            let short = (half.min(wished) + self.window.held()).saturating_sub(window_max);
            let most = match reading {
                Reading::Forward | Reading::Void => self.shelf_room(allowance),
                // As many come back from the shelf as go there.
                Reading::Recall { .. } => usize::MAX,
            };
            self.window.shelve(short.min(most), now_us);
        }
        let room = window_max.saturating_sub(self.window.held());
        self.cursor.begin(reading);
        Some((after, wished.min(room)))
    }

    pub(super) fn refilled(&mut self, rows: Vec<Waiting<P>>, reached_end: bool, window_max: usize) {
        let count = rows.len();
        let last = rows.last().map(|row| row.message);
        let mut look_again = None;
        match self.cursor.reading() {
            None => return,
            Some(Reading::Void) => (),
            Some(Reading::Forward) => look_again = self.take_in(rows),
            Some(Reading::Recall { first }) => {
                self.take_back(rows, window_max);
                let looked = reached_end || last.is_some_and(|last| last >= first);
                if looked && self.window.is_shelved(first) && self.window.held() < window_max {
                    // Not on disk any more, though nobody said so: nothing to send.
                    self.window.lose_shelved(first);
                }
            }
        }
        let found_all = self.cursor.end(count, reached_end);
        for late in std::mem::take(&mut self.late) {
            if found_all {
                self.follow(late);
            } else {
                self.cursor.left_on_disk();
            }
        }
        if let Some(message) = look_again {
            self.cursor.rewind(message);
        }
    }

    /// Takes in new messages. Gives the first one that is known to be gone and was
    /// read all the same: it may be old news, or an operator put it back.
    fn take_in(&mut self, rows: Vec<Waiting<P>>) -> Option<i64> {
        let mut gone = None;
        for row in rows {
            self.cursor.pass(row.message);
            if self.cursor.is_gone(row.message) {
                gone = gone.or(Some(row.message));
            } else if self.window.is_concluded(row.message) {
                self.cursor.doubt(row.message);
            } else if !self.window.contains(row.message) {
                self.window.insert(row);
            }
        }
        gone
    }

    fn take_back(&mut self, rows: Vec<Waiting<P>>, window_max: usize) {
        for row in rows {
            if self.window.is_shelved(row.message) && self.window.held() < window_max {
                self.window.restore(row.message, row.payload);
            }
        }
    }

    /// Gives up payloads that an endpoint in trouble will hardly come to, so that the
    /// dead do not fill the memory of the living.
    pub(super) fn slim(&mut self, now_us: i64, allowance: &Allowance) {
        if !self.is_well() {
            let excess = self.window.held().saturating_sub(self.window_max(allowance));
            self.window.shelve(excess.min(self.shelf_room(allowance)), now_us);
        }
    }

    pub(super) fn wanted_reading(&self, now_us: i64, allowance: &Allowance) -> Option<Reading> {
        if self.is_paused() || self.cursor.is_reading() {
            return None;
        }
        let window_max = self.window_max(allowance);
        let hungry = self.is_hungry(now_us);
        let low = self.window.held() <= window_max / 2 && !self.is_suspended();
        if !hungry && !low {
            return None;
        }
        let idle = if hungry { self.window.idle() } else { 0 };
        let room = |idle: usize| (window_max + idle).saturating_sub(self.window.held());
        let worth = |door: &Door| {
            if hungry { door.is_open(now_us) } else { !door.paused && !door.is_suspended() }
        };
        let recall = self
            .with_heads()
            .filter(|(_, door, _)| worth(door))
            .filter_map(|(_, _, heads)| heads.wanted)
            .min()
            .filter(|(due_us, _)| *due_us <= now_us && room(idle) > 0)
            .map(|(_, first)| Reading::Recall { first });
        let page_min = (window_max / 16).max(1);
        let may_read_on = self.cursor.more()
            && self.window.shelved() <= allowance.shelf_max
            && room(idle.min(self.shelf_room(allowance))) >= page_min;
        let forward = may_read_on.then_some(Reading::Forward);
        if self.cursor.recalled_last { forward.or(recall) } else { recall.or(forward) }
    }

    /// Could send, and has nothing in memory to send.
    fn is_hungry(&self, now_us: i64) -> bool {
        let later = |first: Option<(i64, i64)>| first.is_none_or(|(due_us, _)| due_us > now_us);
        let mut open = self.with_heads().filter(|(_, door, _)| door.is_open(now_us)).peekable();
        open.peek().is_some() && open.all(|(_, _, it)| later(it.fresh) && later(it.retry))
    }

    fn shelf_room(&self, allowance: &Allowance) -> usize {
        allowance.shelf_soft.saturating_sub(self.window.shelved())
    }

    fn window_max(&self, allowance: &Allowance) -> usize {
        if self.is_well() { allowance.window } else { allowance.window_in_trouble }
    }
}
