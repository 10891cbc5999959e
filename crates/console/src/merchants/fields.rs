//! The settings of a merchant as fields of a form.

use domain::merchants::merchant::MerchantSettings;

use crate::core::field::Field;

const CARRIERS: [(&str, &str); 3] = [
    ("simulated", "Simulated: creates labels at once, moves parcels on request"),
    ("external", "External: another system creates labels and reports scans"),
    ("easypost", "EasyPost: labels are bought with the merchant's account"),
];

const WEIGHT_UNITS: [(&str, &str); 4] =
    [("grams", "Grams"), ("kilograms", "Kilograms"), ("ounces", "Ounces"), ("pounds", "Pounds")];

pub(super) fn settings_fields(settings: MerchantSettings) -> [Field; 7] {
    [
        Field::choice("carrier", "Carrier", &CARRIERS).value(settings.carrier.name()),
        Field::flag(
            "managed_receiving",
            "Our warehouse receives the returns",
            settings.managed_receiving,
        ),
        Field::flag(
            "exchange_refusal_is_final",
            "409 and 422 end an exchange order at once",
            settings.exchange_refusal_is_final,
        )
        .hint("Otherwise it is retried like any other message."),
        Field::flag("strict", "Reject orders with inconsistent amounts", settings.strict)
            .hint("Otherwise they are accepted with a warning."),
        Field::number(
            "refund_tolerance_cents",
            "Tolerated difference of refunds, in cents",
            settings.refund_tolerance_cents,
        )
        .hint("A refund that differs more from the promise is listed as a problem."),
        Field::flag("message_extensions", "Messages have extensions", settings.message_extensions)
            .hint("Totals and paid amounts in messages about returns and exchange orders."),
        Field::choice("weight_unit", "Unit of weights in orders", &WEIGHT_UNITS)
            .value(settings.weight_unit.name())
            .optional()
            .hint("Carriers get the weights of returned items in grams."),
    ]
}
