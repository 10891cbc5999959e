//! Proof of who is asking, in every language.

/// How a shopper proves to be the buyer, or to have got the gift.
pub(crate) struct ProofWords {
    pub(crate) title: &'static str,
    /// What a buyer can choose with it.
    pub(crate) offer: &'static str,
    /// Why a buyer needs it.
    pub(crate) for_gift_card: &'static str,
    /// If no code can be sent.
    pub(crate) use_link: &'static str,
    /// Why the recipient of a gift needs it.
    pub(crate) for_gift: &'static str,
    /// If the order has no gift code.
    pub(crate) ask_store: &'static str,
    pub(crate) gift_code: &'static str,
    pub(crate) send_code: &'static str,
    pub(crate) code_hint: &'static str,
    pub(crate) code_sent: &'static str,
    /// Why the label is not shown without it.
    pub(crate) for_label: &'static str,
    pub(crate) label_mailed: &'static str,
    pub(crate) code: &'static str,
    pub(crate) too_many_codes: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) wrong_code: &'static str,
    /// The choice that was refused without proof.
    pub(crate) needed: &'static str,
    pub(crate) link_invalid: &'static str,
}

pub(super) const ENGLISH: ProofWords = ProofWords {
    title: "Confirm who you are",
    offer: "Then you can also choose a gift card.",
    for_gift_card: "Gift cards are sent only to the buyer, so we need to be sure that it is you.",
    use_link: "Open this page with the link in an email from the store. Then you can choose a gift \
               card. A refund to your original payment is always possible.",
    for_gift: "Returning a gift needs the gift code. It is on the gift receipt. The buyer will not \
               be notified.",
    ask_store: "This order has no gift code. Please use the gift link from the store, or contact \
                the store.",
    gift_code: "Gift code",
    send_code: "Send me a code",
    code_hint: "It has six digits, goes to the email address of the order, and is valid for ten \
                minutes.",
    code_sent: "We have sent a code to the email address of the order.",
    for_label: "The label shows a name and an address, so we need to be sure that it is \
                you.",
    label_mailed: "You can also open the label with the link in the email that we sent you.",
    code: "Code",
    too_many_codes: "Too many codes. Please try again later, or use the link in an email from the \
                     store.",
    submit: "Confirm code",
    wrong_code: "This code is not correct. Please check it.",
    needed: "Please confirm who you are first.",
    link_invalid: "This link is no longer valid. Please find your order here.",
};

pub(super) const GERMAN: ProofWords = ProofWords {
    title: "Bestätigen Sie, wer Sie sind",
    offer: "Danach können Sie auch einen Gutschein wählen.",
    for_gift_card: "Gutscheine gehen nur an den Käufer. Deshalb müssen wir sicher sein, dass \
                    Sie es sind.",
    use_link: "Öffnen Sie diese Seite über den Link in einer E-Mail des Shops. Dann können Sie einen \
               Gutschein wählen. Eine Erstattung auf die ursprüngliche Zahlungsart ist immer \
               möglich.",
    for_gift: "Für die Rückgabe eines Geschenks brauchen Sie den Geschenkcode. Er steht auf dem \
               Geschenkbeleg. Der Käufer wird nicht benachrichtigt.",
    ask_store: "Diese Bestellung hat keinen Geschenkcode. Bitte verwenden Sie den Geschenklink des \
                Shops oder wenden Sie sich an den Shop.",
    gift_code: "Geschenkcode",
    send_code: "Code zusenden",
    code_hint: "Er hat sechs Ziffern, geht an die E-Mail-Adresse der Bestellung und gilt zehn \
                Minuten.",
    code_sent: "Wir haben einen Code an die E-Mail-Adresse der Bestellung gesendet.",
    for_label: "Auf dem Etikett stehen ein Name und eine Adresse. Deshalb müssen wir sicher \
                sein, dass Sie es sind.",
    label_mailed: "Sie können das Etikett auch über den Link in der E-Mail öffnen, die wir Ihnen \
                   gesendet haben.",
    code: "Code",
    too_many_codes: "Zu viele Codes. Bitte versuchen Sie es später erneut oder verwenden Sie den \
                     Link in einer E-Mail des Shops.",
    submit: "Code bestätigen",
    wrong_code: "Dieser Code stimmt nicht. Bitte prüfen Sie ihn.",
    needed: "Bitte bestätigen Sie zuerst, wer Sie sind.",
    link_invalid: "Dieser Link ist nicht mehr gültig. Bitte suchen Sie Ihre Bestellung hier.",
};

