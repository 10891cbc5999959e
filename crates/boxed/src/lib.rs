//! `#[boxed]`: an async function that is compiled once, in its own crate.
//!
//! The compiler puts the body of an async function into every crate that awaits it, with all that
//! it awaits itself, and proves again in each that all of it can move between threads. Routes,
//! pages and commands await the same use cases, and spent much of their build on that. The future
//! of a boxed function is compiled where the function is. Each call costs an allocation.

use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};

/// The lifetime of the future, and of every reference in the signature.
const LIFETIME: &str = "boxed";

const MISUSE: &str = "compile_error!(\"#[boxed] is for async functions that are not generic\");";

/// Returns the future of an async function in a box. A generic function cannot be boxed: those who
/// call it would compile it anyway.
///
/// Like any other, the future holds what the function was given until it ends:
///
/// ```
/// # use std::sync::Arc;
/// #[boxed::boxed]
/// async fn count(_lock: Arc<()>, numbers: &[u8]) -> usize {
///     numbers.len()
/// }
///
/// let lock = Arc::new(());
/// let counting = count(Arc::clone(&lock), &[1, 2]);
/// assert_eq!(Arc::strong_count(&lock), 2);
/// drop(counting);
/// assert_eq!(Arc::strong_count(&lock), 1);
/// ```
#[proc_macro_attribute]
pub fn boxed(_: TokenStream, function: TokenStream) -> TokenStream {
    Function::read(function).map_or_else(|| parse(MISUSE), Function::write)
}

/// The parts of an async function.
struct Function {
    /// Its attributes and its visibility.
    before: TokenStream,
    name: TokenTree,
    parameters: Group,
    output: TokenStream,
    body: Group,
}

impl Function {
    fn read(function: TokenStream) -> Option<Self> {
        let mut tokens = function.into_iter();
        let before = tokens.by_ref().take_while(|token| token.to_string() != "async").collect();
        let _fn = tokens.next()?;
        let name = tokens.next()?;
        let TokenTree::Group(parameters) = tokens.next()? else { return None };
        let is_generic = parameters.stream().into_iter().any(|token| token.to_string() == "impl");
        (!is_generic).then_some(())?;
        let mut output: Vec<TokenTree> = tokens.collect();
        let TokenTree::Group(body) = output.pop()? else { return None };
        let output = match output.as_slice() {
            [] => parse("()"),
            [_minus, _greater, output @ ..] => name_lifetimes(output.iter().cloned().collect()),
            [_] => return None,
        };
        Some(Self { before, name, parameters, output, body })
    }

    fn write(self) -> TokenStream {
        let parameters = name_lifetimes(self.parameters.stream());
        // A future has only what its code mentions. Without this it would leave the rest of a
        // parameter behind, such as a lock that is held until the future ends.
        let held = names(self.parameters.stream()).into_iter().map(|it| format!("let _ = &{it};"));
        let held: String = held.collect();
        let body = [parse(&held), self.body.stream()].into_iter().collect();
        let mut future = parse("::std::boxed::Box::pin");
        let work = [parse("async move"), group(Delimiter::Brace, body)];
        future.extend(group(Delimiter::Parenthesis, work.into_iter().collect()));
        let parts = [
            self.before,
            parse("fn"),
            self.name.into(),
            parse(&format!("<'{LIFETIME}>")),
            group(Delimiter::Parenthesis, parameters),
            parse("-> ::std::pin::Pin<::std::boxed::Box<dyn ::std::future::Future<Output = "),
            self.output,
            parse(&format!("> + ::std::marker::Send + '{LIFETIME}>>")),
            group(Delimiter::Brace, future),
        ];
        parts.into_iter().collect()
    }
}

/// Gives `&` and `'_` the lifetime of the future.
fn name_lifetimes(signature: TokenStream) -> TokenStream {
    let mut tokens = signature.into_iter().peekable();
    let mut named = Vec::new();
    while let Some(token) = tokens.next() {
        let follows_quote = named.last().is_some_and(|last| is_punct(last, '\''));
        let has_name = tokens.peek().is_some_and(|next| is_punct(next, '\''));
        if let TokenTree::Group(inner) = &token {
            let mut new = Group::new(inner.delimiter(), name_lifetimes(inner.stream()));
            new.set_span(inner.span());
            named.push(new.into());
        } else if follows_quote && token.to_string() == "_" {
            named.push(Ident::new(LIFETIME, token.span()).into());
        } else if is_punct(&token, '&') && !has_name {
            let name = Ident::new(LIFETIME, token.span());
            named.extend([token, Punct::new('\'', Spacing::Joint).into(), name.into()]);
        } else {
            named.push(token);
        }
    }
    named.into_iter().collect()
}

/// The names of parameters, which a colon follows, and `self`.
fn names(parameters: TokenStream) -> Vec<String> {
    let mut tokens = parameters.into_iter().peekable();
    let mut names = Vec::new();
    while let Some(token) = tokens.next() {
        let is_typed = matches!(tokens.peek(), Some(TokenTree::Punct(next))
            if next.as_char() == ':' && next.spacing() == Spacing::Alone);
        let name = token.to_string();
        let is_name = name == "self" || (is_typed && name != "_");
        names.extend((is_name && matches!(token, TokenTree::Ident(_))).then_some(name));
    }
    names
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn group(delimiter: Delimiter, tokens: TokenStream) -> TokenStream {
    TokenTree::from(Group::new(delimiter, tokens)).into()
}

fn parse(text: &str) -> TokenStream {
    text.parse().expect("this is Rust")
}
