//! The message in which a merchant publishes orders:
//! `{"returns_portal_order": {"orders": [...]}}`.
//!
//! Reading gives, for each order, the domain type and the bytes to store. The bytes are the
//! merchant's own JSON, including every field that we do not know. Only two spellings are
//! normalized: the shopper is stored under `customer` even if it was sent under the key
//! `the service`, and `Canceled` becomes `Cancelled`. Reading the stored bytes again gives the
//! same order.
//!
//! `fields` says which fields are required; `rules` says what must hold between them. The rules are
//! for messages only: an order that was accepted once stays readable, whatever was recorded since.

mod fields;
mod rules;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use jiff::Timestamp;

pub(crate) use self::fields::read_variant;
use self::fields::{CUSTOMER, CUSTOMER_ALIAS};
use self::rules::IntakeRules;
use crate::faults::{Faults, Warning};
use crate::json::{self, Json};
use crate::orders::order::{Order, Refund};
use crate::reader::fields::Fields;
use crate::reader::{Reader, read};

/// A message has at most this many orders.
pub const ORDERS_MAX: usize = 1_000;

/// An order of a message has at most this many lines, so that no page and no message about it is
/// unbounded.
pub const LINES_MAX: usize = 5_000;

/// An order of a message has at most this many refunds.
pub const REFUNDS_MAX: usize = 500;

/// So many units of all lines of an order can be shipped. Returnability and the pages of the portal
/// look at each of them on its own.
pub const UNITS_MAX: i64 = 20_000;

/// What reading depends on besides the document.
#[derive(Clone, Copy, Debug)]
pub struct OrderReadContext {
    pub now: Timestamp,
    /// Turns warnings about amounts and times into errors. Unknown fields remain warnings.
    pub strict: bool,
    pub refunds: RefundCheck,
}

/// Which refunds must fit the order, and have a date in the future if reading is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundCheck {
    /// All.
    All,
    /// Only new ones. The caller knows them, and checks them.
    New,
}

/// The orders of an acceptable message.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderMessage<T = Snapshot> {
    /// In the order of the message.
    pub orders: Vec<T>,
    pub warnings: Vec<Warning>,
}

/// An order, and what is stored of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub order: Order,
    pub body: SnapshotBody,
    /// One for each refund of the order.
    pub refunds: Vec<RefundEntry>,
}

/// An order as the merchant sent it, without white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotBody {
    /// These bytes of the document: nothing in them needs to be normalized.
    AsSent(Range<usize>),
    Written(Vec<u8>),
}

impl SnapshotBody {
    /// The bytes of an order that was read from `document`.
    pub fn bytes<'a>(&'a self, document: &'a [u8]) -> &'a [u8] {
        match self {
            Self::AsSent(range) => document.get(range.clone()).unwrap_or_default(),
            Self::Written(bytes) => bytes,
        }
    }
}

/// A refund as the merchant sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundEntry {
    pub identifier: String,
    /// Its position in the order's `refunds`.
    pub position: usize,
    /// The same bytes for two refunds with the same content; see [`Json::canonical`].
    pub canonical: Vec<u8>,
    pub body: Vec<u8>,
}

/// Reads a message, or returns everything wrong with it.
pub fn read_message(
    document: &Json<'_>,
    context: &OrderReadContext,
) -> Result<OrderMessage, Faults> {
    read_message_into(document, context, |snapshot| snapshot)
}

/// Reads a message and keeps of each order what `keep` returns. The rest of it is freed before the
/// next order is read, while it is still in the processor's cache.
pub fn read_message_into<T>(
    document: &Json<'_>,
    context: &OrderReadContext,
    mut keep: impl FnMut(Snapshot) -> T,
) -> Result<OrderMessage<T>, Faults> {
    let mut rules = IntakeRules::new(context);
    let (orders, warnings) = read(document, context.strict, |root| {
        root.object(|message| {
            message.drop_unknown();
            message.object("returns_portal_order", |envelope| {
                envelope.drop_unknown();
                envelope.objects_up_to(ORDERS_MAX, "orders", |order| {
                    keep(read_snapshot(order, &mut rules))
                })
            })
        })?
    })?;
    Ok(OrderMessage { orders, warnings })
}

/// A refund of a message that could not be read as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRefund {
    /// The position of its order in the message.
    pub order: usize,
    pub order_identifier: String,
    /// Its position in the order.
    pub position: usize,
    pub refund: Refund,
    /// See [`RefundEntry::canonical`].
    pub canonical: Vec<u8>,
}

