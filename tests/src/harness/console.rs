//! Somebody at the console: a browser without scripts that is logged in.

use std::sync::atomic::{AtomicU32, Ordering};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    home::text,
    http::{Reply, Request},
    server::Server,
};

/// A person who is logged in.
pub(crate) struct Visitor<'a> {
    pub(crate) server: &'a Server,
    pub(crate) name: String,
    pub(crate) password: String,
    /// What the browser sends back: `name=value`.
    pub(crate) cookie: String,
}

/// A form, as a browser sends it.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs = fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

pub(crate) fn form_request(target: &str, fields: &[(&str, &str)]) -> Request {
    Request::post(target)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form(fields))
}

/// What follows `before` in the text, up to `after`.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(found, _)| found)
}

impl Server {
    /// Adds an operator with the role `operator` or `warehouse`: its name and its password.
    pub(crate) fn operator(&self, role: &str) -> (String, String) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{role}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let added = self.home.json(&["operator", "add", &name, "--role", role]);
        (name, text(&added["password"]))
    }

    /// Adds a person of a merchant: its name and its password.
    pub(crate) fn merchants_person(&self, merchant: &str) -> (String, String) {
        let name = format!("of-{merchant}");
        let add = ["operator", "add", &name, "--role", "merchant", "--merchant", merchant];
        let password = text(&self.home.json(&add)["password"]);
        (name, password)
    }

    /// A new person of a merchant, logged in.
    pub(crate) fn member(&self, merchant: &str) -> Visitor<'_> {
        let (name, password) = self.merchants_person(merchant);
        self.log_in_visitor(name, password)
    }

    /// Tries to log in.
    pub(crate) fn log_in(&self, name: &str, password: &str) -> Reply {
        self.send(&form_request("/console/login", &[("name", name), ("password", password)]))
    }

    /// A new operator with this role, logged in.
    pub(crate) fn visitor(&self, role: &str) -> Visitor<'_> {
        let (name, password) = self.operator(role);
        self.log_in_visitor(name, password)
    }

    fn log_in_visitor(&self, name: String, password: String) -> Visitor<'_> {
        let reply = self.log_in(&name, &password);
        assert_eq!(reply.status, 303, "{}", reply.text());
        Visitor { server: self, name, password, cookie: cookie(&reply) }
    }
}

/// The first cookie that an answer sets, as the browser sends it back.
pub(crate) fn cookie(reply: &Reply) -> String {
    let set = reply.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {}", reply.said()));
    set.split(';').next().unwrap().to_owned()
}

impl Visitor<'_> {
    pub(crate) fn get(&self, target: &str) -> Reply {
        self.server.send(&Request::get(target).header("Cookie", &self.cookie))
    }

    /// The text of a page that must be there.
    pub(crate) fn page(&self, target: &str) -> String {
        let reply = self.get(target);
        assert_eq!(reply.status, 200, "{target}: {}", reply.said());
        reply.text().to_owned()
    }

    /// What the forms of this session send along.
    pub(crate) fn form_token(&self) -> String {
        let page = self.page("/console/password");
        between(&page, "name=\"form_token\" value=\"", "\"").unwrap().to_owned()
    }

    /// Sends a form of this session.
    pub(crate) fn post(&self, target: &str, fields: &[(&str, &str)]) -> Reply {
        let token = self.form_token();
        let fields = [&[("form_token", token.as_str())], fields].concat();
        self.server.send(&form_request(target, &fields).header("Cookie", &self.cookie))
    }

    /// Sends a form that leads to a secret, with the password that it needs.
    pub(crate) fn post_confirmed(&self, target: &str, fields: &[(&str, &str)]) -> Reply {
        self.post(target, &[fields, &[("current_password", self.password.as_str())]].concat())
    }

    /// Sends a form that must be accepted, and reads the page it leads to, with what was done.
    pub(crate) fn submit(&self, target: &str, fields: &[(&str, &str)]) -> String {
        let reply = self.post(target, fields);
        assert_eq!(reply.status, 303, "{target}: {}", reply.said());
        let cookies = match reply.header("set-cookie") {
            Some(_) => format!("{}; {}", self.cookie, cookie(&reply)),
            None => self.cookie.clone(),
        };
        let place = reply.header("location").unwrap();
        let page = self.server.send(&Request::get(place).header("Cookie", &cookies));
        assert_eq!(page.status, 200, "{place}: {}", page.said());
        page.text().to_owned()
    }
}
