//! All entries of a merchant as CSV, read and written page by page.

use bytes::Bytes;
use domain::identifier::MerchantId;
use futures_util::{Stream, stream};
use jiff::Timestamp;

use super::books::{EntryQuery, MoneyEntries, list_entries};
use crate::{App, AppError};

const HEADER: [&str; 6] = ["at", "rma_identifier", "event", "account", "currency", "amount_cents"];
/// How many events are read at once.
const PAGE: usize = 1_000;

/// Where an export is.
enum ExportStep {
    Start,
    After(String),
    End,
}

/// The entries of a period, with a header line. Only one page is in memory at a time.
pub fn stream_csv(
    app: App,
    merchant: MerchantId,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> impl Stream<Item = Result<Bytes, AppError>> {
    stream::try_unfold(ExportStep::Start, move |step| {
        let (app, merchant) = (app.clone(), merchant.clone());
        async move {
            let (after, header) = match &step {
                ExportStep::Start => (None, true),
                ExportStep::After(after) => (Some(after.as_str()), false),
                ExportStep::End => return Ok(None),
            };
            let query = EntryQuery { from, to, after, limit: PAGE };
            let page = list_entries(&app, &merchant, &query).await?;
            let rows = format_page(&page, header);
            Ok(Some((rows, page.next.map_or(ExportStep::End, ExportStep::After))))
        }
    })
}

/// A page as rows of CSV, after a header line if it is the first.
pub fn format_page(page: &MoneyEntries, header: bool) -> Bytes {
    let mut rows = csv::WriterBuilder::new().from_writer(Vec::new());
    let write = |rows: &mut csv::Writer<Vec<u8>>| -> csv::Result<()> {
        if header {
            rows.write_record(HEADER)?;
        }
        for entry in &page.entries {
            rows.write_record([
                entry.at.to_string().as_str(),
                &entry.rma_identifier,
                &entry.event.to_string(),
                entry.account.name(),
                &entry.currency,
                &entry.amount_cents.to_string(),
            ])?;
        }
        Ok(())
    };
    let written = write(&mut rows).ok().and_then(|()| rows.into_inner().ok());
    // Rows are written to memory, which cannot fail.
    Bytes::from(written.unwrap_or_default())
}
