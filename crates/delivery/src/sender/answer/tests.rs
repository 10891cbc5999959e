//! Answers as servers send them, as they should not, and as no server would.

use proptest::prelude::*;

use super::*;

const LIMITS: AnswerLimits = AnswerLimits { read_max_bytes: 64, kept_max_bytes: 16 };

/// What came of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    status: Option<u16>,
    kept: String,
    complete: bool,
    error: Option<SendError>,
    /// Whether another request may follow on the same connection.
    reusable: bool,
}

/// Reads `bytes` in pieces that end at `cuts`, and then the end of the connection.
fn read(bytes: &[u8], cuts: &[usize]) -> Outcome {
    let mut reader = AnswerReader::new(LIMITS);
    let mut answer = HttpAnswer::default();
    let mut waiting = Vec::new();
    let mut error = None;
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut start = 0;
    for end in cuts {
        waiting.extend_from_slice(&bytes[start..end]);
        start = end;
        match reader.take(&waiting, &mut answer) {
            Ok(taken) => drop(waiting.drain(..taken)),
            Err(failure) => {
                error = Some(failure);
                break;
            }
        }
    }
    let reusable = error.is_none() && reader.is_reusable() && waiting.is_empty();
    if error.is_none() && !reader.is_over() {
        error = reader.close(&mut answer).err();
    }
    Outcome {
        status: answer.status.map(|status| status.as_u16()),
        kept: String::from_utf8_lossy(&answer.kept).into_owned(),
        complete: answer.complete,
        error,
        reusable,
    }
}

/// An answer that was read whole.
fn whole(status: u16, kept: &str, reusable: bool) -> Outcome {
    let kept = kept.to_owned();
    Outcome { status: Some(status), kept, complete: true, error: None, reusable }
}

/// An answer that ended in an error.
fn broken(status: Option<u16>, kept: &str, error: SendError) -> Outcome {
    let kept = kept.to_owned();
    Outcome { status, kept, complete: false, error: Some(error), reusable: false }
}

/// Answers, and what is made of them.
fn answers() -> Vec<(&'static str, Outcome)> {
    let unreadable = || broken(None, "", SendError::Unreadable);
    let no_answer = || broken(None, "", SendError::Closed);
    vec![
        // As they should be.
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", whole(200, "ok", true)),
        ("HTTP/1.1 200 \r\nContent-Length:2\r\n\r\nok", whole(200, "ok", true)),
        ("HTTP/1.1 200\r\nCONTENT-LENGTH: 0\r\n\r\n", whole(200, "", true)),
        ("HTTP/1.1 204 No Content\r\n\r\n", whole(204, "", true)),
        ("HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n", whole(304, "", true)),
        ("HTTP/1.1 500 No\r\n\r\nuntil the end", whole(500, "until the end", false)),
        ("HTTP/1.1 200 OK\ncontent-length: 2\n\nok", whole(200, "ok", true)),
        ("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n", whole(999, "", true)),
        // Those that go before.
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n", whole(204, "", true)),
        (
            "HTTP/1.1 103 Early\r\nlink: a\r\n\r\nHTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
            whole(204, "", true),
        ),
        ("HTTP/1.1 100 Continue\r\n\r\n", no_answer()),
        ("HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\nHTTP/1.1 204 No\r\n\r\n", unreadable()),
        // The connection.
        ("HTTP/1.1 204 No\r\nconnection: close\r\n\r\n", whole(204, "", false)),
        ("HTTP/1.1 204 No\r\nConnection: x, Close\r\n\r\n", whole(204, "", false)),
        ("HTTP/1.1 204 No\r\nconnection: keep-alive\r\n\r\n", whole(204, "", true)),
        ("HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", whole(200, "ok", false)),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1", whole(200, "ok", false)),
        ("HTTP/1.1 204 No\r\n\r\nx", whole(204, "", false)),
        // Lengths.
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok",
            broken(Some(200), "ok", SendError::Closed),
        ),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok", {
            whole(200, "ok", true)
        }),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok", whole(200, "ok", true)),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok", unreadable()),
        ("HTTP/1.1 200 OK\r\ncontent-length: x, 2\r\n\r\nok", unreadable()),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2, 3\r\n\r\nok", unreadable()),
        ("HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok", unreadable()),
        ("HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok", unreadable()),
        ("HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\nok", unreadable()),
        ("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n", unreadable()),
        // What is not an answer.
        ("", no_answer()),
        ("HTT", no_answer()),
        ("HTTP/1.1 200 OK\r\nno colon", no_answer()),
        ("HTTP/1.1 200 OK\r\nno colon\r\n", unreadable()),
        ("HTTP/1.1 200 OK\r\nfolded: a\r\n b\r\n\r\n", unreadable()),
        ("HTTP/1.1 200 OK\r\nspace : a\r\n\r\n", unreadable()),
        ("HTTP/1.1 200 OK\r\nnul: \0\r\n\r\n", unreadable()),
        ("HTTP/1.1 099 Low\r\n\r\n", unreadable()),
        ("HTTP/1.1 20 Short\r\n\r\n", unreadable()),
        ("HTTP/2.0 200 OK\r\n\r\n", unreadable()),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", unreadable()),
        ("<html>", unreadable()),
        ("2", unreadable()),
    ]
}

