//! Mails to shoppers as they are read: the texts in every language, and their form as HTML and as
//! plain text.
//!
//! Both forms are made from the same parts, so they say the same. Amounts and dates are written as
//! the portal writes them. The HTML loads nothing: it is readable without pictures, and its colors
//! are those of the merchant's portal, on light and on dark screens.

mod parts;
mod render;
#[cfg(test)]
mod tests;
mod words;

pub use render::{MailLook, render};
