//! Collects spans when they end, and hands them to the exporter without waiting for it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::mpsc::Sender;
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};
use world::World;

/// Of longer texts only the beginning is kept.
const TEXT_MAX_BYTES: usize = 200;

/// A span that has ended.
pub(super) struct FinishedSpan {
    pub(super) place: SpanPlace,
    pub(super) name: &'static str,
    pub(super) started_us: i64,
    pub(super) ended_us: i64,
    pub(super) failed: bool,
    pub(super) fields: Vec<(&'static str, FieldValue)>,
}

/// Where a span is in its trace.
#[derive(Clone, Copy)]
pub(super) struct SpanPlace {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
    pub(super) parent: Option<[u8; 8]>,
    /// Whether the system that began the trace wants it to be recorded.
    sampled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldValue {
    Number(i64),
    Text(String),
}

/// The layer that collects.
pub(super) struct SpanCollector {
    pub(super) finished: Sender<FinishedSpan>,
    /// Spans for which the exporter had no room.
    pub(super) dropped: Arc<AtomicU64>,
    pub(super) world: World,
}

struct OpenSpan {
    place: SpanPlace,
    started_us: i64,
    fields: SpanFields,
}

#[derive(Default)]
struct SpanFields {
    traceparent: Option<SpanPlace>,
    failed: bool,
    others: Vec<(&'static str, FieldValue)>,
}

impl SpanCollector {
    /// The place of a span below `above`, or at the beginning of a trace.
    fn place_below(&self, above: Option<SpanPlace>) -> SpanPlace {
        let span = self.world.random();
        match above {
            Some(above) => SpanPlace { span, parent: Some(above.span), ..above },
            None => SpanPlace { trace: self.world.random(), span, parent: None, sampled: true },
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanCollector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = SpanFields::default();
        attributes.record(&mut fields);
        let parent = span.parent();
        let above = parent.and_then(|it| it.extensions().get::<OpenSpan>().map(|it| it.place));
        let place = self.place_below(above.or(fields.traceparent));
        let open = OpenSpan { place, started_us: self.world.wall_clock_us(), fields };
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            values.record(&mut open.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<OpenSpan>() else { return };
        if !open.place.sampled {
            return;
        }
        let finished = FinishedSpan {
            place: open.place,
            name: span.name(),
            started_us: open.started_us,
            ended_us: self.world.wall_clock_us(),
            failed: open.fields.failed,
            fields: open.fields.others,
        };
        if self.finished.try_send(finished).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl SpanFields {
    fn add_text(&mut self, field: &Field, text: &str) {
        let mut end = text.len().min(TEXT_MAX_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or_default().to_owned();
        self.others.push((field.name(), FieldValue::Text(text)));
    }
}

impl Visit for SpanFields {
    fn record_str(&mut self, field: &Field, text: &str) {
        match field.name() {
            "traceparent" => self.traceparent = read_traceparent(text),
            _ => self.add_text(field, text),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        match field.name() {
            "failed" => self.failed = value,
            _ => self.add_text(field, if value { "true" } else { "false" }),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.others.push((field.name(), FieldValue::Number(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.add_text(field, &format!("{value:?}"));
    }
}

/// Reads the header `traceparent` of W3C Trace Context. One that breaks its rules is ignored.
fn read_traceparent(text: &str) -> Option<SpanPlace> {
    let mut parts = text.split('-');
    let [version] = read_hex(parts.next()?)?;
    let (trace, span) = (read_hex(parts.next()?)?, read_hex(parts.next()?)?);
    let [flags] = read_hex(parts.next()?)?;
    // Later versions may add parts.
    let is_complete = version > 0 || parts.next().is_none();
    let is_valid = version != 0xff && is_complete && trace != [0; 16] && span != [0; 8];
    is_valid.then_some(SpanPlace { trace, span, parent: None, sampled: flags & 1 == 1 })
}

/// Reads exactly `N` bytes in lowercase hexadecimal digits.
fn read_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    if digits.len() != 2 * N || !digits.bytes().all(is_digit) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn a_traceparent_has_a_trace_a_span_and_a_decision() {
        let read = |flags: &str| read_traceparent(&format!("00-{TRACE}-00f067aa0ba902b7-{flags}"));
        let place = read("01").unwrap();
        assert_eq!(read_hex(TRACE), Some(place.trace));
        assert_eq!(place.span, [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
        assert!(place.sampled && !read("00").unwrap().sampled);
        assert!(read_traceparent(&format!("01-{TRACE}-00f067aa0ba902b7-01-more")).is_some());
    }

    #[test]
    fn a_traceparent_that_breaks_the_rules_is_ignored() {
        for text in [
            "",
            "00",
            "00-4bf92f35-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b-01",
        ] {
            assert!(read_traceparent(text).is_none(), "{text}");
        }
    }
}