/// The refunds of a message that has faults elsewhere. Those that are not readable are left out,
/// because their own faults are reported.
pub fn find_refunds(document: &Json<'_>) -> Vec<FoundRefund> {
    let orders = list_in(document.get("returns_portal_order"), "orders");
    let mut found = Vec::new();
    for (order, source) in orders.iter().take(ORDERS_MAX).enumerate() {
        let Some(Json::Text(identifier)) = source.get("identifier") else { continue };
        let refunds = list_in(Some(source), "refunds");
        for (position, source) in refunds.iter().take(REFUNDS_MAX).enumerate() {
            if let Ok(refund) = read_stored_refund(source) {
                let order_identifier = identifier.clone().into_owned();
                let canonical = source.canonical();
                found.push(FoundRefund { order, order_identifier, position, refund, canonical });
            }
        }
    }
    found
}

fn list_in<'a>(object: Option<&'a Json<'a>>, key: &str) -> &'a [Json<'a>] {
    match object.and_then(|object| object.get(key)) {
        Some(Json::List(elements)) => elements,
        Some(_) | None => &[],
    }
}

/// Reads a single order: a line of an import.
pub fn read_order(
    document: &Json<'_>,
    context: &OrderReadContext,
) -> Result<(Snapshot, Vec<Warning>), Faults> {
    read(document, context.strict, |root: &Reader<'_>| {
        root.object(|order| read_snapshot(order, &mut IntakeRules::new(context)))
    })
}

/// Reads an order that was accepted before. What must hold between its fields is not checked again:
/// later snapshots and refunds may contradict it, and it must stay readable.
pub fn read_stored_order(document: &Json<'_>) -> Result<Order, Faults> {
    let stored =
        read(document, false, |root| root.object(|order| fields::read_order_fields(order, None)));
    stored.map(|(order, _)| order)
}

/// Reads a refund that was accepted before.
pub fn read_stored_refund(document: &Json<'_>) -> Result<Refund, Faults> {
    let stored =
        read(document, false, |root| root.object(|refund| fields::read_refund(refund, None)));
    stored.map(|(refund, _)| refund)
}

fn read_snapshot(at: &Fields<'_>, rules: &mut IntakeRules) -> Snapshot {
    let order = fields::read_order_fields(at, Some(rules));
    // Nothing of a message with a fault is stored, so no bytes are needed.
    if !at.reader().is_faultless() {
        return Snapshot { order, body: SnapshotBody::Written(Vec::new()), refunds: Vec::new() };
    }
    let source = at.reader().source();
    let refunds = list_refunds(source, &order);
    Snapshot { order, body: write_body(source), refunds }
}

/// The bytes of an order in the spellings that we store.
fn write_body(source: &Json<'_>) -> SnapshotBody {
    let Json::Object(order) = source else {
        return SnapshotBody::Written(Vec::new());
    };
    let respelled =
        order.entries.iter().any(|(key, value)| is_alias(key) || is_canceled(key, value));
    if let Some(range) = order.as_sent().filter(|_| !respelled) {
        return SnapshotBody::AsSent(range);
    }
    let mut out = Vec::with_capacity(2_048);
    for (position, (key, value)) in order.entries.iter().enumerate() {
        out.push(if position == 0 { b'{' } else { b',' });
        json::write_text(if is_alias(key) { CUSTOMER } else { key }, &mut out);
        out.push(b':');
        if is_canceled(key, value) {
            json::write_text("Cancelled", &mut out);
        } else {
            value.write(&mut out);
        }
    }
    out.push(b'}');
    SnapshotBody::Written(out)
}

fn is_alias(key: &str) -> bool {
    key == CUSTOMER_ALIAS
}

fn is_canceled(key: &str, value: &Json<'_>) -> bool {
    key == "status" && *value == Json::Text(Cow::Borrowed("Canceled"))
}

fn list_refunds(source: &Json<'_>, order: &Order) -> Vec<RefundEntry> {
    let Some(Json::List(sources)) = source.get("refunds") else {
        return Vec::new();
    };
    let entries = order.refunds.iter().zip(sources).enumerate();
    let entries = entries.map(|(position, (refund, source))| {
        let mut body = Vec::new();
        source.write(&mut body);
        let identifier = refund.identifier.clone();
        RefundEntry { identifier, position, canonical: source.canonical(), body }
    });
    entries.collect()
}
