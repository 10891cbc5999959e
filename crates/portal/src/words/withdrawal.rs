//! The right of withdrawal, in every language. The labels of the link and of the button that
//! confirms are those of Directive 2011/83/EU, Article 11a.

/// A text with a value in it, and one with two.
type Sentence = fn(&str) -> String;
type SentenceOfTwo = fn(&str, &str) -> String;

/// The pages on which a shopper withdraws from a contract.
pub(crate) struct WithdrawalWords {
    /// The link on every page.
    pub(crate) link: &'static str,
    pub(crate) title: &'static str,
    /// With the merchant.
    pub(crate) lead: Sentence,
    pub(crate) name: &'static str,
    pub(crate) email: &'static str,
    pub(crate) email_hint: &'static str,
    pub(crate) other_order: &'static str,
    pub(crate) next: &'static str,
    pub(crate) need_name: &'static str,
    pub(crate) need_email: &'static str,
    pub(crate) not_in_eu: &'static str,
    pub(crate) choose_title: &'static str,
    pub(crate) choose_lead: &'static str,
    /// How many units there are.
    pub(crate) quantity_of: Sentence,
    pub(crate) seal_unbroken: &'static str,
    pub(crate) need_items: &'static str,
    pub(crate) too_many_items: &'static str,
    pub(crate) review_title: &'static str,
    pub(crate) review_lead: &'static str,
    pub(crate) statement: &'static str,
    pub(crate) declaration: &'static str,
    /// The order, and the day on which it was placed.
    pub(crate) stated_order: SentenceOfTwo,
    pub(crate) stated_name: Sentence,
    pub(crate) stated_email: Sentence,
    pub(crate) consequences: &'static str,
    pub(crate) returns: &'static str,
    pub(crate) cancels: &'static str,
    /// With the last day.
    pub(crate) late: Sentence,
    pub(crate) settled: &'static str,
    pub(crate) made_to_order: &'static str,
    pub(crate) perishable: &'static str,
    pub(crate) sealed_hygiene: &'static str,
    pub(crate) digital: &'static str,
    pub(crate) no_effect: &'static str,
    /// With the amount.
    pub(crate) shipping: Sentence,
    /// With the last day.
    pub(crate) refund_by: Sentence,
    /// What can delay the refund of goods that come back.
    pub(crate) may_wait: &'static str,
    pub(crate) send_back: &'static str,
    pub(crate) confirm: &'static str,
    pub(crate) not_recorded: &'static str,
    pub(crate) done_title: &'static str,
    /// The number of the withdrawal, and the moment at which it was received.
    pub(crate) received: SentenceOfTwo,
    pub(crate) download: &'static str,
    pub(crate) download_hint: &'static str,
    pub(crate) to_return: &'static str,
    pub(crate) hash: &'static str,
}

