//! Requests of the API and the console to add clients.

use app::access::add_client::NewClient;
use domain::{
    access::scope::Scopes,
    faults::Faults,
    identifier::MerchantId,
    json::Json,
    reader::{Reader, TEXT_MAX},
};

use super::identifiers::read_merchant;
use crate::json_body::read_object;

pub fn read_new_client(document: &Json<'_>) -> Result<NewClient, Faults> {
    read_object(document, |at| {
        let merchant = at.optional("merchant", read_merchant);
        let name = at.required("name", |at| at.text(1..=TEXT_MAX).map(str::to_owned));
        let merchant = merchant.unwrap_or_else(MerchantId::platform);
        let scopes = if at.has("scope") || merchant == MerchantId::platform() {
            at.required("scope", |at| read_scopes(at, allowed_scopes(&merchant)))
        } else {
            Some(Scopes::merchant())
        };
        Some(NewClient { merchant, name: name?, scopes: scopes? })
    })
}

/// The largest set of scopes for a client of this owner. A merchant's token must never reach the
/// platform's interfaces, nor the other way round.
fn allowed_scopes(merchant: &MerchantId) -> Scopes {
    if *merchant == MerchantId::platform() { Scopes::platform() } else { Scopes::merchant_most() }
}

fn read_scopes(at: &Reader<'_>, allowed: Scopes) -> Option<Scopes> {
    match Scopes::parse(at.text(1..=TEXT_MAX)?) {
        Ok(scopes) if scopes.is_subset(allowed) && scopes != Scopes::none() => Some(scopes),
        Ok(_) => at.invalid(&format!("must be one or more of {allowed}")),
        Err(unknown) => at.invalid(&format!("unknown scope {unknown}")),
    }
}
