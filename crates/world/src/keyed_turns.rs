//! Turns by key: a few tasks at a time work on the same thing, and the others wait.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Turns for each key. A key is remembered while a task has or waits for a turn of it.
pub struct KeyedTurns<K: Eq + Hash> {
    at_once: usize,
    by_key: Mutex<HashMap<K, Arc<Semaphore>>>,
}

/// The right to work on what `key` names, until it is dropped.
pub struct Turn<K: Eq + Hash> {
    turns: Arc<KeyedTurns<K>>,
    key: K,
    /// Always present, except while the turn is dropped.
    permit: Option<OwnedSemaphorePermit>,
}

impl<K: Eq + Hash + Clone> KeyedTurns<K> {
    /// Lets at most `at_once` tasks work on the same thing.
    pub fn new(at_once: usize) -> Arc<Self> {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Arc::new(Self { at_once, by_key: Mutex::default() })
    }

    /// Waits for a turn.
    pub async fn wait(self: &Arc<Self>, key: K) -> Turn<K> {
        let semaphore = Arc::clone(self.semaphore(&mut self.lock(), &key));
        self.take(key, semaphore).await
    }

    /// Waits for a turn, unless `waiting_max` tasks wait for one of `key` already.
    pub async fn wait_if_few(self: &Arc<Self>, key: K, waiting_max: usize) -> Option<Turn<K>> {
        let semaphore = {
            let mut by_key = self.lock();
            let semaphore = self.semaphore(&mut by_key, &key);
            // Each task that has or waits for a turn holds the semaphore, too.
            let tasks = Arc::strong_count(semaphore) - 1;
            if tasks >= self.at_once.saturating_add(waiting_max) {
                return None;
            }
            Arc::clone(semaphore)
        };
        Some(self.take(key, semaphore).await)
    }

    async fn take(self: &Arc<Self>, key: K, semaphore: Arc<Semaphore>) -> Turn<K> {
        // From here on a turn exists, so that a caller who stops waiting leaves nothing behind.
        let mut turn = Turn { turns: Arc::clone(self), key, permit: None };
        turn.permit = semaphore.acquire_owned().await.ok();
        turn
    }

    fn semaphore<'a>(
        &self,
        by_key: &'a mut HashMap<K, Arc<Semaphore>>,
        key: &K,
    ) -> &'a Arc<Semaphore> {
        let new = || Arc::new(Semaphore::new(self.at_once));
        by_key.entry(key.clone()).or_insert_with(new)
    }
}

impl<K: Eq + Hash> KeyedTurns<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Arc<Semaphore>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Turn<K> {
    /// How many others have a turn now.
    pub fn others(&self) -> usize {
        let available = self.permit.as_ref().map_or(0, |it| it.semaphore().available_permits());
        self.turns.at_once.saturating_sub(available).saturating_sub(1)
    }
}

impl<K: Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        let mut by_key = self.turns.lock();
        self.permit = None;
        // Each task that has or waits for a turn holds the semaphore, too.
        if by_key.get(&self.key).is_some_and(|it| Arc::strong_count(it) == 1) {
            by_key.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::{Pin, pin},
        task::{Context, Poll, Waker},
    };

    use super::*;

    fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }

    #[test]
    fn the_next_task_waits_until_a_turn_ends_and_other_keys_do_not() {
        let turns = KeyedTurns::new(2);
        let first = poll(pin!(turns.wait("acme"))).unwrap();
        let second = poll(pin!(turns.wait("acme"))).unwrap();
        assert_eq!((first.others(), second.others()), (1, 1));

        let mut third = pin!(turns.wait("acme"));
        assert!(poll(third.as_mut()).is_none());
        assert!(poll(pin!(turns.wait("other"))).is_some());
        drop(first);
        let third = poll(third).unwrap();
        assert_eq!((second.others(), third.others()), (1, 1));
    }

    #[test]
    fn a_key_is_forgotten_when_no_task_has_or_waits_for_a_turn() {
        let turns = KeyedTurns::new(1);
        let first = poll(pin!(turns.wait("acme"))).unwrap();
        {
            let mut second = pin!(turns.wait("acme"));
            assert!(poll(second.as_mut()).is_none());
        }
        assert_eq!(turns.lock().len(), 1);
        drop(first);
        assert!(turns.lock().is_empty());
    }

    #[test]
    fn a_task_is_refused_if_too_many_wait_and_other_keys_are_not() {
        let turns = KeyedTurns::new(1);
        let first = poll(pin!(turns.wait_if_few("acme", 1))).unwrap().unwrap();
        let mut second = pin!(turns.wait_if_few("acme", 1));
        assert!(poll(second.as_mut()).is_none(), "it waits");

        assert!(poll(pin!(turns.wait_if_few("acme", 1))).unwrap().is_none());
        assert!(poll(pin!(turns.wait_if_few("other", 1))).unwrap().is_some());
        drop(first);
        let second = poll(second).unwrap();
        assert!(poll(pin!(turns.wait_if_few("acme", 1))).is_none(), "there is room to wait again");
        drop(second);
        assert!(turns.lock().is_empty());
    }
}