pub(super) const ENGLISH: WithdrawalWords = WithdrawalWords {
    link: "Withdraw from contract here",
    title: "Withdraw from your contract",
    lead: |merchant| {
        format!(
            "As a consumer in the EU you can withdraw from your contract with {merchant} within 14 \
             days of delivery. You do not need to give a reason, and there is no fee."
        )
    },
    name: "Your name",
    email: "Your email address",
    email_hint: "The store uses it for the acknowledgement and for questions.",
    other_order: "Withdraw from a different order",
    next: "Continue",
    need_name: "Please enter your name.",
    need_email: "Please enter an email address.",
    not_in_eu: "This order was not shipped to a country of the EU, so there is no right of \
                withdrawal. You may still be able to return your items.",
    choose_title: "What do you want to withdraw from?",
    choose_lead: "The whole order is selected. Reduce the quantity of what you want to keep.",
    quantity_of: |most| format!("Quantity, up to {most}"),
    seal_unbroken: "The seal is unbroken",
    need_items: "Please choose at least one item.",
    too_many_items: "Please choose fewer items, and send another statement for the rest.",
    review_title: "Check your statement",
    review_lead: "Nothing has been sent yet. Check your statement, then confirm it.",
    statement: "Your statement",
    declaration: "I hereby withdraw from the contract for the purchase of the following goods:",
    stated_order: |order, date| format!("Order {order}, placed on {date}"),
    stated_name: |name| format!("Name: {name}"),
    stated_email: |email| format!("Email address for the acknowledgement: {email}"),
    consequences: "What follows",
    returns: "You send it back and get a refund.",
    cancels: "It has not been shipped. The store cancels it and refunds you.",
    late: |date| format!("The withdrawal period ended on {date}."),
    settled: "It is already being returned or canceled, or has been refunded.",
    made_to_order: "No right of withdrawal: it was made to your specifications or personalized \
                    (Directive 2011/83/EU, Article 16(c)).",
    perishable: "No right of withdrawal: it deteriorates or expires rapidly (Directive 2011/83/EU, \
                 Article 16(d)).",
    sealed_hygiene: "No right of withdrawal: it was sealed for reasons of health or hygiene, and \
                     the seal is broken (Directive 2011/83/EU, Article 16(e)).",
    digital: "No right of withdrawal: it is digital content that was supplied with your consent \
              (Directive 2011/83/EU, Article 16(m)).",
    no_effect: "No return starts. You can send your statement anyway: it is recorded, and the \
                store is told about it.",
    shipping: |amount| format!("The shipping cost of {amount} is refunded, too."),
    refund_by: |date| format!("The store must refund you by {date}."),
    may_wait: "For goods that you send back, it may wait until it has them, or a proof that you \
               have sent them.",
    send_back: "Send the goods back within 14 days. You get a label for this.",
    confirm: "Confirm withdrawal",
    not_recorded: "Your statement could not be recorded, because there were too many about this \
                   order or the order has changed. Please check it, or try again in an hour.",
    done_title: "Your withdrawal was received",
    received: |number, moment| format!("Withdrawal {number}, received on {moment}"),
    download: "Download the acknowledgement",
    download_hint: "Please keep it. It has your statement, the date and the time, and a seal that \
                    proves that nothing was changed.",
    to_return: "Go to your return",
    hash: "Hash of the record (SHA-256)",
};

