//! English.

use super::{KindWords, MailWords, NextWords};

pub(super) static WORDS: MailWords = MailWords {
    return_confirmed: KindWords {
        subject: "Your return {return_number} is confirmed",
        text: "Thank you. We have registered your return to {shop}.",
    },
    label_ready: KindWords {
        subject: "Your return label is ready",
        text: "The label for your return {return_number} to {shop} is ready. Use it by {date}. A \
               label that you received earlier is no longer valid.",
    },
    parcel_seen: KindWords {
        subject: "Your return is on its way",
        text: "The carrier has your return {return_number} to {shop}. You do not need to do \
               anything else.",
    },
    received: KindWords {
        subject: "Your return has been checked",
        text: "The warehouse has finished checking your return {return_number} to {shop}.",
    },
    refund_reported: KindWords {
        subject: "Your refund of {amount}",
        text: "{shop} has paid {amount} for your return {return_number}.",
    },
    exchange_shipped: KindWords {
        subject: "Your exchange is on its way",
        text: "{shop} has shipped what you chose in exchange for your return {return_number}.",
    },
    exchange_refunded: KindWords {
        subject: "Your exchange became a refund",
        text: "Unfortunately, {shop} cannot send you what you chose in exchange. You will get a \
               refund of {amount} for your return {return_number} instead.",
    },
    exchange_became_card: KindWords {
        subject: "Your exchange became a gift card",
        text: "Unfortunately, {shop} cannot send you what you chose in exchange. You will get \
               {amount} for your return {return_number} instead.",
    },
    card_refunded: KindWords {
        subject: "Your gift card became a refund",
        text: "Unfortunately, {shop} cannot issue the gift card that you chose. You will get a \
               refund of {amount} for your return {return_number} instead.",
    },
    reminder: KindWords {
        subject: "Please send your return by {date}",
        text: "We have not received your return {return_number} to {shop} yet. You can use your \
               label until {date}. If you have just sent it, please ignore this reminder.",
    },
    canceled: KindWords {
        subject: "Your return was canceled",
        text: "Your return {return_number} to {shop} was canceled, and you keep your items. \
               Please do not use the label any more.",
    },
    canceled_kept: KindWords {
        subject: "Your return was canceled",
        text: "Your return {return_number} to {shop} was canceled, and you keep your items.",
    },
    proof_code: KindWords {
        subject: "{code} is your code",
        text: "Someone asked {shop} to confirm that this email address is yours. Enter this code \
               on the page that asked for it. It is valid for ten minutes.\n\nIf it was not you, \
               you can ignore this email. Never share the code with anyone.",
    },
    withdrawal_acknowledged: KindWords {
        subject: "We received your withdrawal from order {order_number}",
        text: "{shop} received your statement of withdrawal on {date}. Please keep this email: it \
               contains your statement.",
    },
    next: NextWords {
        mail_back: "Print the label, pack the items, and hand in the parcel.",
        express: "Take the items to a drop-off point and show your code. You do not need a box.",
        keep: "You do not need to send anything back.",
        pickup: "Print the label and keep the parcel ready. The carrier will pick it up.",
    },
    to_original_payment: "The money goes to the payment method that the order was paid with. It \
                          may take a few days to arrive.",
    as_gift_card: "You receive it as a gift card.",
    open_label: "Open your label",
    open_return: "View your return",
    open_withdrawal: "View the acknowledgement",
    colon: ":",
    items: "Items",
    more_items: |count| format!("and {count} more"),
    item_received: "received",
    item_not_received: "not received",
    item_rejected: |reason| format!("not accepted: {reason}"),
    item_exchanged: |variant| format!("exchanged for {variant}"),
    amounts: "Amounts",
    refund: "Refund",
    gift_card: "Gift card",
    shipping: "Shipping",
    fee: "Return fee",
    bonus: "Bonus",
    total: "You will get",
    return_number: |number| format!("Return {number}"),
    sent_by: |shop| format!("This email was sent on behalf of {shop}."),
};
