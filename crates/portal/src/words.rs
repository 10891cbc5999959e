//! Every word that a shopper reads, in every language.
//!
//! A sentence is a field, so a language that lacks one does not compile, and a sentence with something in
//! it is a function, so that it cannot be forgotten. What merchants and policies say in
//! their own words is not here.

mod english;
mod french;
mod german;
mod spanish;
#[cfg(test)]
mod tests;

use domain::merchants::language::Language;

/// A sentence with something in it.
pub(crate) type Line = fn(&str) -> String;
/// A sentence with two things in it.
pub(crate) type LongLine = fn(&str, &str) -> String;

pub(crate) struct Words {
    pub(crate) frame: Frame,
    pub(crate) find: Find,
    pub(crate) choose: Choosing,
    pub(crate) rules: Rules,
    pub(crate) methods: Methods,
    pub(crate) review: Review,
    pub(crate) status: Status,
    pub(crate) label: Sending,
    pub(crate) sorry: Sorry,
}

/// What every page has.
pub(crate) struct Frame {
    pub(crate) returns: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) language: &'static str,
    /// Whom to ask: the merchant.
    pub(crate) help: Line,
    /// Above the list of what is to be mended.
    pub(crate) check: &'static str,
    pub(crate) months: [&'static str; 12],
}

pub(crate) struct Find {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) order_number: &'static str,
    pub(crate) order_number_hint: &'static str,
    pub(crate) secret: &'static str,
    pub(crate) secret_hint: &'static str,
    pub(crate) gift: &'static str,
    pub(crate) gift_hint: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) again: &'static str,
    pub(crate) not_found: &'static str,
    pub(crate) too_often: &'static str,
}

pub(crate) struct Choosing {
    pub(crate) title: &'static str,
    pub(crate) order: Line,
    pub(crate) ordered: Line,
    pub(crate) returns: &'static str,
    pub(crate) items: &'static str,
    pub(crate) each: Line,
    pub(crate) until: Line,
    pub(crate) cannot: &'static str,
    pub(crate) not_all: &'static str,
    pub(crate) send_back: &'static str,
    pub(crate) how_many: &'static str,
    pub(crate) why: &'static str,
    pub(crate) please_choose: &'static str,
    pub(crate) want: &'static str,
    pub(crate) refund: &'static str,
    pub(crate) refund_hint: &'static str,
    pub(crate) gift_card: &'static str,
    pub(crate) gift_card_hint: &'static str,
    /// So many percent on top.
    pub(crate) bonus: Line,
    /// So many percent on top, and no more than an amount.
    pub(crate) bonus_up_to: LongLine,
    pub(crate) exchange: &'static str,
    pub(crate) exchange_hint: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) sold_out: &'static str,
    pub(crate) same_price: &'static str,
    pub(crate) dearer: Line,
    pub(crate) cheaper: Line,
    pub(crate) fallback: &'static str,
    pub(crate) split: &'static str,
    pub(crate) part: Line,
    pub(crate) method: &'static str,
    pub(crate) free: &'static str,
    pub(crate) fee: Line,
    pub(crate) fees: LongLine,
    pub(crate) email: &'static str,
    pub(crate) email_hint: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) nothing: &'static str,
    pub(crate) need_item: &'static str,
    pub(crate) need_reason: &'static str,
    pub(crate) need_variant: &'static str,
    pub(crate) need_method: &'static str,
    pub(crate) need_email: &'static str,
}

/// Why something cannot be.
pub(crate) struct Rules {
    pub(crate) order_cancelled: &'static str,
    pub(crate) not_shipped: &'static str,
    pub(crate) window: &'static str,
    pub(crate) window_ended: Line,
    pub(crate) final_sale: &'static str,
    pub(crate) gift_card: &'static str,
    pub(crate) pick_up_in_store: &'static str,
    pub(crate) third_party: &'static str,
    pub(crate) customer_service: &'static str,
    pub(crate) country: &'static str,
    pub(crate) no_method: &'static str,
    pub(crate) already_returned: &'static str,
    pub(crate) already_refunded: &'static str,
    pub(crate) method_offered: &'static str,
    pub(crate) method_country: &'static str,
    pub(crate) method_weight: &'static str,
    pub(crate) method_amount: &'static str,
    pub(crate) method_reason: &'static str,
    pub(crate) reason_known: &'static str,
    pub(crate) exchange_offered: &'static str,
    pub(crate) gift_card_offered: &'static str,
    pub(crate) one_exchange: &'static str,
    pub(crate) variant_gone: &'static str,
    pub(crate) taken: &'static str,
    pub(crate) impossible: &'static str,
}

