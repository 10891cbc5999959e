//! `homeward certify` finds the one defect of a receiver, and nothing wrong with a correct one.

mod defect;
mod receiver;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::home::{Home, text};
use crate::harness::stage::receiver as simulated;
use defect::Defect;
use receiver::{Receiver, SECRET, TOKEN};

/// The certificate of a receiver, and the exit code.
fn certify(home: &Home, url: &str, more: &[&str]) -> (Value, Option<i32>) {
    let secret = home.file("secret", SECRET);
    let arguments =
        [&["--json", "certify", url, "--secret-file", secret.to_str().unwrap()], more].concat();
    let ran = home.run(&arguments);
    let certificate = serde_json::from_str(&ran.out);
    (certificate.unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err)), ran.code)
}

fn rules(certificate: &Value, result: &str) -> BTreeSet<String> {
    let verdicts = certificate["verdicts"].as_array().unwrap();
    let wanted = verdicts.iter().filter(|verdict| verdict["result"] == result);
    wanted.map(|verdict| text(&verdict["rule"])).collect()
}

fn certify_receiver(home: &Home, defect: Defect) -> (Value, Option<i32>) {
    let receiver = Receiver::start(defect);
    let held = format!("{}/held", receiver.url());
    let auth = home.file("auth", format!(r#"{{"type": "bearer", "token": "{TOKEN}"}}"#));
    let auth = auth.to_str().unwrap();
    // A slow receiver is given up soon; the others have time, also on a busy machine.
    let limit = if defect == Defect::Slow { "100" } else { "10000" };
    let more = ["--held", &held, "--auth-json", auth, "--time-limit-ms", limit];
    certify(home, &receiver.url(), &more)
}

#[test]
fn each_broken_receiver_is_flagged_for_its_own_defect_and_no_other() {
    let home = Home::new();
    let (correct, code) = certify_receiver(&home, Defect::None);
    let every_rule = rules(&correct, "passed");
    assert_eq!((code, every_rule.len()), (Some(0), Defect::ALL.len()), "{correct:#}");
    let mut flagged = BTreeSet::new();
    for (defect, rule) in Defect::ALL {
        let (certificate, code) = certify_receiver(&home, defect);
        let failed = rules(&certificate, "failed");
        assert_eq!(failed, [rule.to_owned()].into(), "{defect:?}: {certificate:#}");
        assert_eq!((code, &certificate["passed"]), (Some(1), &Value::Bool(false)));
        flagged.extend(failed);
    }
    assert_eq!(flagged, every_rule, "every rule has a receiver that breaks it");
}

#[test]
fn the_simulated_merchant_is_certified_and_the_report_is_text_and_a_page() {
    let home = Home::new();
    let running = simulated(sim::Settings {
        signing_secrets: vec![SECRET.to_owned()],
        ..sim::Settings::default()
    });
    let (certificate, code) = certify(&home, &running.url(), &[]);
    assert_eq!(rules(&certificate, "failed"), BTreeSet::new(), "{certificate:#}");
    assert_eq!(code, Some(0));
    let unasked = ["checks_credentials", "holds_everything", "keeps_newest"].map(str::to_owned);
    assert_eq!(rules(&certificate, "skipped"), unasked.into());

    let (secret, page) = (home.file("secret", SECRET), home.root().join("report.html"));
    let file = page.to_str().unwrap();
    let ran = home.run(&[
        "certify",
        &running.url(),
        "--secret-file",
        secret.to_str().unwrap(),
        "--kind",
        "rma",
        "--html",
        file,
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("passed   checks_signature"), "{}", ran.out);
    assert!(ran.out.trim_end().ends_with("is certified"), "{}", ran.out);
    assert!(std::fs::read_to_string(page).unwrap().contains("<h1>Certificate of http://"));
}

#[test]
fn a_receiver_that_does_not_exist_is_not_certified() {
    let home = Home::new();
    let (certificate, code) = certify(&home, "http://127.0.0.1:9", &["--kind", "rma"]);
    assert_eq!(rules(&certificate, "failed"), ["accepts_samples".to_owned()].into());
    assert_eq!(code, Some(1));
}
