//! The client that all calls of a process are made with.

use std::{fmt, sync::Arc};

use rustls::ClientConfig;
use world::World;

use super::context::{CallContext, CallSettings};
use crate::{address::AddressGuard, tokens::TokenCaches};

/// What calls share, and the tokens for them; a clone shares everything.
#[derive(Clone)]
pub struct HttpClient {
    context: CallContext,
    tokens: Arc<TokenCaches>,
}

impl HttpClient {
    pub fn new(
        guard: AddressGuard,
        tls: ClientConfig,
        world: World,
        settings: CallSettings,
    ) -> Self {
        let context = CallContext::new(guard, tls, world, settings);
        Self { context, tokens: Arc::default() }
    }

    pub(crate) fn context(&self) -> &CallContext {
        &self.context
    }

    pub(crate) fn tokens(&self) -> &TokenCaches {
        &self.tokens
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.context.settings();
        formatter.debug_struct("HttpClient").field("settings", settings).finish_non_exhaustive()
    }
}
