//! Which passwords an operator may choose.
//!
//! Length is what makes a password hard to guess, so nothing else is required of it, except that it
//! is not one that attackers try first: a common password as it is, with digits around it,
//! repeated, or with some letters replaced by the usual signs.

use super::operator::{OperatorName, check_password};

/// Common passwords and the words they are made of, one on each line, in lowercase.
const COMMON: &str = include_str!("common_passwords.txt");
/// A password of fewer different characters is as bad as a common one.
const DIFFERENT_CHARACTERS_MIN: usize = 5;

/// Accepts a password that an operator chose, or says why not, as the end of a sentence that begins
/// with its field.
pub fn check_new_password(operator: &OperatorName, password: &str) -> Result<(), String> {
    check_password(password)?;
    let lowercase = password.to_lowercase();
    let core = lowercase.trim_matches(|it: char| !it.is_alphabetic());
    let letters: String = core.chars().map(letter_meant_by).collect();
    let forms = [lowercase.as_str(), core, &letters];
    let is_any_form = |is_bad: &dyn Fn(&str) -> bool| {
        forms.iter().any(|form| is_bad(form) || is_bad(without_repetition(form)))
    };
    if is_any_form(&|form| form == operator.as_str()) {
        return Err("must not be made from the operator's name".to_owned());
    }
    if is_any_form(&is_common) || has_few_characters(&lowercase) {
        return Err("must not be a common password, or made from one".to_owned());
    }
    Ok(())
}

fn is_common(text: &str) -> bool {
    COMMON.lines().any(|common| common == text)
}

fn has_few_characters(text: &str) -> bool {
    let mut characters: Vec<char> = text.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    characters.len() < DIFFERENT_CHARACTERS_MIN
}

/// The letter that people replace with this sign.
const fn letter_meant_by(sign: char) -> char {
    match sign {
        '@' | '4' => 'a',
        '3' => 'e',
        '1' | '!' => 'i',
        '0' => 'o',
        '$' | '5' => 's',
        '7' => 't',
        other => other,
    }
}

/// The text that is repeated to get this one; usually the text itself.
fn without_repetition(text: &str) -> &str {
    let starts = text.char_indices().map(|(start, _)| start).skip(1);
    let repeats = |start: &usize| {
        text.len().is_multiple_of(*start) && text.get(*start..) == text.get(..text.len() - start)
    };
    starts.into_iter().find(repeats).and_then(|start| text.get(..start)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(password: &str) -> Result<(), String> {
        check_new_password(&OperatorName::parse("lena-marlow").unwrap(), password)
    }

    #[test]
    fn a_common_password_is_refused_in_its_usual_disguises() {
        for common in [
            "1234567890",
            "qwertyuiop",
            "Password123",
            "P@ssw0rd2026!",
            "!!Sunshine99",
            "iloveyou1234",
            "1234512345",
            "welcomewelcome",
            "qwertyqwerty1",
            "Correct Horse Battery Staple",
            "aaaaaaaaaa",
            "abababababab",
        ] {
            let refused = check(common).unwrap_err();
            assert_eq!(refused, "must not be a common password, or made from one", "{common}");
        }
    }

    #[test]
    fn the_operators_name_is_not_a_password() {
        for bad in ["lena-marlow", "Lena-Marlow2026", "lena-marlowlena-marlow"] {
            assert_eq!(check(bad).unwrap_err(), "must not be made from the operator's name");
        }
    }

    #[test]
    fn an_unusual_password_is_accepted_and_a_short_one_is_not() {
        for good in ["a stapler on the moon", "let me in, please", "7k3q9xwd2m4tv8np5rhy6bcz"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("a stapler").unwrap_err(), "must have 10 to 200 characters");
    }

    #[test]
    fn the_list_is_lowercase_sorted_and_without_repetition() {
        let all: Vec<&str> = COMMON.lines().collect();
        assert!(all.len() > 300, "{}", all.len());
        assert!(all.is_sorted_by(|one, next| one < next));
        assert!(all.iter().all(|common| common.to_lowercase() == *common && !common.is_empty()));
    }

    #[test]
    fn a_repeated_text_is_found() {
        for (text, part) in [("abab", "ab"), ("aaa", "a"), ("aba", "aba"), ("", ""), ("éé", "é")]
        {
            assert_eq!(without_repetition(text), part);
        }
    }
}
