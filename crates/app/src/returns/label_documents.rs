//! The files that belong to labels: taken from the carrier, and given out unchanged.

use std::time::Duration;

use boxed::boxed;
use bytes::Bytes;
use delivery::{FetchLimits, fetch};
use domain::{
    identifier::MerchantId,
    returns::{
        carrier::{
            CarrierEvent, CarrierEventKind,
            label::{DOCUMENT_MAX_BYTES, ReportedDocument, check_document},
        },
        identifier::RmaId,
        rma::{DocumentFormat, Label, LabelDocument, Rma},
    },
};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{App, AppError, access::secrets};

const LIMITS: FetchLimits =
    FetchLimits { bytes_max: DOCUMENT_MAX_BYTES, time_max: Duration::from_secs(10) };
const ACCEPT: &str = "application/pdf,image/png,application/zpl,text/plain";

/// A file of a label, with its bytes.
pub(crate) struct LabelFile {
    pub(crate) document: LabelDocument,
    pub(crate) bytes: Bytes,
}

impl LabelFile {
    /// Whether the return has the file now. A file of a label that came too late is not stored.
    pub(crate) fn belongs_to(&self, rma: &Rma) -> bool {
        find_document(rma, &self.document.sha256).is_some()
    }
}

/// The files of one event. While they are in memory, few others are.
#[derive(Default)]
pub(crate) struct LabelFiles {
    pub(crate) files: Vec<LabelFile>,
    _turn: Option<SemaphorePermit<'static>>,
}

/// How many events with files are handled at the same time, for all merchants. Files that are
/// fetched have turns of their own, because a slow address must not delay other files.
const WITH_FILES_MAX: usize = 4;

/// The documents that an event reports.
fn list_reported(event: &CarrierEvent) -> &[ReportedDocument] {
    let label = event.label.as_ref().filter(|_| event.kind == CarrierEventKind::LabelCreated);
    label.map_or(&[], |label| &label.documents)
}

/// Whether the files of an event must be fetched and could be used.
pub(crate) async fn may_load(
    app: &App,
    merchant: &MerchantId,
    rma: &RmaId,
    event: &CarrierEvent,
) -> Result<bool, AppError> {
    if list_reported(event).iter().all(|it| it.content.is_some()) {
        return Ok(true);
    }
    let Some(rma) = app.store.rma(merchant, rma).await? else { return Ok(false) };
    let rma = rma.value;
    let has_files = rma.labels.iter().any(|label| {
        Some(&label.tracking_number) == event.tracking_number.as_ref()
            && !label.details.documents.is_empty()
    });
    Ok(!has_files && event.generation.is_none_or(|it| it == rma.label_generation))
}

/// The files of a new label, or why there are none.
pub(crate) async fn load_documents(app: &App, event: &CarrierEvent) -> Result<LabelFiles, String> {
    static TURNS: Semaphore = Semaphore::const_new(WITH_FILES_MAX);
    static FETCH_TURNS: Semaphore = Semaphore::const_new(WITH_FILES_MAX);
    let documents = list_reported(event);
    if documents.is_empty() {
        return Ok(LabelFiles::default());
    }
    let turns = if documents.iter().all(|it| it.content.is_some()) { &TURNS } else { &FETCH_TURNS };
    let turn = turns.acquire().await.ok();
    let mut files = Vec::new();
    for reported in documents {
        let bytes = load_bytes(app, reported).await?;
        files.push(LabelFile {
            document: LabelDocument {
                purpose: reported.purpose,
                format: reported.format,
                sha256: secrets::hexadecimal(&secrets::hash(&bytes)),
                bytes: bytes.len(),
            },
            bytes,
        });
    }
    Ok(LabelFiles { files, _turn: turn })
}

async fn load_bytes(app: &App, reported: &ReportedDocument) -> Result<Bytes, String> {
    if let Some(content) = &reported.content {
        return Ok(Bytes::copy_from_slice(content));
    }
    let url = reported.url.as_deref().unwrap_or_default();
    let fetched = fetch(&app.http, url, ACCEPT, LIMITS).await;
    let bytes = fetched.map_err(|why| {
        format!("the label could not be fetched, so report it again later: {why}")
    })?;
    match check_document(Some(reported.format), &bytes) {
        Ok(()) => Ok(bytes),
        Err(why) => Err(format!("the label at its address {why}")),
    }
}

/// A file that is given out piece by piece, so that it is never in memory as a whole.
pub struct DocumentReader {
    app: App,
    merchant: MerchantId,
    rma: RmaId,
    pub format: DocumentFormat,
    pub bytes: usize,
    sha256: String,
    next_piece: usize,
}

impl DocumentReader {
    /// The next bytes. None at the end.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<Bytes>, AppError> {
        let Self { app, merchant, rma, sha256, next_piece, .. } = self;
        let piece = app.store.label_document_piece(merchant, rma, sha256, *next_piece).await?;
        *next_piece = next_piece.saturating_add(1);
        Ok(piece)
    }
}

/// The file with this hash, of a label that can be used.
pub fn open_document(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
    sha256: &str,
) -> Result<DocumentReader, AppError> {
    let document = find_document(rma, sha256).ok_or(AppError::NotFound("label"))?;
    Ok(DocumentReader {
        app: app.clone(),
        merchant: merchant.clone(),
        rma: rma.rma_identifier.clone(),
        format: document.format,
        bytes: document.bytes,
        sha256: document.sha256.clone(),
        next_piece: 0,
    })
}

fn find_document<'a>(rma: &'a Rma, sha256: &str) -> Option<&'a LabelDocument> {
    let documents = |label: &'a Label| &label.details.documents;
    rma.valid_labels().flat_map(documents).find(|it| it.sha256 == sha256)
}
