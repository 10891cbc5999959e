//! The texts that every language has to provide.

use super::{gifts::GiftWords, proof::ProofWords, withdrawal::WithdrawalWords};

/// A text with a value in it.
pub(crate) type Sentence = fn(&str) -> String;
/// A text with two values in it.
pub(crate) type SentenceOfTwo = fn(&str, &str) -> String;

/// A short title with a sentence that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TitledText {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

pub(crate) struct Words {
    pub(crate) frame: FrameWords,
    pub(crate) find: FindWords,
    pub(crate) choose: ChooseWords,
    pub(crate) rules: RuleWords,
    pub(crate) methods: MethodWords,
    pub(crate) review: ReviewWords,
    pub(crate) status: StatusWords,
    pub(crate) label: LabelWords,
    pub(crate) parcels: ParcelWords,
    pub(crate) withdrawal: WithdrawalWords,
    pub(crate) proof: ProofWords,
    pub(crate) gifts: GiftWords,
    pub(crate) errors: ErrorWords,
}

/// On every page.
pub(crate) struct FrameWords {
    pub(crate) returns: &'static str,
    pub(crate) skip_to_content: &'static str,
    pub(crate) language: &'static str,
    /// Whom to contact: the merchant.
    pub(crate) contact: Sentence,
    /// Above the list of fields that need another value.
    pub(crate) check_fields: &'static str,
}

/// The page that asks for the order.
pub(crate) struct FindWords {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) order_number: &'static str,
    pub(crate) order_number_hint: &'static str,
    pub(crate) email_or_postal_code: &'static str,
    pub(crate) email_or_postal_code_hint: &'static str,
    pub(crate) gift: &'static str,
    pub(crate) gift_hint: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) existing_return_hint: &'static str,
    pub(crate) not_found: &'static str,
    pub(crate) too_many_attempts: &'static str,
    /// Too many claims about this order, or with postal codes, failed.
    pub(crate) too_many_failures: &'static str,
}

/// The page that asks what to return.
pub(crate) struct ChooseWords {
    pub(crate) title: &'static str,
    pub(crate) order: Sentence,
    pub(crate) ordered_on: Sentence,
    pub(crate) earlier_returns: &'static str,
    pub(crate) items: &'static str,
    pub(crate) price_each: Sentence,
    pub(crate) return_by: Sentence,
    pub(crate) not_returnable: &'static str,
    pub(crate) partly_returnable: &'static str,
    pub(crate) return_item: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) please_choose: &'static str,
    pub(crate) resolution: &'static str,
    pub(crate) refund: &'static str,
    pub(crate) refund_hint: &'static str,
    pub(crate) gift_card: &'static str,
    pub(crate) gift_card_hint: &'static str,
    /// A percentage.
    pub(crate) bonus: Sentence,
    /// A percentage, and the most that it can be.
    pub(crate) bonus_up_to: SentenceOfTwo,
    pub(crate) exchange: &'static str,
    pub(crate) exchange_hint: &'static str,
    pub(crate) variant: &'static str,
    /// The next step of a shopper who wants an exchange.
    pub(crate) pick_variant: &'static str,
    pub(crate) no_variants: &'static str,
    pub(crate) sold_out: &'static str,
    pub(crate) same_price: &'static str,
    /// A variant costs less: the shopper gets this amount.
    pub(crate) difference_back: Sentence,
    /// A variant costs more: the merchant absorbs it.
    pub(crate) no_charge: &'static str,
    pub(crate) fallback: &'static str,
    /// The button that splits a line, so that its units can have different reasons.
    pub(crate) split: &'static str,
    /// The number of a part of a line that was split.
    pub(crate) selection: Sentence,
    pub(crate) method: &'static str,
    pub(crate) free: &'static str,
    pub(crate) fee: Sentence,
    /// The lowest and the highest fee.
    pub(crate) fee_range: SentenceOfTwo,
    pub(crate) email: &'static str,
    pub(crate) email_hint: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) nothing_returnable: &'static str,
    pub(crate) need_item: &'static str,
    pub(crate) need_reason: &'static str,
    pub(crate) need_variant: &'static str,
    /// The same variant was chosen for the case that it sells out.
    pub(crate) need_other_fallback: &'static str,
    pub(crate) need_method: &'static str,
    pub(crate) too_many_items: &'static str,
    pub(crate) need_email: &'static str,
}

