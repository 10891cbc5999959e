//! Opens connections to addresses that the guard has checked.

use std::{net::SocketAddr, time::Duration};

use tokio::{net::TcpStream, time::timeout};

use super::send_error::SendError;

/// How many of a name's addresses are dialed, one after the other.
const ADDRESSES_DIALED_MAX: usize = 4;

/// Connects to the first address that answers, with an equal share of the time for each.
pub(crate) async fn dial(
    addresses: &[SocketAddr],
    time_max: Duration,
) -> Result<TcpStream, SendError> {
    let dialed = addresses.iter().take(ADDRESSES_DIALED_MAX);
    let count = u32::try_from(dialed.len()).unwrap_or(1).max(1);
    let share = time_max / count;
    let mut failure = SendError::ConnectTimeout;
    for address in dialed {
        failure = match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                stream.set_nodelay(true).map_err(|error| SendError::from(&error))?;
                return Ok(stream);
            }
            Ok(Err(error)) => SendError::from(&error),
            Err(_) => SendError::ConnectTimeout,
        };
    }
    Err(failure)
}