pub(super) const GERMAN: WithdrawalWords = WithdrawalWords {
    link: "Vertrag widerrufen",
    title: "Vertrag widerrufen",
    lead: |merchant| {
        format!(
            "Als Verbraucher in der EU können Sie Ihren Vertrag mit {merchant} innerhalb von 14 \
             Tagen nach der Lieferung widerrufen. Sie müssen keinen Grund angeben, und es entstehen \
             keine Gebühren."
        )
    },
    name: "Ihr Name",
    email: "Ihre E-Mail-Adresse",
    email_hint: "Der Shop verwendet sie für die Eingangsbestätigung und für Rückfragen.",
    other_order: "Eine andere Bestellung widerrufen",
    next: "Weiter",
    need_name: "Bitte geben Sie Ihren Namen ein.",
    need_email: "Bitte geben Sie eine E-Mail-Adresse ein.",
    not_in_eu: "Diese Bestellung wurde nicht in ein Land der EU geliefert, deshalb besteht kein \
                Widerrufsrecht. Eine Rückgabe ist vielleicht trotzdem möglich.",
    choose_title: "Was möchten Sie widerrufen?",
    choose_lead: "Die ganze Bestellung ist ausgewählt. Verringern Sie die Anzahl, wenn Sie etwas \
                  behalten möchten.",
    quantity_of: |most| format!("Anzahl, höchstens {most}"),
    seal_unbroken: "Die Versiegelung ist unversehrt",
    need_items: "Bitte wählen Sie mindestens einen Artikel aus.",
    too_many_items: "Bitte wählen Sie weniger Artikel aus und widerrufen Sie den Rest mit einer \
                     weiteren Erklärung.",
    review_title: "Erklärung prüfen",
    review_lead: "Es wurde noch nichts abgeschickt. Bitte prüfen Sie Ihre Erklärung und bestätigen \
                  Sie sie dann.",
    statement: "Ihre Erklärung",
    declaration: "Hiermit widerrufe ich den Vertrag über den Kauf der folgenden Waren:",
    stated_order: |order, date| format!("Bestellung {order} vom {date}"),
    stated_name: |name| format!("Name: {name}"),
    stated_email: |email| format!("E-Mail-Adresse für die Eingangsbestätigung: {email}"),
    consequences: "Was daraus folgt",
    returns: "Sie senden den Artikel zurück und erhalten eine Erstattung.",
    cancels: "Der Artikel wurde noch nicht versandt. Der Shop storniert und erstattet ihn.",
    late: |date| format!("Die Widerrufsfrist endete am {date}."),
    settled: "Der Artikel wird bereits zurückgegeben oder storniert oder wurde schon erstattet.",
    made_to_order: "Kein Widerrufsrecht: Der Artikel wurde nach Ihren Vorgaben angefertigt oder \
                    personalisiert (Richtlinie 2011/83/EU, Artikel 16 Buchstabe c).",
    perishable: "Kein Widerrufsrecht: Der Artikel kann schnell verderben (Richtlinie 2011/83/EU, \
                 Artikel 16 Buchstabe d).",
    sealed_hygiene: "Kein Widerrufsrecht: Der Artikel war aus Gründen des Gesundheitsschutzes oder \
                     der Hygiene versiegelt, und die Versiegelung wurde entfernt (Richtlinie \
                     2011/83/EU, Artikel 16 Buchstabe e).",
    digital: "Kein Widerrufsrecht: Es handelt sich um digitale Inhalte, die mit Ihrer Zustimmung \
              bereitgestellt wurden (Richtlinie 2011/83/EU, Artikel 16 Buchstabe m).",
    no_effect: "Es beginnt keine Rückgabe. Sie können Ihre Erklärung trotzdem abgeben: Sie wird \
                festgehalten und dem Shop mitgeteilt.",
    shipping: |amount| format!("Die Versandkosten von {amount} werden ebenfalls erstattet."),
    refund_by: |date| format!("Der Shop muss Ihnen das Geld bis zum {date} erstatten."),
    may_wait: "Bei Waren, die Sie zurücksenden, darf er warten, bis er sie oder einen Nachweis hat, \
               dass Sie sie abgesandt haben.",
    send_back: "Senden Sie die Waren innerhalb von 14 Tagen zurück. Dafür erhalten Sie ein \
                Etikett.",
    confirm: "Widerruf bestätigen",
    not_recorded: "Ihre Erklärung konnte nicht festgehalten werden, weil es zu viele zu dieser \
                   Bestellung gab oder die Bestellung sich geändert hat. Bitte prüfen Sie sie oder \
                   versuchen Sie es in einer Stunde erneut.",
    done_title: "Ihr Widerruf ist eingegangen",
    received: |number, moment| format!("Widerruf {number}, eingegangen am {moment}"),
    download: "Eingangsbestätigung herunterladen",
    download_hint: "Bitte bewahren Sie sie auf. Sie enthält Ihre Erklärung, Datum und Uhrzeit und \
                    ein Siegel, das beweist, dass nichts geändert wurde.",
    to_return: "Zu Ihrer Rückgabe",
    hash: "Prüfsumme der Aufzeichnung (SHA-256)",
};

