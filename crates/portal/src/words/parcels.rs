//! Labels that a carrier made, and new labels, in every language.

use super::texts::{ParcelWords, TitledText};

pub(super) const ENGLISH: ParcelWords = ParcelWords {
    parcel: |number, all| format!("Package {number} of {all}"),
    count: "How many packages will you send?",
    count_hint: "Each package gets a label of its own. Leave it at 1 if everything fits into one.",
    need_count: "Please enter a number from 1 to 20, at most as many as there are items.",
    sent_in: |count| format!("In {count} packages, each with a label of its own."),
    print_label: TitledText {
        title: "Attach the label",
        text: "Print the label at full size (100%) and attach it flat to the largest side. Do not \
               put tape over the barcode.",
    },
    open_pdf: "Open the label to print it (PDF)",
    open_png: "Open the label to print it (image)",
    download_zpl: "Download the label for a label printer (ZPL)",
    label_of: |number| format!("Label with tracking number {number}"),
    code_of: |number| format!("Code for the drop-off point, tracking number {number}"),
    hand_off_code: "Your code",
    places: "Where you can hand over the items",
    valid_until: |date| format!("Valid until {date}."),
    renew: "I need a new label",
    renew_consequences: "The old label becomes invalid. Please do not use it any more.",
    renew_reason: "What is wrong with the old label?",
    reason_lost: "I no longer have it",
    reason_expired: "It has expired",
    reason_wrong_size: "It is for another size of package",
    reason_damaged: "It cannot be read",
    renew_confirm: "Request a new label",
    renew_refused: "You cannot get a new label here, because the old one was used or several \
                    labels were already requested. Please contact us.",
    renew_unproven: "Do you need a new label? Open this page with the link in an email from the \
                     store, or contact the store.",
};

pub(super) const GERMAN: ParcelWords = ParcelWords {
    parcel: |number, all| format!("Paket {number} von {all}"),
    count: "Wie viele Pakete senden Sie?",
    count_hint: "Jedes Paket bekommt ein eigenes Etikett. Lassen Sie 1 stehen, wenn alles in eines \
                 passt.",
    need_count: "Bitte geben Sie eine Zahl von 1 bis 20 ein, höchstens so viele, wie es Artikel \
                 sind.",
    sent_in: |count| format!("In {count} Paketen, jedes mit einem eigenen Etikett."),
    print_label: TitledText {
        title: "Etikett aufkleben",
        text: "Drucken Sie das Etikett in voller Größe (100 %) und kleben Sie es flach auf die \
               größte Seite. Überkleben Sie den Strichcode nicht.",
    },
    open_pdf: "Etikett zum Drucken öffnen (PDF)",
    open_png: "Etikett zum Drucken öffnen (Bild)",
    download_zpl: "Etikett für einen Etikettendrucker herunterladen (ZPL)",
    label_of: |number| format!("Etikett mit der Sendungsnummer {number}"),
    code_of: |number| format!("Code für die Annahmestelle, Sendungsnummer {number}"),
    hand_off_code: "Ihr Code",
    places: "Hier können Sie die Artikel abgeben",
    valid_until: |date| format!("Gültig bis {date}."),
    renew: "Ich brauche ein neues Etikett",
    renew_consequences: "Das alte Etikett wird ungültig. Bitte verwenden Sie es nicht mehr.",
    renew_reason: "Was ist mit dem alten Etikett?",
    reason_lost: "Ich habe es nicht mehr",
    reason_expired: "Es ist abgelaufen",
    reason_wrong_size: "Es passt nicht zur Größe des Pakets",
    reason_damaged: "Es ist nicht lesbar",
    renew_confirm: "Neues Etikett anfordern",
    renew_refused: "Sie können hier kein neues Etikett bekommen, weil das alte verwendet wurde \
                    oder bereits mehrere angefordert wurden. Bitte wenden Sie sich an uns.",
    renew_unproven: "Brauchen Sie ein neues Etikett? Öffnen Sie diese Seite über den Link in einer \
                     E-Mail des Shops oder wenden Sie sich an den Shop.",
};

