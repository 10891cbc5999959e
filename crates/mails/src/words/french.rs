//! French.

use super::{KindWords, MailWords, NextWords};

pub(super) static WORDS: MailWords = MailWords {
    return_confirmed: KindWords {
        subject: "Votre retour {return_number} est confirmé",
        text: "Merci. Nous avons enregistré votre retour auprès de {shop}.",
    },
    label_ready: KindWords {
        subject: "Votre étiquette de retour est prête",
        text: "L’étiquette de votre retour {return_number} auprès de {shop} est prête. Utilisez-la \
               au plus tard le {date}. Une étiquette reçue auparavant n’est plus valable.",
    },
    parcel_seen: KindWords {
        subject: "Votre retour est en route",
        text: "Le transporteur a pris en charge votre retour {return_number} auprès de {shop}. \
               Vous n’avez plus rien à faire.",
    },
    received: KindWords {
        subject: "Votre retour a été contrôlé",
        text: "L’entrepôt a terminé le contrôle de votre retour {return_number} auprès de {shop}.",
    },
    refund_reported: KindWords {
        subject: "Votre remboursement de {amount}",
        text: "{shop} a versé {amount} pour votre retour {return_number}.",
    },
    exchange_shipped: KindWords {
        subject: "Votre échange est en route",
        text: "{shop} a expédié les articles que vous avez choisis en échange de votre retour \
               {return_number}.",
    },
    exchange_refunded: KindWords {
        subject: "Votre échange devient un remboursement",
        text: "Malheureusement, {shop} ne peut pas vous envoyer les articles choisis en échange. \
               Vous recevrez à la place un remboursement de {amount} pour votre retour \
               {return_number}.",
    },
    exchange_became_card: KindWords {
        subject: "Votre échange devient une carte cadeau",
        text: "Malheureusement, {shop} ne peut pas vous envoyer les articles choisis en échange. \
               Vous recevrez à la place {amount} pour votre retour {return_number}.",
    },
    card_refunded: KindWords {
        subject: "Votre carte cadeau devient un remboursement",
        text: "Malheureusement, {shop} ne peut pas émettre la carte cadeau choisie. Vous recevrez \
               à la place un remboursement de {amount} pour votre retour {return_number}.",
    },
    reminder: KindWords {
        subject: "Envoyez votre retour au plus tard le {date}",
        text: "Nous n’avons pas encore reçu votre retour {return_number} auprès de {shop}. Votre \
               étiquette est valable jusqu’au {date}. Si vous venez de l’envoyer, ne tenez pas \
               compte de ce rappel.",
    },
    canceled: KindWords {
        subject: "Votre retour a été annulé",
        text: "Votre retour {return_number} auprès de {shop} a été annulé et vous gardez vos \
               articles. N’utilisez plus l’étiquette.",
    },
    canceled_kept: KindWords {
        subject: "Votre retour a été annulé",
        text: "Votre retour {return_number} auprès de {shop} a été annulé et vous gardez vos \
               articles.",
    },
    proof_code: KindWords {
        subject: "{code} est votre code",
        text: "Quelqu’un a demandé à {shop} de confirmer que cette adresse e-mail est la vôtre. \
               Saisissez ce code sur la page qui l’a demandé. Il est valable dix minutes.\n\nSi \
               ce n’était pas vous, ignorez cet e-mail. Ne communiquez ce code à personne.",
    },
    withdrawal_acknowledged: KindWords {
        subject: "Nous avons reçu votre rétractation pour la commande {order_number}",
        text: "{shop} a reçu votre déclaration de rétractation le {date}. Conservez cet e-mail\u{a0}: \
               il contient votre déclaration.",
    },
    next: NextWords {
        mail_back: "Imprimez l’étiquette, emballez les articles et déposez le colis.",
        express: "Apportez les articles dans un point relais et présentez votre code. Aucun \
                  emballage n’est nécessaire.",
        keep: "Vous n’avez rien à renvoyer.",
        pickup: "Imprimez l’étiquette et tenez le colis prêt. Le transporteur viendra le chercher.",
    },
    to_original_payment: "Le remboursement est effectué sur le moyen de paiement de la commande. \
                          Cela peut prendre quelques jours.",
    as_gift_card: "Vous recevez ce montant sous forme de carte cadeau.",
    open_label: "Ouvrir l’étiquette",
    open_return: "Voir votre retour",
    open_withdrawal: "Voir l’accusé de réception",
    colon: "\u{a0}:",
    items: "Articles",
    more_items: |count| format!("et {count} de plus"),
    item_received: "reçu",
    item_not_received: "non reçu",
    item_rejected: |reason| format!("refusé\u{a0}: {reason}"),
    item_exchanged: |variant| format!("échangé contre {variant}"),
    amounts: "Montants",
    refund: "Remboursement",
    gift_card: "Carte cadeau",
    shipping: "Frais de livraison",
    fee: "Frais de retour",
    bonus: "Bonus",
    total: "Vous recevrez",
    return_number: |number| format!("Retour {number}"),
    sent_by: |shop| format!("Cet e-mail a été envoyé pour le compte de {shop}."),
};
