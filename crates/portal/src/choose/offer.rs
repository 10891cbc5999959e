//! The items and options that a shopper chooses from.

use std::collections::BTreeMap;

use app::{
    App, AppError,
    exchanges::variants::{LineVariants, list_variants},
    orders::returnability::ReturnableOrder,
    returns::shopper::Shopper,
};
use domain::{
    orders::order::{Order, OrderLine},
    returns::{
        Resolution,
        policy::Policy,
        returnability::{LineReturnability, Returnability},
        rma::Rma,
    },
};

use crate::{
    form::{LinePart, PortalForm},
    selection::FieldProblem,
    words::Words,
};

/// A page requests the variants of at most this many lines.
const EXCHANGED_LINES_MAX: usize = 50;

pub(crate) struct ReturnOffer<'a> {
    pub(crate) order: &'a Order,
    pub(crate) returnability: Returnability,
    pub(crate) policy: &'a Policy,
    /// By the position of the line, for the lines that the shopper chose for a reason that offers
    /// an exchange. None where the variants are unknown.
    pub(crate) variants: BTreeMap<usize, Option<LineVariants>>,
    /// The shopper's earlier returns of this order.
    pub(crate) returns: Vec<Rma>,
}

impl<'a> ReturnOffer<'a> {
    /// What the shopper can choose from, given the choices so far.
    pub(crate) async fn load(
        app: &App,
        shopper: &Shopper,
        returnable: &'a ReturnableOrder,
        form: &PortalForm,
    ) -> Result<Self, AppError> {
        let (order, policy) = (returnable.order(), &returnable.policy.policy);
        let returnability = returnable.returnability(app);
        let lines = order.items.iter().zip(&returnability.lines).enumerate();
        let exchangeable = lines.filter(|(position, (_, line))| {
            can_exchange(line) && picks_exchange(form, *position, policy)
        });
        let lines = exchangeable.map(|(position, (line, _))| (position, line)).collect::<Vec<_>>();
        let (variants, returns) =
            tokio::join!(load_variants(app, shopper, policy, &lines), shopper.load_returns(app));
        Ok(Self { order, returnability, policy, variants, returns: returns? })
    }
}

impl ReturnOffer<'_> {
    /// The parts that the shopper wants to exchange although no variant is available.
    pub(crate) fn find_unavailable(&self, form: &PortalForm, words: &Words) -> Vec<FieldProblem> {
        let unavailable =
            self.variants.iter().filter(|(_, listed)| !listed.as_ref().is_some_and(is_available));
        let parts = unavailable.flat_map(|(line, _)| {
            (0..form.part_count(*line)).map(move |part| LinePart { line: *line, part })
        });
        let wanted = parts.filter(|part| {
            let resolution = Resolution::parse(form.part_text("get", *part));
            form.part_quantity(*part) > 0 && resolution == Some(Resolution::Exchange)
        });
        let text = words.choose.no_variants;
        wanted.map(|part| FieldProblem { element: part.element("get"), text }).collect()
    }
}

/// Whether any of the variants is in stock.
pub(super) fn is_available(listed: &LineVariants) -> bool {
    listed.variants.iter().any(|variant| variant.in_stock)
}

fn can_exchange(line: &LineReturnability) -> bool {
    line.units.iter().any(|unit| unit.exchange)
}

/// Whether the shopper returns units of a line for a reason that offers an exchange. A variant that
/// was chosen before is kept, also without a reason.
fn picks_exchange(form: &PortalForm, line: usize, policy: &Policy) -> bool {
    let mut parts = (0..form.part_count(line)).map(|part| LinePart { line, part });
    parts.any(|part| {
        let reason = policy.reason(form.part_text("reason", part));
        let chosen = !form.part_text("variant", part).is_empty();
        form.part_quantity(part) > 0 && reason.map_or(chosen, |reason| reason.offers_exchange)
    })
}

/// The variants that these lines can be exchanged for, by the position of the line. A variant at a
/// price that the policy does not offer is left out.
pub(crate) async fn load_variants(
    app: &App,
    shopper: &Shopper,
    policy: &Policy,
    lines: &[(usize, &OrderLine)],
) -> BTreeMap<usize, Option<LineVariants>> {
    let asked: Vec<&OrderLine> =
        lines.iter().map(|(_, line)| *line).take(EXCHANGED_LINES_MAX).collect();
    let listed = list_variants(app, &shopper.merchant, &asked).await;
    let listed = listed.into_iter().map(Result::ok).chain(std::iter::repeat(None));
    let offered = lines.iter().zip(listed).map(|((position, line), listed)| {
        let offered = listed.map(|mut listed| {
            listed.variants.retain(|variant| {
                policy.offers_price(line.unit_price_amount_cents, variant.unit_price_amount_cents)
            });
            listed
        });
        (*position, offered)
    });
    offered.collect()
}
