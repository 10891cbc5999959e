//! What systemd is told: that the server is ready, that it stops, and that it still works.
//!
//! Without systemd, or with a unit of another type, nothing is told.

use std::{
    env,
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram},
    },
    time::Duration,
};

/// Tells systemd, such as `READY=1`. Whether it arrives makes no difference to the server.
pub(crate) fn notify(state: &str) {
    let Ok(address) = env::var("NOTIFY_SOCKET") else { return };
    let address = match address.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&address),
    };
    let sent = address.and_then(|address| {
        UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address).map(drop)
    });
    if let Err(error) = sent {
        tracing::warn!("telling systemd {state} failed, which may end this process: {error}");
    }
}

/// Tells systemd twice in each period that the server works, if it wants to know: each time after
/// `examine` has ended, so that a server which hangs is silent.
pub(crate) async fn keep_watchdog(examine: impl AsyncFn()) {
    let period_us = env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
    let Some(period) = period_us.map(Duration::from_micros) else {
        return std::future::pending().await;
    };
    let mut beat = tokio::time::interval((period / 2).max(Duration::from_millis(100)));
    loop {
        beat.tick().await;
        examine().await;
        notify("WATCHDOG=1");
    }
}
