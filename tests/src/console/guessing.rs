//! Guessing passwords: it is slow, it is recorded, and it locks nobody out.

use serde_json::{Value, json};

use crate::harness::{
    console::{cookie, form_request},
    home::Home,
    http::{Reply, Request},
    server::Server,
};

/// A server behind a proxy, so that each request can come from another address.
fn proxied() -> Server {
    Home::new().serve(&["--trusted-proxies", "127.0.0.1"])
}

/// A login from this address.
fn login_from(address: &str, name: &str, password: &str) -> Request {
    form_request("/console/login", &[("name", name), ("password", password)])
        .header("X-Forwarded-For", address)
}

/// Guesses until the server refuses to check passwords from this address.
fn guess_from(server: &Server, address: &str, name: &str) -> Reply {
    for _ in 0..20 {
        let reply = server.send(&login_from(address, name, "not the password"));
        if reply.status == 429 {
            return reply;
        }
    }
    panic!("{address} can go on guessing");
}

#[test]
fn three_addresses_cannot_lock_a_person_out() {
    let server = proxied();
    let (name, password) = server.operator("operator");
    let before = server.send(&login_from("192.0.2.1", &name, &password));
    assert_eq!(before.status, 303);
    let known = before.headers("set-cookie").find(|it| it.starts_with("homeward_device="));
    let known = known.unwrap().split(';').next().unwrap().to_owned();

    for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
        let refused = guess_from(&server, address, &name);
        let wait_s: u32 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=31).contains(&wait_s), "{wait_s}");
        assert!(refused.text().contains("Too many attempts"), "{}", refused.text());
        let right = server.send(&login_from(address, &name, &password));
        assert_eq!(right.status, 429, "even the right password has to wait there");
    }

    let elsewhere = server.send(&login_from("192.0.2.4", &name, &password));
    assert_eq!(elsewhere.status, 303, "{}", elsewhere.said());
    let known_browser = login_from("192.0.2.1", &name, &password).header("Cookie", &known);
    assert_eq!(server.send(&known_browser).status, 303, "a known browser does not wait");
    let other = server.operator("operator").0;
    let borrowed = login_from("192.0.2.1", &other, "not the password").header("Cookie", &known);
    guess_with(&server, &borrowed);
}

/// Guesses with a browser that is known for another name: it is counted like any other.
fn guess_with(server: &Server, request: &Request) {
    let refused = (0..20).any(|_| server.send(request).status == 429);
    assert!(refused, "the cookie of one person must not help to guess for another");
}

#[test]
fn a_known_browser_cannot_guess_for_ever_either() {
    let server = proxied();
    let (name, password) = server.operator("operator");
    let entered = server.send(&login_from("192.0.2.1", &name, &password));
    let known = entered.headers("set-cookie").find(|it| it.starts_with("homeward_device="));
    let known = known.unwrap().split(';').next().unwrap().to_owned();
    assert!(!cookie(&entered).starts_with("homeward_device"), "the session comes first");

    let guess = login_from("192.0.2.1", &name, "not the password").header("Cookie", &known);
    guess_with(&server, &guess);
}

fn changes(server: &Server, merchant: Option<&str>) -> Vec<Value> {
    let filter = merchant.map_or_else(Vec::new, |merchant| vec!["--merchant", merchant]);
    let trail = server.home.json(&[&["audit", "--limit", "200"][..], &filter].concat());
    trail["changes"].as_array().unwrap().clone()
}

#[test]
fn logins_and_failures_are_in_the_audit_trail_with_their_address() {
    let server = proxied();
    let (name, password) = server.operator("operator");
    server.send(&login_from("192.0.2.1", &name, &password));
    server.send(&login_from("192.0.2.2", &name, "not the password"));
    server.send(&login_from("192.0.2.3", "my secret password", "not the password"));
    server.send(&login_from("192.0.2.3", "nobody-here", "not the password"));

    let trail = changes(&server, None);
    let count = |actor: &str, action: &str, address: &str| {
        let is_it = |change: &&Value| {
            change["actor"] == actor && change["action"] == action && change["address"] == address
        };
        trail.iter().filter(is_it).count()
    };
    assert_eq!(count(&name, "operator.login", "192.0.2.1"), 1, "{trail:?}");
    assert_eq!(count(&name, "operator.login_failed", "192.0.2.2"), 1, "{trail:?}");
    assert_eq!(count("unknown", "operator.login_failed", "192.0.2.3"), 2, "{trail:?}");
    let all = format!("{trail:?}");
    assert!(!all.contains("my secret password") && !all.contains("nobody-here"), "{all}");
}

#[test]
fn refused_clients_are_in_the_audit_trail_and_a_flood_of_them_is_not() {
    let server = proxied();
    let merchant = server.merchant("refused");
    let ask = |client_id: &str, address: &str| {
        let body = json!({
            "grant_type": "client_credentials", "client_id": client_id, "client_secret": "wrong",
        });
        let request = Request::post("/oauth/token").json(body.to_string());
        server.send(&request.header("X-Forwarded-For", address)).status
    };
    assert_eq!(ask(&merchant.client_id, "192.0.2.7"), 401);
    for _ in 0..50 {
        assert_eq!(ask("nobody.k7w2mq9d", "192.0.2.8"), 401);
    }

    let theirs = changes(&server, Some(&merchant.id));
    let refused: Vec<_> = theirs.iter().filter(|it| it["action"] == "client.refused").collect();
    let [refused] = refused.as_slice() else { panic!("{theirs:?}") };
    assert_eq!(refused["actor"], merchant.client_id.as_str());
    assert_eq!(refused["address"], "192.0.2.7");
    let all = changes(&server, None);
    let unknown = all.iter().filter(|it| it["actor"] == "unknown").count();
    assert!((1..=20).contains(&unknown), "{unknown}");
}

#[test]
fn a_common_password_is_refused_wherever_it_is_set() {
    let server = Home::new().serve(&[]);
    let words = "must not be a common password, or made from one";
    let token = server.admin_token();
    for common in ["Password123!", "qwertyuiop", "1q2w3e4r5t6y"] {
        let body = json!({ "operator": "lena", "role": "operator", "password": common });
        let request = Request::post("/admin/operators").bearer(&token).json(body.to_string());
        let reply = server.send(&request);
        assert_eq!(reply.status, 422, "{}", reply.said());
        assert!(reply.text().contains(words), "{}", reply.text());
    }
    let visitor = server.visitor("operator");
    let fields = [("current", visitor.password.as_str()), ("new", "P@ssw0rd2026")];
    let reply = visitor.post("/console/password", &fields);
    assert_eq!(reply.status, 422, "{}", reply.said());
    assert!(reply.text().contains(&format!("The new password {words}.")), "{}", reply.text());

    let file = server.home.file("password", "letmein1234567");
    let file = file.to_str().unwrap();
    let arguments = ["operator", "password", &visitor.name, "--password-file", file];
    let ran = server.home.run(&arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains(words), "{}", ran.err);
}
