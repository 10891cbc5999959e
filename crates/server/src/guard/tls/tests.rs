//! Faults of the files, and what a watch does about files that change. The versions on the
//! wire are tested with the listener.

use std::error::Error as _;

use base64::{Engine, engine::general_purpose::STANDARD};
use tempfile::TempDir;

use super::*;
use crate::guard::fixtures::{Pair, make_pair, put, put_pair, settings_in};

fn folder() -> (TempDir, TlsSettings) {
    let folder = TempDir::new().unwrap();
    let settings = settings_in(&folder);
    (folder, settings)
}

fn fault(settings: &TlsSettings) -> TlsError {
    ReloadingCertificate::load(settings).unwrap_err()
}

fn loaded(settings: &TlsSettings) -> Arc<ReloadingCertificate> {
    Arc::new(ReloadingCertificate::load(settings).unwrap())
}

fn serves(certificate: &ReloadingCertificate, pair: &Pair) -> bool {
    certificate.current().cert == [pair.der.clone()]
}

#[test]
fn a_missing_file_is_named() {
    let (_folder, settings) = folder();

    let missing_cert = fault(&settings).to_string();
    put(&settings.cert, &make_pair().cert_pem);
    let missing_key = fault(&settings).to_string();

    assert_eq!(missing_cert, format!("{} (tls_cert) does not exist", settings.cert.display()));
    assert_eq!(missing_key, format!("{} (tls_key) does not exist", settings.key.display()));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let (folder, mut settings) = folder();
    settings.cert = folder.path().to_owned();

    let error = fault(&settings);

    assert_eq!(error.to_string(), format!("{} (tls_cert) cannot be read", settings.cert.display()));
    assert!(error.source().is_some());
}

#[test]
fn swapped_files_are_told_apart() {
    let (_folder, mut settings) = folder();
    put_pair(&settings, &make_pair());
    let cert = settings.cert.clone();

    settings.cert = settings.key.clone();
    let no_certificate = fault(&settings);
    settings.cert.clone_from(&cert);
    settings.key = cert;
    let no_key = fault(&settings);

    assert!(matches!(no_certificate, TlsError::NoCertificate { .. }), "{no_certificate}");
    assert!(matches!(no_key, TlsError::NoKey { .. }), "{no_key}");
}

#[test]
fn text_that_is_not_pem_is_refused() {
    let (_folder, settings) = folder();
    put_pair(&settings, &make_pair());

    put(&settings.cert, "-----BEGIN CERTIFICATE-----\nno base64 !\n-----END CERTIFICATE-----\n");
    assert!(matches!(fault(&settings), TlsError::NotPem { .. }));
    put(&settings.cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    assert!(matches!(fault(&settings), TlsError::UnusableCertificate { .. }));
}

#[test]
fn a_key_that_is_garbage_is_refused() {
    let (_folder, settings) = folder();
    put_pair(&settings, &make_pair());

    put(&settings.key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");

    assert!(matches!(fault(&settings), TlsError::UnusableKey { .. }));
}

#[test]
fn a_key_of_another_certificate_is_refused_with_both_names() {
    let (_folder, settings) = folder();
    put_pair(&settings, &make_pair());
    put(&settings.key, &make_pair().key_pem);

    let message = fault(&settings).to_string();

    assert!(message.contains("cert.pem") && message.contains("key.pem"), "{message}");
    assert!(message.contains("does not belong"), "{message}");
}

/// In PKCS#8 of a P-256 key the SEC1 structure begins after 29 bytes and goes to the end.
#[test]
fn a_sec1_key_is_read() {
    let (_folder, settings) = folder();
    let pair = make_pair();
    put_pair(&settings, &pair);
    let sec1 = STANDARD.encode(&pair.key_der[29..]);

    put(
        &settings.key,
        &format!("-----BEGIN EC PRIVATE KEY-----\n{sec1}\n-----END EC PRIVATE KEY-----\n"),
    );

    assert!(serves(&loaded(&settings), &pair));
}

#[test]
fn unchanged_files_are_left_alone() {
    let (_folder, settings) = folder();
    put_pair(&settings, &make_pair());
    let mut watch = Watch::new(loaded(&settings));

    assert!(matches!(watch.check(), FileCheck::Unchanged));
}

#[test]
fn a_new_pair_replaces_the_old_one() {
    let (_folder, settings) = folder();
    let (old, new) = (make_pair(), make_pair());
    put_pair(&settings, &old);
    let mut watch = Watch::new(loaded(&settings));
    put_pair(&settings, &new);

    assert!(serves(&watch.certificate, &old));
    assert!(matches!(watch.check(), FileCheck::Replaced));
    assert!(serves(&watch.certificate, &new));
}

#[test]
fn a_broken_pair_is_reported_once_and_the_old_one_stays() {
    let (_folder, settings) = folder();
    let (old, new) = (make_pair(), make_pair());
    put_pair(&settings, &old);
    let mut watch = Watch::new(loaded(&settings));

    put(&settings.cert, &new.cert_pem);
    assert!(matches!(watch.check(), FileCheck::Broken(TlsError::KeyMismatch { .. })));
    assert!(matches!(watch.check(), FileCheck::Unchanged), "it was reported");
    assert!(serves(&watch.certificate, &old));

    put(&settings.key, &new.key_pem);
    assert!(matches!(watch.check(), FileCheck::Replaced));
    assert!(serves(&watch.certificate, &new));
}

#[test]
fn files_that_are_gone_for_a_while_do_no_harm() {
    let (_folder, settings) = folder();
    let old = make_pair();
    put_pair(&settings, &old);
    let mut watch = Watch::new(loaded(&settings));

    fs::remove_file(&settings.cert).unwrap();
    assert!(matches!(watch.check(), FileCheck::Broken(TlsError::Missing { .. })));
    assert!(serves(&watch.certificate, &old));

    put(&settings.cert, &old.cert_pem);
    assert!(matches!(watch.check(), FileCheck::Replaced));
}
