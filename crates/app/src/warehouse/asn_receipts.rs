//! Units that arrive for an ASN: received, or kept as an exception until an operator decides.

mod batch;

use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{
        receipt::Receipt,
        rma::{Rma, RmaRefusal},
    },
    warehouse::{
        receipt_message::{InventoryReceipt, received},
        receiving::{
            Acceptance, AsnChoice, AsnFit, AsnState, ReceivingContext, ReceivingDecision, UnitScan,
            choose, fit, license_plate, question_of_refusal, receive, return_event, return_of,
            set_aside,
        },
        unit::UnitRecord,
    },
};
use store::{AsnLineFilter, Transaction, UnitRow, Versioned};

use crate::{
    App, AppError,
    core::{commit_once::retry_conflicts, scope::RequestScope},
    messages::outbox::{self, About},
    returns::{
        carrier_events::{EventOutcome, EventResult},
        origin::Origin,
        return_draft::ReturnDraft,
    },
};

pub(crate) use batch::{TOGETHER_MAX, receive_together};

/// The result of a scan.
pub(crate) enum ScanResult {
    Received,
    Repeat,
    /// The unit is kept as an exception, for this reason.
    Exception(String),
    /// The scan does not say which ASN is meant, and what it must say. Nothing is stored.
    Ambiguous(String),
}

impl ScanResult {
    pub(crate) fn view(&self) -> EventResult {
        let (result, message) = match self {
            Self::Received => (EventOutcome::Applied, None),
            Self::Repeat => (EventOutcome::Unchanged, None),
            Self::Exception(reason) => (EventOutcome::Exception, Some(reason.clone())),
            Self::Ambiguous(reason) => (EventOutcome::Refused, Some(reason.clone())),
        };
        EventResult { result, rma_identifier: None, message }
    }
}

/// A receipt with a name of its own, for units without a license plate.
pub(crate) struct NamedReceipt<'a> {
    pub(crate) name: String,
    pub(crate) receipt: &'a Receipt,
}

impl NamedReceipt<'_> {
    fn asn_number(&self) -> &str {
        self.receipt.asn_number.as_deref().unwrap_or_default()
    }
}

/// Receives a unit against an ASN.
pub(crate) async fn receive_for_asn(
    scope: RequestScope<'_>,
    named: &NamedReceipt<'_>,
) -> Result<ScanResult, AppError> {
    let owners = scope.app.store.merchants_of_asn(named.asn_number()).await?;
    let Some(merchant) = choose_owner(scope, &owners, named).await? else {
        let all: Vec<&str> = owners.iter().map(MerchantId::as_str).collect();
        let reason = format!(
            "several merchants announced such a unit with this ASN number ({}): name one with \
             ?merchant=",
            all.join(", ")
        );
        return Ok(ScanResult::Ambiguous(reason));
    };
    let origin = Origin::of_warehouse(scope);
    retry_conflicts(|| scan(scope.app, &merchant, named, &origin)).await
}

/// The merchant of the unit, among those that announced an ASN with its number. None if it can be
/// that of several. A unit that was not announced belongs to the platform until an operator
/// decides otherwise.
pub(crate) async fn choose_owner(
    scope: RequestScope<'_>,
    owners: &[MerchantId],
    named: &NamedReceipt<'_>,
) -> Result<Option<MerchantId>, AppError> {
    match (scope.merchant, owners) {
        (Some(merchant), _) => Ok(Some(merchant.clone())),
        (None, []) => Ok(Some(MerchantId::platform())),
        (None, [only]) => Ok(Some(only.clone())),
        (None, several) => find_announcer(scope.app, several, named).await,
    }
}

/// The lines that a scan can match. For an exception, `more` lines that are similar.
pub(crate) fn line_filter(receipt: &Receipt, more: bool) -> AsnLineFilter<'_> {
    fn text(optional: Option<&String>) -> &str {
        optional.map_or("", String::as_str)
    }
    AsnLineFilter {
        line: text(receipt.line_identifier.as_ref()),
        unit: text(receipt.unit_identifier.as_ref()),
        own: text(receipt.client_unit_identifier.as_ref()),
        sku: text(receipt.sku.as_ref()),
        upc: text(receipt.upc.as_ref()),
        asin: text(receipt.asin.as_ref()),
        carton: text(receipt.carton_identifier.as_ref()),
        serial_number: text(receipt.serial_number.as_ref()),
        more,
        any: 0,
    }
}

/// The merchant whose ASN matches the scan best, if merchants share the number. None if several
/// match equally well.
async fn find_announcer(
    app: &App,
    owners: &[MerchantId],
    named: &NamedReceipt<'_>,
) -> Result<Option<MerchantId>, AppError> {
    let mut fits = Vec::with_capacity(owners.len());
    for owner in owners {
        let filter = line_filter(named.receipt, false);
        let asns = app.store.asns(owner, named.asn_number(), &filter).await?;
        let fit = asns.iter().map(|it| fit(&it.value, named.receipt, &named.name)).max();
        fits.push(fit.unwrap_or(AsnFit::Foreign));
    }
    Ok(match choose(fits.into_iter()) {
        AsnChoice::None => Some(MerchantId::platform()),
        AsnChoice::One(position) => owners.get(position).cloned(),
        AsnChoice::Ambiguous => None,
    })
}

