//! The mail server: as much of SMTP as a sender needs. Every mail is accepted.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Mailbox, mime::read_mail};

const CONNECTIONS_MAX: usize = 256;
const SESSION_TIME_MAX: Duration = Duration::from_secs(60);
const LINE_MAX_BYTES: u64 = 4 * 1024;
const MAIL_MAX_BYTES: usize = 4 * 1024 * 1024;

/// Serves connections until it is stopped.
pub(super) async fn accept(
    listener: TcpListener,
    mailbox: Arc<Mailbox>,
    tasks: TaskTracker,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (Ok((stream, _)), Ok(place)) = (accepted, Arc::clone(&places).acquire_owned().await)
        else {
            continue;
        };
        let (mailbox, stop) = (Arc::clone(&mailbox), stop.clone());
        tasks.spawn(async move {
            let session = timeout(SESSION_TIME_MAX, serve(stream, &mailbox));
            if let Some(Ok(Err(error))) = stop.run_until_cancelled(session).await {
                tracing::debug!("a connection to the mailbox ended early: {error}");
            }
            drop(place);
        });
    }
}

/// Serves one connection to its end.
async fn serve(stream: TcpStream, mailbox: &Mailbox) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    say(&mut stream, "220 simulated mailbox").await?;
    let mut recipient = None;
    loop {
        let line = read_line(&mut stream).await?;
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        let verb = line.get(..4).unwrap_or_default().to_ascii_uppercase();
        let answer = match verb.as_str() {
            "EHLO" => "250-simulated mailbox\r\n250 8BITMIME",
            "HELO" | "MAIL" | "RSET" | "NOOP" => "250 OK",
            "RCPT" => {
                let address = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
                recipient = address.map(|(address, _)| address.to_owned());
                "250 OK"
            }
            "DATA" => match recipient.take() {
                Some(recipient) => {
                    say(&mut stream, "354 end with a line with only a dot").await?;
                    let content = read_content(&mut stream).await?;
                    mailbox.keep(recipient, read_mail(&content));
                    "250 accepted"
                }
                None => "503 no recipient",
            },
            "QUIT" => return say(&mut stream, "221 goodbye").await,
            "" => return Ok(()),
            _ => "502 not simulated",
        };
        say(&mut stream, answer).await?;
    }
}

async fn say(stream: &mut BufReader<TcpStream>, answer: &str) -> io::Result<()> {
    stream.write_all(format!("{answer}\r\n").as_bytes()).await
}

/// One line with its end; empty at the end of the connection.
async fn read_line(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    stream.take(LINE_MAX_BYTES).read_until(b'\n', &mut line).await?;
    Ok(line)
}

/// The lines up to the one with only a dot.
async fn read_content(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let line = read_line(stream).await?;
        if line == b".\r\n" {
            return Ok(content);
        }
        if line.is_empty() || content.len() + line.len() > MAIL_MAX_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let is_stuffed = line.starts_with(b".");
        content.extend_from_slice(line.get(usize::from(is_stuffed)..).unwrap_or_default());
    }
}
