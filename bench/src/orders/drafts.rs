//! Numbers of orders, and JSON in which they are left open.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// The placeholder of the number of an order.
pub(crate) const OPEN: &str = "##########";

/// Ascending numbers of orders. Each is used once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(Arc<AtomicU64>);

impl Numbers {
    pub(crate) fn starting_at(first: u64) -> Self {
        Self(Arc::new(AtomicU64::new(first)))
    }

    /// Reserves `count` numbers and returns the first.
    pub(crate) fn take(&self, count: usize) -> u64 {
        self.0.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed)
    }

    /// The number after the last reserved one.
    pub(crate) fn next(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// JSON in which the numbers of one or more orders can be changed.
pub(crate) struct Draft {
    bytes: Vec<u8>,
    /// For each order, the positions of its number.
    positions: Vec<Vec<usize>>,
}

impl Draft {
    /// `before`, the orders separated by commas, `after`.
    pub(crate) fn new(before: &str, orders: &[Vec<u8>], after: &str) -> Self {
        let mut draft = Self { bytes: before.as_bytes().to_vec(), positions: Vec::new() };
        for order in orders {
            if !draft.positions.is_empty() {
                draft.bytes.push(b',');
            }
            let here = draft.bytes.len();
            let open = order.windows(OPEN.len()).enumerate();
            let open = open.filter(|(_, bytes)| *bytes == OPEN.as_bytes());
            draft.positions.push(open.map(|(position, _)| here + position).collect());
            draft.bytes.extend_from_slice(order);
        }
        draft.bytes.extend_from_slice(after.as_bytes());
        draft
    }

    pub(crate) fn orders(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Replaces the bytes at `position` by others of the same length.
    pub(crate) fn replace(&mut self, position: usize, text: &str) {
        if let Some(bytes) = self.bytes.get_mut(position..position + text.len()) {
            bytes.copy_from_slice(text.as_bytes());
        }
    }

    /// Fills in the numbers, starting with `first`.
    pub(crate) fn set_numbers(&mut self, first: u64) {
        for (number, positions) in (first..).zip(&self.positions) {
            let digits = to_digits(number);
            for &position in positions {
                if let Some(open) = self.bytes.get_mut(position..position + OPEN.len()) {
                    open.copy_from_slice(&digits);
                }
            }
        }
    }
}

pub(crate) fn to_digits(mut number: u64) -> [u8; OPEN.len()] {
    let mut digits = [b'0'; OPEN.len()];
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
    digits
}
