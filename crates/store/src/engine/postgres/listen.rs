//! Notifications between nodes through the database, on a connection of their own.

use futures_util::{StreamExt, stream};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
};
use tokio_postgres::{AsyncMessage, Connection, NoTls};

use super::tls::{Settings, connection_settings};
use crate::core::error::EngineError;

/// The channel is of the schema, because several installations may share a database.
pub(super) const CHANNEL: &str = "'homeward_' || md5(current_schema())";
/// Notifications that were received and not yet read.
const QUEUE_MAX: usize = 1024;

/// Receives every notification from now on. The receiver ends when the connection is lost.
pub(super) async fn listen(url: &str) -> Result<mpsc::Receiver<String>, EngineError> {
    let Settings { config, tls } = connection_settings(url)?;
    let (sender, notifications) = mpsc::channel(QUEUE_MAX);
    let client = if let Some(tls) = tls {
        let (client, connection) = config.connect(tls).await?;
        tokio::spawn(forward(connection, sender.clone()));
        client
    } else {
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(forward(connection, sender.clone()));
        client
    };
    let channel = client.query_one(&format!("SELECT {CHANNEL}"), &[]).await?;
    let channel: String = channel.try_get(0)?;
    client.batch_execute(&format!("LISTEN {channel}")).await?;
    // The connection lives as long as its client, and the client as long as the receiver.
    let weak_sender = sender.downgrade();
    drop(sender);
    tokio::spawn(async move {
        while let Some(sender) = weak_sender.upgrade() {
            drop(sender);
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
        drop(client);
    });
    Ok(notifications)
}

async fn forward<S, T>(mut connection: Connection<S, T>, sender: mpsc::Sender<String>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    T: AsyncRead + AsyncWrite + Unpin + Send,
{
    let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
    loop {
        let message = tokio::select! {
            message = messages.next() => message,
            () = sender.closed() => return,
        };
        match message {
            Some(Ok(AsyncMessage::Notification(notification))) => {
                if sender.send(notification.payload().to_owned()).await.is_err() {
                    return;
                }
            }
            Some(Ok(_)) => (),
            Some(Err(_)) | None => return,
        }
    }
}
