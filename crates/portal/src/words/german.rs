//! German.

use super::texts::{
    ChooseWords, ErrorWords, FindWords, FrameWords, LabelWords, MethodWords, ReviewWords,
    RuleWords, StatusWords, TitledText, Words,
};

pub(super) static WORDS: Words = Words {
    frame: FrameWords {
        returns: "Rücksendungen",
        skip_to_content: "Zum Inhalt springen",
        language: "Sprache",
        contact: |merchant| format!("Fragen? Bitte wenden Sie sich an {merchant}."),
        check_fields: "Bitte prüfen Sie Folgendes",
    },
    find: FindWords {
        title: "Rücksendung anmelden",
        lead: "Suchen Sie Ihre Bestellung, um zu sehen, welche Artikel Sie zurückgeben können und \
               welchen Betrag Sie erhalten.",
        order_number: "Bestellnummer",
        order_number_hint: "Sie finden sie in Ihrer Bestellbestätigung.",
        email_or_postal_code: "E-Mail-Adresse oder Postleitzahl",
        email_or_postal_code_hint: "Die E-Mail-Adresse, mit der Sie bestellt haben, oder die \
                                    Postleitzahl der Lieferadresse.",
        gift: "Ich habe dies als Geschenk erhalten",
        gift_hint: "Geben Sie den Code vom Geschenkbeleg oder die Postleitzahl ein. Die Person, \
                    die bestellt hat, wird nicht benachrichtigt.",
        submit: "Bestellung suchen",
        existing_return_hint: "Sie haben bereits eine Rücksendung angemeldet? Suchen Sie hier Ihre \
                               Bestellung, um den Status zu sehen.",
        not_found: "Wir konnten keine Bestellung mit diesen Angaben finden. Bitte vergleichen Sie \
                    sie mit Ihrer Bestellbestätigung.",
        too_many_attempts: "Zu viele Versuche. Bitte versuchen Sie es in einer Minute erneut.",
        too_many_failures: "Zu viele Versuche sind fehlgeschlagen. Bitte verwenden Sie die \
                            E-Mail-Adresse Ihrer Bestellung oder versuchen Sie es in einer Stunde \
                            erneut.",
    },
    choose: ChooseWords {
        title: "Was möchten Sie zurückgeben?",
        order: |number| format!("Bestellung {number}"),
        ordered_on: |date| format!("aufgegeben am {date}"),
        earlier_returns: "Ihre Rücksendungen zu dieser Bestellung",
        items: "Ihre Artikel",
        price_each: |amount| format!("je {amount}"),
        return_by: |date| format!("Rückgabe möglich bis zum {date}"),
        not_returnable: "Rückgabe nicht möglich",
        partly_returnable: "Nicht alle Stücke können zurückgegeben werden",
        return_item: "Diesen Artikel zurückgeben",
        quantity: "Wie viele?",
        reason: "Grund der Rückgabe",
        please_choose: "Bitte wählen",
        resolution: "Was möchten Sie dafür erhalten?",
        refund: "Erstattung",
        refund_hint: "Über die ursprüngliche Zahlungsart",
        gift_card: "Gutschein",
        gift_card_hint: "Für Ihre nächste Bestellung",
        bonus: |percent| format!("{percent}\u{a0}% zusätzlich"),
        bonus_up_to: |percent, amount| format!("{percent}\u{a0}% zusätzlich, höchstens {amount}"),
        exchange: "Umtausch",
        exchange_hint: "Gegen eine andere Größe oder Farbe",
        variant: "Welche Variante möchten Sie stattdessen?",
        pick_variant: "Wählen Sie die Variante aus, die Sie stattdessen möchten, und fahren Sie fort.",
        no_variants: "Dieser Artikel kann derzeit nicht umgetauscht werden. Bitte wählen Sie eine \
                      andere Option.",
        sold_out: "Ausverkauft",
        same_price: "Gleicher Preis",
        difference_back: |amount| format!("Sie erhalten {amount} zurück"),
        no_charge: "Ohne Aufpreis",
        fallback: "Was möchten Sie erhalten, falls sie ausverkauft ist?",
        split: "Für einen Teil davon andere Optionen wählen",
        selection: |number| format!("Auswahl {number}"),
        method: "Wie möchten Sie die Artikel zurückgeben?",
        free: "Kostenlos",
        fee: |amount| format!("{amount}, wird von Ihrer Erstattung abgezogen"),
        fee_range: |low, high| format!("{low} bis {high}, je nach Grund"),
        email: "Ihre E-Mail-Adresse",
        email_hint: "An diese Adresse senden wir den Gutschein. Die Person, die das Geschenk \
                     gekauft hat, wird nicht benachrichtigt.",
        submit: "Erstattung prüfen",
        nothing_returnable: "Aus dieser Bestellung können keine Artikel zurückgegeben werden.",
        need_item: "Bitte wählen Sie mindestens einen Artikel aus.",
        need_reason: "Bitte wählen Sie einen Grund aus.",
        need_variant: "Bitte wählen Sie die Variante aus, die Sie stattdessen möchten.",
        need_other_fallback: "Bitte wählen Sie hier etwas anderes als die Variante, die Sie \
                              möchten.",
        need_method: "Bitte wählen Sie eine Rückgabeart aus.",
        too_many_items: "Bitte wählen Sie weniger Artikel aus. Die übrigen können Sie danach zurückgeben.",
        need_email: "Bitte geben Sie die E-Mail-Adresse für den Gutschein ein.",
    },
    rules: RuleWords {
        order_canceled: "Diese Bestellung wurde storniert.",
        not_shipped: "Dieser Artikel wurde nicht versandt.",
        unit_canceled: "Dieser Artikel wurde storniert.",
        window: "Die Rückgabefrist ist abgelaufen.",
        window_ended_on: |date| format!("Die Rückgabefrist endete am {date}."),
        final_sale: "Dieser Artikel ist von der Rückgabe ausgeschlossen.",
        gift_card: "Gutscheine können nicht zurückgegeben werden.",
        pick_up_in_store: "Dieser Artikel wurde in einer Filiale abgeholt. Bitte geben Sie ihn \
                           dort zurück.",
        third_party: "Dieser Artikel wurde von einem anderen Unternehmen verkauft. Bitte geben Sie \
                      ihn dort zurück.",
        customer_service: "Bitte wenden Sie sich wegen dieses Artikels an den Kundenservice.",
        country: "Rücksendungen aus Ihrem Land sind nicht möglich.",
        no_method: "Für diesen Artikel ist keine Rückgabeart verfügbar.",
        already_returned: "Dieser Artikel gehört bereits zu einer Rücksendung.",
        already_refunded: "Dieser Artikel wurde bereits erstattet.",
        method_offered: "Diese Rückgabeart ist nicht verfügbar.",
        method_country: "Diese Rückgabeart ist in Ihrem Land nicht verfügbar.",
        method_weight: "Ein Artikel ist zu schwer für diese Rückgabeart. Bitte wählen Sie eine \
                        andere.",
        method_amount: "Der Wert der Artikel ist zu hoch für diese Rückgabeart. Bitte wählen Sie \
                        eine andere.",
        method_reason: "Diese Rückgabeart ist für den gewählten Grund nicht verfügbar. Bitte \
                        wählen Sie eine andere.",
        reason_known: "Bitte wählen Sie einen der angegebenen Gründe.",
        exchange_offered: "Für diesen Artikel oder Grund ist kein Umtausch möglich.",
        gift_card_offered: "Gutscheine sind nicht verfügbar.",
        one_exchange: "Ein Artikel aus dieser Bestellung wurde bereits umgetauscht. Bitte wählen \
                       Sie eine andere Option.",
        variant_sold_out: "Diese Variante ist inzwischen ausverkauft. Bitte wählen Sie eine \
                           andere.",
        variant_price: "Diese Variante hat einen anderen Preis. Bitte wählen Sie eine andere.",
        just_returned: "Diese Artikel wurden soeben einer anderen Rücksendung hinzugefügt.",
        not_possible: "Das ist nicht möglich. Bitte treffen Sie eine andere Auswahl.",
    },
    methods: MethodWords {
        mail_back: TitledText { title: "Per Post", text: "Etikett drucken und Paket versenden" },
        express: TitledText {
            title: "An einer Annahmestelle",
            text: "Code vorzeigen, kein Karton nötig",
        },
        keep: TitledText { title: "Behalten", text: "Sie müssen nichts zurücksenden" },
        pickup: TitledText {
            title: "Abholung zu Hause",
            text: "Der Paketdienst holt Ihr Paket bei Ihnen ab",
        },
    },
    review: ReviewWords {
        title: "Rücksendung prüfen",
        lead: "Es wurde noch nichts abgeschickt. Bitte prüfen Sie die Angaben und bestätigen Sie \
               dann.",
        changed: "Ihre Erstattung hat sich seit Ihrem letzten Besuch geändert. Bitte prüfen Sie \
                  sie noch einmal.",
        items: "Artikel, die Sie zurückgeben",
        item: "Artikel",
        price: "Preis",
        discount: "Rabatt",
        tax: "Steuern",
        value: "Wert",
        as_refund: "Erstattung",
        as_gift_card: "Gutschein",
        as_exchange: |variant| format!("Umtausch gegen {variant}"),
        refund: "Erstattung",
        gift_card: "Gutschein",
        shipping: "Versandkosten",
        fee: "Rücksendegebühr",
        bonus: "Bonus",
        difference: "Preisdifferenz",
        total: "Sie erhalten",
        exchanged: |amount| {
            format!(
                "Artikel im Wert von {amount} werden umgetauscht. Statt einer Erstattung erhalten \
                 Sie die neuen Artikel."
            )
        },
        method: "Rückgabeart",
        refund_on_scan: "Ihre Erstattung wird veranlasst, sobald der Paketdienst Ihr Paket hat.",
        refund_on_receipt: "Ihre Erstattung wird veranlasst, sobald Ihre Artikel im Lager \
                            eingegangen sind.",
        confirm: "Rücksendung bestätigen",
        make_changes: "Angaben ändern",
    },
    status: StatusWords {
        title: "Ihre Rücksendung",
        rma: |number| format!("Rücksendung {number}"),
        started_on: |date| format!("angemeldet am {date}"),
        progress: "Verlauf",
        step_done: "erledigt",
        step_pending: "ausstehend",
        started: "Rücksendung angemeldet",
        canceled: "Rücksendung storniert",
        ordered: "Umtausch oder Gutschein bestellt",
        label_ready: "Etikett bereit",
        on_its_way: "Paket auf dem Weg zu uns",
        dropped_off: "Artikel abgegeben",
        picked_up: "Artikel abgeholt",
        arrived: "Artikel angekommen",
        completed: "Rücksendung abgeschlossen",
        next: "So geht es weiter",
        next_await_label: "Der Paketdienst erstellt Ihr Etikett. Bitte schauen Sie gleich noch \
                           einmal vorbei.",
        next_print_label: "Drucken Sie das Etikett aus, verpacken Sie die Artikel und geben Sie \
                           das Paket ab.",
        next_show_code: "Bringen Sie die Artikel zu einer Annahmestelle und zeigen Sie Ihren Code \
                         vor.",
        next_await_pickup: "Drucken Sie das Etikett aus und halten Sie das Paket bereit. Der \
                            Paketdienst holt es ab.",
        next_in_transit: "Ihre Artikel sind unterwegs. Sie müssen nichts weiter tun.",
        next_await_refund: "Sie müssen nichts weiter tun. Ihre Erstattung oder Ihr Umtausch ist \
                            unterwegs.",
        next_carrier_problem: "Der Paketdienst hat ein Problem mit Ihrem Paket gemeldet. Bitte \
                               wenden Sie sich an den Shop.",
        next_completed: "Ihre Rücksendung ist abgeschlossen. Vielen Dank!",
        next_canceled: "Diese Rücksendung wurde storniert, und Sie behalten Ihre Artikel. Sie \
                        können jederzeit eine neue Rücksendung anmelden.",
        show_label: "Etikett anzeigen",
        show_code: "Code anzeigen",
        tracking_number: "Sendungsnummer",
        items: "Zurückgegebene Artikel",
        refunded_on: |date| format!("Erstattet am {date}"),
        exchange_pending: "Ihre neue Bestellung wird aufgegeben",
        exchange_placed: |order, date| format!("Bestellung {order} wurde am {date} aufgegeben"),
        exchange_shipped: |order| format!("Bestellung {order} ist auf dem Weg zu Ihnen"),
        exchange_failed: "Der Shop konnte Ihre Artikel nicht umtauschen oder Ihren Gutschein nicht \
                          ausstellen. Sie erhalten stattdessen eine Erstattung.",
        exchange_credit: "Guthaben für den Umtausch",
        gift_card_issued_on: |date| format!("Gutschein ausgestellt am {date}"),
        not_received: "Nicht eingegangen",
        rejected: "Nicht angenommen",
        rejected_because: |reason| format!("Nicht angenommen: {reason}"),
        fees_adjusted: "Gebühr und Versandkosten angepasst",
        adjustment: "Ausgleich",
        balance: "Steht noch aus",
        find_order_first: "Bestellung suchen, um das Etikett zu drucken oder die Rücksendung zu \
                   stornieren",
        find_order_for_label: "Bestellung suchen, um das Etikett zu drucken",
        find_order_to_cancel: "Bestellung suchen, um die Rücksendung zu stornieren",
        cancel: "Rücksendung stornieren",
        cancel_consequences: "Sie behalten Ihre Artikel und erhalten keine Erstattung. Bitte \
                              verwenden Sie das Etikett nicht.",
        cancel_confirm: "Ja, Rücksendung stornieren",
        too_late_moving: "Diese Rücksendung kann nicht mehr storniert werden, weil die Artikel \
                          bereits unterwegs sind.",
        too_late_received: "Diese Rücksendung kann nicht mehr storniert werden, weil die Artikel \
                            bereits angekommen sind.",
        too_late_refunded: "Diese Rücksendung kann nicht mehr storniert werden, weil Sie Ihre \
                            Erstattung oder Ihren Gutschein bereits erhalten haben.",
        too_late_exchange: "Diese Rücksendung kann nicht storniert werden, weil Ihr Umtausch oder \
                            Gutschein bereits in Auftrag gegeben wurde.",
        too_late: "Diese Rücksendung kann nicht mehr storniert werden.",
        bookmark_page: "Speichern Sie diese Seite als Lesezeichen. Sie zeigt immer den Status \
                        Ihrer Rücksendung.",
        back_to_order: "Zurück zu Ihrer Bestellung",
        is_created: "In Bearbeitung",
        is_pending: "Umtausch oder Gutschein in Arbeit",
        is_partial: "Teilweise abgeschlossen",
        is_refunded: "Abgeschlossen",
        is_canceled: "Storniert",
    },
    label: LabelWords {
        canceled: TitledText {
            title: "Diese Rücksendung wurde storniert",
            text: "Sie müssen nichts zurücksenden. Ein bereits gedrucktes Etikett ist nicht mehr \
                   gültig.",
        },
        used: TitledText {
            title: "Dieses Etikett wurde bereits verwendet",
            text: "Der Zusteller hat Ihre Artikel bereits. Das Etikett wird daher nicht \
                   mehr angezeigt.",
        },
        expired: TitledText {
            title: "Dieses Etikett ist abgelaufen",
            text: "Wenn Sie die Artikel noch zurückgeben möchten, fordern Sie auf der Seite Ihrer \
                   Rücksendung ein neues Etikett an, oder wenden Sie sich an uns.",
        },
        kept: TitledText {
            title: "Sie müssen nichts zurücksenden",
            text: "Behalten Sie die Artikel oder geben Sie sie an jemanden weiter, der sich \
                   darüber freut. Sie müssen nichts drucken und nichts versenden.",
        },
        items_to_keep: "Artikel, die Sie behalten",
        label: "Ihr Rücksendeetikett",
        label_pending: TitledText {
            title: "Ihr Etikett wird erstellt",
            text: "Der Paketdienst erstellt Ihr Etikett. Es erscheint hier, sobald es bereit ist.",
        },
        code: "Ihr Abgabecode",
        code_pending: TitledText {
            title: "Ihr Code wird erstellt",
            text: "Der Paketdienst erstellt Ihren Abgabecode. Er erscheint hier, sobald er bereit \
                   ist.",
        },
        come_back_later: "Sie können diese Seite schließen und später wiederkommen.",
        check_again: "Erneut prüfen",
        items_to_return: "Artikel, die Sie zurückgeben",
        rma: "Rücksendung",
        started_on: |date| format!("angemeldet am {date}"),
        steps: "Drei Schritte",
        pack: TitledText {
            title: "Verpacken",
            text: "Legen Sie die Artikel und die Packliste in einen stabilen Karton. Entfernen \
                   oder überkleben Sie alte Etiketten und verschließen Sie den Karton gut.",
        },
        attach_label: TitledText {
            title: "Etikett aufkleben",
            text: "Drucken Sie diese Seite in Originalgröße (100\u{a0}%), schneiden Sie entlang \
                   der gestrichelten Linie und kleben Sie das Etikett glatt auf die größte Seite. \
                   Kleben Sie kein Klebeband über den Strichcode.",
        },
        send: TitledText {
            title: "Versenden",
            text: "Bringen Sie das Paket zu einer Annahmestelle des Paketdienstes. Bewahren Sie \
                   den Beleg auf, bis Ihre Rücksendung abgeschlossen ist.",
        },
        await_pickup: TitledText {
            title: "Abholung abwarten",
            text: "Halten Sie das Paket bereit. Der Paketdienst holt es an der Adresse ab, die auf \
                   dem Etikett unter „Von“ steht. Lassen Sie sich einen Beleg geben.",
        },
        bring_items: TitledText {
            title: "Artikel hinbringen",
            text: "Bringen Sie die Artikel so, wie sie sind, zu einer Annahmestelle. Karton, \
                   Etikett und Klebeband sind nicht nötig.",
        },
        show_code: TitledText {
            title: "Diesen Code vorzeigen",
            text: "Auf dem Smartphone mit voller Bildschirmhelligkeit oder ausgedruckt.",
        },
        keep_receipt: TitledText {
            title: "Beleg aufbewahren",
            text: "Sie erhalten ihn an der Annahmestelle. Bewahren Sie ihn auf, bis Ihre \
                   Rücksendung abgeschlossen ist.",
        },
        from: "Von",
        to: "An",
        return_mark: "Retoure",
        tracking_number: "Sendungsnummer",
        packing_list: "Packliste",
        packing_list_hint: "Bitte in das Paket legen.",
        items_to_bring: "Artikel zum Mitbringen",
        quantity: "Anz.",
        item: "Artikel",
        sku: "Art.-Nr.",
        barcode_of_tracking_number: |number| format!("Strichcode für Sendungsnummer {number}"),
        qr_of_tracking_number: |number| format!("QR-Code für Sendungsnummer {number}"),
        qr_of_return: |rma| format!("QR-Code für Rücksendung {rma}"),
        qr_of_both: |rma, number| {
            format!("QR-Code für Rücksendung {rma} und Sendungsnummer {number}")
        },
    },
    parcels: super::parcels::GERMAN,
    withdrawal: super::withdrawal::GERMAN,
    proof: super::proof::GERMAN,
    gifts: super::gifts::GERMAN,
    errors: ErrorWords {
        not_found: TitledText {
            title: "Seite nicht gefunden",
            text: "Bitte prüfen Sie die Adresse oder fragen Sie den Shop nach dem richtigen Link.",
        },
        other_origin: TitledText {
            title: "Wir konnten diese Anfrage nicht prüfen",
            text: "Bitte öffnen Sie die Seite neu und versuchen Sie es noch einmal.",
        },
        too_large: TitledText {
            title: "Ihre Eingabe ist zu lang",
            text: "Bitte gehen Sie zurück, kürzen Sie Ihren Text und versuchen Sie es noch einmal.",
        },
        too_many_requests: TitledText {
            title: "Zu viele Versuche",
            text: "Bitte versuchen Sie es in einer Minute erneut.",
        },
        server_error: TitledText {
            title: "Etwas ist schiefgegangen",
            text: "Das Problem liegt bei uns. Bitte versuchen Sie es gleich noch einmal.",
        },
    },
};