/// Why a return is not possible, by the rule that refuses it.
pub(crate) struct RuleWords {
    pub(crate) order_canceled: &'static str,
    pub(crate) not_shipped: &'static str,
    pub(crate) unit_canceled: &'static str,
    pub(crate) window: &'static str,
    pub(crate) window_ended_on: Sentence,
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
    pub(crate) variant_sold_out: &'static str,
    pub(crate) variant_price: &'static str,
    /// Another return took the items in the meantime.
    pub(crate) just_returned: &'static str,
    pub(crate) not_possible: &'static str,
}

/// The return methods, each with what the shopper does.
pub(crate) struct MethodWords {
    pub(crate) mail_back: TitledText,
    pub(crate) express: TitledText,
    pub(crate) keep: TitledText,
    pub(crate) pickup: TitledText,
}

/// The page that shows the refund before the shopper confirms.
pub(crate) struct ReviewWords {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) changed: &'static str,
    pub(crate) items: &'static str,
    pub(crate) item: &'static str,
    pub(crate) price: &'static str,
    pub(crate) discount: &'static str,
    pub(crate) tax: &'static str,
    pub(crate) value: &'static str,
    pub(crate) as_refund: &'static str,
    pub(crate) as_gift_card: &'static str,
    pub(crate) as_exchange: Sentence,
    pub(crate) refund: &'static str,
    pub(crate) gift_card: &'static str,
    pub(crate) shipping: &'static str,
    pub(crate) fee: &'static str,
    pub(crate) bonus: &'static str,
    /// What an item was worth more than the cheaper one that replaces it.
    pub(crate) difference: &'static str,
    pub(crate) total: &'static str,
    /// The value of the items that are exchanged and not refunded.
    pub(crate) exchanged: Sentence,
    pub(crate) method: &'static str,
    pub(crate) refund_on_scan: &'static str,
    pub(crate) refund_on_receipt: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) make_changes: &'static str,
}

/// The page of a return that was started.
pub(crate) struct StatusWords {
    pub(crate) title: &'static str,
    pub(crate) rma: Sentence,
    pub(crate) started_on: Sentence,
    pub(crate) progress: &'static str,
    pub(crate) step_done: &'static str,
    pub(crate) step_pending: &'static str,
    pub(crate) started: &'static str,
    pub(crate) canceled: &'static str,
    pub(crate) ordered: &'static str,
    pub(crate) label_ready: &'static str,
    pub(crate) on_its_way: &'static str,
    pub(crate) dropped_off: &'static str,
    pub(crate) picked_up: &'static str,
    pub(crate) arrived: &'static str,
    pub(crate) completed: &'static str,
    pub(crate) next: &'static str,
    pub(crate) next_await_label: &'static str,
    pub(crate) next_print_label: &'static str,
    pub(crate) next_show_code: &'static str,
    pub(crate) next_await_pickup: &'static str,
    pub(crate) next_in_transit: &'static str,
    pub(crate) next_await_refund: &'static str,
    pub(crate) next_carrier_problem: &'static str,
    pub(crate) next_completed: &'static str,
    pub(crate) next_canceled: &'static str,
    pub(crate) show_label: &'static str,
    pub(crate) show_code: &'static str,
    pub(crate) tracking_number: &'static str,
    pub(crate) items: &'static str,
    pub(crate) refunded_on: Sentence,
    pub(crate) exchange_pending: &'static str,
    /// The order, and the day.
    pub(crate) exchange_placed: SentenceOfTwo,
    pub(crate) exchange_shipped: Sentence,
    pub(crate) exchange_failed: &'static str,
    /// What the new items are worth.
    pub(crate) exchange_credit: &'static str,
    pub(crate) gift_card_issued_on: Sentence,
    /// Of items: no refund is due for them any more.
    pub(crate) not_received: &'static str,
    pub(crate) rejected: &'static str,
    /// With the reason of the warehouse.
    pub(crate) rejected_because: Sentence,
    /// The fee and shipping, after items were not received or not accepted.
    pub(crate) fees_adjusted: &'static str,
    /// A difference that the store and the service agreed on.
    pub(crate) adjustment: &'static str,
    pub(crate) balance: &'static str,
    /// Asks a visitor without a pass to find the order first: for the label and to cancel, or for
    /// one of them.
    pub(crate) find_order_first: &'static str,
    pub(crate) find_order_for_label: &'static str,
    pub(crate) find_order_to_cancel: &'static str,
    pub(crate) cancel: &'static str,
    pub(crate) cancel_consequences: &'static str,
    pub(crate) cancel_confirm: &'static str,
    pub(crate) too_late_moving: &'static str,
    pub(crate) too_late_received: &'static str,
    pub(crate) too_late_refunded: &'static str,
    pub(crate) too_late_exchange: &'static str,
    pub(crate) too_late: &'static str,
    pub(crate) bookmark_page: &'static str,
    pub(crate) back_to_order: &'static str,
    pub(crate) is_created: &'static str,
    pub(crate) is_pending: &'static str,
    pub(crate) is_partial: &'static str,
    pub(crate) is_refunded: &'static str,
    pub(crate) is_canceled: &'static str,
}