/// Bodies in chunks, and what is made of them.
fn chunked_answers() -> Vec<(&'static str, Outcome)> {
    let good = |kept| whole(200, kept, true);
    let bad = |kept| broken(Some(200), kept, SendError::Unreadable);
    let cut = |kept| broken(Some(200), kept, SendError::Closed);
    vec![
        ("0\r\n\r\n", good("")),
        ("2\r\nok\r\n0\r\n\r\n", good("ok")),
        ("3\r\none\r\n0003\r\ntwo\r\n0\r\n\r\n", good("onetwo")),
        ("A\r\n0123456789\r\n0\r\n\r\n", good("0123456789")),
        ("a;name=value;x\r\n0123456789\r\n0;last\r\n\r\n", good("0123456789")),
        ("2 \t;x\r\nok\r\n0 \r\n\r\n", good("ok")),
        ("2\r\nok\r\n0\r\nchecksum: 1\r\nother: 2\r\n\r\n", good("ok")),
        ("2\r\n\r\n\r\n0\r\n\r\n", good("\r\n")),
        ("2\r\nok\r\n0\r\n\r\nmore", whole(200, "ok", false)),
        ("", cut("")),
        ("2\r\no", cut("o")),
        ("2\r\nok\r\n", cut("ok")),
        ("2\r\nok\r\n0\r\n", cut("ok")),
        ("2\r\nok\r\n0\r\ntrailer", cut("ok")),
        ("x\r\n", bad("")),
        ("\r\nok", bad("")),
        (";x\r\nok", bad("")),
        ("-2\r\nok", bad("")),
        ("0x2\r\nok", bad("")),
        ("2 2\r\nok", bad("")),
        ("2\nok\n", bad("")),
        ("2;a\nok", bad("")),
        ("2\r\nokay\r\n", bad("ok")),
        ("2\r\nok\n0\r\n\r\n", bad("ok")),
        ("0\r\n\n", bad("")),
        ("0\r\na: b\n\r\n", bad("")),
        ("00000000000000001\r\nx", bad("")),
        ("fffffffffffffffff\r\nx", bad("")),
        ("ffffffffffffffff\r\nx", cut("x")),
    ]
}

/// Every answer of the tables.
fn every_answer() -> Vec<(String, Outcome)> {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n";
    let plain = answers().into_iter().map(|(text, outcome)| (text.to_owned(), outcome));
    let chunked =
        chunked_answers().into_iter().map(|(text, outcome)| (format!("{head}{text}"), outcome));
    plain.chain(chunked).collect()
}

#[test]
fn odd_answers_are_understood_or_refused_and_never_guessed_at() {
    for (text, outcome) in every_answer() {
        assert_eq!(read(text.as_bytes(), &[]), outcome, "{text:?}");
    }
}

#[test]
fn an_answer_that_comes_byte_by_byte_is_the_same_answer() {
    for (text, outcome) in every_answer() {
        let everywhere: Vec<usize> = (0..text.len()).collect();
        assert_eq!(read(text.as_bytes(), &everywhere), outcome, "{text:?}");
    }
}

#[test]
fn where_chunks_are_not_all_there_is_to_it_the_connection_is_not_used_again() {
    for (headers, body, kept) in [
        ("transfer-encoding: chunked\r\ncontent-length: 9", "2\r\nok\r\n0\r\n\r\n", "ok"),
        ("content-length: 2, 3\r\ntransfer-encoding: chunked", "2\r\nok\r\n0\r\n\r\n", "ok"),
        ("transfer-encoding: gzip, chunked", "2\r\nok\r\n0\r\n\r\n", "ok"),
        ("transfer-encoding: gzip\r\ntransfer-encoding: chunked", "2\r\nok\r\n0\r\n\r\n", "ok"),
        ("transfer-encoding: chunked, gzip", "as it is", "as it is"),
        ("transfer-encoding:\r\ncontent-length: 2", "as it is", "as it is"),
    ] {
        let text = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n{body}");
        assert_eq!(read(text.as_bytes(), &[]), whole(200, kept, false), "{headers}");
    }
    let old = b"HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    assert_eq!(read(old, &[]), whole(200, "ok", false));
}