pub(super) const FRENCH: WithdrawalWords = WithdrawalWords {
    link: "Renoncer au contrat ici",
    title: "Renoncer à votre contrat",
    lead: |merchant| {
        format!(
            "En tant que consommateur dans l’UE, vous pouvez vous rétracter de votre contrat avec \
             {merchant} dans les 14 jours suivant la livraison, sans donner de motif et sans frais."
        )
    },
    name: "Votre nom",
    email: "Votre adresse e-mail",
    email_hint: "La boutique l’utilise pour l’accusé de réception et pour ses questions.",
    other_order: "Se rétracter d’une autre commande",
    next: "Continuer",
    need_name: "Veuillez saisir votre nom.",
    need_email: "Veuillez saisir une adresse e-mail.",
    not_in_eu: "Cette commande n’a pas été livrée dans un pays de l’UE\u{a0}; il n’y a donc pas de \
                droit de rétractation. Un retour est peut-être tout de même possible.",
    choose_title: "De quoi souhaitez-vous vous rétracter\u{a0}?",
    choose_lead: "Toute la commande est sélectionnée. Réduisez la quantité de ce que vous souhaitez \
                  garder.",
    quantity_of: |most| format!("Quantité, {most} au maximum"),
    seal_unbroken: "Le scellé est intact",
    need_items: "Veuillez choisir au moins un article.",
    too_many_items: "Veuillez choisir moins d’articles et envoyer une autre déclaration pour les \
                     autres.",
    review_title: "Vérifier votre déclaration",
    review_lead: "Rien n’a encore été envoyé. Vérifiez votre déclaration, puis confirmez-la.",
    statement: "Votre déclaration",
    declaration: "Je vous notifie par la présente ma rétractation du contrat portant sur la vente \
                  des biens suivants\u{a0}:",
    stated_order: |order, date| format!("Commande {order} du {date}"),
    stated_name: |name| format!("Nom\u{a0}: {name}"),
    stated_email: |email| format!("Adresse e-mail pour l’accusé de réception\u{a0}: {email}"),
    consequences: "Ce qui en découle",
    returns: "Vous renvoyez l’article et vous êtes remboursé.",
    cancels: "L’article n’a pas encore été expédié. La boutique l’annule et vous rembourse.",
    late: |date| format!("Le délai de rétractation a pris fin le {date}."),
    settled: "L’article est déjà en cours de retour ou d’annulation, ou a déjà été remboursé.",
    made_to_order: "Pas de droit de rétractation\u{a0}: l’article a été confectionné selon vos \
                    spécifications ou personnalisé (directive 2011/83/UE, article 16, point c).",
    perishable: "Pas de droit de rétractation\u{a0}: l’article peut se détériorer ou se périmer \
                 rapidement (directive 2011/83/UE, article 16, point d).",
    sealed_hygiene: "Pas de droit de rétractation\u{a0}: l’article était scellé pour des raisons de \
                     santé ou d’hygiène et le scellé a été ouvert (directive 2011/83/UE, article \
                     16, point e).",
    digital: "Pas de droit de rétractation\u{a0}: il s’agit d’un contenu numérique fourni avec \
              votre accord (directive 2011/83/UE, article 16, point m).",
    no_effect: "Aucun retour ne commence. Vous pouvez tout de même envoyer votre \
                déclaration\u{a0}: elle est enregistrée et transmise à la boutique.",
    shipping: |amount| format!("Les frais de livraison de {amount} sont également remboursés."),
    refund_by: |date| format!("La boutique doit vous rembourser au plus tard le {date}."),
    may_wait: "Pour les biens que vous renvoyez, elle peut attendre de les avoir reçus ou d’avoir \
               une preuve de leur expédition.",
    send_back: "Renvoyez les biens dans un délai de 14 jours. Vous recevez une étiquette à cet \
                effet.",
    confirm: "Confirmer la rétractation",
    not_recorded: "Votre déclaration n’a pas pu être enregistrée, car il y en a eu trop pour cette \
                   commande ou la commande a changé. Veuillez la vérifier ou réessayer dans une \
                   heure.",
    done_title: "Votre rétractation a bien été reçue",
    received: |number, moment| format!("Rétractation {number}, reçue le {moment}"),
    download: "Télécharger l’accusé de réception",
    download_hint: "Veuillez le conserver. Il contient votre déclaration, la date et l’heure, et un \
                    sceau qui prouve que rien n’a été modifié.",
    to_return: "Voir votre retour",
    hash: "Empreinte de l’enregistrement (SHA-256)",
};

