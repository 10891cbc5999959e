//! A shipment as JSON text, as it is stored and returned.
//!
//! A shipment may have a hundred thousand units. So its text is in memory only once, and not longer
//! than necessary at the same time as the shipment.

use std::{io, sync::Arc};

use crate::core::idempotency::replayable;
use domain::warehouse::shipment::{Shipment, ShipmentHead};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;
use store::ShipmentRow;

#[derive(Clone, Debug)]
pub struct ShipmentText(Arc<str>);

replayable!(ShipmentText);

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

impl Serialize for ShipmentText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: &RawValue = serde_json::from_str(&self.0).map_err(ser::Error::custom)?;
        text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ShipmentText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer).map_err(de::Error::custom)?;
        Ok(Self(text.get().into()))
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
