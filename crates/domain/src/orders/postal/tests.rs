//! Addresses of many countries.

use std::collections::HashSet;

use super::*;

fn address(country: &str, city: &str, state: &str, zip_code: &str) -> PostalAddress {
    PostalAddress {
        name: "Ada Byron".to_owned(),
        street1: "Lange Gasse 4".to_owned(),
        street2: None,
        city: city.to_owned(),
        state: state.to_owned(),
        zip_code: zip_code.to_owned(),
        country_code: country.to_owned(),
        phone: Some("+43 1 1234".to_owned()),
    }
}

/// What stands between the street and the country.
fn place(country: &str, city: &str, state: &str, zip_code: &str) -> Vec<String> {
    let lines = address(country, city, state, zip_code).lines();
    assert_eq!(lines[..2], ["Ada Byron", "Lange Gasse 4"], "{country}");
    lines[2..lines.len() - 1].to_vec()
}

#[test]
fn the_place_is_written_as_its_country_writes_it() {
    assert_eq!(place("AT", "Wien", "", "1080"), ["1080 Wien"]);
    assert_eq!(place("US", "Portland", "OR", "97205"), ["PORTLAND OR 97205"]);
    assert_eq!(place("GB", "London", "", "sw1a 1aa"), ["LONDON", "SW1A 1AA"]);
    assert_eq!(place("FR", "Paris", "", "75011"), ["75011 PARIS"]);
    assert_eq!(place("IT", "Roma", "Rm", "00144"), ["00144 ROMA RM"]);
    assert_eq!(place("ES", "Getafe", "Madrid", "28901"), ["28901 GETAFE", "Madrid"]);
    assert_eq!(place("BR", "Salvador", "BA", "40301-110"), ["SALVADOR-BA", "40301-110"]);
    assert_eq!(
        place("IE", "Dublin", "Co. Dublin", "D02 X285"),
        ["Dublin", "Co. Dublin", "D02 X285"]
    );
    assert_eq!(place("JP", "Minato", "Tokyo", "105-0011"), ["Minato, TOKYO", "105-0011"]);
    assert_eq!(place("TR", "Çankaya", "Ankara", "06690"), ["06690 Çankaya/Ankara"]);
    assert_eq!(place("LV", "Rīga", "", "LV-1073"), ["Rīga, LV-1073"]);
}

#[test]
fn the_city_comes_before_the_street_in_hungary() {
    let lines = address("HU", "Budapest", "", "1037").lines();
    assert_eq!(lines, ["Ada Byron", "BUDAPEST", "Lange Gasse 4", "1037", "HUNGARY"]);
}

#[test]
fn the_country_is_the_last_line_and_an_unknown_one_stays_as_it_is() {
    assert_eq!(address("at", "Wien", "", "1080").lines().last().unwrap(), "AUSTRIA");
    let unknown = address("XX", "Wien", "W", "1080").lines();
    assert_eq!(unknown, ["Ada Byron", "Lange Gasse 4", "1080 Wien", "W", "XX"]);
}

#[test]
fn empty_parts_are_left_out_with_their_separators() {
    assert_eq!(place("CO", "Bogotá", "", "111221"), ["Bogotá, 111221"]);
    assert_eq!(place("US", "", "", "97205"), ["97205"]);
    assert_eq!(place("US", " Portland ", " ", ""), ["PORTLAND"]);
    assert_eq!(place("GB", "", "", ""), [""; 0]);
    assert!(PostalAddress::default().lines().is_empty());
    let two =
        PostalAddress { street2: Some(" Top 7 ".to_owned()), ..address("AT", "Wien", "", "") };
    assert_eq!(two.lines()[1..3], ["Lange Gasse 4", "Top 7"]);
}

#[test]
fn every_form_has_street_and_city_and_knows_its_parts() {
    let codes: HashSet<&str> = FORMS.iter().map(|form| form.code).collect();
    assert_eq!(codes.len(), FORMS.len(), "each country once");
    for form in &FORMS {
        assert!(form.lines.split('|').any(|line| line == "A"), "{}", form.name);
        assert!(form.lines.contains('C'), "{}", form.name);
        assert!(form.capitals.chars().all(|part| form.lines.contains(part)), "{}", form.name);
    }
}
