//! The visitors of the pages: an operator who is logged in, and many shoppers.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context, bail};

use crate::{
    http::{Connection, encode, form, get},
    orders::own_email,
    server::{MERCHANT, Server},
};

/// Shoppers who are logged in, and open the page of choices in turn.
const SHOPPERS: usize = 64;
/// One address may look up orders twenty times per minute.
const LOOKUPS_PER_ADDRESS: u64 = 16;
/// The distance from one order to the next. It is a prime, so that all orders are visited.
const STRIDE: u64 = 2_654_435_761;
const POLLS_MAX: u32 = 600;
const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug)]
pub(super) enum Page {
    /// Not a page: the minimum time of a response.
    Health,
    LookUp,
    Choose,
    Overview,
    Orders,
    Order,
    Returns,
    Search,
    Failures,
}

impl Page {
    pub(super) const ALL: [Self; 9] = [
        Self::Health,
        Self::LookUp,
        Self::Choose,
        Self::Overview,
        Self::Orders,
        Self::Order,
        Self::Returns,
        Self::Search,
        Self::Failures,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Health => "limit: /healthz",
            Self::LookUp => "portal: look-up",
            Self::Choose => "portal: choose",
            Self::Overview => "console: overview",
            Self::Orders => "console: orders",
            Self::Order => "console: order",
            Self::Returns => "console: returns",
            Self::Search => "console: search by email",
            Self::Failures => "console: failures",
        }
    }

    /// The expected status. A search that finds an order redirects to it.
    pub(super) fn status(self) -> &'static [u8] {
        match self {
            Self::LookUp | Self::Search => b"303",
            Self::Health
            | Self::Choose
            | Self::Overview
            | Self::Orders
            | Self::Order
            | Self::Returns
            | Self::Failures => b"200",
        }
    }
}

pub(super) struct Visitor<'a> {
    server: &'a Server,
    /// The header with the operator's session.
    session: String,
    /// The headers with the shoppers' sessions.
    passes: Vec<String>,
    /// How many orders are stored.
    stored: u64,
    turn: u64,
}

impl<'a> Visitor<'a> {
    pub(super) async fn log_in(
        server: &'a Server,
        name: &str,
        password: &str,
    ) -> anyhow::Result<Self> {
        let fields = [("name", name), ("password", password)];
        let request = form(&server.address, "/console/login", "", &fields);
        let session = log_in_for_cookie(&server.address, &request).await?;
        Ok(Self { server, session, passes: Vec::new(), stored: 1, turn: 0 })
    }

    pub(super) fn address(&self) -> &str {
        &self.server.address
    }

    /// Waits until this number of messages failed all attempts.
    pub(super) async fn wait_for_failures(&self, messages: u64) -> anyhow::Result<()> {
        let request = self.console("/failures");
        for _ in 0..POLLS_MAX {
            // A new one for each poll, because the server may close an idle connection.
            let mut connection = Connection::open(self.address()).await?;
            let page = connection.exchange(request.as_bytes()).await?;
            if String::from_utf8_lossy(page.body).contains(&format!("{messages} messages")) {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        bail!("the messages of {messages} returns did not fail in time")
    }

    /// Logs in shoppers of some of the orders with numbers below `stored`.
    pub(super) async fn log_in_shoppers(&mut self, stored: u64) -> anyhow::Result<()> {
        self.stored = stored;
        self.passes.clear();
        while self.passes.len() < SHOPPERS {
            let request = self.request(Page::LookUp);
            self.passes.push(log_in_for_cookie(self.address(), &request).await?);
        }
        Ok(())
    }

    /// The next request for a page, with another order than the last.
    pub(super) fn request(&mut self, page: Page) -> String {
        self.turn += 1;
        let order = self.turn.wrapping_mul(STRIDE) % self.stored;
        match page {
            Page::Health => get(self.address(), "/healthz", ""),
            Page::LookUp => self.look_up(order),
            Page::Choose => {
                let position = usize::try_from(self.turn).unwrap_or(0) % self.passes.len().max(1);
                let pass = self.passes.get(position).map_or("", String::as_str);
                get(self.address(), &format!("/portal/{MERCHANT}/return"), pass)
            }
            Page::Overview => self.console(""),
            Page::Orders => self.console("/orders"),
            Page::Order => self.console(&format!("/orders/{MERCHANT}/ORD-{order:010}")),
            Page::Returns => self.console("/returns"),
            Page::Search => self.console(&format!("/search?q={}", encode(&own_email(order)))),
            Page::Failures => self.console("/failures"),
        }
    }

    fn look_up(&self, order: u64) -> String {
        let client = u32::try_from(self.turn / LOOKUPS_PER_ADDRESS).unwrap_or(0);
        let client = Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 0, 0, 0)).wrapping_add(client));
        let more = format!("x-forwarded-for: {client}\r\n");
        let (number, email) = (format!("ORD-{order:010}"), own_email(order));
        let fields = [("order_number", number.as_str()), ("secret", &email)];
        form(self.address(), &format!("/portal/{MERCHANT}"), &more, &fields)
    }

    fn console(&self, rest: &str) -> String {
        get(self.address(), &format!("/console{rest}"), &self.session)
    }
}

/// Logs in. Returns the header with the cookie of the session.
async fn log_in_for_cookie(address: &str, request: &str) -> anyhow::Result<String> {
    let mut connection = Connection::open(address).await?;
    let response = connection.send(request.as_bytes()).await?;
    let cookie = response.cookie().with_context(|| response.describe())?;
    Ok(format!("cookie: {cookie}\r\n"))
}