#[test]
fn a_body_is_read_and_kept_up_to_its_limits() {
    let text = |length: usize| {
        let body = "0123456789".repeat(7)[..length].to_owned();
        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}")
    };
    assert_eq!(read(text(64).as_bytes(), &[]), whole(200, "0123456789012345", true));
    let outcome = read(text(65).as_bytes(), &[]);
    assert_eq!((outcome.complete, outcome.error, outcome.reusable), (false, None, false));
    assert_eq!(outcome.kept, "0123456789012345");
}

#[test]
fn a_head_is_read_up_to_its_limits() {
    let with = |headers: String| format!("HTTP/1.1 204 No\r\n{headers}\r\n");
    let unreadable = broken(None, "", SendError::Unreadable);

    assert_eq!(read(with("a: b\r\n".repeat(100)).as_bytes(), &[]), whole(204, "", true));
    assert_eq!(read(with("a: b\r\n".repeat(101)).as_bytes(), &[]), unreadable);

    let frame = with("a: \r\n".to_owned()).len();
    let long = |length: usize| with(format!("a: {}\r\n", "x".repeat(length - frame)));
    assert_eq!(read(long(HEAD_BYTES_MAX).as_bytes(), &[]), whole(204, "", true));
    assert_eq!(read(long(HEAD_BYTES_MAX + 1).as_bytes(), &[]), unreadable);
    assert_eq!(read(&long(HEAD_BYTES_MAX * 2).as_bytes()[..=HEAD_BYTES_MAX], &[]), unreadable);

    let waits = "HTTP/1.1 102 Wait\r\n\r\n";
    assert_eq!(read(waits.repeat(HEAD_BYTES_MAX / waits.len() + 1).as_bytes(), &[]), unreadable);
}

#[test]
fn what_stands_beside_chunks_has_a_limit() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for (before, after, outcome) in [
        ("1;", "\r\nx\r\n0\r\n\r\n", whole(200, "x", true)),
        ("1\r\nx\r\n0\r\n", "\r\n\r\n", whole(200, "x", true)),
    ] {
        let with = |length| format!("{head}{before}{}{after}", "y".repeat(length));
        assert_eq!(read(with(64 * 1024).as_bytes(), &[]), outcome);
        let error = read(with(64 * 1024 + 1).as_bytes(), &[]).error;
        assert_eq!(error, Some(SendError::Unreadable));
    }
}

#[test]
fn the_pause_that_is_asked_for_is_the_first() {
    let mut answer = HttpAnswer::default();
    let text = b"HTTP/1.1 503 Busy\r\nRetry-After:  7 \r\nretry-after: 8\r\n\r\n";
    AnswerReader::new(LIMITS).take(text, &mut answer).unwrap();
    assert_eq!(answer.retry_after, Some(HeaderValue::from_static("7")));
}

/// Bytes that look like parts of answers, in any order.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "HTTP/1.1 ",
        "HTTP/1.0 ",
        "200 OK\r\n",
        "204 No\r\n",
        "100 Continue\r\n\r\n",
        "\r\n",
        "\n",
        "\r",
        "content-length: ",
        "transfer-encoding: chunked\r\n",
        "connection: close\r\n",
        "0",
        "2",
        "1f",
        "ok",
        ";",
        ",",
        ":",
        " ",
        "\r\n\r\n",
        "0\r\n\r\n",
        "2\r\nok\r\n",
    ]);
    let piece = prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A whole answer, with something at one place that does not belong there.
fn disturbed() -> impl Strategy<Value = Vec<u8>> {
    let answers: Vec<String> = every_answer().into_iter().map(|(text, _)| text).collect();
    let noise = prop::collection::vec(any::<u8>(), 0..3);
    (prop::sample::select(answers), any::<prop::sample::Index>(), noise).prop_map(
        |(text, index, noise)| {
            let mut bytes = text.into_bytes();
            let place = index.index(bytes.len() + 1);
            bytes.splice(place..place, noise);
            bytes
        },
    )
}

proptest! {
    #[test]
    fn however_bytes_are_cut_they_mean_the_same(
        bytes in prop_oneof![pieces(), disturbed(), prop::collection::vec(any::<u8>(), 0..300)],
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let outcome = read(&bytes, &[]);
        prop_assert_eq!(&read(&bytes, &cuts), &outcome);
        prop_assert_eq!(&read(&bytes, &(0..bytes.len()).collect::<Vec<_>>()), &outcome);
        prop_assert!(outcome.kept.chars().count() <= LIMITS.kept_max_bytes);
        prop_assert!(!outcome.complete || outcome.error.is_none());
    }
}
