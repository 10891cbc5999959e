//! Spanish.

use super::{KindWords, MailWords, NextWords};

pub(super) static WORDS: MailWords = MailWords {
    return_confirmed: KindWords {
        subject: "Tu devolución {return_number} está confirmada",
        text: "Gracias. Hemos registrado tu devolución a {shop}.",
    },
    label_ready: KindWords {
        subject: "Tu etiqueta de devolución está lista",
        text: "La etiqueta de tu devolución {return_number} a {shop} está lista. Úsala como muy \
               tarde el {date}. Si recibiste otra etiqueta antes, ya no es válida.",
    },
    parcel_seen: KindWords {
        subject: "Tu devolución está en camino",
        text: "El transportista tiene tu devolución {return_number} a {shop}. No tienes que hacer \
               nada más.",
    },
    received: KindWords {
        subject: "Tu devolución ha sido revisada",
        text: "El almacén ha terminado de revisar tu devolución {return_number} a {shop}.",
    },
    refund_reported: KindWords {
        subject: "Tu reembolso de {amount}",
        text: "{shop} ha pagado {amount} por tu devolución {return_number}.",
    },
    exchange_shipped: KindWords {
        subject: "Tu cambio está en camino",
        text: "{shop} ha enviado los artículos que elegiste a cambio de tu devolución \
               {return_number}.",
    },
    exchange_refunded: KindWords {
        subject: "En lugar del cambio recibirás un reembolso",
        text: "Lamentablemente, {shop} no puede enviarte los artículos que elegiste a cambio. En \
               su lugar recibirás un reembolso de {amount} por tu devolución {return_number}.",
    },
    reminder: KindWords {
        subject: "Envía tu devolución como muy tarde el {date}",
        text: "Aún no hemos recibido tu devolución {return_number} a {shop}. Puedes usar tu \
               etiqueta hasta el {date}. Si acabas de enviarla, ignora este recordatorio.",
    },
    canceled: KindWords {
        subject: "Tu devolución ha sido cancelada",
        text: "Tu devolución {return_number} a {shop} ha sido cancelada y te quedas con los \
               artículos. No uses la etiqueta.",
    },
    proof_code: KindWords {
        subject: "{code} es tu código",
        text: "Alguien ha pedido a {shop} que confirme que esta dirección de correo es tuya. \
               Escribe este código en la página que lo solicitó. Es válido durante diez \
               minutos.\n\nSi no fuiste tú, puedes ignorar este correo. No compartas el código \
               con nadie.",
    },
    withdrawal_acknowledged: KindWords {
        subject: "Hemos recibido tu desistimiento del pedido {order_number}",
        text: "{shop} recibió tu declaración de desistimiento el {date}. Guarda este correo: \
               contiene tu declaración.",
    },
    next: NextWords {
        mail_back: "Imprime la etiqueta, embala los artículos y entrega el paquete.",
        express: "Lleva los artículos a un punto de entrega y muestra tu código. No necesitas \
                  caja.",
        keep: "No tienes que devolver nada.",
        pickup: "Imprime la etiqueta y ten el paquete preparado. El transportista lo recogerá.",
    },
    to_original_payment: "El dinero se abona en el método de pago del pedido. Puede tardar unos \
                          días en llegar.",
    as_gift_card: "Lo recibes como tarjeta regalo.",
    open_label: "Abrir la etiqueta",
    open_return: "Ver tu devolución",
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
    total: "Recibirás",
    return_number: |number| format!("Devolución {number}"),
    sent_by: |shop| format!("Este correo se envió en nombre de {shop} sobre una devolución."),
};
