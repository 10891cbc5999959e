//! TLS of the listener: which versions are spoken, and a certificate that can be replaced
//! while the service runs.
//!
//! The contract asks for TLS 1.2 only; a setting adds 1.3. The cryptography is handed to
//! rustls explicitly, so that nothing here depends on, or sets, a default of the process.
//!
//! Certificates are renewed by other programs that write the two files when they like. So the
//! files are looked at every few seconds (modification time and size), and a pair that changed
//! and is sound is used from the next handshake on. A pair that is not sound, for instance
//! because only one of the files has been written yet, is reported once and tried again; until
//! it is sound the old pair stays in use. Open connections keep what they began with.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use rustls::{
    InconsistentKeys, ServerConfig, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
    version::{TLS12, TLS13},
};
use store::with_causes;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

/// How often the files are looked at.
pub const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// Only HTTP/1.1 is spoken, and said so when the client asks.
const PROTOCOL: &[u8] = b"http/1.1";

#[derive(Clone, Debug)]
pub struct TlsSettings {
    /// PEM: the certificate of this server first, then the ones that vouch for it.
    pub cert: PathBuf,
    /// PEM: PKCS#8, PKCS#1 or SEC1.
    pub key: PathBuf,
    pub allow_tls13: bool,
}

#[derive(Debug, Error)]
pub enum TlsError {
    #[error("{} does not exist", file.display())]
    Missing { file: PathBuf },
    #[error("{} cannot be read", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error("{} is not a PEM file", file.display())]
    NotPem { file: PathBuf, source: pem::Error },
    #[error("{} has no certificate in it", file.display())]
    NoCertificate { file: PathBuf },
    #[error("{} has no private key in it", file.display())]
    NoKey { file: PathBuf },
    #[error("the certificate in {} cannot be used", file.display())]
    UnusableCertificate { file: PathBuf, source: rustls::Error },
    #[error("the private key in {} cannot be used", file.display())]
    UnusableKey { file: PathBuf, source: rustls::Error },
    #[error(
        "the private key in {} does not belong to the certificate in {}",
        key.display(),
        cert.display()
    )]
    KeyMismatch { cert: PathBuf, key: PathBuf },
    #[error("the TLS versions cannot be offered")]
    Versions(#[source] rustls::Error),
}

/// What the listener answers a TLS client with; `certificate` may change underneath.
pub fn server_config(
    settings: &TlsSettings,
    certificate: Arc<ReloadingCertificate>,
) -> Result<ServerConfig, TlsError> {
    let versions: &[&SupportedProtocolVersion] =
        if settings.allow_tls13 { &[&TLS13, &TLS12] } else { &[&TLS12] };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .map_err(TlsError::Versions)?
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(config)
}

/// The pair in use. Every handshake takes the one that is current when it begins.
#[derive(Debug)]
pub struct ReloadingCertificate {
    files: Files,
    /// What the files looked like before they were read the first time.
    first_stamps: Stamps,
    current: RwLock<Arc<CertifiedKey>>,
}

impl ReloadingCertificate {
    pub fn load(settings: &TlsSettings) -> Result<Self, TlsError> {
        let files = Files { cert: settings.cert.clone(), key: settings.key.clone() };
        let first_stamps = files.stamps();
        let current = RwLock::new(Arc::new(files.read_pair()?));
        Ok(Self { files, first_stamps, current })
    }

    fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, pair: CertifiedKey) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(pair);
    }
}

impl ResolvesServerCert for ReloadingCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

/// Keeps `certificate` like its files until `stop`. A panic while reading ends it, which is
/// logged; the pair in use stays.
pub async fn reload_when_changed(
    certificate: Arc<ReloadingCertificate>,
    interval: Duration,
    stop: CancellationToken,
) {
    let mut watch = Watch::new(certificate);
    while stop.run_until_cancelled(tokio::time::sleep(interval)).await.is_some() {
        let looking = tokio::task::spawn_blocking(move || {
            watch.look().report();
            watch
        });
        watch = match looking.await {
            Ok(watch) => watch,
            Err(error) => {
                tracing::error!(
                    "watching the certificate files failed, \
                     changes need a restart from now on: {error}"
                );
                return;
            }
        };
    }
}

