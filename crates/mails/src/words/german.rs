//! German.

use super::{KindWords, MailWords, NextWords};

pub(super) static WORDS: MailWords = MailWords {
    return_confirmed: KindWords {
        subject: "Ihre Rücksendung {return_number} ist bestätigt",
        text: "Vielen Dank. Wir haben Ihre Rücksendung an {shop} angemeldet.",
    },
    label_ready: KindWords {
        subject: "Ihr Rücksendeetikett ist bereit",
        text: "Das Etikett für Ihre Rücksendung {return_number} an {shop} ist bereit. Bitte \
               verwenden Sie es bis zum {date}. Ein Etikett, das Sie früher erhalten haben, gilt \
               nicht mehr.",
    },
    parcel_seen: KindWords {
        subject: "Ihre Rücksendung ist unterwegs",
        text: "Der Paketdienst hat Ihre Rücksendung {return_number} an {shop} übernommen. Sie \
               müssen nichts weiter tun.",
    },
    received: KindWords {
        subject: "Ihre Rücksendung wurde geprüft",
        text: "Das Lager hat Ihre Rücksendung {return_number} an {shop} fertig geprüft.",
    },
    refund_reported: KindWords {
        subject: "Ihre Erstattung über {amount}",
        text: "{shop} hat {amount} für Ihre Rücksendung {return_number} gezahlt.",
    },
    exchange_shipped: KindWords {
        subject: "Ihr Umtausch ist unterwegs",
        text: "{shop} hat die Artikel verschickt, die Sie im Umtausch für Ihre Rücksendung \
               {return_number} gewählt haben.",
    },
    exchange_refunded: KindWords {
        subject: "Statt des Umtauschs erhalten Sie eine Erstattung",
        text: "Leider kann {shop} den gewünschten Umtausch nicht liefern. Für Ihre Rücksendung \
               {return_number} erhalten Sie stattdessen eine Erstattung von {amount}.",
    },
    exchange_became_card: KindWords {
        subject: "Statt des Umtauschs erhalten Sie einen Gutschein",
        text: "Leider kann {shop} den gewünschten Umtausch nicht liefern. Für Ihre Rücksendung \
               {return_number} erhalten Sie stattdessen {amount}.",
    },
    card_refunded: KindWords {
        subject: "Statt des Gutscheins erhalten Sie eine Erstattung",
        text: "Leider kann {shop} den gewünschten Gutschein nicht ausstellen. Für Ihre Rücksendung \
               {return_number} erhalten Sie stattdessen eine Erstattung von {amount}.",
    },
    reminder: KindWords {
        subject: "Bitte senden Sie Ihre Rücksendung bis zum {date}",
        text: "Ihre Rücksendung {return_number} an {shop} ist noch nicht eingegangen. Ihr Etikett \
               gilt bis zum {date}. Falls Sie das Paket gerade abgegeben haben, ist diese \
               Erinnerung gegenstandslos.",
    },
    canceled: KindWords {
        subject: "Ihre Rücksendung wurde storniert",
        text: "Ihre Rücksendung {return_number} an {shop} wurde storniert, und Sie behalten Ihre \
               Artikel. Bitte verwenden Sie das Etikett nicht mehr.",
    },
    canceled_kept: KindWords {
        subject: "Ihre Rücksendung wurde storniert",
        text: "Ihre Rücksendung {return_number} an {shop} wurde storniert, und Sie behalten Ihre \
               Artikel.",
    },
    proof_code: KindWords {
        subject: "{code} ist Ihr Code",
        text: "Jemand hat {shop} gebeten zu bestätigen, dass diese E-Mail-Adresse Ihnen gehört. \
               Geben Sie diesen Code auf der Seite ein, die danach gefragt hat. Er ist zehn \
               Minuten gültig.\n\nWenn Sie das nicht waren, können Sie diese E-Mail ignorieren. \
               Geben Sie den Code niemals weiter.",
    },
    withdrawal_acknowledged: KindWords {
        subject: "Ihr Widerruf zur Bestellung {order_number} ist eingegangen",
        text: "{shop} hat Ihre Widerrufserklärung am {date} erhalten. Bitte bewahren Sie diese \
               E-Mail auf: Sie enthält Ihre Erklärung.",
    },
    next: NextWords {
        mail_back: "Drucken Sie das Etikett aus, verpacken Sie die Artikel und geben Sie das \
                    Paket ab.",
        express: "Bringen Sie die Artikel zu einer Annahmestelle und zeigen Sie Ihren Code vor. \
                  Ein Karton ist nicht nötig.",
        keep: "Sie müssen nichts zurücksenden.",
        pickup: "Drucken Sie das Etikett aus und halten Sie das Paket bereit. Der Paketdienst \
                 holt es ab.",
    },
    to_original_payment: "Das Geld geht an die Zahlungsart, mit der die Bestellung bezahlt wurde. \
                          Das kann einige Tage dauern.",
    as_gift_card: "Sie erhalten den Betrag als Gutschein.",
    open_label: "Etikett öffnen",
    open_return: "Rücksendung ansehen",
    open_withdrawal: "Eingangsbestätigung ansehen",
    colon: ":",
    items: "Artikel",
    more_items: |count| format!("und {count} weitere"),
    item_received: "eingegangen",
    item_not_received: "nicht eingegangen",
    item_rejected: |reason| format!("nicht angenommen: {reason}"),
    item_exchanged: |variant| format!("Umtausch gegen {variant}"),
    amounts: "Beträge",
    refund: "Erstattung",
    gift_card: "Gutschein",
    shipping: "Versandkosten",
    fee: "Rücksendegebühr",
    bonus: "Bonus",
    total: "Sie erhalten",
    return_number: |number| format!("Rücksendung {number}"),
    sent_by: |shop| format!("Diese E-Mail wurde im Auftrag von {shop} versandt."),
};
