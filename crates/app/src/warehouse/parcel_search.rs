//! Which parcels a scanned code can mean.
//!
//! A label has several codes, and scanners read them differently. Each way to read the scan is
//! looked up by key: as a return, as a tracking number, as the number of an ASN, and as a carton.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::identifier::RmaId,
    warehouse::{
        parcel::Parcel,
        receiving::AsnState,
        scanned_code::{ScannedCode, parcel_codes},
    },
};
use store::{AsnLineFilter, CodedAsn};

use crate::{App, AppError};

/// The most lines of an ASN that a page shows.
const LINES_SHOWN_MAX: i64 = 200;

/// A parcel and the name of its merchant.
#[derive(Clone, Debug)]
pub struct MatchingParcel {
    pub parcel: Parcel,
    pub merchant_name: String,
}

/// The parcels that a code can mean: a return by its identifier or its tracking number, goods by
/// the number of their ASN, its tracking number, or one of its cartons. `named` limits them to one
/// merchant; for the platform, the parcel is one that was not announced. A large ASN is not
/// complete, but contains the lines that match the `scanned` code of a unit.
#[boxed]
pub async fn find_parcels(
    app: &App,
    named: Option<&MerchantId>,
    scan: &str,
    scanned: &str,
) -> Result<Vec<MatchingParcel>, AppError> {
    let codes = parcel_codes(scan);
    if named.is_some_and(|it| *it == MerchantId::platform()) {
        let merchant_name = "Not announced".to_owned();
        let number = codes.first().map(String::as_str).unwrap_or_default();
        return Ok(vec![MatchingParcel { parcel: Parcel::unknown(number), merchant_name }]);
    }
    let unit = ScannedCode::parse(scanned);
    for code in &codes {
        let mut parcels = find_returns(app, named, code).await?;
        parcels.extend(find_announced(app, named, code, &unit).await?);
        if !parcels.is_empty() {
            let mut found = Vec::with_capacity(parcels.len());
            for parcel in parcels {
                let merchant_name = load_merchant_name(app, &parcel.merchant).await?;
                found.push(MatchingParcel { parcel, merchant_name });
            }
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// The returns that a code can mean. The code for drop-off points contains the tracking number
/// after the return's identifier.
async fn find_returns(
    app: &App,
    named: Option<&MerchantId>,
    code: &str,
) -> Result<Vec<Parcel>, AppError> {
    let first = code.split_whitespace().next().unwrap_or_default();
    let mut found = Vec::new();
    for id in [code, first].into_iter().filter_map(RmaId::parse) {
        if let Some(merchant) = app.store.merchant_of_rma(&id).await? {
            found.push((merchant, id));
            break;
        }
    }
    let by_tracking = found.is_empty();
    if by_tracking {
        found = app.store.returns_by_parcel(None, code).await?;
    }
    let mut parcels = Vec::new();
    for (merchant, id) in found.into_iter().filter(|it| named.is_none_or(|named| *named == it.0)) {
        if let Some(rma) = app.store.rma(&merchant, &id).await? {
            let tracking_number = by_tracking.then(|| code.to_owned());
            let parcel = Parcel::of_return(&merchant, &rma.value);
            parcels.push(Parcel { tracking_number, ..parcel });
        }
    }
    Ok(parcels)
}

/// The announced goods that a code can mean.
async fn find_announced(
    app: &App,
    named: Option<&MerchantId>,
    code: &str,
    unit: &ScannedCode,
) -> Result<Vec<Parcel>, AppError> {
    let numbered = |merchant| CodedAsn { merchant, asn_number: code.to_owned(), carton: None };
    let mut asns: Vec<CodedAsn> =
        app.store.merchants_of_asn(code).await?.into_iter().map(numbered).collect();
    let by_number = !asns.is_empty();
    if !by_number {
        asns = app.store.asns_by_code(code).await?;
    }
    let mut parcels = Vec::new();
    for asn in asns.into_iter().filter(|it| named.is_none_or(|named| *named == it.merchant)) {
        let CodedAsn { merchant, asn_number, carton } = asn;
        let lines = AsnLineFilter {
            unit: unit.code(),
            own: unit.code(),
            sku: unit.code(),
            upc: unit.code(),
            serial_number: unit.serial().unwrap_or(unit.code()),
            carton: carton.as_deref().unwrap_or_default(),
            any: LINES_SHOWN_MAX,
            ..AsnLineFilter::default()
        };
        let states = app.store.asns(&merchant, &asn_number, &lines).await?;
        let states: Vec<AsnState> = states.into_iter().map(|it| it.value).collect();
        let is_tracked = !by_number && carton.is_none();
        let tracking_number = is_tracked.then(|| code.to_owned());
        let parcel = Parcel::of_asns(&merchant, &asn_number, &states);
        parcels.push(Parcel { carton, tracking_number, ..parcel });
    }
    Ok(parcels)
}

/// The name of a merchant, or its identifier if it is unknown.
#[boxed]
pub async fn load_merchant_name(app: &App, id: &MerchantId) -> Result<String, AppError> {
    let merchant = app.store.merchant(id).await?;
    Ok(merchant.map_or_else(|| id.to_string(), |merchant| merchant.value.name))
}
