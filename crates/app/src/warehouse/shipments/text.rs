//! A shipment as JSON text, as it is stored and returned.
//!
//! A shipment may have a hundred thousand units. So its text is in memory only once, and not longer
//! than necessary at the same time as the shipment.

use std::{io, sync::Arc};

use domain::warehouse::shipment::{Shipment, ShipmentHead};
use store::ShipmentRow;

use crate::core::idempotency::Replayable;

#[derive(Clone, Debug)]
pub struct ShipmentText(Arc<str>);

impl ShipmentText {
    /// Measures the text first: a buffer that grows would take three times its memory for a moment.
    pub(super) fn of(shipment: &Shipment) -> Self {
        let mut length = Length(0);
        serde_json::to_writer(&mut length, shipment).expect("counting bytes cannot fail");
        let mut text = Vec::with_capacity(length.0);
        serde_json::to_writer(&mut text, shipment).expect("writing to memory cannot fail");
        Self(String::from_utf8(text).expect("JSON is text").into())
    }

    pub(super) fn read(&self) -> Shipment {
        serde_json::from_str(&self.0).expect("the text was written by `of`")
    }

    /// The row for the store.
    pub(super) fn stored_for(&self, shipment: &Shipment) -> ShipmentRow {
        ShipmentRow { head: ShipmentHead::of(shipment), body: Arc::clone(&self.0) }
    }
}

impl AsRef<[u8]> for ShipmentText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Replayable for ShipmentText {
    fn parse(stored: &str) -> Result<Self, serde_json::Error> {
        Ok(Self(stored.into()))
    }

    fn to_json(&self) -> String {
        self.0.as_ref().to_owned()
    }
}

struct Length(usize);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
