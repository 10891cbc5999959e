//! Has the endpoints of a merchant looked up again after a change.

use domain::identifier::MerchantId;
use store::StoreError;

use crate::{App, AppError};

/// Has them looked up by all nodes, however the change ended: if the database failed, the change
/// may be stored all the same, or may be in a moment.
pub(crate) fn reload_endpoints<T>(app: &App, merchant: &MerchantId, change: &Result<T, AppError>) {
    if matches!(change, Err(AppError::Store(StoreError::Database { .. }))) {
        app.dispatcher.notify_endpoints_in_doubt(merchant);
    } else {
        app.dispatcher.notify_endpoints_changed(merchant);
    }
}
