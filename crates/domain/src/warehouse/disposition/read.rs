//! Reads a table of rules, or reports everything that is wrong with it.

use super::{DispositionRule, DispositionTable, RULES_MAX, VALUES_MAX};
use crate::faults::Faults;
use crate::json::Json;
use crate::orders::tags::has_letters;
use crate::reader::fields::Fields;
use crate::reader::{IDENTIFIER_MAX, Reader, read};
use crate::returns::condition::Condition;

/// Reads a table of rules.
pub fn read_disposition(document: &Json<'_>) -> Result<DispositionTable, Faults> {
    let (table, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            DispositionTable { rules: at.objects_up_to(RULES_MAX, "rules", rule) }
        })
    })?;
    Ok(table)
}

fn rule(at: &Fields<'_>) -> DispositionRule {
    at.refuse_unknown();
    let (least, most) =
        (at.optional_cents("value_min_cents"), at.optional_cents("value_max_cents"));
    if least.zip(most).is_some_and(|(least, most)| least > most) {
        at.note("value_max_cents", "must not be less than value_min_cents");
    }
    let conditions = at.optional("conditions", |value| {
        value.list(Condition::ALL.len(), |it| {
            it.named(Condition::parse, "must be one of N, R, A, B, C, X, TT")
        })
    });
    DispositionRule {
        conditions: conditions.unwrap_or_default(),
        skus: values(at, "skus", |_| true),
        tags: values(at, "tags", has_letters),
        reasons: values(at, "reasons", |_| true),
        value_min_cents: least,
        value_max_cents: most,
        channel: at.identifier("channel"),
    }
}

/// A list of texts, each of which `is_useful`.
fn values(at: &Fields<'_>, key: &'static str, is_useful: fn(&str) -> bool) -> Vec<String> {
    let text = |value: &Reader<'_>| {
        let text = value.text(1..=IDENTIFIER_MAX)?;
        if is_useful(text) {
            Some(text.to_owned())
        } else {
            value.invalid("must have a letter or a digit")
        }
    };
    at.optional(key, |value| value.list(VALUES_MAX, text)).unwrap_or_default()
}
