//! What the mails of a merchant look like, and whether there are any. It is needed for every event
//! of a return, so it is remembered for a few seconds.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use domain::{
    identifier::MerchantId,
    merchants::{language::Language, portal::Portal},
    messages::mail::{
        Mail, MailKind,
        content::MailContent,
        settings::{MailDelivery, MailSettings},
    },
};
use mails::{MailLook, render};

use crate::{App, AppError};

/// Changes that are made on other nodes are seen after this time.
const REMEMBERED_US: i64 = 5_000_000;
const REMEMBERED_MAX: usize = 10_000;

/// The name, the portal and the settings of a merchant.
#[derive(Clone, Debug)]
pub(crate) struct MailProfile {
    pub(crate) shop: String,
    pub(crate) portal: Portal,
    pub(crate) settings: MailSettings<String>,
}

impl MailProfile {
    /// The language of a mail: the shopper's, or else the usual one of the portal.
    pub(crate) fn language(&self, wanted: Option<Language>) -> Language {
        wanted.unwrap_or(self.portal.default_language)
    }

    pub(crate) fn render(
        &self,
        kind: MailKind,
        language: Language,
        recipient: &str,
        content: MailContent,
    ) -> Mail {
        let own_text = self.settings.text(kind, language);
        let look = MailLook { shop: &self.shop, portal: &self.portal, own_text };
        render(kind, language, look, recipient, content)
    }
}

/// The profiles that are remembered. None: the merchant sends no mails.
#[derive(Default)]
pub(crate) struct MailProfiles(RwLock<HashMap<MerchantId, RememberedProfile>>);

#[derive(Clone)]
struct RememberedProfile {
    profile: Option<Arc<MailProfile>>,
    until_us: i64,
}

impl MailProfiles {
    pub(crate) fn forget(&self, merchant: &MerchantId) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(merchant);
    }

    fn find(&self, merchant: &MerchantId, now_us: i64) -> Option<RememberedProfile> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(merchant).filter(|it| it.until_us > now_us).cloned()
    }

    fn remember(&self, merchant: &MerchantId, remembered: RememberedProfile) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED_MAX {
            known.clear();
        }
        known.insert(merchant.clone(), remembered);
    }
}

/// The profile of a merchant that sends mails.
pub(crate) async fn find_profile(
    app: &App,
    merchant: &MerchantId,
) -> Result<Option<Arc<MailProfile>>, AppError> {
    let now_us = app.world.wall_clock_us();
    if let Some(remembered) = app.mail_profiles.find(merchant, now_us) {
        return Ok(remembered.profile);
    }
    let settings = app.store.mail_settings(merchant).await?.value;
    let has_server = settings.server.is_some() || app.mail.server.is_some();
    let profile = match settings.delivery {
        MailDelivery::Off => None,
        MailDelivery::Smtp if !has_server => None,
        MailDelivery::Smtp | MailDelivery::Message => {
            Some(Arc::new(load_profile(app, merchant, settings).await?))
        }
    };
    let remembered =
        RememberedProfile { profile: profile.clone(), until_us: now_us + REMEMBERED_US };
    app.mail_profiles.remember(merchant, remembered);
    Ok(profile)
}

/// The profile of a merchant with these settings.
pub(crate) async fn load_profile(
    app: &App,
    merchant: &MerchantId,
    settings: MailSettings<String>,
) -> Result<MailProfile, AppError> {
    let stored = app.store.portal(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    Ok(MailProfile { shop: stored.merchant.name, portal: stored.portal, settings })
}