pub(super) const SPANISH: WithdrawalWords = WithdrawalWords {
    link: "Desistir del contrato aquí",
    title: "Desistir del contrato",
    lead: |merchant| {
        format!(
            "Como consumidor en la UE, puede desistir de su contrato con {merchant} en los 14 días \
             siguientes a la entrega, sin indicar el motivo y sin gastos."
        )
    },
    name: "Su nombre",
    email: "Su dirección de correo electrónico",
    email_hint: "La tienda la usa para el acuse de recibo y para consultas.",
    other_order: "Desistir de otro pedido",
    next: "Continuar",
    need_name: "Introduzca su nombre.",
    need_email: "Introduzca una dirección de correo electrónico.",
    not_in_eu: "Este pedido no se envió a un país de la UE, por lo que no existe derecho de \
                desistimiento. Quizá pueda devolver los artículos de todos modos.",
    choose_title: "¿De qué quiere desistir?",
    choose_lead: "Está seleccionado todo el pedido. Reduzca la cantidad de lo que quiera conservar.",
    quantity_of: |most| format!("Cantidad, {most} como máximo"),
    seal_unbroken: "El precinto está intacto",
    need_items: "Elija al menos un artículo.",
    too_many_items: "Elija menos artículos y envíe otra declaración para el resto.",
    review_title: "Revise su declaración",
    review_lead: "Aún no se ha enviado nada. Revise su declaración y confírmela.",
    statement: "Su declaración",
    declaration: "Por la presente desisto del contrato de compraventa de los siguientes bienes:",
    stated_order: |order, date| format!("Pedido {order} del {date}"),
    stated_name: |name| format!("Nombre: {name}"),
    stated_email: |email| format!("Correo electrónico para el acuse de recibo: {email}"),
    consequences: "Qué ocurre después",
    returns: "Devuelve el artículo y recibe un reembolso.",
    cancels: "El artículo aún no se ha enviado. La tienda lo cancela y le reembolsa el importe.",
    late: |date| format!("El plazo de desistimiento terminó el {date}."),
    settled: "El artículo ya se está devolviendo o cancelando, o ya se ha reembolsado.",
    made_to_order: "Sin derecho de desistimiento: el artículo se confeccionó conforme a sus \
                    especificaciones o se personalizó (Directiva 2011/83/UE, artículo 16, letra \
                    c).",
    perishable: "Sin derecho de desistimiento: el artículo puede deteriorarse o caducar con \
                 rapidez (Directiva 2011/83/UE, artículo 16, letra d).",
    sealed_hygiene: "Sin derecho de desistimiento: el artículo estaba precintado por razones de \
                     salud o de higiene y se ha desprecintado (Directiva 2011/83/UE, artículo 16, \
                     letra e).",
    digital: "Sin derecho de desistimiento: es contenido digital suministrado con su \
              consentimiento (Directiva 2011/83/UE, artículo 16, letra m).",
    no_effect: "No se inicia ninguna devolución. Puede enviar su declaración de todos modos: queda \
                registrada y se comunica a la tienda.",
    shipping: |amount| format!("También se reembolsan los gastos de envío de {amount}."),
    refund_by: |date| format!("La tienda debe reembolsarle el importe a más tardar el {date}."),
    may_wait: "En el caso de los bienes que devuelve, puede esperar hasta tenerlos o tener una \
               prueba de que los ha enviado.",
    send_back: "Devuelva los bienes en un plazo de 14 días. Recibirá una etiqueta para ello.",
    confirm: "Confirmar desistimiento",
    not_recorded: "No se ha podido registrar su declaración porque hubo demasiadas sobre este \
                   pedido o el pedido ha cambiado. Revísela o inténtelo de nuevo dentro de una \
                   hora.",
    done_title: "Hemos recibido su desistimiento",
    received: |number, moment| format!("Desistimiento {number}, recibido el {moment}"),
    download: "Descargar el acuse de recibo",
    download_hint: "Consérvelo. Contiene su declaración, la fecha y la hora, y un sello que \
                    demuestra que no se ha modificado nada.",
    to_return: "Ir a su devolución",
    hash: "Huella del registro (SHA-256)",
};