/// The page with the label or the drop-off code.
pub(crate) struct LabelWords {
    pub(crate) canceled: TitledText,
    pub(crate) used: TitledText,
    pub(crate) expired: TitledText,
    pub(crate) kept: TitledText,
    pub(crate) items_to_keep: &'static str,
    pub(crate) label: &'static str,
    pub(crate) label_pending: TitledText,
    pub(crate) code: &'static str,
    pub(crate) code_pending: TitledText,
    pub(crate) come_back_later: &'static str,
    pub(crate) check_again: &'static str,
    pub(crate) items_to_return: &'static str,
    pub(crate) rma: &'static str,
    pub(crate) started_on: Sentence,
    pub(crate) steps: &'static str,
    /// The steps with a label: pack, attach the label, and send the package or have it picked up.
    pub(crate) pack: TitledText,
    pub(crate) attach_label: TitledText,
    pub(crate) send: TitledText,
    pub(crate) await_pickup: TitledText,
    /// The steps with a code.
    pub(crate) bring_items: TitledText,
    pub(crate) show_code: TitledText,
    pub(crate) keep_receipt: TitledText,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) return_mark: &'static str,
    pub(crate) tracking_number: &'static str,
    pub(crate) packing_list: &'static str,
    pub(crate) packing_list_hint: &'static str,
    pub(crate) items_to_bring: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) item: &'static str,
    pub(crate) sku: &'static str,
    pub(crate) barcode_of_tracking_number: Sentence,
    pub(crate) qr_of_tracking_number: Sentence,
    pub(crate) qr_of_return: Sentence,
    /// The return, and the tracking number.
    pub(crate) qr_of_both: SentenceOfTwo,
}

/// Labels that a carrier made, and new labels.
pub(crate) struct ParcelWords {
    /// The number of the parcel, and how many there are.
    pub(crate) parcel: SentenceOfTwo,
    /// Asks how many packages the shopper sends.
    pub(crate) count: &'static str,
    pub(crate) count_hint: &'static str,
    pub(crate) need_count: &'static str,
    pub(crate) sent_in: Sentence,
    pub(crate) print_label: TitledText,
    pub(crate) open_pdf: &'static str,
    pub(crate) open_png: &'static str,
    pub(crate) download_zpl: &'static str,
    /// With the tracking number.
    pub(crate) label_of: Sentence,
    pub(crate) code_of: Sentence,
    pub(crate) hand_off_code: &'static str,
    pub(crate) places: &'static str,
    /// With the last day.
    pub(crate) valid_until: Sentence,
    pub(crate) renew: &'static str,
    pub(crate) renew_consequences: &'static str,
    pub(crate) renew_reason: &'static str,
    pub(crate) reason_lost: &'static str,
    pub(crate) reason_expired: &'static str,
    pub(crate) reason_wrong_size: &'static str,
    pub(crate) reason_damaged: &'static str,
    pub(crate) renew_confirm: &'static str,
    pub(crate) renew_refused: &'static str,
    /// How to get one without a proof that can be asked for here.
    pub(crate) renew_unproven: &'static str,
}

/// The pages of requests that failed.
pub(crate) struct ErrorWords {
    pub(crate) not_found: TitledText,
    pub(crate) other_origin: TitledText,
    pub(crate) too_large: TitledText,
    pub(crate) too_many_requests: TitledText,
    pub(crate) server_error: TitledText,
}
