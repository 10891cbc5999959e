//! Logins, sessions, and which forms are accepted.

use std::time::Duration;

use crate::{
    access::tenants,
    harness::{
        console::{Visitor, cookie, form_request},
        home::Home,
        http::Request,
        shared,
    },
};

#[test]
fn a_login_returns_to_the_requested_page() {
    for server in shared::on_every_engine() {
        let asked = server.send(&Request::get("/console/password?a=b"));
        assert_eq!(asked.status, 303);
        let login = asked.header("location").unwrap();
        assert_eq!(login, "/console/login?next=%2Fconsole%2Fpassword%3Fa%3Db");
        assert!(
            server.send(&Request::get(login)).text().contains("value=\"/console/password?a=b\"")
        );

        let (name, password) = server.operator("operator");
        let fields =
            [("name", &*name), ("password", &*password), ("next", "/console/password?a=b")];
        let entered = server.send(&form_request("/console/login", &fields));
        assert_eq!(entered.header("location"), Some("/console/password?a=b"));
        let fields = [("name", &*name), ("password", &*password), ("next", "//evil.example.com")];
        let entered = server.send(&form_request("/console/login", &fields));
        assert_eq!(entered.header("location"), Some("/console"));
    }
}

#[test]
fn a_page_names_the_operator_and_loads_nothing_from_other_servers() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let reply = visitor.get("/console");

        assert!(reply.text().contains(&visitor.name), "{}", reply.text());
        assert!(!reply.text().contains("//"), "{}", reply.text());
        assert!(!reply.text().contains("style="), "{}", reply.text());
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn the_session_cookie_is_limited_to_the_console_and_hidden_from_scripts() {
    let server = Home::new().serve(&[]);
    let (name, password) = server.operator("operator");
    let fields = [("name", &*name), ("password", &*password)];
    let plain = server.send(&form_request("/console/login", &fields));
    let set = plain.header("set-cookie").unwrap();
    let (value, flags) = set.split_once("; ").unwrap();
    assert_eq!(value.len(), "homeward_console=".len() + 43, "{value}");
    assert_eq!(flags, "Path=/console; HttpOnly; SameSite=Strict");
}

#[test]
fn behind_a_proxy_the_session_cookie_is_for_this_host_over_tls_only() {
    let server = Home::new().serve(&["--trusted-proxies", "127.0.0.1"]);
    let visitor = server.visitor("operator");
    assert!(visitor.cookie.starts_with("__Host-homeward_console="), "{}", visitor.cookie);
    assert!(is_logged_in(&visitor));
    let entered = server.log_in(&visitor.name, &visitor.password);
    let set: Vec<_> = entered.headers("set-cookie").collect();
    assert!(set[0].ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{set:?}");
    assert!(set.iter().all(|cookie| cookie.contains("; Secure")), "{set:?}");

    let planted = visitor.cookie.replace("__Host-", "");
    let asked = Request::get("/console/password").header("Cookie", &planted);
    assert_eq!(server.send(&asked).status, 303, "only the cookie with the safe name counts");

    let asked = Request::get("/console/login");
    assert_eq!(server.send(&asked).header("strict-transport-security"), None);
    let over_tls = server.send(&asked.header("X-Forwarded-Proto", "https"));
    assert_eq!(over_tls.header("strict-transport-security"), Some("max-age=31536000"));
}

#[test]
fn every_login_creates_a_new_token() {
    for server in shared::on_every_engine() {
        let (name, password) = server.operator("operator");
        let fields = [("name", &*name), ("password", &*password)];
        let planted = "homeward_console=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let request = form_request("/console/login", &fields).header("Cookie", planted);
        let first = cookie(&server.send(&request));
        assert_ne!(first, planted);
        let asked = Request::get("/console").header("Cookie", planted);
        assert_eq!(server.send(&asked).status, 303);

        // The next login ends the session that the browser had.
        let request = form_request("/console/login", &fields).header("Cookie", &first);
        let second = cookie(&server.send(&request));
        assert_ne!(first, second);
        assert_eq!(server.send(&Request::get("/console").header("Cookie", &first)).status, 303);
        assert_eq!(server.send(&Request::get("/console").header("Cookie", &second)).status, 200);
    }
}

#[test]
fn a_wrong_login_does_not_reveal_whether_the_name_exists() {
    let server = Home::new().serve(&[]);
    let (name, _) = server.operator("operator");
    let wrong = server.log_in(&name, "not the password");
    let unknown = server.log_in("nobody", "not the password");

    assert_eq!((wrong.status, unknown.status), (200, 200));
    assert_eq!(wrong.text().replace(&name, "nobody"), unknown.text());
    assert!(wrong.header("set-cookie").is_none());
}

#[test]
fn after_too_many_wrong_passwords_even_the_right_one_has_to_wait() {
    let server = Home::new().serve(&[]);
    let (name, password) = server.operator("operator");
    for _ in 0..15 {
        assert_eq!(server.log_in(&name, &password).status, 303, "the right one is not counted");
    }
    for _ in 0..10 {
        assert_eq!(server.log_in(&name, "not the password").status, 200);
    }
    let refused = server.log_in(&name, &password);
    assert_eq!(refused.status, 429);
    assert!(refused.text().contains("Too many attempts"), "{}", refused.text());
    let wait_s: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait_s), "{wait_s}");
}

