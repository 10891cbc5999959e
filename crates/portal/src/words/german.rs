//! German.

use super::{Choosing, Find, Frame, Methods, Review, Rules, Sending, Sorry, Status, Words};

pub(super) static WORDS: Words = Words {
    frame: Frame {
        returns: "Rücksendungen",
        skip: "Zum Inhalt springen",
        language: "Sprache",
        help: |merchant| format!("Fragen? Bitte wenden Sie sich an {merchant}."),
        check: "Bitte prüfen Sie zuerst dies",
        months: [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
    },
    find: Find {
        title: "Rücksendung beginnen",
        lead: "Finden Sie Ihre Bestellung und sehen Sie, was zurückkommen kann, warum und für wie \
               viel.",
        order_number: "Bestellnummer",
        order_number_hint: "Sie steht in Ihrer Bestätigung.",
        secret: "E-Mail-Adresse oder Postleitzahl",
        secret_hint: "Die Adresse, mit der Sie bestellt haben, oder die Postleitzahl, an die das \
                      Paket ging.",
        gift: "Es war ein Geschenk an mich",
        gift_hint: "Dann genügt die Postleitzahl, und wer es gekauft hat, erfährt nichts davon.",
        submit: "Bestellung finden",
        again: "Schon eine Rücksendung begonnen? Finden Sie hier ihre Bestellung, und Sie sehen, \
                wo die Rücksendung ist.",
        not_found: "Wir finden keine Bestellung mit diesen Angaben. Bitte vergleichen Sie sie mit \
                    Ihrer Bestätigung.",
        too_often: "Das war zu oft in kurzer Zeit. Bitte warten Sie eine Minute und versuchen Sie \
                    es noch einmal.",
    },
    choose: Choosing {
        title: "Was möchten Sie zurücksenden?",
        order: |number| format!("Bestellung {number}"),
        ordered: |date| format!("bestellt am {date}"),
        returns: "Ihre Rücksendungen zu dieser Bestellung",
        items: "Ihre Artikel",
        each: |amount| format!("je {amount}"),
        until: |date| format!("Rückgabe möglich bis {date}"),
        cannot: "Kann nicht zurückkommen",
        not_all: "Nicht jedes Stück kann zurückkommen",
        send_back: "Zurücksenden",
        how_many: "Wie viele?",
        why: "Warum?",
        please_choose: "Bitte wählen",
        want: "Was möchten Sie dafür?",
        refund: "Mein Geld zurück",
        refund_hint: "Auf dem Weg, auf dem Sie bezahlt haben",
        gift_card: "Einen Gutschein",
        gift_card_hint: "Für Ihre nächste Bestellung",
        bonus: |percent| format!("{percent} % zusätzlich"),
        bonus_up_to: |percent, amount| format!("{percent} % zusätzlich, höchstens {amount}"),
        exchange: "Eine andere Variante",
        exchange_hint: "Stattdessen eine andere Größe oder Farbe",
        variant: "Welche stattdessen?",
        sold_out: "Ausverkauft",
        same_price: "Gleicher Preis",
        dearer: |amount| format!("{amount} mehr"),
        cheaper: |amount| format!("{amount} weniger"),
        fallback: "Und wenn sie dann vergriffen ist?",
        split: "Für ein weiteres Stück anders wählen",
        part: |number| format!("Auswahl {number}"),
        method: "Wie kommt es zurück?",
        free: "Kostenlos",
        fee: |amount| format!("{amount}, wird von Ihrer Erstattung abgezogen"),
        fees: |low, high| format!("{low} bis {high}, je nach Grund"),
        email: "Ihre E-Mail-Adresse",
        email_hint: "Dorthin geht der Gutschein. Wer das Geschenk gekauft hat, erfährt nichts \
                     davon.",
        submit: "Zusammenfassung ansehen",
        nothing: "Von dieser Bestellung kann derzeit nichts zurückkommen.",
        need_item: "Bitte wählen Sie mindestens einen Artikel.",
        need_reason: "Bitte sagen Sie, warum er zurückkommt.",
        need_variant: "Bitte wählen Sie, welche Variante Sie stattdessen möchten.",
        need_method: "Bitte wählen Sie, wie es zurückkommt.",
        need_email: "Bitte sagen Sie uns, wohin der Gutschein gehen soll.",
    },
    rules: Rules {
        order_cancelled: "Die Bestellung wurde storniert.",
        not_shipped: "Er wurde nicht versandt.",
        window: "Die Rückgabefrist ist abgelaufen.",
        window_ended: |date| format!("Die Rückgabe war bis {date} möglich."),
        final_sale: "Er ist vom Umtausch ausgeschlossen.",
        gift_card: "Gutscheine können nicht zurückgegeben werden.",
        pick_up_in_store: "Er wurde in einer Filiale abgeholt. Bitte bringen Sie ihn dorthin \
                           zurück.",
        third_party: "Ein anderes Unternehmen hat ihn verkauft. Bitte senden Sie ihn dorthin \
                      zurück.",
        customer_service: "Bitte fragen Sie den Kundendienst danach.",
        country: "Aus Ihrem Land kann nichts zurückgesandt werden.",
        no_method: "Es gibt keinen Weg, auf dem er zurückkommen kann.",
        already_returned: "Er gehört schon zu einer Rücksendung.",
        already_refunded: "Er wurde schon erstattet.",
        method_offered: "Dieser Weg wird nicht angeboten.",
        method_country: "Dieser Weg wird in Ihrem Land nicht angeboten.",
        method_weight: "Etwas ist zu schwer für diesen Weg. Bitte wählen Sie einen anderen.",
        method_amount: "Die Artikel sind für diesen Weg zu viel wert. Bitte wählen Sie einen \
                        anderen.",
        method_reason: "Dieser Weg wird für Ihren Grund nicht angeboten. Bitte wählen Sie einen \
                        anderen.",
        reason_known: "Bitte wählen Sie einen der Gründe.",
        exchange_offered: "Ein Umtausch wird hier oder für diesen Grund nicht angeboten.",
        gift_card_offered: "Gutscheine werden nicht angeboten.",
        one_exchange: "Aus dieser Bestellung wurde schon etwas umgetauscht. Sie können Ihr Geld \
                       zurückbekommen.",
        variant_gone: "Diese Variante ist gerade vergriffen. Bitte wählen Sie eine andere.",
        taken: "Diese Artikel gehören seit eben zu einer anderen Rücksendung.",
        impossible: "Das ist nicht möglich. Bitte wählen Sie anders.",
    },
    methods: Methods {
        mail_back: ["Mit der Post", "Etikett drucken und ein Paket senden"],
        express: ["An einer Annahmestelle", "Einen Code zeigen und ohne Karton abgeben"],
        keep: ["Behalten", "Nichts muss zurückkommen"],
        pickup: ["An Ihrer Tür", "Der Paketdienst holt Ihr Paket ab"],
    },
    review: Review {
        title: "Ist das so richtig?",
        lead: "Noch ist nichts abgeschickt. Bitte prüfen und dann bestätigen.",
        changed: "Was Sie bekommen, hat sich inzwischen geändert. Bitte prüfen Sie es noch einmal.",
        caption: "Was Sie zurücksenden",
        item: "Artikel",
        price: "Preis",
        discount: "Rabatt",
        tax: "Steuer",
        worth: "Wert",
        as_refund: "Geld zurück",
        as_gift_card: "Als Gutschein",
        as_exchange: |variant| format!("Umtausch gegen {variant}"),
        refund: "Erstattung",
        gift_card: "Gutschein",
        shipping: "Versandkosten",
        fee: "Rücksendegebühr",
        bonus: "Bonus",
        total: "Sie bekommen",
        exchanged: |amount| {
            format!(
                "Artikel im Wert von {amount} werden umgetauscht; Sie bekommen dafür die \
                     neuen."
            )
        },
        method: "Wie es zurückkommt",
        paid_on_scan: "Ihr Geld wird angewiesen, sobald der Paketdienst Ihr Paket hat.",
        paid_on_receipt: "Ihr Geld wird angewiesen, sobald Ihre Artikel im Lager angekommen sind.",
        confirm: "Rücksendung bestätigen",
        change: "Etwas ändern",
    },
    status: Status {
        title: "Ihre Rücksendung",
        rma: |number| format!("Rücksendung {number}"),
        started_on: |date| format!("begonnen am {date}"),
        progress: "Verlauf",
        done: "erledigt",
        to_come: "kommt noch",
        started: "Sie haben die Rücksendung begonnen",
        cancelled: "Die Rücksendung wurde storniert",
        ordered: "Ihr Umtausch oder Gutschein ist bestellt",
        labelled: "Ihr Etikett ist fertig",
        on_its_way: "Das Paket ist auf dem Weg zu uns",
        handed_over: "Sie haben die Artikel abgegeben",
        collected: "Die Artikel wurden abgeholt",
        arrived: "Die Artikel sind angekommen",
        settled: "Alles ist abgeschlossen",
        next: "Wie es weitergeht",
        next_label: "Der Paketdienst erstellt Ihr Etikett. Schauen Sie gleich noch einmal hier \
                     vorbei.",
        next_print: "Drucken Sie das Etikett, packen Sie die Artikel ein und geben Sie das Paket \
                     ab.",
        next_show: "Bringen Sie die Artikel zu einer Annahmestelle und zeigen Sie Ihren Code.",
        next_collect: "Drucken Sie das Etikett und halten Sie das Paket bereit. Der Paketdienst \
                       holt es ab.",
        next_travel: "Ihre Artikel sind unterwegs. Sie müssen nichts mehr tun.",
        next_paid: "Sie müssen nichts mehr tun. Was Sie bekommen, ist unterwegs.",
        next_trouble: "Der Paketdienst meldet ein Problem mit Ihrem Paket. Bitte wenden Sie sich \
                       an den Shop.",
        next_done: "Alles ist abgeschlossen. Vielen Dank.",
        next_cancelled: "Nichts kommt zurück, und Sie behalten Ihre Artikel. Sie können jederzeit \
                         eine neue Rücksendung beginnen.",
        show_label: "Etikett zeigen",
        show_code: "Code zeigen",
        tracking_number: "Sendungsnummer",
        items: "Ihre Artikel",
        paid_on: |date| format!("Erstattet am {date}"),
        exchange_pending: "Die neue Bestellung wird aufgegeben",
        exchange_placed: |order, date| format!("Bestellung {order} wurde am {date} aufgegeben"),
        exchange_sent: |order| format!("Bestellung {order} ist auf dem Weg zu Ihnen"),
        exchange_failed: "Der Shop konnte die neue Bestellung nicht annehmen, deshalb bekommen \
                          Sie Ihr Geld zurück.",
        cancel: "Rücksendung stornieren",
        cancel_sure: "Dann kommt nichts zurück und nichts wird gezahlt. Bitte verwenden Sie das \
                      Etikett nicht mehr.",
        cancel_yes: "Ja, stornieren",
        too_late_moving: "Zum Stornieren ist es zu spät: Die Artikel sind unterwegs.",
        too_late_received: "Zum Stornieren ist es zu spät: Die Artikel sind angekommen.",
        too_late_refunded: "Zum Stornieren ist es zu spät: Sie haben Ihr Geld schon bekommen.",
        too_late_exchange: "Jetzt kann nicht storniert werden: Die neue Bestellung ist aufgegeben \
                            oder wird es gerade.",
        too_late: "Die Rücksendung kann nicht mehr storniert werden.",
        keep_address: "Bewahren Sie die Adresse dieser Seite auf: Sie zeigt immer, wo Ihre \
                       Rücksendung ist.",
        to_order: "Zurück zur Bestellung",
        is_created: "In Arbeit",
        is_pending: "Umtausch wird bestellt",
        is_partial: "Teilweise abgeschlossen",
        is_refunded: "Abgeschlossen",
        is_cancelled: "Storniert",
    },
    label: Sending {
        cancelled: "Diese Retoure wurde storniert",
        cancelled_text: "Es ist nichts zurückzusenden, und ein schon gedrucktes Etikett gilt nicht mehr.",
        kept: "Nichts zurückzusenden",
        kept_text: "Behalten Sie die Artikel, oder geben Sie sie jemandem, dem sie gefallen. Es \
                    gibt nichts zu drucken und nichts zu senden.",
        kept_list: "Was Sie behalten",
        label: "Ihr Rücksende-Etikett",
        label_waiting: "Ihr Etikett wird erstellt",
        label_awaited: "Der Paketdienst erstellt Ihr Etikett. Es erscheint hier, sobald es fertig \
                        ist.",
        code: "Ihr Abgabe-Code",
        code_waiting: "Ihr Code wird erstellt",
        code_awaited: "Der Paketdienst erstellt Ihren Abgabe-Code. Er erscheint hier, sobald er \
                       fertig ist.",
        come_back: "Sie können diese Seite schließen und später wiederkommen.",
        look_now: "Jetzt nachsehen",
        waiting_list: "Was zurückgeht",
        rma: "Rücksendung",
        started: |date| format!("begonnen am {date}"),
        steps: "Drei Schritte",
        pack: [
            "Packen",
            "Legen Sie die Artikel mit der Packliste in einen festen Karton. Entfernen oder \
             überkleben Sie alte Etiketten, und verschließen Sie den Karton gut.",
        ],
        stick: [
            "Bekleben",
            "Drucken Sie diese Seite in voller Größe (100 %), schneiden Sie an der gestrichelten \
             Linie, und kleben Sie das Etikett glatt auf die größte Seite. Kein Klebeband über \
             dem Strichcode.",
        ],
        send: [
            "Abgeben",
            "Bringen Sie das Paket zu einer Annahmestelle des Paketdienstes, und bewahren Sie \
             den Beleg auf, bis Ihre Erstattung da ist.",
        ],
        hand_over: [
            "Übergeben",
            "Halten Sie das Paket bereit. Der Paketdienst holt es an der Adresse ab, die auf dem \
             Etikett unter Von steht. Lassen Sie sich einen Beleg geben.",
        ],
        bring: [
            "Artikel bringen",
            "Bringen Sie sie so, wie sie sind, zu einer Annahmestelle. Kein Karton, kein \
             Etikett, kein Klebeband.",
        ],
        show: ["Code zeigen", "Auf dem Telefon, mit hellem Bildschirm, oder gedruckt."],
        keep_receipt: [
            "Beleg aufbewahren",
            "Sie bekommen ihn bei der Annahme. Bewahren Sie ihn auf, bis Ihre Erstattung da ist.",
        ],
        from: "Von",
        to: "An",
        mark: "Retoure",
        tracking_number: "Sendungsnummer",
        packing_list: "Packliste",
        packing_hint: "Gehört in das Paket.",
        bring_list: "Was Sie mitbringen",
        quantity: "Anz.",
        item: "Artikel",
        sku: "Art.-Nr.",
        bar_code: |number| format!("Strichcode der Sendungsnummer {number}"),
        qr_of_number: |number| format!("QR-Code der Sendungsnummer {number}"),
        qr_of_return: |rma| format!("QR-Code der Rücksendung {rma}"),
        qr_of_both: |rma, number| {
            format!("QR-Code der Rücksendung {rma} und der Sendungsnummer {number}")
        },
    },
    sorry: Sorry {
        missing: [
            "Hier ist nichts",
            "Bitte prüfen Sie die Adresse, oder fragen Sie den Shop, bei dem Sie gekauft haben, \
             nach der richtigen.",
        ],
        refused: [
            "Das kam nicht von unserer Seite",
            "Bitte öffnen Sie die Seite neu und versuchen Sie es noch einmal.",
        ],
        too_large: [
            "Das war zu viel",
            "Bitte gehen Sie zurück, kürzen Sie Ihre Eingaben und versuchen Sie es noch einmal.",
        ],
        too_often: [
            "Das war zu oft",
            "Bitte warten Sie eine Minute und versuchen Sie es noch einmal.",
        ],
        broken: [
            "Etwas ist schiefgegangen",
            "Es lag nicht an Ihnen. Bitte versuchen Sie es gleich noch einmal.",
        ],
    },
};
