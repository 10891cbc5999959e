//! Every text that a shopper reads, in every language.
//!
//! Each text is a field, so a language that lacks one does not compile. A text with a value in it
//! is a function, so the value cannot be left out. Texts that merchants and policies supply
//! themselves are not here.

mod english;
mod french;
mod german;
mod gifts;
mod parcels;
mod proof;
mod spanish;
#[cfg(test)]
mod tests;
mod texts;
pub(crate) mod withdrawal;
pub(crate) mod wording;

use domain::merchants::language::Language;

pub(crate) use texts::{Sentence, TitledText, Words};

/// The texts in a language.
pub(crate) const fn words_in(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::German => &german::WORDS,
        Language::French => &french::WORDS,
        Language::Spanish => &spanish::WORDS,
    }
}
