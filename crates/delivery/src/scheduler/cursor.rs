//! How far the disk was read for one queue.
//!
//! Messages are read in order of id, from a cursor on: everything up to the cursor
//! is known in memory, or gone. That is what makes it safe to start the head of a
//! lane: nothing older of that lane can be on disk unseen. There are two kinds of
//! reading. *Forward* moves the cursor and finds new messages; *recall* fetches the
//! payloads of messages that were evicted, and finds nothing new.
//!
//! A reading takes time, and what it returns may be stale when it arrives: a message
//! that was finished meanwhile must not come back to life. Such ids are kept in
//! `gone` while a reading is in progress.

use std::collections::BTreeSet;

#[derive(Debug)]
pub(super) struct Cursor {
    /// All up to this id is known or gone.
    after: i64,
    /// The highest id that was ever read, which a rewind does not lower.
    highest: i64,
    /// There may be messages beyond `after`.
    more: bool,
    /// How many, as far as was announced.
    unread: u64,
    reading: Option<Reading>,
    /// Something new was announced since the current reading began.
    news: bool,
    gone: BTreeSet<i64>,
    /// Read while their outcome was on its way to the disk. That may have been before or
    /// after it got there, or after an operator put them back.
    doubtful: BTreeSet<i64>,
    /// Both kinds of reading take turns.
    pub(super) recalled_last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Forward,
    Recall {
        first: i64,
    },
    /// A forward reading that a rewind has overtaken: its result is not used.
    Void,
}

impl Cursor {
    pub(super) fn new() -> Self {
        Self {
            after: i64::MIN,
            highest: i64::MIN,
            more: false,
            unread: 0,
            reading: None,
            news: false,
            gone: BTreeSet::new(),
            doubtful: BTreeSet::new(),
            recalled_last: false,
        }
    }

    pub(super) fn after(&self) -> i64 {
        self.after
    }

    pub(super) fn more(&self) -> bool {
        self.more
    }

    pub(super) fn unread(&self) -> u64 {
        self.unread
    }

    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether a new message directly follows what is known. A recall finds nothing new, so it
    /// does not matter.
    pub(super) fn is_at_end(&self) -> bool {
        !self.more && matches!(self.reading, None | Some(Reading::Recall { .. }))
    }

    /// Whether the current reading finds all that was committed before a new message, so that
    /// the new one directly follows what it returns.
    pub(super) fn is_reading_to_end(&self) -> bool {
        self.reading == Some(Reading::Forward) && !self.news
    }

    pub(super) fn expect_more(&mut self) {
        self.more = true;
        self.news = true;
    }

    /// A message was committed that stays on disk for now.
    pub(super) fn note_left_on_disk(&mut self) {
        self.more = true;
        self.news = true;
        self.unread = self.unread.saturating_add(1);
    }

    pub(super) fn rewind(&mut self, from: i64) {
        self.after = self.after.min(from.saturating_sub(1));
        self.more = true;
        if self.reading == Some(Reading::Forward) {
            self.reading = Some(Reading::Void);
        }
    }

    /// Notes a message that was read or enqueued.
    pub(super) fn pass(&mut self, message: i64) {
        self.after = self.after.max(message);
        self.highest = self.highest.max(message);
    }

    /// Whether everything up to this message is known, so that it is not read again.
    pub(super) fn is_behind(&self, message: i64) -> bool {
        message <= self.after
    }

    /// Whether a message was read before, whatever became of it.
    pub(super) fn has_passed(&self, message: i64) -> bool {
        message <= self.highest
    }

    /// Notes a message that is no longer on disk.
    pub(super) fn forget(&mut self, message: i64) {
        if self.reading.is_some() {
            self.gone.insert(message);
        }
        if self.doubtful.remove(&message) {
            self.rewind(message);
        }
    }

    /// A message was read that is about to be gone: if it is put back, it must not be
    /// missed.
    pub(super) fn doubt(&mut self, message: i64) {
        self.doubtful.insert(message);
    }

    pub(super) fn is_gone(&self, message: i64) -> bool {
        self.gone.contains(&message)
    }

    pub(super) fn begin(&mut self, reading: Reading) {
        self.reading = Some(reading);
        self.news = false;
        self.recalled_last = matches!(reading, Reading::Recall { .. });
    }

    pub(super) fn reading(&self) -> Option<Reading> {
        self.reading
    }

    /// Ends the current reading, which returned `rows` messages. Returns whether it found
    /// everything, with nothing announced since.
    pub(super) fn end(&mut self, rows: usize, reached_end: bool) -> bool {
        let found_all = reached_end && self.is_reading_to_end();
        if self.reading == Some(Reading::Forward) {
            self.unread = self.unread.saturating_sub(u64::try_from(rows).unwrap_or(u64::MAX));
        }
        if found_all {
            self.more = false;
            self.unread = 0;
            self.after = self.highest;
        }
        self.reading = None;
        self.gone.clear();
        found_all
    }
}
