//! Returns that are older than the journal get the postings of their state.

use boxed::boxed;
use domain::money::books::Balances;
use domain::time::micros;
use store::{Posting, StoreError, Transaction};

use crate::{App, AppError};

/// How many returns are posted before the next are loaded.
const PAGE: usize = 200;

/// Posts what returns without postings promised and paid so far, and returns how many there were.
#[boxed]
pub async fn post_older_returns(app: &App) -> Result<usize, AppError> {
    let mut count = 0;
    loop {
        let page = app.store.unposted_returns(PAGE).await?;
        for (merchant, id) in &page {
            let Some(rma) = app.store.rma(merchant, id).await? else { continue };
            // The journal begins with the state at the upgrade. Later events post the rest.
            let events = app.store.return_events(merchant, id, -1, 1).await?;
            let Some(first) = events.into_iter().next() else { continue };
            let domain::returns::journal::ReturnChange::State(state) = &first.change else {
                continue;
            };
            let mut transaction = Transaction::new("posting an older return");
            transaction.end_unposted(merchant, &rma.value);
            let posting = Posting {
                at_us: micros(first.at),
                rma_id: id.clone(),
                number: first.number,
                currency: rma.value.currency.clone(),
                amounts: Balances::of(state),
            };
            transaction.insert_posting(merchant, &posting);
            match app.store.commit(transaction).await {
                // Another node was faster.
                Ok(_) | Err(StoreError::Conflict) => (),
                Err(error) => return Err(error.into()),
            }
        }
        count += page.len();
        if page.len() < PAGE {
            return Ok(count);
        }
    }
}
