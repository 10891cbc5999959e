//! A demo that runs, and what a visitor can find out about it.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::harness::{
    console::form_request,
    home::{Home, text},
    http::{Connection, Reply, Request},
    server::signal,
};

/// Long enough for a machine that does other things, too.
const HISTORY_TIME_MAX: Duration = Duration::from_secs(240);
const PAGE: usize = 500;

pub(crate) struct Demo {
    process: Child,
    /// What it printed.
    pub(crate) told: Value,
    admin: String,
    token: String,
}

impl Demo {
    /// Starts a demo and reads what it prints.
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let all = [&["--json", "--listen", "127.0.0.1:0", "demo"], arguments].concat();
        let mut command = home.command(&all);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut printed = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        while !printed.ends_with("\n}\n") {
            assert_ne!(lines.by_ref().read_line(&mut printed).unwrap(), 0, "{printed}");
        }
        let told = serde_json::from_str(&printed).unwrap();
        let mut demo = Self { process, told, admin: String::new(), token: String::new() };
        assert_eq!(demo.send(&Request::get("/")).status, 200);
        let admin = std::fs::read(home.data_dir().join("admin.json")).unwrap();
        let admin: Value = serde_json::from_slice(&admin).unwrap();
        demo.admin = demo.log_in(&admin["client_id"], &admin["client_secret"]);
        demo.token = demo.log_in(&demo.told["client_id"], &demo.told["client_secret"]);
        demo
    }

    pub(crate) fn stop(mut self) {
        signal("-TERM", self.process.id());
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
    }

    fn log_in(&self, client_id: &Value, client_secret: &Value) -> String {
        let body = json!({
            "grant_type": "client_credentials", "client_id": client_id,
            "client_secret": client_secret,
        });
        let reply = self.send(&Request::post("/oauth/token").json(body.to_string()));
        text(&reply.json()["access_token"])
    }

    /// The host and port of its server.
    pub(crate) fn address(&self) -> &str {
        self.told["address"].as_str().unwrap().strip_prefix("http://").unwrap()
    }

    pub(crate) fn send(&self, request: &Request) -> Reply {
        send_to(&text(&self.told["address"]), request)
    }

    pub(crate) fn as_merchant(&self, request: Request) -> Request {
        request.bearer(&self.token)
    }

    pub(crate) fn as_operator(&self, request: Request) -> Request {
        request.bearer(&self.admin)
    }

    /// What an operator reads at an address.
    fn read(&self, target: &str) -> Value {
        let reply = self.send(&self.as_operator(Request::get(target)));
        assert_eq!(reply.status, 200, "{target}: {}", reply.said());
        reply.json()
    }

    pub(crate) fn page(&self) -> String {
        let page = self.send(&Request::get("/"));
        assert_eq!(page.status, 200);
        page.text().to_owned()
    }

    pub(crate) fn wait_for_the_history(&self) {
        let begun = Instant::now();
        while self.page().contains("six months: ") {
            assert!(begun.elapsed() < HISTORY_TIME_MAX, "the history takes too long");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(!self.page().contains("role=\"alert\""), "{}", self.page());
    }

    /// Every return, as its newest message tells of it. The merchant was told of all of them, too.
    pub(crate) fn returns(&self) -> Vec<Value> {
        let mut newest: BTreeMap<String, Value> = BTreeMap::new();
        let mut target = format!("/messages?kind=rma&limit={PAGE}");
        loop {
            let page = self.send(&self.as_merchant(Request::get(&target))).json();
            for message in page["messages"].as_array().unwrap() {
                assert_eq!(message["state"], "delivered", "{message}");
                newest.entry(text(&message["ref"])).or_insert_with(|| message["id"].clone());
            }
            let Some(next) = page["next"].as_str() else { break };
            target = format!("/messages?kind=rma&limit={PAGE}&before={next}");
        }
        let rma = |rma: &String| {
            self.send(&self.as_merchant(Request::get(&format!("/returns/{rma}")))).json()
        };
        newest.keys().map(rma).collect()
    }

    pub(crate) fn assert_operators_have_something_to_do(&self) {
        let some = |target: &str, list: &str| {
            let found = self.read(target);
            assert!(!found[list].as_array().unwrap().is_empty(), "{target}: {found}");
        };
        some("/admin/failures?merchant=acme", "failures");
        some("/admin/failures?merchant=harbor", "failures");
        some("/admin/refunds?state=unmatched", "refunds");
        some("/admin/refunds?state=conflict", "refunds");
        some("/admin/exceptions", "exceptions");
        for (kind, merchant) in [("short_paid", "acme"), ("over_paid", "harbor")] {
            let found = self.read(&format!("/admin/refunds?state={kind}"));
            let [problem] = found["refunds"].as_array().unwrap().as_slice() else {
                panic!("{kind}: {found}")
            };
            assert_eq!(problem["merchant"], merchant);
            let cents = |name: &str| problem["difference"][name].as_i64().unwrap();
            let (promised, paid) = (cents("promised_cents"), cents("paid_cents"));
            match kind {
                "short_paid" => assert_eq!(promised - paid, 1),
                _ => assert!(promised == 0 && paid > 0, "{problem}"),
            }
        }
        for (identifier, status) in
            [("DS-3000", "rejected"), ("DS-3001", "shipped"), ("DS-3014", "accepted")]
        {
            let target = format!("/drop_ship_orders/{identifier}");
            let order = self.send(&self.as_merchant(Request::get(&target))).json();
            assert_eq!(order["status"], status, "{order}");
        }
    }

    pub(super) fn assert_people_can_log_in(&self) {
        let logins = self.told["logins"].as_array().unwrap();
        assert_eq!(logins.len(), 3);
        for login in logins {
            let (name, password) = (text(&login["operator"]), text(&login["password"]));
            assert!(self.page().contains(&password), "{name} is on the page");
            let fields = [("name", name.as_str()), ("password", password.as_str())];
            let reply = self.send(&form_request("/console/login", &fields));
            assert_eq!(reply.status, 303, "{name}: {}", reply.said());
        }
    }

    /// What the page says of each order is so.
    pub(crate) fn assert_orders_to_try(&self) {
        let page = self.page();
        let whole = [
            ("DEMO-1001", vec![true, true, true]),
            ("DEMO-1002", vec![false, false, true]),
            ("DEMO-1003", vec![true]),
            ("DEMO-1004", vec![true; 7]),
            ("DEMO-1005", vec![true, true, false, true, false]),
            ("DEMO-1006", vec![true]),
            ("DEMO-1007", vec![true, true]),
        ];
        for (number, expected) in whole {
            assert!(page.contains(&format!("<code>{number}</code>")), "{number}");
            let target = format!("/orders/{number}/returnability");
            let found = self.send(&self.as_merchant(Request::get(&target))).json();
            let lines = found["lines"].as_array().unwrap();
            let units = lines.iter().flat_map(|line| line["units"].as_array().unwrap());
            let units: Vec<bool> = units.map(|unit| unit["returnable"] == true).collect();
            assert_eq!(units, expected, "{number}: {found}");
        }
    }

    /// The portal shows the pictures of the simulated merchant, whose server is on this machine,
    /// and restricts each to a picture.
    pub(crate) fn assert_pictures_are_shown(&self) {
        let order = self.send(&self.as_merchant(Request::get("/orders/DEMO-1001"))).json();
        let email = text(&order["customer"]["email"]).replace('@', "%40");
        let find = Request::post("/portal/acme")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(format!("order_number=DEMO-1001&secret={email}"));
        let found = self.send(&find);
        let cookie = found.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let page = self.send(&Request::get("/portal/acme/return").header("Cookie", &cookie));
        let address = page.text().split("class=\"picture\" src=\"").nth(1).unwrap();
        let picture = self.send(&Request::get(address.split('"').next().unwrap()));
        assert!(address.starts_with("/portal/acme/pictures/"), "no placeholder");
        assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
        assert!(picture.text().contains("<path"), "{}", picture.text());
        assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
        let policy = picture.header("content-security-policy");
        assert_eq!(policy, Some("default-src 'none'; sandbox"));
    }

    /// Everything that the page leads to is there.
    pub(crate) fn assert_links_answer(&self) {
        let (page, here) = (self.page(), text(&self.told["address"]));
        let links: Vec<&str> =
            page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert!(links.len() > 8, "{links:?}");
        for link in links.into_iter().filter(|link| !link.starts_with('#')) {
            let (base, target) = match link.strip_prefix("http://") {
                Some(rest) => {
                    let host = rest.split('/').next().unwrap();
                    let path = rest.strip_prefix(host).filter(|path| !path.is_empty());
                    (format!("http://{host}"), path.unwrap_or("/"))
                }
                None => (here.clone(), link),
            };
            let status = send_to(&base, &Request::get(target)).status;
            assert_eq!(status, 200, "{link}");
        }
    }
}

fn send_to(base: &str, request: &Request) -> Reply {
    let mut connection = Connection::open(base.strip_prefix("http://").unwrap()).unwrap();
    connection.send(request).unwrap()
}

impl Drop for Demo {
    /// A test that failed leaves nothing running.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