async fn scan(
    app: &App,
    merchant: &MerchantId,
    named: &NamedReceipt<'_>,
    origin: &Origin,
) -> Result<ScanResult, AppError> {
    let filter = line_filter(named.receipt, false);
    let context = load_scan_context(app, merchant, named, &filter).await?;
    receive_scan(app, merchant, named, origin, context).await
}

/// Receives a unit for which `context` was loaded.
pub(crate) async fn receive_scan(
    app: &App,
    merchant: &MerchantId,
    named: &NamedReceipt<'_>,
    origin: &Origin,
    mut context: ScanContext,
) -> Result<ScanResult, AppError> {
    let receipt = named.receipt;
    let (mut decision, mut of_return) = context.decide(app, merchant, receipt).await?;
    if let ReceivingDecision::Exception(_) = decision {
        if let Some(reason) = context.ambiguity() {
            return Ok(ScanResult::Ambiguous(reason));
        }
        // An exception proposes all lines that the unit could match. What has changed since the
        // first decision, such as a new ASN, counts for the unit and for its return.
        context = load_scan_context(app, merchant, named, &line_filter(receipt, true)).await?;
        (decision, of_return) = context.decide(app, merchant, receipt).await?;
    }
    let replaces = context.unit.as_ref().map_or(0, |it| it.version);
    let mut transaction = Transaction::new("receiving a unit");
    match decision {
        ReceivingDecision::Repeat => return Ok(ScanResult::Repeat),
        ReceivingDecision::Exception(unit) => {
            let kind = unit.question(named.asn_number()).map(|question| question.kind);
            let reason = kind.map(|kind| kind.name().to_owned()).unwrap_or_default();
            transaction.put_units(merchant, vec![UnitRow { replaces, unit: *unit }]);
            app.commit(transaction).await?;
            return Ok(ScanResult::Exception(reason));
        }
        ReceivingDecision::Accepted(acceptance) => {
            if let Some(asn) = context.asn {
                let accepted =
                    AcceptedUnit { asn, acceptance: &acceptance, replaces, of_return, origin };
                accept_unit(app, &mut transaction, merchant, accepted).await?;
            }
        }
    }
    app.commit(transaction).await?;
    Ok(ScanResult::Received)
}

/// What the scan of a unit is decided on.
pub(crate) struct ScanContext {
    /// The ASN that the unit belongs to.
    asn: Option<Versioned<AsnState>>,
    /// Whether several ASNs match equally well.
    is_ambiguous: bool,
    others: Vec<AsnState>,
    unit: Option<Versioned<UnitRecord>>,
    plate: String,
}

impl ScanContext {
    /// What the receipt must say, if programs share a number.
    fn ambiguity(&self) -> Option<String> {
        let programs = self.others.iter().map(|it| it.asn.program_identifier.as_str());
        let programs: Vec<&str> = programs.collect();
        self.is_ambiguous.then(|| {
            format!(
                "several programs announced such a unit with this ASN number ({}): send \
                 program_identifier",
                programs.join(", ")
            )
        })
    }

    fn known(&self) -> ReceivingContext<'_> {
        ReceivingContext {
            asn: self.asn.as_ref().map(|it| &it.value),
            others: &self.others,
            unit: self.unit.as_ref().map(|it| &it.value),
        }
    }

    fn scan<'a>(&'a self, receipt: &'a Receipt) -> UnitScan<'a> {
        UnitScan { unit_identifier: &self.plate, receipt }
    }

    /// What the unit is, and its return with it; see [`apply_to_return`]. A unit that its return
    /// does not expect is an exception.
    async fn decide(
        &self,
        app: &App,
        merchant: &MerchantId,
        receipt: &Receipt,
    ) -> Result<(ReceivingDecision, Option<ReturnDraft>), AppError> {
        let (known, scan, now) = (self.known(), self.scan(receipt), app.world.now());
        let decision = receive(&known, &scan, now);
        let (ReceivingDecision::Accepted(acceptance), Some(asn)) = (&decision, &self.asn) else {
            return Ok((decision, None));
        };
        Ok(match apply_to_return(app, merchant, &asn.value, acceptance).await? {
            Ok(of_return) => (decision, of_return),
            Err(refusal) => (set_aside(&known, &scan, question_of_refusal(&refusal), now), None),
        })
    }
}

