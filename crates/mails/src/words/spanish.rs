//! Spanish.

use super::{KindWords, MailWords, NextWords};

pub(super) static WORDS: MailWords = MailWords {
    return_confirmed: KindWords {
        subject: "Su devolución {return_number} está confirmada",
        text: "Gracias. Hemos registrado su devolución a {shop}.",
    },
    label_ready: KindWords {
        subject: "Su etiqueta de devolución está lista",
        text: "La etiqueta de su devolución {return_number} a {shop} está lista. Úsela como muy \
               tarde el {date}. Si recibió otra etiqueta antes, ya no es válida.",
    },
    parcel_seen: KindWords {
        subject: "Su devolución está en camino",
        text: "El transportista tiene su devolución {return_number} a {shop}. No tiene que hacer \
               nada más.",
    },
    received: KindWords {
        subject: "Su devolución ha sido revisada",
        text: "El almacén ha terminado de revisar su devolución {return_number} a {shop}.",
    },
    refund_reported: KindWords {
        subject: "Su reembolso de {amount}",
        text: "{shop} ha pagado {amount} por su devolución {return_number}.",
    },
    exchange_shipped: KindWords {
        subject: "Su cambio está en camino",
        text: "{shop} ha enviado los artículos que eligió a cambio de su devolución \
               {return_number}.",
    },
    exchange_refunded: KindWords {
        subject: "En lugar del cambio recibirá un reembolso",
        text: "Lamentablemente, {shop} no puede enviarle los artículos que eligió a cambio. En su \
               lugar recibirá un reembolso de {amount} por su devolución {return_number}.",
    },
    exchange_became_card: KindWords {
        subject: "En lugar del cambio recibirá una tarjeta regalo",
        text: "Lamentablemente, {shop} no puede enviarle los artículos que eligió a cambio. En su \
               lugar recibirá {amount} por su devolución {return_number}.",
    },
    card_refunded: KindWords {
        subject: "En lugar de la tarjeta regalo recibirá un reembolso",
        text: "Lamentablemente, {shop} no puede emitir la tarjeta regalo que eligió. En su lugar \
               recibirá un reembolso de {amount} por su devolución {return_number}.",
    },
    reminder: KindWords {
        subject: "Envíe su devolución como muy tarde el {date}",
        text: "Aún no hemos recibido su devolución {return_number} a {shop}. Puede usar su \
               etiqueta hasta el {date}. Si acaba de enviarla, ignore este recordatorio.",
    },
    canceled: KindWords {
        subject: "Su devolución ha sido cancelada",
        text: "Su devolución {return_number} a {shop} ha sido cancelada y usted se queda con los \
               artículos. No use la etiqueta.",
    },
    canceled_kept: KindWords {
        subject: "Su devolución ha sido cancelada",
        text: "Su devolución {return_number} a {shop} ha sido cancelada y usted se queda con los \
               artículos.",
    },
    proof_code: KindWords {
        subject: "{code} es su código",
        text: "Alguien ha pedido a {shop} que confirme que esta dirección de correo es suya. \
               Escriba este código en la página que lo solicitó. Es válido durante diez \
               minutos.\n\nSi no fue usted, puede ignorar este correo. No comparta el código con \
               nadie.",
    },
    withdrawal_acknowledged: KindWords {
        subject: "Hemos recibido su desistimiento del pedido {order_number}",
        text: "{shop} recibió su declaración de desistimiento el {date}. Guarde este correo: \
               contiene su declaración.",
    },
    next: NextWords {
        mail_back: "Imprima la etiqueta, embale los artículos y entregue el paquete.",
        express: "Lleve los artículos a un punto de entrega y muestre su código. No necesita caja.",
        keep: "No tiene que devolver nada.",
        pickup: "Imprima la etiqueta y tenga el paquete preparado. El transportista lo recogerá.",
    },
    to_original_payment: "El dinero se abona en el método de pago del pedido. Puede tardar unos \
                          días en llegar.",
    as_gift_card: "Lo recibirá como tarjeta regalo.",
    open_label: "Abrir la etiqueta",
    open_return: "Ver su devolución",
    open_withdrawal: "Ver el acuse de recibo",
    colon: ":",
    items: "Artículos",
    more_items: |count| format!("y {count} más"),
    item_received: "recibido",
    item_not_received: "no recibido",
    item_rejected: |reason| format!("no aceptado: {reason}"),
    item_exchanged: |variant| format!("cambio por {variant}"),
    amounts: "Importes",
    refund: "Reembolso",
    gift_card: "Tarjeta regalo",
    shipping: "Gastos de envío",
    fee: "Gastos de devolución",
    bonus: "Bonificación",
    total: "Recibirá",
    return_number: |number| format!("Devolución {number}"),
    sent_by: |shop| format!("Este correo se envió en nombre de {shop}."),
};
