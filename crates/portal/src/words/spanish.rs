//! Spanish.

use super::texts::{
    ChooseWords, ErrorWords, FindWords, FrameWords, LabelWords, MethodWords, ReviewWords,
    RuleWords, StatusWords, TitledText, Words,
};

pub(super) static WORDS: Words = Words {
    frame: FrameWords {
        returns: "Devoluciones",
        skip_to_content: "Ir al contenido",
        language: "Idioma",
        contact: |merchant| format!("¿Tiene preguntas? Póngase en contacto con {merchant}."),
        check_fields: "Revise lo siguiente",
    },
    find: FindWords {
        title: "Iniciar una devolución",
        lead: "Busque su pedido para ver qué artículos puede devolver y qué importe recibirá.",
        order_number: "Número de pedido",
        order_number_hint: "Lo encontrará en la confirmación de su pedido.",
        email_or_postal_code: "Correo electrónico o código postal",
        email_or_postal_code_hint: "El correo electrónico con el que hizo el pedido o el código \
                                    postal de entrega.",
        gift: "Recibí este artículo como regalo",
        gift_hint: "Introduzca el código del recibo de regalo o el código postal. No se avisará a \
                    la persona que hizo el pedido.",
        submit: "Buscar mi pedido",
        existing_return_hint: "¿Ya ha iniciado una devolución? Busque aquí su pedido para ver su \
                               estado.",
        not_found: "No hemos encontrado ningún pedido con estos datos. Compárelos con la \
                    confirmación de su pedido.",
        too_many_attempts: "Demasiados intentos. Vuelva a intentarlo dentro de un minuto.",
        too_many_failures: "Demasiados intentos fallidos. Use el correo electrónico de su pedido \
                            o vuelva a intentarlo dentro de una hora.",
    },
    choose: ChooseWords {
        title: "¿Qué desea devolver?",
        order: |number| format!("Pedido {number}"),
        ordered_on: |date| format!("realizado el {date}"),
        earlier_returns: "Sus devoluciones de este pedido",
        items: "Sus artículos",
        price_each: |amount| format!("{amount} por unidad"),
        return_by: |date| format!("Se puede devolver hasta el {date}"),
        not_returnable: "No se puede devolver",
        partly_returnable: "Algunas unidades no se pueden devolver",
        return_item: "Devolver este artículo",
        quantity: "¿Cuántas unidades?",
        reason: "Motivo de la devolución",
        please_choose: "Elija una opción",
        resolution: "¿Qué desea recibir a cambio?",
        refund: "Reembolso",
        refund_hint: "En el método de pago original",
        gift_card: "Tarjeta regalo",
        gift_card_hint: "Para su próximo pedido",
        bonus: |percent| format!("{percent}\u{a0}% adicional"),
        bonus_up_to: |percent, amount| format!("{percent}\u{a0}% adicional, hasta {amount}"),
        exchange: "Cambio",
        exchange_hint: "Por otra talla o color",
        variant: "¿Cuál desea en su lugar?",
        pick_variant: "Elija lo que desea en su lugar y continúe.",
        no_variants: "Este artículo no se puede cambiar por ahora. Elija otra opción.",
        sold_out: "Agotado",
        same_price: "Mismo precio",
        difference_back: |amount| format!("Le devolvemos {amount}"),
        no_charge: "Sin coste adicional",
        fallback: "¿Qué desea recibir si se agota?",
        split: "Elegir otras opciones para algunas unidades",
        selection: |number| format!("Selección {number}"),
        method: "¿Cómo desea devolverlo?",
        free: "Gratis",
        fee: |amount| format!("{amount}, se descontarán de su reembolso"),
        fee_range: |low, high| format!("de {low} a {high}, según el motivo"),
        email: "Su correo electrónico",
        email_hint: "Enviaremos aquí la tarjeta regalo. No se avisará a la persona que compró el \
                     regalo.",
        submit: "Revisar el reembolso",
        nothing_returnable: "No se puede devolver ningún artículo de este pedido.",
        need_item: "Elija al menos un artículo.",
        need_reason: "Elija un motivo.",
        need_variant: "Elija la variante que desea en su lugar.",
        need_other_fallback: "Elija aquí algo distinto de la variante que desea.",
        need_method: "Elija un método de devolución.",
        too_many_items: "Elija menos artículos e inicie otra devolución para los demás.",
        need_email: "Introduzca el correo electrónico para la tarjeta regalo.",
    },
    rules: RuleWords {
        order_canceled: "Este pedido se canceló.",
        not_shipped: "Este artículo no se ha enviado.",
        unit_canceled: "Este artículo se canceló.",
        window: "El plazo de devolución ha terminado.",
        window_ended_on: |date| format!("El plazo de devolución terminó el {date}."),
        final_sale: "Este artículo no admite devolución.",
        gift_card: "Las tarjetas regalo no se pueden devolver.",
        pick_up_in_store: "Este artículo se recogió en una tienda. Devuélvalo allí.",
        third_party: "Este artículo lo vendió otra empresa. Devuélvaselo a esa empresa.",
        customer_service: "Póngase en contacto con atención al cliente para este artículo.",
        country: "No es posible hacer devoluciones desde su país.",
        no_method: "No hay ningún método de devolución disponible para este artículo.",
        already_returned: "Este artículo ya forma parte de una devolución.",
        already_refunded: "Este artículo ya se ha reembolsado.",
        method_offered: "Este método de devolución no está disponible.",
        method_country: "Este método de devolución no está disponible en su país.",
        method_weight: "Un artículo pesa demasiado para este método de devolución. Elija otro.",
        method_amount: "El valor de los artículos es demasiado alto para este método de \
                        devolución. Elija otro.",
        method_reason: "Este método de devolución no está disponible para el motivo elegido. Elija \
                        otro.",
        reason_known: "Elija uno de los motivos indicados.",
        exchange_offered: "El cambio no está disponible para este artículo o motivo.",
        gift_card_offered: "Las tarjetas regalo no están disponibles.",
        one_exchange: "Ya se ha cambiado un artículo de este pedido. Elija otra opción.",
        variant_sold_out: "Esta variante se acaba de agotar. Elija otra.",
        variant_price: "Esta variante tiene otro precio. Elija otra.",
        just_returned: "Estos artículos se acaban de añadir a otra devolución.",
        not_possible: "Esto no es posible. Elija otra opción.",
    },
    methods: MethodWords {
        mail_back: TitledText {
            title: "Por correo",
            text: "Imprima una etiqueta y envíe un paquete",
        },
        express: TitledText {
            title: "En un punto de entrega",
            text: "Muestre un código, sin necesidad de caja",
        },
        keep: TitledText {
            title: "Quedarse con el artículo",
            text: "No es necesario devolver nada",
        },
        pickup: TitledText {
            title: "Recogida a domicilio",
            text: "El transportista recoge el paquete en su casa",
        },
    },
    review: ReviewWords {
        title: "Revise su devolución",
        lead: "Aún no se ha enviado nada. Revise los datos y confirme.",
        changed: "Su reembolso ha cambiado desde la última vez que lo vio. Revíselo de nuevo.",
        items: "Artículos que devuelve",
        item: "Artículo",
        price: "Precio",
        discount: "Descuento",
        tax: "Impuestos",
        value: "Valor",
        as_refund: "Reembolso",
        as_gift_card: "Tarjeta regalo",
        as_exchange: |variant| format!("Cambio por {variant}"),
        refund: "Reembolso",
        gift_card: "Tarjeta regalo",
        shipping: "Gastos de envío",
        fee: "Gastos de devolución",
        bonus: "Bonificación",
        difference: "Diferencia de precio",
        total: "Recibirá",
        exchanged: |amount| {
            format!(
                "Se cambiarán artículos por valor de {amount}. Recibirá los artículos nuevos en \
                 lugar de un reembolso."
            )
        },
        method: "Método de devolución",
        refund_on_scan: "Su reembolso se emitirá en cuanto el transportista tenga su paquete.",
        refund_on_receipt: "Su reembolso se emitirá en cuanto el almacén haya recibido sus \
                            artículos.",
        confirm: "Confirmar la devolución",
        make_changes: "Modificar",
    },
    status: StatusWords {
        title: "Su devolución",
        rma: |number| format!("Devolución {number}"),
        started_on: |date| format!("iniciada el {date}"),
        progress: "Seguimiento",
        step_done: "completado",
        step_pending: "pendiente",
        started: "Devolución iniciada",
        canceled: "Devolución cancelada",
        ordered: "Pedido del cambio o de la tarjeta regalo realizado",
        label_ready: "Etiqueta lista",
        on_its_way: "Paquete en camino hacia nosotros",
        dropped_off: "Artículos entregados",
        picked_up: "Artículos recogidos",
        arrived: "Artículos recibidos",
        completed: "Devolución completada",
        next: "Próximos pasos",
        next_await_label: "El transportista está preparando su etiqueta. Vuelva a consultar esta \
                           página en un momento.",
        next_print_label: "Imprima la etiqueta, embale los artículos y entregue el paquete.",
        next_show_code: "Lleve los artículos a un punto de entrega y muestre su código.",
        next_await_pickup: "Imprima la etiqueta y tenga listo el paquete. El transportista lo \
                            recogerá.",
        next_in_transit: "Sus artículos están en camino. No tiene que hacer nada más.",
        next_await_refund: "No tiene que hacer nada más. Su reembolso o cambio está en camino.",
        next_carrier_problem: "El transportista ha comunicado un problema con su paquete. Póngase \
                               en contacto con la tienda.",
        next_completed: "Su devolución se ha completado. ¡Gracias!",
        next_canceled: "Esta devolución se canceló y usted conserva sus artículos. Puede iniciar \
                        una nueva devolución cuando quiera.",
        show_label: "Mostrar la etiqueta",
        show_code: "Mostrar el código",
        tracking_number: "Número de seguimiento",
        items: "Artículos devueltos",
        refunded_on: |date| format!("Reembolsado el {date}"),
        exchange_pending: "Se está realizando su nuevo pedido",
        exchange_placed: |order, date| format!("El pedido {order} se realizó el {date}"),
        exchange_shipped: |order| format!("El pedido {order} está en camino"),
        exchange_failed: "La tienda no pudo cambiar sus artículos o emitir su tarjeta regalo. En \
                          su lugar, recibirá un reembolso.",
        exchange_credit: "Crédito para el cambio",
        gift_card_issued_on: |date| format!("Tarjeta regalo emitida el {date}"),
        not_received: "No recibido",
        rejected: "No aceptado",
        rejected_because: |reason| format!("No aceptado: {reason}"),
        fees_adjusted: "Gastos ajustados",
        adjustment: "Ajuste",
        balance: "Pendiente de recibir",
        find_order_first: "Busque su pedido para imprimir la etiqueta o cancelar la devolución",
        find_order_for_label: "Busque su pedido para imprimir la etiqueta",
        find_order_to_cancel: "Busque su pedido para cancelar la devolución",
        cancel: "Cancelar la devolución",
        cancel_consequences: "Conservará sus artículos y no recibirá ningún reembolso. No utilice \
                              la etiqueta.",
        cancel_confirm: "Sí, cancelar la devolución",
        too_late_moving: "Esta devolución ya no se puede cancelar porque los artículos están en \
                          camino.",
        too_late_received: "Esta devolución ya no se puede cancelar porque los artículos ya han \
                            llegado.",
        too_late_refunded: "Esta devolución ya no se puede cancelar porque ya ha recibido el \
                            reembolso o la tarjeta regalo.",
        too_late_exchange: "Esta devolución no se puede cancelar porque su cambio o su tarjeta \
                            regalo ya está en trámite.",
        too_late: "Esta devolución ya no se puede cancelar.",
        bookmark_page: "Guarde esta página en sus favoritos. Siempre muestra el estado de su \
                        devolución.",
        back_to_order: "Volver a su pedido",
        is_created: "En curso",
        is_pending: "Cambio o tarjeta regalo en trámite",
        is_partial: "Completada en parte",
        is_refunded: "Completada",
        is_canceled: "Cancelada",
    },
    label: LabelWords {
        canceled: TitledText {
            title: "Esta devolución se canceló",
            text: "No tiene que devolver nada. Si ya ha impreso una etiqueta, ya no es válida.",
        },
        used: TitledText {
            title: "Esta etiqueta ya se ha utilizado",
            text: "El transportista ya tiene sus artículos, por lo que la etiqueta ya \
                   no se muestra.",
        },
        expired: TitledText {
            title: "Esta etiqueta ha caducado",
            text: "Si aún desea devolver los artículos, solicite una etiqueta nueva en la página \
                   de su devolución o póngase en contacto con nosotros.",
        },
        kept: TitledText {
            title: "Nada que devolver",
            text: "Quédese con los artículos o regáleselos a alguien que los disfrute. No hay nada \
                   que imprimir ni que enviar.",
        },
        items_to_keep: "Artículos que conserva",
        label: "Su etiqueta de devolución",
        label_pending: TitledText {
            title: "Su etiqueta se está preparando",
            text: "El transportista está preparando su etiqueta. Aparecerá aquí en cuanto esté \
                   lista.",
        },
        code: "Su código de entrega",
        code_pending: TitledText {
            title: "Su código se está preparando",
            text: "El transportista está preparando su código de entrega. Aparecerá aquí en cuanto \
                   esté listo.",
        },
        come_back_later: "Puede cerrar esta página y volver más tarde.",
        check_again: "Consultar de nuevo",
        items_to_return: "Artículos que debe devolver",
        rma: "Devolución",
        started_on: |date| format!("iniciada el {date}"),
        steps: "Tres pasos",
        pack: TitledText {
            title: "Embale",
            text: "Ponga los artículos y la lista de contenido en una caja resistente. Retire o \
                   cubra las etiquetas antiguas y cierre bien la caja.",
        },
        attach_label: TitledText {
            title: "Pegue la etiqueta",
            text: "Imprima esta página a tamaño real (100\u{a0}%), corte por la línea discontinua \
                   y pegue la etiqueta bien lisa en el lado más grande. No ponga cinta adhesiva \
                   sobre el código de barras.",
        },
        send: TitledText {
            title: "Envíe",
            text: "Lleve el paquete a un punto de entrega del transportista. Guarde el recibo \
                   hasta que se complete su devolución.",
        },
        await_pickup: TitledText {
            title: "Espere la recogida",
            text: "Tenga listo el paquete. El transportista lo recogerá en la dirección que \
                   aparece en la etiqueta como «De». Pida un recibo.",
        },
        bring_items: TitledText {
            title: "Lleve los artículos",
            text: "Llévelos tal como están a un punto de entrega. No necesita caja, etiqueta ni \
                   cinta adhesiva.",
        },
        show_code: TitledText {
            title: "Muestre este código",
            text: "En su teléfono, con el brillo de la pantalla al máximo, o impreso.",
        },
        keep_receipt: TitledText {
            title: "Guarde el recibo",
            text: "Se lo darán en el punto de entrega. Guárdelo hasta que se complete su \
                   devolución.",
        },
        from: "De",
        to: "Para",
        return_mark: "Devolución",
        tracking_number: "Número de seguimiento",
        packing_list: "Lista de contenido",
        packing_list_hint: "Póngala dentro del paquete.",
        items_to_bring: "Artículos que debe llevar",
        quantity: "Cant.",
        item: "Artículo",
        sku: "Ref.",
        barcode_of_tracking_number: |number| {
            format!("Código de barras del número de seguimiento {number}")
        },
        qr_of_tracking_number: |number| format!("Código QR del número de seguimiento {number}"),
        qr_of_return: |rma| format!("Código QR de la devolución {rma}"),
        qr_of_both: |rma, number| {
            format!("Código QR de la devolución {rma} y del número de seguimiento {number}")
        },
    },
    parcels: super::parcels::SPANISH,
    withdrawal: super::withdrawal::SPANISH,
    proof: super::proof::SPANISH,
    gifts: super::gifts::SPANISH,
    errors: ErrorWords {
        not_found: TitledText {
            title: "Página no encontrada",
            text: "Revise la dirección o pida el enlace correcto a la tienda.",
        },
        other_origin: TitledText {
            title: "No hemos podido verificar esta solicitud",
            text: "Vuelva a abrir la página e inténtelo de nuevo.",
        },
        too_large: TitledText {
            title: "El texto es demasiado largo",
            text: "Vuelva atrás, acorte el texto e inténtelo de nuevo.",
        },
        too_many_requests: TitledText {
            title: "Demasiados intentos",
            text: "Vuelva a intentarlo dentro de un minuto.",
        },
        server_error: TitledText {
            title: "Algo ha salido mal",
            text: "El problema está en nuestro sistema. Vuelva a intentarlo en un momento.",
        },
    },
};
