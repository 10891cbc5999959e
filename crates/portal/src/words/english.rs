//! English.

use super::texts::{
    ChooseWords, ErrorWords, FindWords, FrameWords, LabelWords, MethodWords, ReviewWords,
    RuleWords, StatusWords, TitledText, Words,
};

pub(super) static WORDS: Words = Words {
    frame: FrameWords {
        returns: "Returns",
        skip_to_content: "Skip to content",
        language: "Language",
        contact: |merchant| format!("Questions? Please contact {merchant}."),
        check_fields: "Please check the following",
    },
    find: FindWords {
        title: "Start a return",
        lead: "Find your order to see which items you can return and how much you will get back.",
        order_number: "Order number",
        order_number_hint: "You can find it in your order confirmation.",
        email_or_postal_code: "Email address or postal code",
        email_or_postal_code_hint: "The email address you ordered with, or the postal code your \
                                    order was shipped to.",
        gift: "I received this as a gift",
        gift_hint: "Enter the gift code from the gift receipt, or the postal code. The buyer will \
                    not be notified.",
        submit: "Find my order",
        existing_return_hint: "Already started a return? Find your order here to see its status.",
        not_found: "We could not find an order with these details. Please check them against your \
                    order confirmation.",
        too_many_attempts: "Too many attempts. Try again in a minute.",
        too_many_failures: "Too many attempts failed. Use the email address you ordered with, or \
                            try again in an hour.",
    },
    choose: ChooseWords {
        title: "What would you like to return?",
        order: |number| format!("Order {number}"),
        ordered_on: |date| format!("placed on {date}"),
        earlier_returns: "Your returns for this order",
        items: "Your items",
        price_each: |amount| format!("{amount} each"),
        return_by: |date| format!("Return by {date}"),
        not_returnable: "Cannot be returned",
        partly_returnable: "Some of these cannot be returned",
        return_item: "Return this item",
        quantity: "How many?",
        reason: "Reason for return",
        please_choose: "Please choose",
        resolution: "What would you like in return?",
        refund: "Refund",
        refund_hint: "To your original payment method",
        gift_card: "Gift card",
        gift_card_hint: "For your next order",
        bonus: |percent| format!("{percent}% extra"),
        bonus_up_to: |percent, amount| format!("{percent}% extra, up to {amount}"),
        exchange: "Exchange",
        exchange_hint: "For a different size or color",
        variant: "Which one would you like instead?",
        pick_variant: "Choose what you would like instead, then continue.",
        no_variants: "There is nothing to exchange this item for at the moment. Please choose \
                      another option.",
        sold_out: "Sold out",
        same_price: "Same price",
        difference_back: |amount| format!("You get {amount} back"),
        no_charge: "No extra charge",
        fallback: "What would you like if it sells out?",
        split: "Choose different options for some of them",
        selection: |number| format!("Selection {number}"),
        method: "How will you return it?",
        free: "Free",
        fee: |amount| format!("{amount}, deducted from your refund"),
        fee_range: |low, high| format!("{low} to {high}, depending on the reason"),
        email: "Your email address",
        email_hint: "We will send the gift card here. The person who bought the gift will not be \
                     notified.",
        submit: "Review refund",
        nothing_returnable: "No items in this order can be returned.",
        need_item: "Please choose at least one item.",
        need_reason: "Please choose a reason.",
        need_variant: "Please choose the variant you would like instead.",
        need_other_fallback: "Please choose something other than the variant you want.",
        need_method: "Please choose a return method.",
        too_many_items: "Please choose fewer items, and start another return for the rest.",
        need_email: "Please enter the email address for the gift card.",
    },
    rules: RuleWords {
        order_canceled: "This order was canceled.",
        not_shipped: "This item has not been shipped.",
        unit_canceled: "This item was canceled.",
        window: "The return period has ended.",
        window_ended_on: |date| format!("The return period ended on {date}."),
        final_sale: "This item was a final sale.",
        gift_card: "Gift cards cannot be returned.",
        pick_up_in_store: "This item was picked up in a store. Please return it there.",
        third_party: "This item was sold by another company. Please return it to that company.",
        customer_service: "Please contact customer service about this item.",
        country: "Returns from your country are not available.",
        no_method: "No return method is available for this item.",
        already_returned: "This item is already part of a return.",
        already_refunded: "This item has already been refunded.",
        method_offered: "This return method is not available.",
        method_country: "This return method is not available in your country.",
        method_weight: "An item is too heavy for this return method. Please choose another one.",
        method_amount: "The value of the items is too high for this return method. Please choose \
                        another one.",
        method_reason: "This return method is not available for the reason you chose. Please \
                        choose another one.",
        reason_known: "Please choose one of the listed reasons.",
        exchange_offered: "An exchange is not available for this item or reason.",
        gift_card_offered: "Gift cards are not available.",
        one_exchange: "An item in this order has already been exchanged. Please choose another \
                       option.",
        variant_sold_out: "This variant has just sold out. Please choose another one.",
        variant_price: "This variant has a different price. Please choose another one.",
        just_returned: "These items have just been added to another return.",
        not_possible: "This is not possible. Please make a different choice.",
    },
    methods: MethodWords {
        mail_back: TitledText { title: "By mail", text: "Print a label and ship a package" },
        express: TitledText { title: "At a drop-off point", text: "Show a code, no box needed" },
        keep: TitledText { title: "Keep it", text: "You do not need to send anything back" },
        pickup: TitledText {
            title: "Home pickup",
            text: "The carrier picks up your package at your door",
        },
    },
    review: ReviewWords {
        title: "Review your return",
        lead: "Nothing has been submitted yet. Check the details, then confirm.",
        changed: "Your refund has changed since you last saw it. Please check it again.",
        items: "Items you are returning",
        item: "Item",
        price: "Price",
        discount: "Discount",
        tax: "Tax",
        value: "Value",
        as_refund: "Refund",
        as_gift_card: "Gift card",
        as_exchange: |variant| format!("Exchange for {variant}"),
        refund: "Refund",
        gift_card: "Gift card",
        shipping: "Shipping",
        fee: "Return fee",
        bonus: "Bonus",
        difference: "Price difference",
        total: "You will receive",
        exchanged: |amount| {
            format!(
                "Items worth {amount} will be exchanged. You will receive the new items instead of \
                 a refund."
            )
        },
        method: "Return method",
        refund_on_scan: "Your refund will be issued as soon as the carrier has your package.",
        refund_on_receipt: "Your refund will be issued as soon as the warehouse has received your \
                            items.",
        confirm: "Confirm return",
        make_changes: "Make changes",
    },
    status: StatusWords {
        title: "Your return",
        rma: |number| format!("Return {number}"),
        started_on: |date| format!("started on {date}"),
        progress: "Progress",
        step_done: "done",
        step_pending: "pending",
        started: "Return started",
        canceled: "Return canceled",
        ordered: "Exchange or gift card ordered",
        label_ready: "Label ready",
        on_its_way: "Package on its way to us",
        dropped_off: "Items dropped off",
        picked_up: "Items picked up",
        arrived: "Items arrived",
        completed: "Return completed",
        next: "What happens next",
        next_await_label: "The carrier is preparing your label. Please check back in a moment.",
        next_print_label: "Print the label, pack the items, and drop off the package.",
        next_show_code: "Take the items to a drop-off point and show your code.",
        next_await_pickup: "Print the label and have the package ready. The carrier will pick it \
                            up.",
        next_in_transit: "Your items are on their way. There is nothing else you need to do.",
        next_await_refund: "There is nothing else you need to do. Your refund or exchange is on \
                            its way.",
        next_carrier_problem: "The carrier reported a problem with your package. Please contact \
                               the store.",
        next_completed: "Your return is complete. Thank you!",
        next_canceled: "This return was canceled, and you keep your items. You can start a new \
                        return at any time.",
        show_label: "Show label",
        show_code: "Show code",
        tracking_number: "Tracking number",
        items: "Returned items",
        refunded_on: |date| format!("Refunded on {date}"),
        exchange_pending: "Your new order is being placed",
        exchange_placed: |order, date| format!("Order {order} was placed on {date}"),
        exchange_shipped: |order| format!("Order {order} is on its way to you"),
        exchange_failed: "The store could not exchange your items or issue your gift card, so you \
                          will receive a refund instead.",
        exchange_credit: "Exchange credit",
        gift_card_issued_on: |date| format!("Gift card issued on {date}"),
        not_received: "Not received",
        rejected: "Not accepted",
        rejected_because: |reason| format!("Not accepted: {reason}"),
        fees_adjusted: "Fee and shipping adjusted",
        adjustment: "Adjustment",
        balance: "Still to come",
        find_order_first: "Find your order to print the label or cancel the return",
        find_order_for_label: "Find your order to print the label",
        find_order_to_cancel: "Find your order to cancel the return",
        cancel: "Cancel return",
        cancel_consequences: "You will keep your items and will not receive a refund. Please do \
                              not use the label.",
        cancel_confirm: "Yes, cancel the return",
        too_late_moving: "This return can no longer be canceled because the items are on their \
                          way.",
        too_late_received: "This return can no longer be canceled because the items have arrived.",
        too_late_refunded: "This return can no longer be canceled because you have already \
                            received your refund or gift card.",
        too_late_exchange: "This return cannot be canceled because your exchange or gift card has \
                            already been ordered.",
        too_late: "This return can no longer be canceled.",
        bookmark_page: "Bookmark this page. It always shows the status of your return.",
        back_to_order: "Back to your order",
        is_created: "In progress",
        is_pending: "Exchange or gift card in progress",
        is_partial: "Partly completed",
        is_refunded: "Completed",
        is_canceled: "Canceled",
    },
    label: LabelWords {
        canceled: TitledText {
            title: "This return was canceled",
            text: "There is nothing to send back. If you have already printed a label, it is no \
                   longer valid.",
        },
        used: TitledText {
            title: "This label has been used",
            text: "The carrier already has your items, so the label is no longer shown.",
        },
        expired: TitledText {
            title: "This label has expired",
            text: "If you still want to return the items, request a new label on the page of your \
                   return, or contact us.",
        },
        kept: TitledText {
            title: "Nothing to send back",
            text: "Keep the items or give them to someone who will enjoy them. There is nothing to \
                   print and nothing to send.",
        },
        items_to_keep: "Items you keep",
        label: "Your return label",
        label_pending: TitledText {
            title: "Your label is being prepared",
            text: "The carrier is preparing your label. It will appear here as soon as it is \
                   ready.",
        },
        code: "Your drop-off code",
        code_pending: TitledText {
            title: "Your code is being prepared",
            text: "The carrier is preparing your drop-off code. It will appear here as soon as it \
                   is ready.",
        },
        come_back_later: "You can close this page and come back later.",
        check_again: "Check again",
        items_to_return: "Items to return",
        rma: "Return",
        started_on: |date| format!("started on {date}"),
        steps: "Three steps",
        pack: TitledText {
            title: "Pack",
            text: "Put the items and the packing list in a sturdy box. Remove or cover any old \
                   labels, and seal the box well.",
        },
        attach_label: TitledText {
            title: "Attach the label",
            text: "Print this page at full size (100%), cut along the dashed line, and attach the \
                   label flat to the largest side. Do not put tape over the barcode.",
        },
        send: TitledText {
            title: "Send",
            text: "Take the package to one of the carrier’s drop-off points. Keep the receipt \
                   until your return is complete.",
        },
        await_pickup: TitledText {
            title: "Wait for pickup",
            text: "Have the package ready. The carrier will pick it up at the “From” address on \
                   the label. Ask for a receipt.",
        },
        bring_items: TitledText {
            title: "Bring the items",
            text: "Take them to a drop-off point as they are. No box, label, or tape needed.",
        },
        show_code: TitledText {
            title: "Show this code",
            text: "On your phone with the screen at full brightness, or printed.",
        },
        keep_receipt: TitledText {
            title: "Keep the receipt",
            text: "You will get one at the drop-off point. Keep it until your return is \
                   complete.",
        },
        from: "From",
        to: "To",
        return_mark: "Return",
        tracking_number: "Tracking number",
        packing_list: "Packing list",
        packing_list_hint: "Put this in the package.",
        items_to_bring: "Items to bring",
        quantity: "Qty",
        item: "Item",
        sku: "SKU",
        barcode_of_tracking_number: |number| format!("Barcode for tracking number {number}"),
        qr_of_tracking_number: |number| format!("QR code for tracking number {number}"),
        qr_of_return: |rma| format!("QR code for return {rma}"),
        qr_of_both: |rma, number| format!("QR code for return {rma} and tracking number {number}"),
    },
    parcels: super::parcels::ENGLISH,
    withdrawal: super::withdrawal::ENGLISH,
    proof: super::proof::ENGLISH,
    gifts: super::gifts::ENGLISH,
    errors: ErrorWords {
        not_found: TitledText {
            title: "Page not found",
            text: "Please check the address, or ask the store for the correct link.",
        },
        other_origin: TitledText {
            title: "We could not verify this request",
            text: "Please open the page again and try once more.",
        },
        too_large: TitledText {
            title: "Your entry is too long",
            text: "Please go back, shorten your text, and try again.",
        },
        too_many_requests: TitledText {
            title: "Too many attempts",
            text: "Please try again in a minute.",
        },
        server_error: TitledText {
            title: "Something went wrong",
            text: "The problem is on our side. Please try again in a moment.",
        },
    },
};
