//! What nodes tell each other through the database, on a connection of its own.

use futures_util::{StreamExt, stream};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
};
use tokio_postgres::{AsyncMessage, Config, Connection, NoTls, config::SslMode};

use super::tls_settings;
use crate::core::error::EngineError;

pub(super) const CHANNEL: &str = "homeward";
/// Told and not yet heard.
const HEARD_MAX: usize = 1024;

/// Everything told from now on. The receiver ends when the connection is lost.
pub(super) async fn listen(url: &str) -> Result<mpsc::Receiver<String>, EngineError> {
    let config: Config = url.parse()?;
    let (told, heard) = mpsc::channel(HEARD_MAX);
    let client = if config.get_ssl_mode() == SslMode::Require {
        let tls = tokio_postgres_rustls::MakeRustlsConnect::new(tls_settings()?);
        let (client, connection) = config.connect(tls).await?;
        tokio::spawn(pass_on(connection, told.clone()));
        client
    } else {
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(pass_on(connection, told.clone()));
        client
    };
    client.batch_execute(&format!("LISTEN {CHANNEL}")).await?;
    // The connection lives as long as its client, and that as long as anybody listens.
    let gone = told.downgrade();
    drop(told);
    tokio::spawn(async move {
        while let Some(told) = gone.upgrade() {
            drop(told);
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        drop(client);
    });
    Ok(heard)
}

async fn pass_on<S, T>(mut connection: Connection<S, T>, told: mpsc::Sender<String>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    T: AsyncRead + AsyncWrite + Unpin + Send,
{
    let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
    loop {
        let message = tokio::select! {
            message = messages.next() => message,
            () = told.closed() => return,
        };
        match message {
            Some(Ok(AsyncMessage::Notification(notification))) => {
                if told.send(notification.payload().to_owned()).await.is_err() {
                    return;
                }
            }
            Some(Ok(_)) => (),
            Some(Err(_)) | None => return,
        }
    }
}