/// Loads the ASN first. It changes with every unit that is received, so everything that is loaded
/// after it stays true as long as its version does.
pub(crate) async fn load_scan_context(
    app: &App,
    merchant: &MerchantId,
    named: &NamedReceipt<'_>,
    filter: &AsnLineFilter<'_>,
) -> Result<ScanContext, AppError> {
    let (receipt, number) = (named.receipt, named.asn_number());
    let mut asns = app.store.asns(merchant, number, filter).await?;
    let choice = choose_asn(&asns, named);
    let asn = match choice {
        AsnChoice::One(position) => Some(asns.swap_remove(position)),
        AsnChoice::None | AsnChoice::Ambiguous => None,
    };
    let state = asn.as_ref().map(|it| &it.value);
    let plate = license_plate(state, receipt, &named.name).to_owned();
    let unit = app.store.units(merchant, [plate.as_str()].into_iter()).await?.pop();
    let mut others: Vec<AsnState> = asns.into_iter().map(|it| it.value).collect();
    let announced = unit.as_ref().and_then(|it| it.value.announcement.as_ref());
    if let Some(elsewhere) = announced.filter(|it| it.asn_number.as_str() != number) {
        let found = app.store.asns(merchant, elsewhere.asn_number.as_str(), filter).await?;
        others.extend(found.into_iter().map(|it| it.value));
    }
    Ok(ScanContext { asn, is_ambiguous: choice == AsnChoice::Ambiguous, others, unit, plate })
}

/// The ASN that a receipt is about. Programs may share a number.
fn choose_asn(asns: &[Versioned<AsnState>], named: &NamedReceipt<'_>) -> AsnChoice {
    let receipt = named.receipt;
    if let ([_], None) = (asns, &receipt.program_identifier) {
        return AsnChoice::One(0);
    }
    let is_meant = |it: &Versioned<AsnState>| {
        let program = receipt.program_identifier.as_ref();
        program.is_none_or(|program| *program == it.value.asn.program_identifier)
    };
    match choose(asns.iter().map(|it| fit(&it.value, receipt, &named.name))) {
        // An ASN that does not match says best why.
        AsnChoice::None => asns.iter().position(is_meant).map_or(AsnChoice::None, AsnChoice::One),
        found @ (AsnChoice::One(_) | AsnChoice::Ambiguous) => found,
    }
}

/// A unit that arrived, the ASN that it counts on, and the version of the unit that it replaces.
pub(crate) struct AcceptedUnit<'a> {
    pub(crate) asn: Versioned<AsnState>,
    pub(crate) acceptance: &'a Acceptance,
    pub(crate) replaces: i64,
    /// The return that it belongs to, with the unit.
    pub(crate) of_return: Option<ReturnDraft>,
    /// Who received it.
    pub(crate) origin: &'a Origin,
}

/// Counts the unit on its ASN, stores the return that it belongs to, and enqueues the messages
/// about both.
pub(crate) async fn accept_unit(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    AcceptedUnit { mut asn, acceptance, replaces, of_return, origin }: AcceptedUnit<'_>,
) -> Result<(), AppError> {
    asn.value.count(acceptance);
    let line = acceptance.line_identifier.iter().map(|line| (line.clone(), 1));
    transaction.count_units(merchant, &asn, &line.collect(), app.world.now_us());
    let unit = &acceptance.unit;
    transaction.put_units(merchant, vec![UnitRow { replaces, unit: unit.clone() }]);
    if let Some(message) = received(&asn.value.asn, unit) {
        enqueue_receipt(app, transaction, merchant, &message, unit);
    }
    match of_return {
        Some(draft) => draft.put(app, transaction, merchant, origin).await,
        None => Ok(()),
    }
}

/// The return of the unit's carton, with the unit, or why the return does not expect the unit. None
/// if there is no return, or if other warehouses receive the merchant's returns.
pub(crate) async fn apply_to_return(
    app: &App,
    merchant: &MerchantId,
    asn: &AsnState,
    acceptance: &Acceptance,
) -> Result<Result<Option<ReturnDraft>, RmaRefusal>, AppError> {
    let line = acceptance.line_identifier.as_deref().and_then(|id| asn.asn.line(id));
    let Some((line, id)) = line.and_then(|line| Some((line, return_of(&line)?))) else {
        return Ok(Ok(None));
    };
    let before = app.store.rma(merchant, &id).await?;
    let is_received_here = |rma: &Rma| rma.units.iter().any(|unit| unit.receiving.is_some());
    let Some(before) = before.filter(|it| is_received_here(&it.value)) else {
        return Ok(Ok(None));
    };
    let Some(event) = return_event(&line, acceptance, &before.value) else {
        return Ok(Ok(None));
    };
    let mut draft = ReturnDraft::new(before);
    Ok(draft.apply(&event, app.world.now()).map(|_| Some(draft)))
}

/// Enqueues the message about a unit. A merchant is told of each unit once, and again when its
/// receipt is corrected.
pub(crate) fn enqueue_receipt(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    message: &InventoryReceipt<'_>,
    unit: &UnitRecord,
) {
    let body = Bytes::from(message.to_json());
    let about = About {
        kind: MessageKind::InventoryReceipt,
        reference: &unit.unit_identifier,
        sequence: i64::try_from(unit.times_told()).unwrap_or(i64::MAX).max(1),
    };
    transaction.enqueue(outbox::message(app, merchant, &about, body));
}