#[test]
fn a_login_that_the_database_could_not_check_is_not_a_wrong_one() {
    let server = Home::sqlite().serve(&[]);
    let (name, password) = server.operator("operator");
    let database = rusqlite::Connection::open(server.home.data_dir().join("homeward.db")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    database.execute_batch("ALTER TABLE operators RENAME TO missing").unwrap();
    for _ in 0..20 {
        assert_eq!(server.log_in(&name, &password).status, 500);
    }

    database.execute_batch("ALTER TABLE missing RENAME TO operators").unwrap();

    assert_eq!(server.log_in(&name, &password).status, 303);
}

fn is_logged_in(visitor: &Visitor<'_>) -> bool {
    visitor.get("/console/password").status == 200
}

#[test]
fn a_session_ends_with_a_logout_a_new_password_or_a_disabled_operator() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let left = visitor.post("/console/logout", &[]);
        assert_eq!(left.header("location"), Some("/console/login"));
        assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
        assert!(!is_logged_in(&visitor));

        let visitor = server.visitor("warehouse");
        server.home.json(&["operator", "password", &visitor.name]);
        assert!(!is_logged_in(&visitor));

        let visitor = server.visitor("operator");
        server.home.json(&["operator", "disable", &visitor.name]);
        assert!(!is_logged_in(&visitor));
        assert_eq!(server.log_in(&visitor.name, &visitor.password).status, 200);
        server.home.json(&["operator", "enable", &visitor.name]);
        assert!(!is_logged_in(&visitor), "an ended session does not come back");
        assert_eq!(server.log_in(&visitor.name, &visitor.password).status, 303);
    }
}

#[test]
fn a_person_changes_their_password_and_stays_logged_in() {
    for server in shared::on_every_engine() {
        let mut visitor = server.visitor("operator");
        let wrong = [("current", "not the password"), ("new", "a stapler on the moon")];
        let refused = visitor.post("/console/password", &wrong);
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("The current password is wrong"), "{}", refused.text());
        let short = [("current", visitor.password.as_str()), ("new", "short")];
        let refused = visitor.post("/console/password", &short);
        assert!(refused.text().contains("must have 10 to 200 characters"), "{}", refused.text());

        let right = [("current", visitor.password.as_str()), ("new", "a stapler on the moon")];
        let changed = visitor.post("/console/password", &right);
        assert_eq!(changed.status, 303, "{}", changed.said());
        let set: Vec<_> = changed.headers("set-cookie").collect();
        let token = set.iter().find(|it| it.starts_with("homeward_console=")).unwrap();
        assert!(!is_logged_in(&visitor));
        token.split(';').next().unwrap().clone_into(&mut visitor.cookie);
        assert!(is_logged_in(&visitor));
        assert_eq!(server.log_in(&visitor.name, "a stapler on the moon").status, 303);

        let trail = server.home.json(&["audit", "--limit", "200"]);
        let trail = trail["changes"].as_array().unwrap();
        let noted = trail.iter().any(|change| {
            change["actor"] == visitor.name.as_str() && change["action"] == "operator.password"
        });
        assert!(noted, "{trail:?}");
    }
}