/// What one look at the files found.
#[derive(Debug)]
enum Look {
    NothingNew,
    Replaced,
    /// A fault that was not reported before.
    Broken(TlsError),
}

impl Look {
    fn report(&self) {
        match self {
            Self::NothingNew => {}
            Self::Replaced => tracing::info!("the TLS certificate was replaced by the new one"),
            Self::Broken(fault) => {
                let cause = with_causes(fault);
                tracing::error!(
                    "loading the new TLS certificate failed, the old one stays in use: {cause}"
                );
            }
        }
    }
}

/// Remembers what was seen, so that each state of the files is reported once.
#[derive(Debug)]
struct Watch {
    certificate: Arc<ReloadingCertificate>,
    seen: Stamps,
    /// Set while the files are not usable.
    complaint: Option<String>,
}

impl Watch {
    fn new(certificate: Arc<ReloadingCertificate>) -> Self {
        let seen = certificate.first_stamps;
        Self { certificate, seen, complaint: None }
    }

    /// Reads the files when they changed, or when they could not be used the last time: the
    /// reason may lie outside of them, such as too many open files.
    fn look(&mut self) -> Look {
        let stamps = self.certificate.files.stamps();
        let changed = stamps != self.seen;
        if !changed && self.complaint.is_none() {
            return Look::NothingNew;
        }
        self.seen = stamps;
        match self.certificate.files.read_pair() {
            Ok(pair) => {
                self.certificate.replace(pair);
                self.complaint = None;
                Look::Replaced
            }
            Err(error) => {
                let before = self.complaint.replace(error.to_string());
                let known = !changed && before == self.complaint;
                if known { Look::NothingNew } else { Look::Broken(error) }
            }
        }
    }
}

#[derive(Debug)]
struct Files {
    cert: PathBuf,
    key: PathBuf,
}

/// Modification time and size of a file that is there.
type Stamp = Option<(SystemTime, u64)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamps {
    cert: Stamp,
    key: Stamp,
}

impl Files {
    fn stamps(&self) -> Stamps {
        Stamps { cert: stamp(&self.cert), key: stamp(&self.key) }
    }

    /// The pair, when both files are sound and belong together.
    fn read_pair(&self) -> Result<CertifiedKey, TlsError> {
        let chain = read_chain(&self.cert)?;
        let key = read_key(&self.key)?;
        let provider: CryptoProvider = ring::default_provider();
        let key = provider
            .key_provider
            .load_private_key(key)
            .map_err(|source| TlsError::UnusableKey { file: self.key.clone(), source })?;
        let pair = CertifiedKey::new(chain, key);
        match pair.keys_match() {
            Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(pair),
            Err(rustls::Error::InconsistentKeys(_)) => {
                Err(TlsError::KeyMismatch { cert: self.cert.clone(), key: self.key.clone() })
            }
            Err(source) => Err(TlsError::UnusableCertificate { file: self.cert.clone(), source }),
        }
    }
}

fn stamp(file: &Path) -> Stamp {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn read_chain(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(file)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.map_err(|source| TlsError::NotPem { file: file.to_owned(), source })?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate { file: file.to_owned() });
    }
    Ok(chain)
}

fn read_key(file: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(&read(file)?).map_err(|source| {
        if matches!(source, pem::Error::NoItemsFound) {
            TlsError::NoKey { file: file.to_owned() }
        } else {
            TlsError::NotPem { file: file.to_owned(), source }
        }
    })
}

fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(file).map_err(|source| {
        let file = file.to_owned();
        if source.kind() == io::ErrorKind::NotFound {
            TlsError::Missing { file }
        } else {
            TlsError::Unreadable { file, source }
        }
    })
}

#[cfg(test)]
mod tests;