pub(super) const FRENCH: ProofWords = ProofWords {
    title: "Confirmez votre identité",
    offer: "Vous pourrez ensuite aussi choisir une carte cadeau.",
    for_gift_card: "Les cartes cadeaux ne sont envoyées qu’à l’acheteur. Nous devons donc être sûrs \
                    qu’il s’agit bien de vous.",
    use_link: "Ouvrez cette page avec le lien reçu dans un e-mail de la boutique. Vous pourrez alors \
               choisir une carte cadeau. Un remboursement sur le moyen de paiement d’origine est \
               toujours possible.",
    for_gift: "Pour retourner un cadeau, il faut le code cadeau. Il figure sur le reçu cadeau. \
               L’acheteur n’en sera pas informé.",
    ask_store: "Cette commande n’a pas de code cadeau. Veuillez utiliser le lien cadeau de la \
                boutique ou la contacter.",
    gift_code: "Code cadeau",
    send_code: "M’envoyer un code",
    code_hint: "Il a six chiffres, est envoyé à l’adresse e-mail de la commande et est valable \
                dix minutes.",
    code_sent: "Nous avons envoyé un code à l’adresse e-mail de la commande.",
    for_label: "L’étiquette indique un nom et une adresse. Nous devons donc être sûrs qu’il \
                s’agit bien de vous.",
    label_mailed: "Vous pouvez aussi ouvrir l’étiquette avec le lien de l’e-mail que nous vous \
                   avons envoyé.",
    code: "Code",
    too_many_codes: "Trop de codes. Veuillez réessayer plus tard ou utiliser le lien d’un e-mail \
                     de la boutique.",
    submit: "Confirmer le code",
    wrong_code: "Ce code est incorrect. Veuillez le vérifier.",
    needed: "Veuillez d’abord confirmer votre identité.",
    link_invalid: "Ce lien n’est plus valable. Veuillez rechercher votre commande ici.",
};

pub(super) const SPANISH: ProofWords = ProofWords {
    title: "Confirme quién es",
    offer: "Después también podrá elegir una tarjeta regalo.",
    for_gift_card: "Las tarjetas regalo solo se envían al comprador, por lo que debemos estar \
                    seguros de que es usted.",
    use_link: "Abra esta página con el enlace de un correo de la tienda. Entonces podrá elegir una \
               tarjeta regalo. El reembolso en el método de pago original siempre es posible.",
    for_gift: "Para devolver un regalo hace falta el código de regalo. Está en el recibo de regalo. \
               No se avisará al comprador.",
    ask_store: "Este pedido no tiene código de regalo. Use el enlace de regalo de la tienda o \
                póngase en contacto con ella.",
    gift_code: "Código de regalo",
    send_code: "Enviarme un código",
    code_hint: "Tiene seis cifras, se envía al correo electrónico del pedido y es válido durante \
                diez minutos.",
    code_sent: "Hemos enviado un código al correo electrónico del pedido.",
    for_label: "La etiqueta muestra un nombre y una dirección, por lo que debemos estar \
                seguros de que es usted.",
    label_mailed: "También puede abrir la etiqueta con el enlace del correo que le hemos enviado.",
    code: "Código",
    too_many_codes: "Demasiados códigos. Vuelva a intentarlo más tarde o use el enlace de un \
                     correo de la tienda.",
    submit: "Confirmar el código",
    wrong_code: "Este código no es correcto. Revíselo.",
    needed: "Confirme primero quién es.",
    link_invalid: "Este enlace ya no es válido. Busque su pedido aquí.",
};
