//! Questions about units that cannot simply be received.

use domain::warehouse::scanned_code::ScannedCode;

use super::{parts::BenchLink, state::BenchState, step::Mismatch};

/// A question about a unit, and the answers that are links.
pub(super) struct Question {
    pub(super) title: String,
    pub(super) text: &'static str,
    pub(super) links: Vec<BenchLink>,
}

pub(super) fn describe_mismatch(state: &BenchState, mismatch: &Mismatch) -> Question {
    match mismatch {
        Mismatch::NotReceivable(why) => Question {
            title: format!("Nothing can be received from this parcel: {why}"),
            text: "Set the unit aside for the office.",
            links: Vec::new(),
        },
        Mismatch::AllReceived(line) => Question {
            title: match line.quantity {
                1 => format!("{} is already received", line.article()),
                all => format!("All {all} of {} are already received", line.article()),
            },
            text: "If you did not scan a unit twice, there is one too many. Set it aside for the \
                   office.",
            links: Vec::new(),
        },
        Mismatch::SeveralUnits(lines) => Question {
            title: "Which unit is it?".to_owned(),
            text: "Each unit has its own license plate. Scan it, or choose the unit.",
            links: lines.iter().map(|line| BenchLink::unit(state, line)).collect(),
        },
        Mismatch::NotInParcel(_) if ScannedCode::parse(&state.asked).is_misread() => Question {
            title: "Not in this parcel".to_owned(),
            text: "The check digit of this barcode is wrong, so it was probably misread. Scan it \
                   again, or type the SKU. If the label is damaged, set the unit aside.",
            links: Vec::new(),
        },
        Mismatch::NotInParcel(elsewhere) => Question {
            title: "Not in this parcel".to_owned(),
            text: "Scan the unit again to be sure. If it still does not match, set it aside for \
                   the office.",
            links: elsewhere
                .iter()
                .map(|it| BenchLink::elsewhere(state, it, &state.asked))
                .collect(),
        },
    }
}
