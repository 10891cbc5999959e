//! French.

use super::texts::{
    ChooseWords, ErrorWords, FindWords, FrameWords, LabelWords, MethodWords, ReviewWords,
    RuleWords, StatusWords, TitledText, Words,
};

pub(super) static WORDS: Words = Words {
    frame: FrameWords {
        returns: "Retours",
        skip_to_content: "Aller au contenu",
        language: "Langue",
        contact: |merchant| format!("Des questions\u{a0}? Veuillez contacter {merchant}."),
        check_fields: "Veuillez vérifier les points suivants",
    },
    find: FindWords {
        title: "Créer un retour",
        lead: "Recherchez votre commande pour voir quels articles vous pouvez retourner et quel \
               montant vous recevrez.",
        order_number: "Numéro de commande",
        order_number_hint: "Il figure dans votre confirmation de commande.",
        email_or_postal_code: "Adresse e-mail ou code postal",
        email_or_postal_code_hint: "L’adresse e-mail utilisée pour la commande ou le code postal \
                                    de livraison.",
        gift: "J’ai reçu cet article en cadeau",
        gift_hint: "Saisissez le code du reçu cadeau ou le code postal. La personne qui a passé la \
                    commande n’en sera pas informée.",
        submit: "Rechercher ma commande",
        existing_return_hint: "Vous avez déjà créé un retour\u{a0}? Recherchez ici votre commande \
                               pour suivre son état.",
        not_found: "Nous n’avons trouvé aucune commande avec ces informations. Veuillez les \
                    comparer à votre confirmation de commande.",
        too_many_attempts: "Trop de tentatives. Veuillez réessayer dans une minute.",
        too_many_failures: "Trop de tentatives ont échoué. Utilisez l’adresse e-mail de votre \
                            commande ou réessayez dans une heure.",
    },
    choose: ChooseWords {
        title: "Que souhaitez-vous retourner\u{a0}?",
        order: |number| format!("Commande {number}"),
        ordered_on: |date| format!("passée le {date}"),
        earlier_returns: "Vos retours pour cette commande",
        items: "Vos articles",
        price_each: |amount| format!("{amount} pièce"),
        return_by: |date| format!("Retour possible jusqu’au {date}"),
        not_returnable: "Retour impossible",
        partly_returnable: "Certains exemplaires ne peuvent pas être retournés",
        return_item: "Retourner cet article",
        quantity: "Combien\u{a0}?",
        reason: "Motif du retour",
        please_choose: "Veuillez choisir",
        resolution: "Que souhaitez-vous en échange\u{a0}?",
        refund: "Remboursement",
        refund_hint: "Sur votre moyen de paiement d’origine",
        gift_card: "Carte cadeau",
        gift_card_hint: "Pour votre prochaine commande",
        bonus: |percent| format!("{percent}\u{a0}% en plus"),
        bonus_up_to: |percent, amount| format!("{percent}\u{a0}% en plus, jusqu’à {amount}"),
        exchange: "Échange",
        exchange_hint: "Contre une autre taille ou couleur",
        variant: "Quel article souhaitez-vous à la place\u{a0}?",
        pick_variant: "Choisissez l’article que vous souhaitez à la place, puis continuez.",
        no_variants: "Cet article ne peut pas être échangé pour le moment. Veuillez choisir une \
                      autre option.",
        sold_out: "Épuisé",
        same_price: "Même prix",
        difference_back: |amount| format!("{amount} vous seront remboursés"),
        no_charge: "Sans supplément",
        fallback: "Que souhaitez-vous s’il est épuisé\u{a0}?",
        split: "Choisir d’autres options pour certains exemplaires",
        selection: |number| format!("Sélection {number}"),
        method: "Comment souhaitez-vous le retourner\u{a0}?",
        free: "Gratuit",
        fee: |amount| format!("{amount}, déduits de votre remboursement"),
        fee_range: |low, high| format!("de {low} à {high}, selon le motif"),
        email: "Votre adresse e-mail",
        email_hint: "Nous y enverrons la carte cadeau. La personne qui a acheté le cadeau n’en \
                     sera pas informée.",
        submit: "Vérifier le remboursement",
        nothing_returnable: "Aucun article de cette commande ne peut être retourné.",
        need_item: "Veuillez choisir au moins un article.",
        need_reason: "Veuillez choisir un motif.",
        need_variant: "Veuillez choisir l’article que vous souhaitez à la place.",
        need_other_fallback: "Veuillez choisir ici autre chose que l’article souhaité.",
        need_method: "Veuillez choisir un mode de retour.",
        too_many_items: "Veuillez choisir moins d’articles et créer un autre retour pour les autres.",
        need_email: "Veuillez indiquer l’adresse e-mail pour la carte cadeau.",
    },
    rules: RuleWords {
        order_canceled: "Cette commande a été annulée.",
        not_shipped: "Cet article n’a pas été expédié.",
        unit_canceled: "Cet article a été annulé.",
        window: "Le délai de retour est dépassé.",
        window_ended_on: |date| format!("Le délai de retour a pris fin le {date}."),
        final_sale: "Cet article est vendu sans possibilité de retour.",
        gift_card: "Les cartes cadeaux ne peuvent pas être retournées.",
        pick_up_in_store: "Cet article a été retiré en magasin. Veuillez l’y rapporter.",
        third_party: "Cet article a été vendu par une autre société. Veuillez le lui retourner.",
        customer_service: "Veuillez contacter le service client au sujet de cet article.",
        country: "Les retours depuis votre pays ne sont pas possibles.",
        no_method: "Aucun mode de retour n’est disponible pour cet article.",
        already_returned: "Cet article fait déjà partie d’un retour.",
        already_refunded: "Cet article a déjà été remboursé.",
        method_offered: "Ce mode de retour n’est pas disponible.",
        method_country: "Ce mode de retour n’est pas disponible dans votre pays.",
        method_weight: "Un article est trop lourd pour ce mode de retour. Veuillez en choisir un \
                        autre.",
        method_amount: "La valeur des articles est trop élevée pour ce mode de retour. Veuillez en \
                        choisir un autre.",
        method_reason: "Ce mode de retour n’est pas disponible pour le motif choisi. Veuillez en \
                        choisir un autre.",
        reason_known: "Veuillez choisir l’un des motifs proposés.",
        exchange_offered: "L’échange n’est pas possible pour cet article ou ce motif.",
        gift_card_offered: "Les cartes cadeaux ne sont pas disponibles.",
        one_exchange: "Un article de cette commande a déjà été échangé. Veuillez choisir une autre \
                       option.",
        variant_sold_out: "Cette variante vient d’être épuisée. Veuillez en choisir une autre.",
        variant_price: "Cette variante a un prix différent. Veuillez en choisir une autre.",
        just_returned: "Ces articles viennent d’être ajoutés à un autre retour.",
        not_possible: "Ce n’est pas possible. Veuillez faire un autre choix.",
    },
    methods: MethodWords {
        mail_back: TitledText {
            title: "Par la poste",
            text: "Imprimez une étiquette et envoyez un colis",
        },
        express: TitledText {
            title: "En point relais",
            text: "Présentez un code, aucun carton nécessaire",
        },
        keep: TitledText { title: "Garder l’article", text: "Vous n’avez rien à renvoyer" },
        pickup: TitledText {
            title: "Enlèvement à domicile",
            text: "Le transporteur vient chercher votre colis chez vous",
        },
    },
    review: ReviewWords {
        title: "Vérifiez votre retour",
        lead: "Rien n’a encore été envoyé. Vérifiez les informations, puis confirmez.",
        changed: "Votre remboursement a changé depuis votre dernière visite. Veuillez le vérifier \
                  à nouveau.",
        items: "Articles que vous retournez",
        item: "Article",
        price: "Prix",
        discount: "Remise",
        tax: "Taxes",
        value: "Valeur",
        as_refund: "Remboursement",
        as_gift_card: "Carte cadeau",
        as_exchange: |variant| format!("Échange contre {variant}"),
        refund: "Remboursement",
        gift_card: "Carte cadeau",
        shipping: "Frais de livraison",
        fee: "Frais de retour",
        bonus: "Bonus",
        difference: "Différence de prix",
        total: "Vous recevrez",
        exchanged: |amount| {
            format!(
                "Des articles d’une valeur de {amount} seront échangés. Vous recevrez les nouveaux \
                 articles au lieu d’un remboursement."
            )
        },
        method: "Mode de retour",
        refund_on_scan: "Votre remboursement sera effectué dès que le transporteur aura votre \
                         colis.",
        refund_on_receipt: "Votre remboursement sera effectué dès que l’entrepôt aura reçu vos \
                            articles.",
        confirm: "Confirmer le retour",
        make_changes: "Modifier",
    },
    status: StatusWords {
        title: "Votre retour",
        rma: |number| format!("Retour {number}"),
        started_on: |date| format!("créé le {date}"),
        progress: "Suivi",
        step_done: "terminé",
        step_pending: "à venir",
        started: "Retour créé",
        canceled: "Retour annulé",
        ordered: "Commande de l’échange ou de la carte cadeau passée",
        label_ready: "Étiquette prête",
        on_its_way: "Colis en route vers nous",
        dropped_off: "Articles déposés",
        picked_up: "Articles enlevés",
        arrived: "Articles arrivés",
        completed: "Retour terminé",
        next: "Prochaines étapes",
        next_await_label: "Le transporteur prépare votre étiquette. Veuillez revenir dans un \
                           instant.",
        next_print_label: "Imprimez l’étiquette, emballez les articles et déposez le colis.",
        next_show_code: "Apportez les articles dans un point relais et présentez votre code.",
        next_await_pickup: "Imprimez l’étiquette et préparez le colis. Le transporteur viendra le \
                            chercher.",
        next_in_transit: "Vos articles sont en route. Vous n’avez plus rien à faire.",
        next_await_refund: "Vous n’avez plus rien à faire. Votre remboursement ou votre échange \
                            est en cours.",
        next_carrier_problem: "Le transporteur a signalé un problème avec votre colis. Veuillez \
                               contacter la boutique.",
        next_completed: "Votre retour est terminé. Merci\u{a0}!",
        next_canceled: "Ce retour a été annulé et vous gardez vos articles. Vous pouvez créer un \
                        nouveau retour à tout moment.",
        show_label: "Afficher l’étiquette",
        show_code: "Afficher le code",
        tracking_number: "Numéro de suivi",
        items: "Articles retournés",
        refunded_on: |date| format!("Remboursé le {date}"),
        exchange_pending: "Votre nouvelle commande est en cours de création",
        exchange_placed: |order, date| format!("La commande {order} a été passée le {date}"),
        exchange_shipped: |order| format!("La commande {order} est en route vers vous"),
        exchange_failed: "La boutique n’a pas pu échanger vos articles ou émettre votre carte \
                          cadeau. Vous recevrez un remboursement à la place.",
        exchange_credit: "Crédit pour l’échange",
        gift_card_issued_on: |date| format!("Carte cadeau émise le {date}"),
        not_received: "Non reçu",
        rejected: "Non accepté",
        rejected_because: |reason| format!("Non accepté\u{a0}: {reason}"),
        fees_adjusted: "Frais ajustés",
        adjustment: "Ajustement",
        balance: "Reste à recevoir",
        find_order_first: "Recherchez votre commande pour imprimer l’étiquette ou annuler le \
                   retour",
        find_order_for_label: "Recherchez votre commande pour imprimer l’étiquette",
        find_order_to_cancel: "Recherchez votre commande pour annuler le retour",
        cancel: "Annuler le retour",
        cancel_consequences: "Vous garderez vos articles et ne recevrez pas de remboursement. \
                              Veuillez ne pas utiliser l’étiquette.",
        cancel_confirm: "Oui, annuler le retour",
        too_late_moving: "Ce retour ne peut plus être annulé, car les articles sont en route.",
        too_late_received: "Ce retour ne peut plus être annulé, car les articles sont arrivés.",
        too_late_refunded: "Ce retour ne peut plus être annulé, car vous avez déjà reçu votre \
                            remboursement ou votre carte cadeau.",
        too_late_exchange: "Ce retour ne peut pas être annulé, car votre échange ou votre carte \
                            cadeau est déjà en cours de traitement.",
        too_late: "Ce retour ne peut plus être annulé.",
        bookmark_page: "Ajoutez cette page à vos favoris. Elle indique toujours l’état de votre \
                        retour.",
        back_to_order: "Revenir à votre commande",
        is_created: "En cours",
        is_pending: "Échange ou carte cadeau en cours",
        is_partial: "Partiellement terminé",
        is_refunded: "Terminé",
        is_canceled: "Annulé",
    },
    label: LabelWords {
        canceled: TitledText {
            title: "Ce retour a été annulé",
            text: "Vous n’avez rien à renvoyer. Si vous avez déjà imprimé une étiquette, elle \
                   n’est plus valable.",
        },
        used: TitledText {
            title: "Cette étiquette a déjà été utilisée",
            text: "Le transporteur a déjà vos articles. L’étiquette n’est donc plus \
                   affichée.",
        },
        expired: TitledText {
            title: "Cette étiquette a expiré",
            text: "Si vous souhaitez encore retourner les articles, demandez une nouvelle \
                   étiquette sur la page de votre retour, ou contactez-nous.",
        },
        kept: TitledText {
            title: "Rien à renvoyer",
            text: "Gardez les articles ou offrez-les à quelqu’un à qui ils feront plaisir. Il n’y \
                   a rien à imprimer ni à envoyer.",
        },
        items_to_keep: "Articles que vous gardez",
        label: "Votre étiquette de retour",
        label_pending: TitledText {
            title: "Votre étiquette est en préparation",
            text: "Le transporteur prépare votre étiquette. Elle s’affichera ici dès qu’elle sera \
                   prête.",
        },
        code: "Votre code de dépôt",
        code_pending: TitledText {
            title: "Votre code est en préparation",
            text: "Le transporteur prépare votre code de dépôt. Il s’affichera ici dès qu’il sera \
                   prêt.",
        },
        come_back_later: "Vous pouvez fermer cette page et revenir plus tard.",
        check_again: "Vérifier à nouveau",
        items_to_return: "Articles à retourner",
        rma: "Retour",
        started_on: |date| format!("créé le {date}"),
        steps: "Trois étapes",
        pack: TitledText {
            title: "Emballez",
            text: "Placez les articles et la liste de colisage dans un carton solide. Retirez ou \
                   couvrez les anciennes étiquettes et fermez bien le carton.",
        },
        attach_label: TitledText {
            title: "Collez l’étiquette",
            text: "Imprimez cette page en taille réelle (100\u{a0}%), découpez le long des \
                   pointillés et collez l’étiquette à plat sur le plus grand côté. Ne mettez pas \
                   de ruban adhésif sur le code-barres.",
        },
        send: TitledText {
            title: "Envoyez",
            text: "Déposez le colis dans un point relais du transporteur. Gardez le reçu jusqu’à \
                   ce que votre retour soit terminé.",
        },
        await_pickup: TitledText {
            title: "Attendez l’enlèvement",
            text: "Préparez le colis. Le transporteur viendra le chercher à l’adresse indiquée \
                   sous «\u{a0}De\u{a0}» sur l’étiquette. Demandez un reçu.",
        },
        bring_items: TitledText {
            title: "Apportez les articles",
            text: "Apportez-les tels quels dans un point relais. Ni carton, ni étiquette, ni ruban \
                   adhésif.",
        },
        show_code: TitledText {
            title: "Présentez ce code",
            text: "Sur votre téléphone, avec la luminosité au maximum, ou imprimé.",
        },
        keep_receipt: TitledText {
            title: "Gardez le reçu",
            text: "Il vous sera remis au point relais. Gardez-le jusqu’à ce que votre retour \
                   soit terminé.",
        },
        from: "De",
        to: "À",
        return_mark: "Retour",
        tracking_number: "Numéro de suivi",
        packing_list: "Liste de colisage",
        packing_list_hint: "À mettre dans le colis.",
        items_to_bring: "Articles à apporter",
        quantity: "Qté",
        item: "Article",
        sku: "Réf.",
        barcode_of_tracking_number: |number| format!("Code-barres du numéro de suivi {number}"),
        qr_of_tracking_number: |number| format!("Code QR du numéro de suivi {number}"),
        qr_of_return: |rma| format!("Code QR du retour {rma}"),
        qr_of_both: |rma, number| format!("Code QR du retour {rma} et du numéro de suivi {number}"),
    },
    parcels: super::parcels::FRENCH,
    withdrawal: super::withdrawal::FRENCH,
    proof: super::proof::FRENCH,
    gifts: super::gifts::FRENCH,
    errors: ErrorWords {
        not_found: TitledText {
            title: "Page introuvable",
            text: "Veuillez vérifier l’adresse ou demander le bon lien à la boutique.",
        },
        other_origin: TitledText {
            title: "Nous n’avons pas pu vérifier cette demande",
            text: "Veuillez rouvrir la page et réessayer.",
        },
        too_large: TitledText {
            title: "Votre saisie est trop longue",
            text: "Veuillez revenir en arrière, raccourcir votre texte et réessayer.",
        },
        too_many_requests: TitledText {
            title: "Trop de tentatives",
            text: "Veuillez réessayer dans une minute.",
        },
        server_error: TitledText {
            title: "Une erreur est survenue",
            text: "Le problème vient de notre côté. Veuillez réessayer dans un instant.",
        },
    },
};
