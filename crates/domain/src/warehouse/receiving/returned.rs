//! Units that arrive for a return, and not by ASN.

use jiff::Timestamp;

use crate::returns::identifier::RmaId;
use crate::returns::receipt::Receipt;
use crate::warehouse::unit::{
    ReceivingAnswer, UnitEvent, UnitRecord, UnitRefusal, WarehouseUnitReceipt, apply,
};

/// A unit of a return: the line of the order that the return expects it for.
#[derive(Clone, Copy, Debug)]
pub struct ReturnedUnit<'a> {
    pub rma: &'a RmaId,
    pub line_identifier: &'a str,
    pub scanned: &'a Receipt,
}

/// The unit after it was received for the return, under the number of the return. If it was set
/// aside for the return before, that question is answered. A unit that was received elsewhere, was
/// rejected or leaves is refused: each unit is received once.
pub fn receive_for_return(
    unit: &UnitRecord,
    returned: ReturnedUnit<'_>,
    now: Timestamp,
) -> Result<UnitRecord, UnitRefusal> {
    let ReturnedUnit { rma, line_identifier, scanned } = returned;
    let (asn_number, line_identifier) = (rma.to_string(), line_identifier.to_owned());
    let mut unit = unit.clone();
    if unit.question(&asn_number).is_some() {
        let answer = ReceivingAnswer::MatchReturn {
            rma_identifier: rma.clone(),
            line_identifier: line_identifier.clone(),
        };
        let answered = UnitEvent::Answered { asn_number: asn_number.clone(), answer };
        unit = apply(&unit, &answered, now)?.unit;
    }
    let receipt = WarehouseUnitReceipt {
        asn_number,
        line_identifier: Some(line_identifier),
        received_at: now,
        scanned: scanned.clone(),
    };
    Ok(apply(&unit, &UnitEvent::Received(Box::new(receipt)), now)?.unit)
}
