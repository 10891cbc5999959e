//! Mail servers as couriers: a mail is a message in the outbox, and handing it over is an attempt.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::mail::{
        MailAttachment,
        address::is_mail_address,
        settings::{MailSecurity, SmtpServer},
    },
};
use rustls::{ClientConfig, pki_types::ServerName};
use serde::Deserialize;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Instant, timeout},
};
use tokio_rustls::TlsConnector;
use world::Secret;

use super::{
    dialogue::{Dialogue, Envelope},
    dkim::DkimSigner,
    failure::MailFailure,
    mime::{MimeMail, MimeMessage},
    reply::Reply,
};
use crate::{
    address::{Host, Refused},
    channel::{Courier, CourierAttempt},
    sender::{
        CallResult, OutgoingMessage, client::HttpClient, context::CallContext, dial::dial,
        permit::Permit, send_error::SendError,
    },
};

/// A server may check a mail before it accepts it.
const MAIL_TIME_MAX: Duration = Duration::from_secs(30);

/// Mails are texts. Larger ones would be refused by many servers.
const MESSAGE_MAX_BYTES: usize = 2 * 1024 * 1024;

/// Whose mail server it is, which decides on the addresses that it may have.
#[derive(Clone, Copy, Debug)]
pub enum MailSender<'a> {
    /// A merchant's: a public address, or one that an operator allows.
    Merchant(&'a MerchantId),
    /// The platform's, which an operator has set: any address.
    Platform,
}

/// Sends mails through one server.
pub struct MailCourier {
    context: CallContext,
    server: SmtpServer<Secret>,
    from_name: String,
    server_name: ServerName<'static>,
    tls: Arc<ClientConfig>,
    signer: Option<DkimSigner>,
}

/// What is needed of the body of a message.
#[derive(Deserialize)]
struct RenderedMail {
    recipient: String,
    subject: String,
    text: String,
    html: String,
    #[serde(default)]
    attachment: Option<MailAttachment>,
}

trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

impl MailCourier {
    /// Prepares a server, or says why it can never be used. Mails come from `name` unless the
    /// server has a name of its own.
    pub fn new(
        sender: MailSender<'_>,
        server: SmtpServer<Secret>,
        name: &str,
        client: &HttpClient,
    ) -> Result<Self, Refused> {
        let context = match sender {
            MailSender::Merchant(merchant) => client.context().for_merchant(merchant),
            MailSender::Platform => client.context().anywhere(),
        };
        if server.security == MailSecurity::None && !server.is_local() {
            return Err(Refused::NotSecure { host: server.host });
        }
        let server_name = match Host::parse(&server.host)? {
            Host::Address(address) => ServerName::from(address),
            Host::Name(name) => ServerName::try_from(name)
                .map_err(|_| Refused::Malformed("its host is not a name for a certificate"))?,
        };
        let signer = server.dkim.as_ref().map(DkimSigner::new).transpose();
        // Mail servers know nothing of HTTP, which other calls agree on.
        let mut tls = ClientConfig::clone(context.tls());
        tls.alpn_protocols.clear();
        Ok(Self {
            from_name: server.from_name.clone().unwrap_or_else(|| name.to_owned()),
            signer: signer.map_err(Refused::Credential)?,
            context,
            server,
            server_name,
            tls: Arc::new(tls),
        })
    }

    async fn run(&self, message: &OutgoingMessage<'_>) -> Result<Reply, MailFailure> {
        let mail: RenderedMail = serde_json::from_slice(message.body)
            .map_err(|_| MailFailure::lasting("the message is not a mail"))?;
        if !is_mail_address(&mail.recipient) {
            return Err(MailFailure::lasting("the recipient's address cannot be used"));
        }
        let bytes = self.write(&mail, message.id);
        if bytes.len() > MESSAGE_MAX_BYTES {
            return Err(MailFailure::lasting("the mail is too large"));
        }
        let (from, recipient) = (self.server.from.as_str(), mail.recipient.as_str());
        let envelope = Envelope { from, recipient, message: &bytes };
        let dialogue = self.hand_over(&envelope, message.permit);
        timeout(MAIL_TIME_MAX, dialogue).await.unwrap_or_else(|_| Err(SendError::Timeout.into()))
    }

    fn write(&self, mail: &RenderedMail, id: &str) -> Vec<u8> {
        let at = self.context.world().now();
        let mut message = MimeMessage::new(&MimeMail {
            from: &self.server.from,
            from_name: &self.from_name,
            recipient: &mail.recipient,
            subject: &mail.subject,
            text: &mail.text,
            html: &mail.html,
            attachment: mail.attachment.as_ref(),
            id,
            domain: self.server.domain(),
            at,
        });
        if let Some(signer) = &self.signer {
            signer.sign(&mut message, at.as_second());
        }
        message.into_bytes()
    }

    async fn hand_over(
        &self,
        envelope: &Envelope<'_>,
        permit: &Permit,
    ) -> Result<Reply, MailFailure> {
        let own_name = self.server.domain();
        let stream = self.connect().await?;
        let stream: Box<dyn ByteStream> = match self.server.security {
            MailSecurity::Tls => Box::new(self.secure(stream).await?),
            MailSecurity::None => Box::new(stream),
            MailSecurity::Starttls => {
                let mut plain = Dialogue::new(stream);
                let offered = plain.greet(own_name).await?;
                Box::new(self.secure(plain.start_tls(&offered).await?).await?)
            }
        };
        let mut dialogue = Dialogue::new(stream);
        // After STARTTLS there is no second greeting.
        let offered = match self.server.security {
            MailSecurity::Starttls => dialogue.say_hello(own_name).await?,
            MailSecurity::Tls | MailSecurity::None => dialogue.greet(own_name).await?,
        };
        if let Some(login) = &self.server.login {
            dialogue.log_in(&offered, login).await?;
        }
        let accepted = dialogue.send(envelope, permit).await?;
        dialogue.quit().await;
        Ok(accepted)
    }

    async fn connect(&self) -> Result<TcpStream, MailFailure> {
        let SmtpServer { host, port, security, .. } = &self.server;
        let secure = *security != MailSecurity::None;
        let time_max = self.context.settings().connect_time_max;
        let connecting = async {
            let addresses = self.context.guard().resolve(host, *port, secure).await?;
            Ok::<_, MailFailure>(dial(&addresses, time_max).await?)
        };
        let connected = timeout(time_max, connecting).await;
        connected.unwrap_or_else(|_| Err(SendError::ConnectTimeout.into()))
    }

    async fn secure(
        &self,
        stream: TcpStream,
    ) -> Result<tokio_rustls::client::TlsStream<TcpStream>, MailFailure> {
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let agreed = connector.connect(self.server_name.clone(), stream).await;
        agreed.map_err(|error| SendError::tls(&error).into())
    }
}

impl Courier for MailCourier {
    fn attempt<'a>(&'a self, message: &'a OutgoingMessage<'a>) -> CourierAttempt<'a> {
        Box::pin(async move {
            let started = Instant::now();
            let outcome = self.run(message).await;
            to_call_result(outcome, started.elapsed())
        })
    }
}

fn to_call_result(outcome: Result<Reply, MailFailure>, latency: Duration) -> CallResult {
    let (status, failure) = match outcome {
        Ok(reply) => (Some(reply.code), MailFailure::default()),
        Err(failure) => (failure.status, failure),
    };
    CallResult {
        status,
        was_forbidden: failure.was_forbidden,
        is_final: failure.is_final,
        error: Some(failure.error).filter(|error| !error.is_empty()),
        retry_after_ms: None,
        latency,
        answer: Bytes::new(),
    }
}
