//! The bodies that set endpoints, as types for the API reference only.
//! `server::requests::endpoints` reads the bodies.

use std::collections::BTreeMap;

use utoipa::ToSchema;

/// How requests to the endpoint are authenticated. If absent, they are not.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct AuthBody {
    /// `none`, `basic`, `header`, `bearer` or `oauth2`. Each type needs other fields.
    #[schema(example = "oauth2")]
    r#type: String,
    /// For `basic`.
    username: Option<String>,
    /// For `basic`.
    password: Option<String>,
    /// For `header`: its name.
    name: Option<String>,
    /// For `header`: its value.
    value: Option<String>,
    /// For `bearer`.
    token: Option<String>,
    /// For `oauth2`: the address of the token endpoint.
    #[schema(example = "https://id.acme.example/token")]
    token_url: Option<String>,
    /// For `oauth2`.
    client_id: Option<String>,
    /// For `oauth2`.
    client_secret: Option<String>,
    /// For `oauth2`, optional.
    scope: Option<String>,
}

/// A merchant's base address.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct EndpointsBody {
    /// The address that the paths of all kinds are appended to, without a query or a fragment.
    #[schema(example = "https://hooks.acme.example")]
    base_url: String,
    auth: Option<AuthBody>,
    /// Paths that differ from the defaults, by kind.
    paths: Option<BTreeMap<String, String>>,
}

/// The address for one kind of message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct EndpointBody {
    /// The complete address.
    #[schema(example = "https://wms.acme.example/asn")]
    url: String,
    auth: Option<AuthBody>,
}