/// The ways back, each with what the shopper does.
pub(crate) struct Methods {
    pub(crate) mail_back: [&'static str; 2],
    pub(crate) express: [&'static str; 2],
    pub(crate) keep: [&'static str; 2],
    pub(crate) pickup: [&'static str; 2],
}

pub(crate) struct Review {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) changed: &'static str,
    pub(crate) caption: &'static str,
    pub(crate) item: &'static str,
    pub(crate) price: &'static str,
    pub(crate) discount: &'static str,
    pub(crate) tax: &'static str,
    pub(crate) worth: &'static str,
    pub(crate) as_refund: &'static str,
    pub(crate) as_gift_card: &'static str,
    pub(crate) as_exchange: Line,
    pub(crate) refund: &'static str,
    pub(crate) gift_card: &'static str,
    pub(crate) shipping: &'static str,
    pub(crate) fee: &'static str,
    pub(crate) bonus: &'static str,
    pub(crate) total: &'static str,
    /// Goods worth so much are exchanged, and nothing is paid for them.
    pub(crate) exchanged: Line,
    pub(crate) method: &'static str,
    pub(crate) paid_on_scan: &'static str,
    pub(crate) paid_on_receipt: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) change: &'static str,
}

pub(crate) struct Status {
    pub(crate) title: &'static str,
    pub(crate) rma: Line,
    pub(crate) started_on: Line,
    pub(crate) progress: &'static str,
    pub(crate) done: &'static str,
    pub(crate) to_come: &'static str,
    pub(crate) started: &'static str,
    pub(crate) cancelled: &'static str,
    pub(crate) ordered: &'static str,
    pub(crate) labelled: &'static str,
    pub(crate) on_its_way: &'static str,
    pub(crate) handed_over: &'static str,
    pub(crate) collected: &'static str,
    pub(crate) arrived: &'static str,
    pub(crate) settled: &'static str,
    pub(crate) next: &'static str,
    pub(crate) next_label: &'static str,
    pub(crate) next_print: &'static str,
    pub(crate) next_show: &'static str,
    pub(crate) next_collect: &'static str,
    pub(crate) next_travel: &'static str,
    pub(crate) next_paid: &'static str,
    pub(crate) next_trouble: &'static str,
    pub(crate) next_done: &'static str,
    pub(crate) next_cancelled: &'static str,
    pub(crate) show_label: &'static str,
    pub(crate) show_code: &'static str,
    pub(crate) tracking_number: &'static str,
    pub(crate) items: &'static str,
    pub(crate) paid_on: Line,
    pub(crate) exchange_pending: &'static str,
    pub(crate) exchange_placed: LongLine,
    pub(crate) exchange_sent: Line,
    pub(crate) exchange_failed: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) cancel_sure: &'static str,
    pub(crate) cancel_yes: &'static str,
    pub(crate) too_late_moving: &'static str,
    pub(crate) too_late_received: &'static str,
    pub(crate) too_late_refunded: &'static str,
    pub(crate) too_late_exchange: &'static str,
    pub(crate) too_late: &'static str,
    pub(crate) keep_address: &'static str,
    pub(crate) to_order: &'static str,
    pub(crate) is_created: &'static str,
    pub(crate) is_pending: &'static str,
    pub(crate) is_partial: &'static str,
    pub(crate) is_refunded: &'static str,
    pub(crate) is_cancelled: &'static str,
}

/// The page with which goods are sent.
pub(crate) struct Sending {
    pub(crate) cancelled: &'static str,
    pub(crate) cancelled_text: &'static str,
    pub(crate) kept: &'static str,
    pub(crate) kept_text: &'static str,
    pub(crate) kept_list: &'static str,
    pub(crate) label: &'static str,
    pub(crate) label_waiting: &'static str,
    pub(crate) label_awaited: &'static str,
    pub(crate) code: &'static str,
    pub(crate) code_waiting: &'static str,
    pub(crate) code_awaited: &'static str,
    pub(crate) come_back: &'static str,
    pub(crate) look_now: &'static str,
    pub(crate) waiting_list: &'static str,
    pub(crate) rma: &'static str,
    pub(crate) started: Line,
    pub(crate) steps: &'static str,
    /// Three steps, each with a heading: to pack, to put the label on, and to send.
    pub(crate) pack: [&'static str; 2],
    pub(crate) stick: [&'static str; 2],
    pub(crate) send: [&'static str; 2],
    pub(crate) hand_over: [&'static str; 2],
    pub(crate) bring: [&'static str; 2],
    pub(crate) show: [&'static str; 2],
    pub(crate) keep_receipt: [&'static str; 2],
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) mark: &'static str,
    pub(crate) tracking_number: &'static str,
    pub(crate) packing_list: &'static str,
    pub(crate) packing_hint: &'static str,
    pub(crate) bring_list: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) item: &'static str,
    pub(crate) sku: &'static str,
    pub(crate) bar_code: Line,
    pub(crate) qr_of_number: Line,
    pub(crate) qr_of_return: Line,
    pub(crate) qr_of_both: LongLine,
}

/// When there is nothing to show.
pub(crate) struct Sorry {
    pub(crate) missing: [&'static str; 2],
    pub(crate) refused: [&'static str; 2],
    pub(crate) too_large: [&'static str; 2],
    pub(crate) too_often: [&'static str; 2],
    pub(crate) broken: [&'static str; 2],
}

/// The words of a language.
pub(crate) const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::German => &german::WORDS,
        Language::French => &french::WORDS,
        Language::Spanish => &spanish::WORDS,
    }
}
