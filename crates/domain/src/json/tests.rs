//! What is accepted and what is refused, by example and compared with another parser.

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;

fn refusal(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

fn written(text: &str) -> String {
    let mut out = Vec::new();
    parse(text.as_bytes()).unwrap().write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn numbers_keep_every_digit() {
    for number in ["0", "-0", "1.50", "1E+400", "12345678901234567890.10", "-0.0e-7"] {
        assert_eq!(parse(number.as_bytes()), Ok(Json::Number(number)));
        assert_eq!(written(number), number);
    }
}

#[test]
fn strings_borrow_unless_they_are_escaped() {
    let plain = parse("\"größe\"".as_bytes()).unwrap();
    let escaped = parse(br#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000""#).unwrap();

    assert!(matches!(plain, Json::Text(Cow::Borrowed("größe"))));
    assert_eq!(escaped, Json::Text("a\"\\/\u{8}\u{c}\n\r\té😀\0".into()));
}

#[test]
fn writing_keeps_the_order_and_drops_the_spaces() {
    let text =
        " { \"b\" : [ 1 , { } , [ ] , null ] ,\r\n\t\"a\" : { \"y\" : true , \"x\" : false } } ";

    assert_eq!(written(text), r#"{"b":[1,{},[],null],"a":{"y":true,"x":false}}"#);
}

#[test]
fn writing_escapes_only_what_it_must() {
    let text = r#""\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u00e9""#;

    assert_eq!(written(text), "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é\"");
}

#[test]
fn the_canonical_form_has_sorted_keys_at_every_level() {
    let one = parse(br#"{"b":[{"d":1,"c":2}],"a":1.0}"#).unwrap();
    let other = parse(br#"{ "a": 1.0, "b": [ {"c":2, "d":1} ] }"#).unwrap();

    assert_eq!(one.canonical(), br#"{"a":1.0,"b":[{"c":2,"d":1}]}"#);
    assert_eq!(one.canonical(), other.canonical());
}

#[test]
fn a_refusal_names_the_place_and_the_reason() {
    let twice = "{\"items\": [\n  {\"sku\": 1,\n   \"größe\": 2, \"sku\": 3}]}";
    assert_eq!(refusal(twice), "line 3, column 16: duplicate key \"sku\" in one object");
    assert_eq!(refusal(""), "line 1, column 1: the document ends where a value is expected");
    assert_eq!(refusal("[1,\n2"), "line 2, column 2: expected `,` or `]`");
    assert_eq!(refusal("{\"a\" 1}"), "line 1, column 6: expected `:`");
    assert_eq!(refusal("{a:1}"), "line 1, column 2: expected a key in double quotes");
    assert_eq!(refusal("1 2"), "line 1, column 3: unexpected data after the end of the document");
    assert_eq!(refusal("\"ab\u{1}\""), "line 1, column 4: unescaped control character in a string");
    assert_eq!(refusal("\"ab"), "line 1, column 4: the document ends within a string");
    assert_eq!(
        refusal("\u{feff}1"),
        "line 1, column 1: the document starts with a byte order mark"
    );
    assert_eq!(
        parse(b"[\"ab\",\n \"\xff\"]").unwrap_err().to_string(),
        "line 2, column 3: the bytes are not UTF-8"
    );
}

#[test]
fn what_the_grammar_does_not_have_is_refused() {
    let refused = [
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "0x1",
        "NaN",
        "Infinity",
        "tru",
        "nulll",
        "True",
        "'a'",
        "[1,]",
        "{\"a\":1,}",
        "[,1]",
        "{,}",
        "[1 2]",
        "{\"a\"}",
        "{1:2}",
        "]",
        "}",
        "[}",
        "// a\n1",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\",
        "\"\\u",
        "\u{a0}1",
        "{\"a\":}",
    ];
    for text in refused {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn an_unpaired_surrogate_is_refused() {
    let reason = "line 1, column 3: unpaired surrogate";
    for text in [r#""a\ud83d""#, r#""a\ude00""#, r#""a\ud83dx""#, r#""a\ud83d\ud83d""#] {
        assert_eq!(refusal(text), reason, "{text}");
    }
    assert_eq!(refusal(r#""\ud83d\u00e9""#), "line 1, column 2: unpaired surrogate");
}

#[test]
fn nesting_ends_at_the_limit() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));

    assert!(parse(nested(DEPTH_MAX).as_bytes()).is_ok());
    assert_eq!(refusal(&nested(DEPTH_MAX + 1)), "line 1, column 65: nested deeper than 64 levels");
    assert!(parse("{\"a\":".repeat(1_000_000).as_bytes()).is_err());
}

#[test]
fn a_document_of_too_many_values_is_refused() {
    let document = |elements: usize| format!("[{}0]", "0,".repeat(elements - 1));

    assert!(parse(document(VALUES_MAX - 1).as_bytes()).is_ok());
    assert!(refusal(&document(VALUES_MAX)).ends_with("has more than 1000000 values"));
}

#[test]
fn a_duplicate_key_is_found_among_many() {
    let keys: Vec<String> = (0..50_000).map(|number| format!("\"k{number}\":0")).collect();
    let mut document = format!("{{{}", keys.join(","));

    assert!(parse(format!("{document}}}").as_bytes()).is_ok());
    document.push_str(",\"\\u006b7\":1,\"k3\":1}");
    assert!(refusal(&document).ends_with("duplicate key \"k7\" in one object"));
}

#[test]
fn the_same_key_in_different_objects_is_fine() {
    assert!(parse(br#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#).is_ok());
}

#[test]
fn a_key_of_an_object_can_be_asked_for() {
    let document = parse(br#"{"a":1}"#).unwrap();

    assert_eq!(document.get("a"), Some(&Json::Number("1")));
    assert_eq!(document.get("b"), None);
    assert_eq!(Json::Null.get("a"), None);
}

/// Any document, as written by another library.
fn any_document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f32>().prop_map(Into::into),
        "\\PC{0,6}".prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    let value = leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map("\\PC{0,3}", inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    (value, any::<bool>()).prop_map(|(value, pretty)| {
        let write = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        write(&value).unwrap()
    })
}

/// Whether the other library accepts the bytes. None for a number that does not fit in a float: it
/// gives up there, while we keep the text.
fn accepted_elsewhere(bytes: &[u8]) -> Option<bool> {
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Ok(_) => Some(true),
        Err(error) if error.to_string().starts_with("number out of range") => None,
        Err(_) => Some(false),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_was_written_reads_the_same(text in any_document()) {
        let document = parse(text.as_bytes()).unwrap();
        let mut out = Vec::new();
        document.write(&mut out);
        prop_assert_eq!(parse(&out).unwrap(), document);
        let ours: serde_json::Value = serde_json::from_slice(&out).unwrap();
        prop_assert_eq!(ours, serde_json::from_str::<serde_json::Value>(&text).unwrap());
    }

    /// A typing error anywhere is judged as the other library judges it, apart from duplicate keys,
    /// which only we refuse.
    #[test]
    fn a_damaged_document_is_judged_as_elsewhere(
        text in any_document(),
        slips in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, slip()), 1..4),
    ) {
        let mut bytes = text.into_bytes();
        for (index, kind, byte) in slips {
            let at = index.index(bytes.len() + 1);
            match kind {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                _ if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.push(byte),
            }
        }
        match parse(&bytes) {
            Ok(_) => prop_assert_ne!(accepted_elsewhere(&bytes), Some(false)),
            Err(refusal) if refusal.why.starts_with("duplicate key") => {}
            Err(refusal) => prop_assert_ne!(accepted_elsewhere(&bytes), Some(true), "{}", refusal),
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _judged = parse(&bytes);
    }
}

/// The bytes that matter to the grammar, and any other.
fn slip() -> impl Strategy<Value = u8> {
    prop_oneof![
        3 => prop::sample::select(b"{}[]:,\"\\ \n0123456789-+.eEutrfalsn\0\x1f".to_vec()),
        1 => any::<u8>(),
    ]
}

proptest! {
    /// An object is used as it was sent exactly when writing it would give the same bytes.
    #[test]
    fn a_tidy_object_is_in_the_document_as_it_would_be_written(
        value in any_document(), spaces in prop::sample::select(vec!["", " ", "\n\t"]),
    ) {
        let text = format!("{{\"a\":{spaces}{{}},\"b\":{{\"c\":{value}}}}}");
        let document = parse(text.as_bytes()).unwrap();

        for object in [&document, document.get("a").unwrap(), document.get("b").unwrap()] {
            let Json::Object(inner) = object else { panic!("an object was sent") };
            let mut written = Vec::new();
            object.write(&mut written);
            if let Some(place) = inner.as_sent() {
                prop_assert_eq!(&text.as_bytes()[place], &written[..]);
            } else {
                prop_assert!(text.contains([' ', '\n', '\t']) || text.contains('\\'));
            }
        }
    }
}
