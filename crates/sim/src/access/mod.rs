//! Who may call: credentials, tokens and signatures.

pub(crate) mod credentials;
pub(crate) mod signature;
pub(crate) mod token;