pub(super) const FRENCH: ParcelWords = ParcelWords {
    parcel: |number, all| format!("Colis {number} sur {all}"),
    count: "Combien de colis enverrez-vous\u{a0}?",
    count_hint: "Chaque colis a sa propre étiquette. Laissez 1 si tout tient dans un seul.",
    need_count: "Veuillez indiquer un nombre de 1 à 20, au plus le nombre d’articles.",
    sent_in: |count| format!("En {count} colis, chacun avec sa propre étiquette."),
    print_label: TitledText {
        title: "Collez l’étiquette",
        text: "Imprimez l’étiquette en taille réelle (100\u{a0}%) et collez-la à plat sur le plus \
               grand côté. Ne mettez pas de ruban adhésif sur le code-barres.",
    },
    open_pdf: "Ouvrir l’étiquette pour l’imprimer (PDF)",
    open_png: "Ouvrir l’étiquette pour l’imprimer (image)",
    download_zpl: "Télécharger l’étiquette pour une imprimante d’étiquettes (ZPL)",
    label_of: |number| format!("Étiquette avec le numéro de suivi {number}"),
    code_of: |number| format!("Code pour le point relais, numéro de suivi {number}"),
    hand_off_code: "Votre code",
    places: "Où remettre les articles",
    valid_until: |date| format!("Valable jusqu’au {date}."),
    renew: "J’ai besoin d’une nouvelle étiquette",
    renew_consequences: "L’ancienne étiquette n’est plus valable. Veuillez ne plus l’utiliser.",
    renew_reason: "Quel est le problème avec l’ancienne étiquette\u{a0}?",
    reason_lost: "Je ne l’ai plus",
    reason_expired: "Elle a expiré",
    reason_wrong_size: "Elle ne correspond pas à la taille du colis",
    reason_damaged: "Elle est illisible",
    renew_confirm: "Demander une nouvelle étiquette",
    renew_refused: "Vous ne pouvez pas obtenir de nouvelle étiquette ici, car l’ancienne a été \
                    utilisée ou plusieurs ont déjà été demandées. Veuillez nous contacter.",
    renew_unproven: "Besoin d’une nouvelle étiquette\u{a0}? Ouvrez cette page avec le lien reçu \
                     dans un e-mail de la boutique, ou contactez la boutique.",
};

pub(super) const SPANISH: ParcelWords = ParcelWords {
    parcel: |number, all| format!("Paquete {number} de {all}"),
    count: "¿Cuántos paquetes enviará?",
    count_hint: "Cada paquete tiene su propia etiqueta. Deje 1 si todo cabe en uno.",
    need_count: "Indique un número del 1 al 20, como máximo el número de artículos.",
    sent_in: |count| format!("En {count} paquetes, cada uno con su propia etiqueta."),
    print_label: TitledText {
        title: "Pegue la etiqueta",
        text: "Imprima la etiqueta a tamaño real (100\u{a0}%) y péguela bien lisa en el lado más \
               grande. No ponga cinta adhesiva sobre el código de barras.",
    },
    open_pdf: "Abrir la etiqueta para imprimirla (PDF)",
    open_png: "Abrir la etiqueta para imprimirla (imagen)",
    download_zpl: "Descargar la etiqueta para una impresora de etiquetas (ZPL)",
    label_of: |number| format!("Etiqueta con el número de seguimiento {number}"),
    code_of: |number| format!("Código para el punto de entrega, número de seguimiento {number}"),
    hand_off_code: "Su código",
    places: "Dónde puede entregar los artículos",
    valid_until: |date| format!("Válida hasta el {date}."),
    renew: "Necesito una etiqueta nueva",
    renew_consequences: "La etiqueta anterior deja de ser válida. No la utilice más.",
    renew_reason: "¿Qué ocurre con la etiqueta anterior?",
    reason_lost: "Ya no la tengo",
    reason_expired: "Ha caducado",
    reason_wrong_size: "No corresponde al tamaño del paquete",
    reason_damaged: "No se puede leer",
    renew_confirm: "Solicitar una etiqueta nueva",
    renew_refused: "Aquí no puede obtener una etiqueta nueva, porque la anterior se utilizó o ya \
                    se solicitaron varias. Póngase en contacto con nosotros.",
    renew_unproven: "¿Necesita una etiqueta nueva? Abra esta página con el enlace de un correo \
                     electrónico de la tienda o póngase en contacto con la tienda.",
};
