//! Creates the receipt of a scanned unit.

use super::{ExpectedLine, Parcel, ParcelKind};
use crate::reader::IDENTIFIER_MAX;
use crate::returns::identifier::RmaId;
use crate::returns::receipt::{Condition, Receipt};
use crate::warehouse::gtin::is_gtin;
use crate::warehouse::scanned_code::ScannedCode;

/// A unit that a worker graded.
#[derive(Clone, Copy, Debug)]
pub struct GradedUnit<'a> {
    /// Its license plate, scanned or generated.
    pub plate: &'a str,
    pub condition: Condition,
    pub user_login: &'a str,
    /// The channel that it goes to. None: the rules decide when it is known whose it is.
    pub channel: Option<&'a str>,
    pub location: Option<&'a str>,
    pub serial_number: Option<&'a str>,
    /// The batch that the symbol on the unit names.
    pub batch_number: Option<&'a str>,
    /// The warehouse that receives it, if it is known.
    pub warehouse: Option<&'a str>,
    /// Why it is rejected, if it is.
    pub reject_reason: Option<&'a str>,
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
        // The worker chose a line of one program. Without the line, another one of the same article
        // may take the unit if this one is full by then.
        let named = is_return || line.program.is_some();
        Receipt {
            asn_number: rma.is_none().then(|| self.number.clone()),
            rma_identifier: rma,
            program_identifier: line.program.clone(),
            line_identifier: named.then(|| line.line_identifier.clone()),
            unit_identifier: Some(line.plate.clone().unwrap_or_else(|| graded.plate.to_owned())),
            // A return identifies articles without a SKU by their UPC.
            sku: line.sku.clone().or_else(|| line.upc.clone().filter(|_| is_return)),
            upc: line.upc.clone(),
            client_unit_identifier: line.own.clone(),
            ..self.bare_receipt(graded)
        }
    }

    /// The receipt of a unit that does not match, which becomes a question. A return has no
    /// questions, so the receipt names an ASN with the identifier of the return.
    pub fn question(&self, known: UnexpectedCode<'_>, graded: &GradedUnit<'_>) -> Receipt {
        let number = self.number.chars().take(IDENTIFIER_MAX).collect();
        let bare = Receipt { asn_number: Some(number), ..self.bare_receipt(graded) };
        let text = match known {
            UnexpectedCode::ByPlate(plate) => {
                let scanned = ScannedCode::parse(plate);
                // Units of one article must not get the same license plate.
                if scanned.gtin().is_none() {
                    return Receipt { unit_identifier: Some(scanned.code().to_owned()), ..bare };
                }
                scanned
            }
            UnexpectedCode::ByArticle(code) => ScannedCode::parse(code),
        };
        let code = text.code().to_owned();
        if is_gtin(&code) {
            Receipt { upc: Some(code), ..bare }
        } else {
            Receipt { sku: Some(code), ..bare }
        }
    }

    /// The fields that all receipts have.
    fn bare_receipt(&self, graded: &GradedUnit<'_>) -> Receipt {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Receipt {
            rma_identifier: None,
            asn_number: None,
            program_identifier: None,
            line_identifier: None,
            unit_identifier: Some(graded.plate.to_owned()),
            sku: None,
            upc: None,
            condition: graded.condition,
            channel: owned(graded.channel),
            user_login: Some(graded.user_login.to_owned()),
            location_identifier: owned(graded.location),
            warehouse_identifier: owned(graded.warehouse),
            serial_number: owned(graded.serial_number),
            batch_number: owned(graded.batch_number),
            return_reason: None,
            reject_reason: owned(graded.reject_reason),
            tracking_number: self.tracking_number.clone(),
            carton_identifier: self.carton.clone(),
            asin: None,
            client_unit_identifier: None,
        }
    }
}
