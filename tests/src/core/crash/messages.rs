//! What was sent, and what a client may expect of it. Everything about a message follows from its
//! name and its version, so nothing else has to be remembered.

use serde_json::{Value, json};

use crate::harness::{
    http::{Reply, Request},
    samples::{message, refunded_order, taken_in},
    server::publication,
};

/// What is held of one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Absent,
    Held { version: u32 },
}

/// A message, perhaps sent several times in newer versions.
#[derive(Debug)]
pub(super) struct Sent {
    name: String,
    pub(super) orders: usize,
    /// One of its orders is not acceptable.
    bad: bool,
    acknowledged: Option<u32>,
    /// The version that was sent and not answered.
    pub(super) may_be: Option<u32>,
}

impl Sent {
    pub(super) fn new(name: String, orders: usize, bad: bool) -> Self {
        Self { name, orders, bad, acknowledged: None, may_be: None }
    }

    pub(super) fn identifier(&self, place: usize) -> String {
        format!("{}-{place}", self.name)
    }

    fn order(&self, place: usize, version: u32) -> Value {
        let identifier = self.identifier(place);
        let mut order = refunded_order(&identifier, &format!("refund-{identifier}"));
        order["updated_at"] = json!(format!("2026-03-01T08:00:00.{version:06}Z"));
        order["note"] = json!(format!("{} v{version} ", self.name).repeat(1 + place * 7));
        order
    }

    /// The request for the next version.
    pub(super) fn next(&self, token: &str) -> (Request, u32) {
        let version = self.acknowledged.map_or(1, |version| version + 1);
        (self.request(token, version), version)
    }

    pub(super) fn request(&self, token: &str, version: u32) -> Request {
        let mut orders: Vec<_> = (0..self.orders).map(|place| self.order(place, version)).collect();
        if self.bad {
            orders[self.orders / 2]["currency"] = json!("none");
        }
        let key = format!("{}v{version}", self.name);
        publication(token, message(&orders)).header("Idempotency-Key", &key)
    }

    /// Notes the answer, which must be the one that a first request gets.
    pub(super) fn answered(&mut self, reply: &Reply, version: u32) {
        if self.bad {
            assert_eq!(reply.status, 422, "{}", reply.said());
            return;
        }
        let result = if version == 1 { "created" } else { "updated" };
        let identifiers: Vec<_> = (0..self.orders).map(|place| self.identifier(place)).collect();
        let expected: Vec<_> = identifiers.iter().map(|it| (it.as_str(), result)).collect();
        assert_eq!(reply.said(), taken_in(&expected));
        self.acknowledged = Some(version);
    }

    /// What this answer says of one order, which must be one of the versions that were sent.
    pub(super) fn fate(&self, place: usize, reply: &Reply) -> Fate {
        if reply.status == 404 {
            return Fate::Absent;
        }
        assert_eq!(reply.status, 200, "{}", reply.said());
        let held = reply.json();
        let versions = [self.acknowledged, self.may_be].into_iter().flatten();
        let version = versions.into_iter().find(|version| held == self.order(place, *version));
        Fate::Held { version: version.unwrap_or_else(|| panic!("{self:?} holds {held}")) }
    }

    pub(super) fn allows(&self, fate: Fate) -> bool {
        let known = self.acknowledged.map_or(Fate::Absent, |version| Fate::Held { version });
        let open = self.may_be.filter(|_| !self.bad).map(|version| Fate::Held { version });
        fate == known || Some(fate) == open
    }
}
