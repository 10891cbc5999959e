//! Whoever looks at the pages: an operator who is logged in, and many shoppers.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context, bail};

use crate::{
    http::{Connection, encoded, form, get},
    orders::own_email,
    server::{MERCHANT, Server},
};

/// Shoppers with a pass, who look at the page of choices in turn.
const SHOPPERS: usize = 64;
/// An address may name an order twenty times in a minute.
const GUESSES_PER_ADDRESS: u64 = 16;
/// Leads from an order to one far away; a prime, so that all come round.
const STRIDE: u64 = 2_654_435_761;
const PATIENCE: u32 = 600;
const LOOK_EVERY: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug)]
pub(super) enum Page {
    /// No page at all: what an answer takes at least.
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
            Self::Search => "console: search by e-mail",
            Self::Failures => "console: failures",
        }
    }

    /// Of an answer to somebody who may see what was asked for. Who finds an order is led to it.
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
    /// The headers with the shoppers' passes.
    passes: Vec<String>,
    /// How many orders there are to look at.
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
        let session = cookie_of(&server.address, &request).await?;
        Ok(Self { server, session, passes: Vec::new(), stored: 1, turn: 0 })
    }

    pub(super) fn address(&self) -> &str {
        &self.server.address
    }

    /// Waits until so many messages were given up.
    pub(super) async fn wait_for_failures(&self, messages: u64) -> anyhow::Result<()> {
        let request = self.console("/failures");
        for _ in 0..PATIENCE {
            // For each look: between two of them the server may have closed one that is quiet.
            let mut connection = Connection::open(self.address()).await?;
            let page = connection.exchange(request.as_bytes()).await?;
            if String::from_utf8_lossy(page.body).contains(&format!("{messages} messages")) {
                return Ok(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        bail!("the messages of {messages} returns were not given up in time")
    }

    /// Lets shoppers in who bought some of the orders with numbers below `stored`.
    pub(super) async fn meet_shoppers(&mut self, stored: u64) -> anyhow::Result<()> {
        self.stored = stored;
        self.passes.clear();
        while self.passes.len() < SHOPPERS {
            let request = self.request(Page::LookUp);
            self.passes.push(cookie_of(self.address(), &request).await?);
        }
        Ok(())
    }

    /// The next request for a page, with another order than the last one.
    pub(super) fn request(&mut self, page: Page) -> String {
        self.turn += 1;
        let order = self.turn.wrapping_mul(STRIDE) % self.stored;
        match page {
            Page::Health => get(self.address(), "/healthz", ""),
            Page::LookUp => self.look_up(order),
            Page::Choose => {
                let place = usize::try_from(self.turn).unwrap_or(0) % self.passes.len().max(1);
                let pass = self.passes.get(place).map_or("", String::as_str);
                get(self.address(), &format!("/portal/{MERCHANT}/return"), pass)
            }
            Page::Overview => self.console(""),
            Page::Orders => self.console("/orders"),
            Page::Order => self.console(&format!("/orders/{MERCHANT}/ORD-{order:010}")),
            Page::Returns => self.console("/returns"),
            Page::Search => self.console(&format!("/search?q={}", encoded(&own_email(order)))),
            Page::Failures => self.console("/failures"),
        }
    }

    fn look_up(&self, order: u64) -> String {
        let client = u32::try_from(self.turn / GUESSES_PER_ADDRESS).unwrap_or(0);
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

/// The header with the cookie that the server sets when it lets somebody in.
async fn cookie_of(address: &str, request: &str) -> anyhow::Result<String> {
    let mut connection = Connection::open(address).await?;
    let answer = connection.ask(request.as_bytes()).await?;
    let cookie = answer.cookie().with_context(|| answer.told())?;
    Ok(format!("cookie: {cookie}\r\n"))
}
