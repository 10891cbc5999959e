//! The routes that the description of the API leaves out: pages, and what machines look at.

/// What is not in the description and needs no token; `/metrics` only on the machine itself.
pub(crate) const PUBLIC_UNDESCRIBED: [&str; 6] =
    ["/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"];

/// What only a demo has.
pub(crate) const DEMO: [&str; 1] = ["/demo/clock"];

/// What is not described and needs no token, for whoever knows a name that cannot be guessed.
pub(crate) const PUBLIC_BY_NAME: [&str; 2] = ["/labels/{key}", "/labels/{key}/{document}"];

/// The pages for shoppers, who show a pass of their own.
pub(crate) const PORTAL: [&str; 19] = [
    "/portal/{merchant}",
    "/portal/{merchant}/look.css",
    "/portal/{merchant}/logo",
    "/portal/{merchant}/pictures/{token}",
    "/portal/{merchant}/return",
    "/portal/{merchant}/review",
    "/portal/{merchant}/confirm",
    "/portal/{merchant}/returns/{rma}",
    "/portal/{merchant}/returns/{rma}/cancel",
    "/portal/{merchant}/returns/{rma}/label",
    "/portal/{merchant}/link",
    "/portal/{merchant}/proof",
    "/portal/{merchant}/proof/code",
    "/portal/{merchant}/withdraw",
    "/portal/{merchant}/withdraw/items",
    "/portal/{merchant}/withdraw/review",
    "/portal/{merchant}/withdraw/confirm",
    "/portal/{merchant}/withdrawals/{name}",
    "/portal/{merchant}/withdrawals/{name}/document",
];
