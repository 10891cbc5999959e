//! What operators say of endpoints, and how it is read.
//!
//! A body is read field by field, so that all its faults are told at once; the types that describe it are for the
//! API's reference alone. Secrets become [`Secret`] as soon as they are read.

use std::collections::BTreeMap;

use utoipa::ToSchema;

/// How calls prove who they come from. Without it they do not.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct AuthBody {
    /// `none`, `basic`, `header`, `bearer` or `oauth2`. Each needs fields of its own.
    #[schema(example = "oauth2")]
    r#type: String,
    /// For `basic`.
    username: Option<String>,
    /// For `basic`.
    password: Option<String>,
    /// For `header`: what it is called.
    name: Option<String>,
    /// For `header`: what it holds.
    value: Option<String>,
    /// For `bearer`.
    token: Option<String>,
    /// For `oauth2`: where tokens come from.
    #[schema(example = "https://id.acme.example/token")]
    token_url: Option<String>,
    /// For `oauth2`.
    client_id: Option<String>,
    /// For `oauth2`.
    client_secret: Option<String>,
    /// For `oauth2`; may be absent there too.
    scope: Option<String>,
}

/// A merchant's base address.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct EndpointsBody {
    /// What the paths of all kinds stand behind.
    #[schema(example = "https://hooks.acme.example")]
    base_url: String,
    auth: Option<AuthBody>,
    /// Paths other than the usual ones, by kind.
    paths: Option<BTreeMap<String, String>>,
}

/// An address for one kind alone.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct EndpointBody {
    /// The whole address.
    #[schema(example = "https://wms.acme.example/asn")]
    url: String,
    auth: Option<AuthBody>,
}
