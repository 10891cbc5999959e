//! Creates the receipt of a scanned unit.

use super::{ExpectedLine, Parcel, ParcelKind};
use crate::returns::identifier::RmaId;
use crate::returns::receipt::{Condition, Receipt};

/// A unit that a worker graded.
#[derive(Clone, Copy, Debug)]
pub struct GradedUnit<'a> {
    /// Its license plate, scanned or generated.
    pub plate: &'a str,
    pub condition: Condition,
    pub user_login: &'a str,
    pub channel: &'a str,
    pub location: Option<&'a str>,
    pub serial_number: Option<&'a str>,
}

/// The code of a unit that does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnexpectedCode<'a> {
    /// The license plate of the unit.
    ByPlate(&'a str),
    /// The code of its article.
    ByArticle(&'a str),
}

impl Parcel {
    /// The receipt of a unit of a line.
    pub fn receipt(&self, line: &ExpectedLine, graded: &GradedUnit<'_>) -> Receipt {
        let rma = (self.kind == ParcelKind::Return).then(|| RmaId::parse(&self.number)).flatten();
        let is_return = rma.is_some();
        // The line distinguishes programs that share a number. Without it, another line of the
        // same article may take the unit if this one is full by then.
        let named = is_return || line.program.is_some();
        Receipt {
            asn_number: rma.is_none().then(|| self.number.clone()),
            rma_identifier: rma,
            line_identifier: named.then(|| line.line_identifier.clone()),
            unit_identifier: Some(line.plate.clone().unwrap_or_else(|| graded.plate.to_owned())),
            // A return identifies articles without a SKU by their UPC.
            sku: line.sku.clone().or_else(|| line.upc.clone().filter(|_| is_return)),
            upc: line.upc.clone(),
            client_unit_identifier: line.own.clone(),
            ..bare(graded)
        }
    }

    /// The receipt of a unit that does not match, which becomes a question. A return has no
    /// questions, so the receipt names an ASN with the identifier of the return.
    pub fn question(&self, known: UnexpectedCode<'_>, graded: &GradedUnit<'_>) -> Receipt {
        let bare = Receipt { asn_number: Some(self.number.clone()), ..bare(graded) };
        match known {
            UnexpectedCode::ByPlate(plate) => {
                Receipt { unit_identifier: Some(plate.to_owned()), ..bare }
            }
            UnexpectedCode::ByArticle(code) if is_upc(code) => {
                Receipt { upc: Some(code.to_owned()), ..bare }
            }
            UnexpectedCode::ByArticle(code) => Receipt { sku: Some(code.to_owned()), ..bare },
        }
    }
}

/// Whether a code has the form of a UPC or EAN.
fn is_upc(code: &str) -> bool {
    matches!(code.len(), 8 | 12 | 13 | 14) && code.bytes().all(|byte| byte.is_ascii_digit())
}

/// The fields that all receipts have.
fn bare(graded: &GradedUnit<'_>) -> Receipt {
    Receipt {
        rma_identifier: None,
        asn_number: None,
        line_identifier: None,
        unit_identifier: Some(graded.plate.to_owned()),
        sku: None,
        upc: None,
        condition: graded.condition,
        channel: Some(graded.channel.to_owned()),
        user_login: Some(graded.user_login.to_owned()),
        location_identifier: graded.location.map(str::to_owned),
        warehouse_identifier: None,
        serial_number: graded.serial_number.map(str::to_owned),
        return_reason: None,
        reject_reason: None,
        tracking_number: None,
        carton_identifier: None,
        asin: None,
        client_unit_identifier: None,
    }
}
