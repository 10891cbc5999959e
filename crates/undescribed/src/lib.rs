//! The macros of utoipa, doing nothing.
//!
//! Types and handlers describe themselves with them, next to the code that they describe. Only the
//! test that holds `crates/api/openapi.json` to the code reads these descriptions, so only the
//! feature `describe` brings utoipa. Every other build has this crate under its name, and spends no
//! time and no bytes on code that nothing calls.

use proc_macro::TokenStream;

/// The schema of a type.
#[proc_macro_derive(ToSchema, attributes(schema))]
pub fn to_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// The parameters of an operation.
#[proc_macro_derive(IntoParams, attributes(into_params, param))]
pub fn into_params(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// The responses of an operation.
#[proc_macro_derive(IntoResponses, attributes(response))]
pub fn into_responses(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// The operation of a handler.
#[proc_macro_attribute]
pub fn path(_: TokenStream, handler: TokenStream) -> TokenStream {
    handler
}
