//! Gift cards, and returns of gifts, in every language. The recipient of a gift gets a gift card
//! where the buyer gets a refund.

/// A text with a value in it.
type Sentence = fn(&str) -> String;

/// What pages say about gift cards instead of orders and refunds.
pub(crate) struct GiftWords {
    /// Steps of a return: the order of an exchange is placed, a gift card is issued.
    pub(crate) exchange_ordered: &'static str,
    pub(crate) card_issued: &'static str,
    /// Of an item: its gift card is not issued yet.
    pub(crate) pending: &'static str,
    /// The recipient of a gift chooses and reviews.
    pub(crate) fee: Sentence,
    pub(crate) submit: &'static str,
    pub(crate) changed: &'static str,
    /// The value of the items that are exchanged.
    pub(crate) exchanged: Sentence,
    pub(crate) card_on_scan: &'static str,
    pub(crate) card_on_receipt: &'static str,
    /// The page of the return of a gift.
    pub(crate) next_await_card: &'static str,
    pub(crate) exchange_failed: &'static str,
    pub(crate) cancel_consequences: &'static str,
}

pub(super) const ENGLISH: GiftWords = GiftWords {
    exchange_ordered: "Exchange ordered",
    card_issued: "Gift card issued",
    pending: "Your gift card is being issued",
    fee: |amount| format!("{amount}, deducted from your gift card"),
    submit: "Review gift card",
    changed: "Your gift card has changed since you last saw it. Please check it again.",
    exchanged: |amount| {
        format!(
            "Items worth {amount} will be exchanged. You will receive the new items instead of a \
             gift card."
        )
    },
    card_on_scan: "Your gift card will be issued as soon as the carrier has your package.",
    card_on_receipt: "Your gift card will be issued as soon as the warehouse has received your \
                      items.",
    next_await_card: "There is nothing else you need to do. Your gift card or exchange is on its \
                      way.",
    exchange_failed: "The store could not exchange your items, so you will receive a gift card \
                      instead.",
    cancel_consequences: "You will keep your items and will not receive a gift card. Please do \
                          not use the label.",
};

pub(super) const GERMAN: GiftWords = GiftWords {
    exchange_ordered: "Umtausch bestellt",
    card_issued: "Gutschein ausgestellt",
    pending: "Ihr Gutschein wird ausgestellt",
    fee: |amount| format!("{amount}, wird von Ihrem Gutschein abgezogen"),
    submit: "Gutschein prüfen",
    changed: "Ihr Gutschein hat sich seit Ihrem letzten Besuch geändert. Bitte prüfen Sie ihn noch \
              einmal.",
    exchanged: |amount| {
        format!(
            "Artikel im Wert von {amount} werden umgetauscht. Statt eines Gutscheins erhalten Sie \
             die neuen Artikel."
        )
    },
    card_on_scan: "Ihr Gutschein wird ausgestellt, sobald der Paketdienst Ihr Paket hat.",
    card_on_receipt: "Ihr Gutschein wird ausgestellt, sobald Ihre Artikel im Lager eingegangen \
                      sind.",
    next_await_card: "Sie müssen nichts weiter tun. Ihr Gutschein oder Ihr Umtausch ist unterwegs.",
    exchange_failed: "Der Shop konnte Ihre Artikel nicht umtauschen. Sie erhalten stattdessen \
                      einen Gutschein.",
    cancel_consequences: "Sie behalten Ihre Artikel und erhalten keinen Gutschein. Bitte verwenden \
                          Sie das Etikett nicht.",
};

pub(super) const FRENCH: GiftWords = GiftWords {
    exchange_ordered: "Échange commandé",
    card_issued: "Carte cadeau émise",
    pending: "Votre carte cadeau est en cours d’émission",
    fee: |amount| format!("{amount}, déduits de votre carte cadeau"),
    submit: "Vérifier la carte cadeau",
    changed: "Votre carte cadeau a changé depuis votre dernière visite. Veuillez la vérifier à \
              nouveau.",
    exchanged: |amount| {
        format!(
            "Des articles d’une valeur de {amount} seront échangés. Vous recevrez les nouveaux \
             articles au lieu d’une carte cadeau."
        )
    },
    card_on_scan: "Votre carte cadeau sera émise dès que le transporteur aura votre colis.",
    card_on_receipt: "Votre carte cadeau sera émise dès que l’entrepôt aura reçu vos articles.",
    next_await_card: "Vous n’avez plus rien à faire. Votre carte cadeau ou votre échange est en \
                      cours.",
    exchange_failed: "La boutique n’a pas pu échanger vos articles. Vous recevrez une carte cadeau \
                      à la place.",
    cancel_consequences: "Vous garderez vos articles et ne recevrez pas de carte cadeau. Veuillez \
                          ne pas utiliser l’étiquette.",
};

pub(super) const SPANISH: GiftWords = GiftWords {
    exchange_ordered: "Cambio solicitado",
    card_issued: "Tarjeta regalo emitida",
    pending: "Su tarjeta regalo se está emitiendo",
    fee: |amount| format!("{amount}, se descontarán de su tarjeta regalo"),
    submit: "Revisar la tarjeta regalo",
    changed: "Su tarjeta regalo ha cambiado desde la última vez que la vio. Revísela de nuevo.",
    exchanged: |amount| {
        format!(
            "Se cambiarán artículos por valor de {amount}. Recibirá los artículos nuevos en lugar \
             de una tarjeta regalo."
        )
    },
    card_on_scan: "Su tarjeta regalo se emitirá en cuanto el transportista tenga su paquete.",
    card_on_receipt: "Su tarjeta regalo se emitirá en cuanto el almacén haya recibido sus \
                      artículos.",
    next_await_card: "No tiene que hacer nada más. Su tarjeta regalo o cambio está en camino.",
    exchange_failed: "La tienda no pudo cambiar sus artículos. En su lugar, recibirá una tarjeta \
                      regalo.",
    cancel_consequences: "Conservará sus artículos y no recibirá ninguna tarjeta regalo. No \
                          utilice la etiqueta.",
};
