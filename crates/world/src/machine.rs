//! The clock of the machine: the only place that reads it.

use jiff::Timestamp;

#[expect(clippy::disallowed_methods, reason = "the only code that may read the machine's clock")]
pub(crate) fn read_machine_us() -> i64 {
    Timestamp::now().as_microsecond()
}
