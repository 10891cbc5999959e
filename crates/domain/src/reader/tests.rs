//! Each kind of field: what it accepts, and which faults it notes.

use super::*;
use crate::json;
use crate::reader::fields::Fields;

/// Reads the object `text` with `build` and returns the faults.
fn list_faults(text: &str, build: impl FnOnce(&Fields<'_>)) -> Vec<(String, FaultCode)> {
    read_faults(text, build).errors.into_iter().map(|error| (error.field, error.code)).collect()
}

fn read_faults(text: &str, build: impl FnOnce(&Fields<'_>)) -> Faults {
    let document = json::parse(text.as_bytes()).unwrap();
    match read(&document, false, |root| root.object(build)) {
        Ok(_) => Faults { errors: Vec::new(), total: 0 },
        Err(faults) => faults,
    }
}

fn read_warnings(text: &str, build: impl FnOnce(&Fields<'_>)) -> Vec<(String, String)> {
    let document = json::parse(text.as_bytes()).unwrap();
    let ((), warnings) = read(&document, false, |root| root.object(build)).unwrap();
    warnings.into_iter().map(|warning| (warning.field, warning.message)).collect()
}

/// Reads the field `a` of `{"a": value}` with `build`, and returns its value or the code.
fn read_field<T>(value: &str, build: impl FnOnce(&Fields<'_>) -> T) -> Result<T, FaultCode> {
    let text = format!("{{\"a\":{value}}}");
    let document = json::parse(text.as_bytes()).unwrap();
    match read(&document, false, |root| root.object(build)) {
        Ok((value, _)) => Ok(value),
        Err(faults) => {
            assert_eq!(faults.total, 1, "{faults:?}");
            assert!(faults.errors[0].field.starts_with("$.a"), "{faults:?}");
            Err(faults.errors[0].code)
        }
    }
}

#[test]
fn an_absent_or_null_field_is_missing_where_it_is_required() {
    let all = |at: &Fields<'_>| {
        at.text("a");
        at.identifier("b");
        at.count("c");
        at.time("d");
        at.texts("e");
        at.object("f", |_| ());
    };
    let missing = |key: &str| (format!("$.{key}"), FaultCode::MissingField);

    let expected = ["a", "b", "c", "d", "e", "f"].map(missing);
    assert_eq!(list_faults("{}", all), expected);
    let nulls = r#"{"a":null,"b":null,"c":null,"d":null,"e":null,"f":null}"#;
    assert_eq!(list_faults(nulls, all), expected);
}

#[test]
fn an_absent_or_null_field_is_nothing_where_it_is_optional() {
    let build = |at: &Fields<'_>| {
        assert_eq!(at.optional_text("a"), None);
        assert_eq!(at.optional_cents("b"), None);
        assert_eq!(at.optional_texts("b"), Vec::<String>::new());
    };

    assert_eq!(list_faults(r#"{"a":null}"#, build), []);
}

#[test]
fn text_is_text_without_nul_and_of_limited_length() {
    let text = |value: &str| read_field(value, |at| at.text("a"));

    assert_eq!(text("\"\""), Ok(String::new()));
    assert_eq!(text("7"), Err(FaultCode::InvalidType));
    assert_eq!(text("\"a\\u0000b\""), Err(FaultCode::Invalid));
    assert!(text(&format!("\"{}\"", "é".repeat(TEXT_MAX))).is_ok());
    assert_eq!(text(&format!("\"{}\"", "e".repeat(TEXT_MAX + 1))), Err(FaultCode::Invalid));
}

#[test]
fn an_identifier_is_short_and_not_empty() {
    let identifier = |value: &str| read_field(value, |at| at.identifier("a"));
    let longest = format!("\"{}\"", "é".repeat(IDENTIFIER_MAX));
    let too_long = format!("\"{}\"", "é".repeat(IDENTIFIER_MAX + 1));

    assert!(identifier(&longest).is_ok());
    assert_eq!(identifier(&too_long), Err(FaultCode::Invalid));
    assert_eq!(identifier("\"\""), Err(FaultCode::Invalid));
    assert_eq!(identifier("[]"), Err(FaultCode::InvalidType));
    assert_eq!(read_field("\"\"", |at| at.identifier_or_empty("a")), Ok(String::new()));
    assert_eq!(read_field("\"\"", |at| at.optional_identifier("a")), Ok(None));
    assert_eq!(read_field(&too_long, |at| at.optional_identifier("a")), Err(FaultCode::Invalid));
}

#[test]
fn an_integer_may_be_spelled_with_a_point_but_is_not_a_fraction() {
    let integer = |value: &str| read_field(value, |at| at.optional_integer("a"));

    for (spelling, value) in [
        ("3", 3),
        ("3.0", 3),
        ("30e-1", 3),
        ("3E2", 300),
        ("-0", 0),
        ("-0.0", 0),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("9223372036854775807", i64::MAX),
    ] {
        assert_eq!(integer(spelling), Ok(Some(value)), "{spelling}");
    }
    for spelling in ["0.5", "1e-1", "3.25", "3.0000000000000000000001", "1e-400"] {
        assert_eq!(integer(spelling), Err(FaultCode::InvalidType), "{spelling}");
    }
    for spelling in ["9223372036854775808", "1e19", "1e400", "-1e19"] {
        assert_eq!(integer(spelling), Err(FaultCode::Invalid), "{spelling}");
    }
    assert_eq!(integer("\"3\""), Err(FaultCode::InvalidType));
}

#[test]
fn counts_and_amounts_have_limits() {
    let count = |value: &str| read_field(value, |at| at.count("a"));
    let cents = |value: &str| read_field(value, |at| at.cents("a"));

    assert_eq!((count("0"), count("1000")), (Ok(0), Ok(1_000)));
    assert_eq!((count("-1"), count("1001")), (Err(FaultCode::Invalid), Err(FaultCode::Invalid)));
    assert_eq!((cents("0"), cents("10000000000000")), (Ok(0), Ok(fields::CENTS_MAX)));
    assert_eq!(
        (cents("-1"), cents("10000000000001")),
        (Err(FaultCode::Invalid), Err(FaultCode::Invalid))
    );
    assert_eq!(cents("true"), Err(FaultCode::InvalidType));
}

#[test]
fn a_number_is_finite_and_not_negative() {
    let number = |value: &str| read_field(value, |at| at.optional_number("a"));

    assert_eq!(number("0.45"), Ok(Some(0.45)));
    assert_eq!(number("-0.1"), Err(FaultCode::Invalid));
    assert_eq!(number("1e999"), Err(FaultCode::Invalid));
    assert_eq!(number("\"1\""), Err(FaultCode::InvalidType));
}

#[test]
fn a_flag_is_true_or_false_and_a_time_is_a_time() {
    assert_eq!(read_field("true", |at| at.optional_flag("a")), Ok(Some(true)));
    assert_eq!(read_field("1", |at| at.optional_flag("a")), Err(FaultCode::InvalidType));
    assert_eq!(read_field("\"1970-01-01\"", |at| at.time("a")), Ok(Timestamp::UNIX_EPOCH));
    assert_eq!(read_field("\"now\"", |at| at.time("a")), Err(FaultCode::Invalid));
    assert_eq!(read_field("0", |at| at.time("a")), Err(FaultCode::InvalidType));
}

#[test]
fn a_wrong_element_is_noted_at_its_own_path() {
    let build = |at: &Fields<'_>| {
        at.texts("tags");
        at.objects("items", |item| item.text("sku"));
    };

    assert_eq!(
        list_faults(r#"{"tags":["a",1,null],"items":[{"sku":"a"},[],{"sku":2}]}"#, build),
        [
            ("$.tags[1]".to_owned(), FaultCode::InvalidType),
            ("$.tags[2]".to_owned(), FaultCode::MissingField),
            ("$.items[1]".to_owned(), FaultCode::InvalidType),
            ("$.items[2].sku".to_owned(), FaultCode::InvalidType),
        ]
    );
    assert_eq!(
        list_faults(r#"{"tags":"a","items":{}}"#, build),
        [
            ("$.tags".to_owned(), FaultCode::InvalidType),
            ("$.items".to_owned(), FaultCode::InvalidType)
        ]
    );
}

#[test]
fn keys_that_are_not_requested_are_warned_of_in_any_order() {
    let build = |at: &Fields<'_>| {
        at.text("a");
        at.object("b", |b| b.optional_text("c"));
    };

    let kept = "unknown field, kept as sent".to_owned();
    assert_eq!(
        read_warnings(r#"{"x":0,"b":{"the x":1},"y z":null,"a":""}"#, build),
        [
            ("$.b['the x']".to_owned(), kept.clone()),
            ("$.x".to_owned(), kept.clone()),
            ("$['y z']".to_owned(), kept),
        ]
    );
}

#[test]
fn keys_that_are_not_requested_are_faults_where_the_object_refuses_them() {
    let build = |at: &Fields<'_>| {
        at.refuse_unknown();
        at.text("a");
        at.object("b", |_| ());
    };

    assert_eq!(
        list_faults(r#"{"x":null,"a":"","b":{"kept":1}}"#, build),
        [("$.x".to_owned(), FaultCode::Invalid)]
    );
}

#[test]
fn known_keys_are_told_from_unknown_ones_in_a_huge_object() {
    let unknown: Vec<String> = (0..400).map(|number| format!("\"u{number}\":0")).collect();
    let text = format!("{{{},\"a\":\"\"}}", unknown.join(","));

    let warnings = read_warnings(&text, |at| {
        at.text("a");
    });

    assert_eq!(warnings.len(), 400);
    assert!(warnings.iter().all(|(field, _)| field.starts_with("$.u")));
}

#[test]
fn only_the_first_thousand_are_listed_and_all_are_counted() {
    let text = format!("{{\"a\":[{}0]}}", "0,".repeat(99_999));
    let faults = read_faults(&text, |at| {
        at.texts("a");
    });

    assert_eq!((faults.errors.len(), faults.total), (FAULTS_MAX, 100_000));
    assert_eq!(faults.errors[999].field, "$.a[999]");

    let objects = format!("{{\"a\":[{}{{}}]}}", "{\"x\":0},".repeat(5_000));
    let warnings = read_warnings(&objects, |at| {
        at.objects("a", |_| ());
    });
    assert_eq!(warnings.len(), WARNINGS_MAX);
}

#[test]
fn a_doubt_is_a_warning_unless_reading_is_strict() {
    let document = json::parse(br#"{"a":1}"#).unwrap();
    let build = |root: &Reader<'_>| {
        root.object(|at| {
            at.count("a");
            at.doubt("a", "should be 2");
        })
    };

    let ((), warnings) = read(&document, false, build).unwrap();
    let faults = read(&document, true, build).unwrap_err();

    assert_eq!(warnings, [Warning { field: "$.a".to_owned(), message: "should be 2".to_owned() }]);
    assert_eq!(faults.errors[0].field, "$.a");
    assert_eq!(faults.errors[0].code, FaultCode::Invalid);
}

#[test]
fn a_rule_can_tell_a_value_from_its_placeholder() {
    let build = |at: &Fields<'_>| {
        at.count("a");
        at.count("b");
        at.optional_count("c");
        assert!(at.sound(&["a", "c"]));
        assert!(!at.sound(&["a", "b"]));
        let element = at.element(());
        assert!(element.sound("a") && !element.sound("b"));
    };

    assert_eq!(list_faults(r#"{"a":1}"#, build), [("$.b".to_owned(), FaultCode::MissingField)]);
}

#[test]
fn a_document_that_is_not_an_object_is_named_by_its_root() {
    let judged = |text: &str| {
        let document = json::parse(text.as_bytes()).unwrap();
        let faults = read(&document, false, |root| root.object(|_| ())).unwrap_err();
        (faults.errors[0].field.clone(), faults.errors[0].code)
    };

    assert_eq!(judged("[]"), ("$".to_owned(), FaultCode::InvalidType));
    assert_eq!(judged("null"), ("$".to_owned(), FaultCode::MissingField));
}