#[test]
fn a_form_of_another_session_or_site_changes_nothing() {
    for server in shared::on_every_engine() {
        let (visitor, other) = (server.visitor("operator"), server.visitor("operator"));
        let (ours, foreign) = (visitor.form_token(), other.form_token());
        let send = |fields: &[(&str, &str)], header: Option<(&str, &str)>| {
            let request = form_request("/console/logout", fields).header("Cookie", &visitor.cookie);
            let request =
                header.into_iter().fold(request, |it, (name, value)| it.header(name, value));
            server.send(&request).status
        };
        let ours = [("form_token", ours.as_str())];
        assert_eq!(send(&[], None), 403);
        assert_eq!(send(&[("form_token", "")], None), 403);
        assert_eq!(send(&[("form_token", &foreign)], None), 403);
        assert_eq!(send(&ours, Some(("Sec-Fetch-Site", "cross-site"))), 403);
        assert_eq!(send(&ours, Some(("Sec-Fetch-Site", "same-site"))), 403);
        assert_eq!(send(&ours, Some(("Origin", "https://evil.example.com"))), 403);
        assert_eq!(send(&ours, Some(("Origin", "null"))), 403);
        assert!(is_logged_in(&visitor));
        assert_eq!(send(&ours, Some(("Origin", "http://homeward"))), 303);
        assert!(!is_logged_in(&visitor));

        let login = form_request("/console/login", &[("name", "a"), ("password", "b")])
            .header("Sec-Fetch-Site", "cross-site");
        assert_eq!(server.send(&login).status, 403);
    }
}

/// Every address of the console, with a value for each of its parameters.
fn addresses() -> Vec<String> {
    let part = |part: &str| if part.starts_with('{') { "acme" } else { part }.to_owned();
    let all = tenants::CONSOLE.iter();
    all.map(|route| route.split('/').map(part).collect::<Vec<_>>().join("/")).collect()
}

#[test]
fn every_form_needs_the_token_of_its_session() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        for address in addresses().iter().filter(|it| *it != "/console/login") {
            let request = form_request(address, &[]).header("Cookie", &visitor.cookie);
            let status = server.send(&request).status;
            assert!([403, 404, 405].contains(&status), "POST {address}: {status}");
            let without_login = server.send(&form_request(address, &[])).status;
            assert!([303, 404, 405].contains(&without_login), "POST {address}: {without_login}");
        }
    }
}

#[test]
fn every_page_needs_a_login() {
    for server in shared::on_every_engine() {
        for address in addresses().iter().filter(|it| *it != "/console/login") {
            let reply = server.send(&Request::get(address));
            assert!([303, 404, 405].contains(&reply.status), "{address}: {}", reply.said());
        }
    }
}

#[test]
fn warehouse_workers_see_only_receiving_and_exceptions() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("warehouse");
        let refused = visitor.get("/console");
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("with the role warehouse"), "{}", refused.text());
        assert!(visitor.page("/console/password").contains("/console/receive"));
        let entered = server.log_in(&visitor.name, &visitor.password);
        assert_eq!(entered.header("location"), Some("/console/receive"));
    }
}

#[test]
fn errors_are_pages() {
    let server = shared::server();
    let visitor = server.visitor("operator");
    for (reply, status, words) in [
        (visitor.get("/console/no/such/page"), 404, "This page does not exist."),
        (visitor.get("/console/logout"), 405, "This address does not support this method."),
    ] {
        assert_eq!(reply.status, status, "{}", reply.said());
        assert!(reply.text().contains(words), "{}", reply.text());
        assert!(reply.header("content-type").unwrap().starts_with("text/html"));
    }
}

#[test]
fn an_error_leads_every_role_to_its_own_start_page() {
    for server in shared::on_every_engine() {
        for (role, home) in [("operator", "/console"), ("warehouse", "/console/receive")] {
            let visitor = server.visitor(role);
            let missing = visitor.get("/console/no/such/page");
            assert!(missing.text().contains("href=\"/console/start\""), "{}", missing.text());
            let start = visitor.get("/console/start");
            assert_eq!(start.header("location"), Some(home), "{role}");
            assert_eq!(visitor.get(home).status, 200, "{role}");
        }
    }
}
