//! TLS of the listener: the supported versions, and a certificate that can be replaced while the
//! service runs.
//!
//! The contract requires TLS 1.2 only; a setting adds 1.3. The cryptography is passed to rustls
//! explicitly, so that nothing here uses or sets a default of the process.
//!
//! Other programs renew certificates and write the two files at any time. So the files are checked
//! every few seconds (modification time and size). A changed pair that is valid is used from the
//! next handshake on. An invalid pair, for instance if only one of the files has been written yet,
//! is reported once and checked again; the old pair stays in use until then. Open connections keep
//! the certificate they started with.

pub mod validity;

use std::{
    fmt, fs, io,
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

/// How often the files are checked.
pub const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// The only protocol that is negotiated: HTTP/1.1.
const PROTOCOL: &[u8] = b"http/1.1";

#[derive(Clone, Debug)]
pub struct TlsSettings {
    /// PEM: the certificate of this server first, then its intermediate certificates.
    pub cert: PathBuf,
    /// PEM: PKCS#8, PKCS#1 or SEC1.
    pub key: PathBuf,
    pub allow_tls13: bool,
}

/// A file, and the setting that names it.
#[derive(Clone, Debug)]
pub struct SettingFile {
    setting: &'static str,
    path: PathBuf,
}

impl fmt::Display for SettingFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.path.display(), self.setting)
    }
}

#[derive(Debug, Error)]
pub enum TlsError {
    #[error("{file} does not exist")]
    Missing { file: SettingFile },
    #[error("{file} cannot be read")]
    Unreadable { file: SettingFile, source: io::Error },
    #[error("{file} is not a PEM file")]
    NotPem { file: SettingFile, source: pem::Error },
    #[error("{file} contains no certificate")]
    NoCertificate { file: SettingFile },
    #[error("{file} contains no private key")]
    NoKey { file: SettingFile },
    #[error("the certificate in {file} cannot be used")]
    UnusableCertificate { file: SettingFile, source: rustls::Error },
    #[error("the private key in {file} cannot be used")]
    UnusableKey { file: SettingFile, source: rustls::Error },
    #[error("the private key in {key} does not belong to the certificate in {cert}")]
    KeyMismatch { cert: SettingFile, key: SettingFile },
    #[error("the TLS versions cannot be offered")]
    Versions(#[source] rustls::Error),
}

/// The TLS configuration of the listener. The certificate may be replaced later.
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

/// The certificate and key in use. Each handshake takes the pair that is current when it starts.
#[derive(Debug)]
pub struct ReloadingCertificate {
    files: Files,
    /// The state of the files before they were first read.
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

/// Reloads `certificate` whenever its files change, until `stop`. A panic while reading is logged
/// and ends this task; the pair in use stays.
pub async fn reload_when_changed(
    certificate: Arc<ReloadingCertificate>,
    interval: Duration,
    stop: CancellationToken,
) {
    let mut watch = Watch::new(certificate);
    while stop.run_until_cancelled(tokio::time::sleep(interval)).await.is_some() {
        let check = tokio::task::spawn_blocking(move || {
            watch.check().report();
            watch
        });
        watch = match check.await {
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

/// The result of one check of the files.
#[derive(Debug)]
enum FileCheck {
    Unchanged,
    Replaced,
    /// An error that was not reported before.
    Broken(TlsError),
}

impl FileCheck {
    fn report(&self) {
        match self {
            Self::Unchanged => {}
            Self::Replaced => tracing::info!("the new TLS certificate is in use"),
            Self::Broken(fault) => {
                let cause = with_causes(fault);
                tracing::error!(
                    "loading the new TLS certificate failed, the old one stays in use: {cause}"
                );
            }
        }
    }
}

/// Remembers the state of the files, so that each state is reported once.
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

    /// Reads the files if they changed, or if they could not be used last time: the cause may be
    /// outside of the files, such as too many open files.
    fn check(&mut self) -> FileCheck {
        let stamps = self.certificate.files.stamps();
        let changed = stamps != self.seen;
        if !changed && self.complaint.is_none() {
            return FileCheck::Unchanged;
        }
        self.seen = stamps;
        match self.certificate.files.read_pair() {
            Ok(pair) => {
                self.certificate.replace(pair);
                self.complaint = None;
                FileCheck::Replaced
            }
            Err(error) => {
                let before = self.complaint.replace(error.to_string());
                let known = !changed && before == self.complaint;
                if known { FileCheck::Unchanged } else { FileCheck::Broken(error) }
            }
        }
    }
}

#[derive(Debug)]
struct Files {
    cert: PathBuf,
    key: PathBuf,
}

/// Modification time and size of an existing file.
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

    /// The pair, if both files are valid and belong together.
    fn read_pair(&self) -> Result<CertifiedKey, TlsError> {
        let cert = SettingFile { setting: "tls_cert", path: self.cert.clone() };
        let key_file = SettingFile { setting: "tls_key", path: self.key.clone() };
        let chain = read_chain(&cert)?;
        let key = read_key(&key_file)?;
        let provider: CryptoProvider = ring::default_provider();
        let key = provider
            .key_provider
            .load_private_key(key)
            .map_err(|source| TlsError::UnusableKey { file: key_file.clone(), source })?;
        let pair = CertifiedKey::new(chain, key);
        match pair.keys_match() {
            Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(pair),
            Err(rustls::Error::InconsistentKeys(_)) => {
                Err(TlsError::KeyMismatch { cert, key: key_file })
            }
            Err(source) => Err(TlsError::UnusableCertificate { file: cert, source }),
        }
    }
}

fn stamp(file: &Path) -> Stamp {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn read_chain(file: &SettingFile) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(file)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.map_err(|source| TlsError::NotPem { file: file.clone(), source })?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate { file: file.clone() });
    }
    Ok(chain)
}

fn read_key(file: &SettingFile) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(&read(file)?).map_err(|source| {
        if matches!(source, pem::Error::NoItemsFound) {
            TlsError::NoKey { file: file.clone() }
        } else {
            TlsError::NotPem { file: file.clone(), source }
        }
    })
}

fn read(file: &SettingFile) -> Result<Vec<u8>, TlsError> {
    fs::read(&file.path).map_err(|source| {
        let file = file.clone();
        if source.kind() == io::ErrorKind::NotFound {
            TlsError::Missing { file }
        } else {
            TlsError::Unreadable { file, source }
        }
    })
}

#[cfg(test)]
mod tests;
