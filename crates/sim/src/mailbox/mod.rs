//! A simulated mailbox: a mail server that accepts every mail, and a page that shows them.
//!
//! It is the other end of the mails that Homeward sends, for developers and the demo. Mails are in
//! memory, and only the latest are kept.

mod mime;
mod page;
mod smtp;

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use boxed::boxed;
use tokio::net::TcpListener;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use self::mime::ReadMail;
use crate::{merchant::StartError, server::serve::accept, settings::Clock};

/// How many mails are kept.
const MAILS_MAX: usize = 200;

/// A mailbox with running servers. Dropping it stops them at once.
pub struct RunningMailbox {
    mailbox: Arc<Mailbox>,
    smtp_address: SocketAddr,
    page_address: SocketAddr,
    tasks: TaskTracker,
    stop: DropGuard,
}

/// The mails that arrived.
pub(crate) struct Mailbox {
    clock: Clock,
    mails: Mutex<ArrivedMails>,
}

#[derive(Default)]
struct ArrivedMails {
    count: u64,
    latest: VecDeque<Arc<ArrivedMail>>,
}

/// A mail that arrived.
#[derive(Clone, Debug)]
pub(crate) struct ArrivedMail {
    /// Counted from one.
    pub(crate) number: u64,
    pub(crate) at: jiff::Timestamp,
    pub(crate) recipient: String,
    pub(crate) mail: ReadMail,
}

impl RunningMailbox {
    /// Starts a mail server and the page, both on any free port of this machine.
    #[boxed]
    pub async fn start(clock: Clock) -> Result<Self, StartError> {
        let (smtp, smtp_address) = bind().await?;
        let (page, page_address) = bind().await?;
        let mailbox = Arc::new(Mailbox { clock, mails: Mutex::default() });
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let router = page::routes(Arc::clone(&mailbox));
        tasks.spawn(accept(page, router, tasks.clone(), stop.clone()));
        tasks.spawn(smtp::accept(smtp, Arc::clone(&mailbox), tasks.clone(), stop.clone()));
        Ok(Self { mailbox, smtp_address, page_address, tasks, stop: stop.drop_guard() })
    }

    /// The port of the mail server.
    pub fn smtp_port(&self) -> u16 {
        self.smtp_address.port()
    }

    /// The page that shows the mails.
    pub fn page_url(&self) -> String {
        format!("http://{}/mailbox", self.page_address)
    }

    /// How many mails arrived.
    pub fn mail_count(&self) -> u64 {
        self.mailbox.lock().count
    }

    #[boxed]
    pub async fn stop(self) {
        drop(self.stop);
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn bind() -> Result<(TcpListener, SocketAddr), StartError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let failed = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, ArrivedMails> {
        self.mails.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, recipient: String, mail: ReadMail) {
        let at = self.clock.now();
        let mut mails = self.lock();
        mails.count += 1;
        let number = mails.count;
        mails.latest.push_front(Arc::new(ArrivedMail { number, at, recipient, mail }));
        mails.latest.truncate(MAILS_MAX);
    }

    /// The latest mails, newest first.
    fn list(&self) -> Vec<Arc<ArrivedMail>> {
        self.lock().latest.iter().cloned().collect()
    }

    fn find(&self, number: u64) -> Option<Arc<ArrivedMail>> {
        self.lock().latest.iter().find(|mail| mail.number == number).cloned()
    }
}
