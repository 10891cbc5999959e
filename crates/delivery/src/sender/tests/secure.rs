//! Calls over TLS: who is trusted, and what is said about those who are not.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{RootCertStore, ServerConfig, pki_types::PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{
    merchant::{Merchant, response},
    *,
};

/// A merchant behind TLS, with a certificate for `name`; its address and whom to trust.
async fn secure_merchant(name: &str) -> (String, RootCertStore) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![cert.der().clone()],
            PrivateKeyDer::Pkcs8(signing_key.serialize_der().into()),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/hook", listener.local_addr().unwrap());
    let merchant = Merchant::answering(200).await;
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, merchant) = (acceptor.clone(), merchant.clone());
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    merchant.serve(stream, |_| std::future::ready(response(200, "safe"))).await;
                }
            });
        }
    });
    (url, roots)
}

async fn send_trusting(url: &str, roots: RootCertStore) -> CallResult {
    let client = HttpClient::new(loopback(), trust(roots), standing().0, settings());
    let endpoint = Endpoint::new(&target_at(url, Auth::None), &client).unwrap();
    endpoint.send_outgoing(&outgoing()).await;
    endpoint.send_outgoing(&outgoing()).await
}

#[tokio::test]
async fn a_trusted_certificate_is_good() {
    let (url, roots) = secure_merchant("127.0.0.1").await;
    let attempt = send_trusting(&url, roots).await;
    assert!(attempt.is_success(), "{attempt:?}");
    assert_eq!(attempt.answer, &b"safe"[..]);
}

#[tokio::test]
async fn large_messages_go_through_and_the_connection_is_used_again() {
    let (url, roots) = secure_merchant("127.0.0.1").await;
    let client = HttpClient::new(loopback(), trust(roots), standing().0, settings());
    let endpoint = Endpoint::new(&target_at(&url, Auth::None), &client).unwrap();
    for length in [1, 1_000_000, 20_000] {
        let body = Bytes::from(vec![b'x'; length]);
        let attempt = endpoint.send_outgoing(&Outgoing { body, ..outgoing() }).await;
        assert_eq!((attempt.status, &attempt.answer[..]), (Some(200), &b"safe"[..]));
    }
}

#[tokio::test]
async fn an_untrusted_certificate_is_refused_with_the_reason() {
    let (url, _) = secure_merchant("127.0.0.1").await;
    let attempt = send_trusting(&url, RootCertStore::empty()).await;
    let error = "tls: invalid peer certificate: UnknownIssuer";
    assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(error)));
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused_with_the_reason() {
    let (url, roots) = secure_merchant("shop.example.com").await;
    let error = send_trusting(&url, roots).await.error.unwrap();
    assert!(error.starts_with("tls: invalid peer certificate: certificate not valid"), "{error}");
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_refused_with_the_reason() {
    let merchant = Merchant::answering(200).await;
    let url = format!("https://{}/", merchant.address);
    let error = send_trusting(&url, RootCertStore::empty()).await.error.unwrap();
    assert!(error.starts_with("tls: "), "{error}");
}
