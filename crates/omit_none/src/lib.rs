//! `#[omit_none]`: a struct whose fields are left out of its JSON when they are `None`.

use std::{iter, mem};

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

const ATTRIBUTE: &str = "#[serde(skip_serializing_if = \"Option::is_none\")]";

const MISUSE: &str = "compile_error!(\"#[omit_none] is for structs with options, and stands before \
                      the derive with Serialize\");";

/// Leaves out every `Option` that is `None` when the struct is written. It stands before the
/// `derive` that has `Serialize`. A struct that writes some of them as `null` says so at each
/// field, with the attribute of serde.
///
/// ```
/// #[omit_none::omit_none]
/// #[derive(serde::Serialize)]
/// struct Shopper {
///     name: String,
///     email: Option<String>,
///     #[serde(rename = "tags")]
///     labels: Option<Vec<(String, u8)>>,
///     phone: Option<String>,
/// }
///
/// let email = Some("dana@example.com".to_owned());
/// let shopper = Shopper { name: "Dana".to_owned(), email, labels: None, phone: None };
/// let json = serde_json::to_string(&shopper).unwrap();
/// assert_eq!(json, r#"{"name":"Dana","email":"dana@example.com"}"#);
/// ```
///
/// ```compile_fail
/// #[derive(serde::Serialize)]
/// #[omit_none::omit_none]
/// struct Shopper {
///     email: Option<String>,
/// }
/// ```
#[proc_macro_attribute]
pub fn omit_none(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop() else { return parse(MISUSE) };
    let fields = split_fields(body.stream());
    // After it, nothing would be left out.
    let is_before_derive = tokens.iter().any(|token| token.to_string().contains("Serialize"));
    let has_options = fields.iter().any(|field| is_option(field));
    if body.delimiter() != Delimiter::Brace || !is_before_derive || !has_options {
        return parse(MISUSE);
    }
    let mut rewritten = Group::new(Delimiter::Brace, fields.into_iter().flat_map(write).collect());
    rewritten.set_span(body.span());
    tokens.push(rewritten.into());
    tokens.into_iter().collect()
}

/// The fields of a struct, each with the comma after it.
fn split_fields(body: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut fields, mut field, mut open) = (Vec::new(), Vec::new(), 0);
    for token in body {
        let sign = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        open += i32::from(sign == '<') - i32::from(sign == '>');
        field.push(token);
        if sign == ',' && open == 0 {
            fields.push(mem::take(&mut field));
        }
    }
    fields.extend(iter::once(field).filter(|field| !field.is_empty()));
    fields
}

/// Whether the type of a field, which follows the first colon, is an `Option`.
fn is_option(field: &[TokenTree]) -> bool {
    let colon = field
        .iter()
        .position(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':'));
    let kind = colon.and_then(|position| field.get(position + 1));
    kind.is_some_and(|token| token.to_string() == "Option")
}

fn write(field: Vec<TokenTree>) -> TokenStream {
    let attribute = if is_option(&field) { parse(ATTRIBUTE) } else { TokenStream::new() };
    attribute.into_iter().chain(field).collect()
}

fn parse(text: &str) -> TokenStream {
    text.parse().expect("this is Rust")
}
