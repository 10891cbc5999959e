//! Attacks on the portal.

use std::thread;

use serde_json::{Value, json};

use super::shop::{DANA, ONE_TEE, Shop, servers, shops};
use crate::harness::{home::Home, http::Request, shared};

#[test]
fn a_failed_lookup_does_not_reveal_whether_the_order_exists() {
    for shop in shops() {
        let wrong = shop.post("", "", "order_number=ORD-100472&secret=nobody%40example.com");
        let unknown = shop.post("", "", "order_number=ORD-100472x&secret=nobody%40example.com");

        assert_eq!((wrong.status, unknown.status), (200, 200));
        assert_eq!(wrong.text(), unknown.text().replace("ORD-100472x", "ORD-100472"));
        assert!(wrong.header("set-cookie").is_none());
    }
}

#[test]
fn after_too_many_lookups_even_a_correct_one_must_wait() {
    let server = Home::new().serve(&[]);
    let shop = Shop::on(&server, |_| ());
    let wrong = "order_number=ORD-100472&secret=97206";
    let statuses: Vec<u16> = (0..25).map(|_| shop.post("", "", wrong).status).collect();

    assert_eq!(statuses[..20], [200; 20]);
    assert_eq!(statuses[20..], [429; 5]);
    let right = shop.post("", "", DANA);
    assert_eq!(right.status, 429);
    assert!(right.header("set-cookie").is_none());
    assert!(right.text().contains("Try again in a minute"), "{}", right.text());
}

#[test]
fn a_walk_over_order_numbers_with_one_postal_code_ends_but_shoppers_with_an_email_get_in() {
    for shop in shops() {
        let walk = |number: u32| {
            let (address, order) = (format!("198.51.100.{number}"), 100_200 + number);
            shop.post_from(&address, &format!("order_number=ORD-{order}&secret=97205")).status
        };
        let statuses: Vec<u16> = (0..60).map(walk).collect();
        assert_eq!((&statuses[..50], &statuses[50..]), (&[200; 50][..], &[429; 10][..]));

        let postal = shop.post_from("203.0.113.1", "order_number=ORD-100472&secret=97205");
        assert_eq!(postal.status, 429, "not even the right one");
        assert!(postal.text().contains("Use the email address you ordered with"));
        let email = shop.post_from("203.0.113.1", DANA);
        assert_eq!(email.status, 303, "{}", email.text());
        let other = Shop::on(shop.server, |_| ());
        let postal = other.post_from("203.0.113.2", "order_number=ORD-100472&secret=97205");
        assert_eq!(postal.status, 303, "another merchant is not affected");
    }
}

#[test]
fn guesses_that_arrive_together_do_not_exceed_the_limit_together() {
    for shop in shops() {
        let guess = |number: u32| {
            let (address, order) = (format!("198.51.100.{number}"), 100_200 + number);
            shop.post_from(&address, &format!("order_number=ORD-{order}&secret=97205")).status
        };
        let statuses: Vec<u16> = thread::scope(|scope| {
            let guesses: Vec<_> = (0..80).map(|it| scope.spawn(move || guess(it))).collect();
            guesses.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let examined = statuses.iter().filter(|&&status| status == 200).count();
        assert!((40..=50).contains(&examined), "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    }
}

#[test]
fn an_order_is_not_guessed_from_many_addresses_and_nobody_locks_the_shopper_out() {
    for shop in shops() {
        let guess = |number: u32, secret: &str| {
            let address = format!("198.51.100.{number}");
            shop.post_from(&address, &format!("order_number=ord+100472&secret={secret}")).status
        };
        let postal: Vec<u16> = (0..25).map(|it| guess(it, &format!("972{it:02}x"))).collect();
        assert_eq!((&postal[..20], &postal[20..]), (&[200; 20][..], &[429; 5][..]));
        assert_eq!(shop.post_from("203.0.113.1", DANA).status, 303, "an email is not affected");

        let emails: Vec<u16> =
            (0..25).map(|it| guess(it, &format!("dana{it}%40example.com"))).collect();
        assert_eq!((&emails[..20], &emails[20..]), (&[200; 20][..], &[429; 5][..]));
    }
}

#[test]
fn a_shopper_who_finds_the_order_again_and_again_is_never_counted() {
    for shop in shops() {
        for number in 0..60 {
            let form = "order_number=ORD-100472&secret=97205";
            let found = shop.post_from(&format!("198.51.100.{number}"), form);
            assert_eq!(found.status, 303, "{}", found.text());
        }
    }
}

#[test]
fn nothing_is_shown_without_a_pass_or_with_one_of_another_portal() {
    let all: Vec<Shop<'_>> = shops().chain(shops()).collect();
    let (first, other) = (&all[0], all.last().unwrap());
    let pass = first.pass(DANA);

    for pass in ["", "homeward_shopper=forged", &pass] {
        for reply in [
            other.get("/return", pass),
            other.post("/return", pass, ONE_TEE),
            other.post("/review", pass, ONE_TEE),
            other.post("/confirm", pass, ONE_TEE),
        ] {
            assert_eq!(reply.status, 303);
            assert_eq!(reply.header("location"), Some(other.path("").as_str()));
        }
    }
}

#[test]
fn a_return_is_found_in_its_own_portal_only_and_its_page_has_no_personal_data() {
    let all: Vec<Shop<'_>> = shops().chain(shops()).collect();
    let (shop, other) = (&all[0], all.last().unwrap());
    let path = shop.start_return(&shop.pass(DANA), ONE_TEE);

    assert_eq!(other.get(&path, "").status, 404);
    assert_eq!(other.post(&format!("{path}/cancel"), "", "").status, 404);
    assert_eq!(shop.get("/returns/RMA-7K3Q-9XWD-2M4T", "").status, 404);
    let page = shop.get(&path, "");
    assert_eq!(page.status, 200);
    for private in
        ["dana", "Dana", "Whitfield", "Juniper", "97205", "Portland", "ORD-100472", "503 555"]
    {
        assert!(!page.text().contains(private), "{private}: {}", page.text());
    }
}

#[test]
fn only_a_shopper_who_found_the_order_sees_the_label_and_cancels() {
    for shop in shops() {
        shop.set_policy(&json!({ "gift_returns": true }));
        let pass = shop.pass(DANA);
        let path = shop.start_return(&pass, ONE_TEE);
        let recipient = shop.pass("order_number=ORD-100472&secret=97205&gift=yes");
        for stranger in ["", "homeward_shopper=forged", &recipient] {
            let page = shop.get(&path, stranger);
            assert!(page.text().contains("Find your order to print"), "{}", page.text());
            for hidden in ["/labels/", "/cancel"] {
                assert!(!page.text().contains(hidden), "{hidden}: {}", page.text());
            }
            let refused = shop.post(&format!("{path}/cancel"), stranger, "");
            assert_eq!((refused.status, refused.header("location")), (303, Some(&*shop.path(""))));
        }
        let page = shop.get(&path, &pass);
        assert!(page.text().contains("/labels/RMA-"), "{}", page.text());
        assert!(!page.text().contains("Return canceled"), "{}", page.text());
        assert_eq!(shop.post(&format!("{path}/cancel"), &pass, "").status, 303);
        assert!(shop.get(&path, "").text().contains("Return canceled"));
    }
}

#[test]
fn a_pass_is_limited_to_the_portal_and_hidden_from_scripts() {
    for shop in shops() {
        let admitted = shop.post("", "", DANA);
        let cookie = admitted.header("set-cookie").unwrap().to_owned();
        for flag in [&format!("Path={}", shop.path("")), "HttpOnly", "SameSite=Strict", "Max-Age="]
        {
            assert!(cookie.contains(flag), "{flag}: {cookie}");
        }
        // Behind a proxy there is TLS, and the pass is sent over TLS only.
        assert!(cookie.ends_with("; Secure"), "{cookie}");
    }
    let plain = Shop::on(shared::server(), |_| ());
    let cookie = plain.post("", "", DANA).header("set-cookie").unwrap().to_owned();
    assert!(!cookie.contains("Secure"), "{cookie}");
}

#[test]
fn a_form_that_another_site_made_the_browser_send_is_refused() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let path = shop.start_return(&pass, ONE_TEE);
        for rest in ["", "/return", "/review", "/confirm", &format!("{path}/cancel")] {
            for (name, value) in [
                ("Sec-Fetch-Site", "cross-site"),
                ("Sec-Fetch-Site", "same-site"),
                ("Origin", "https://evil.example"),
                ("Origin", "null"),
            ] {
                let request = shop.form(rest, &pass, ONE_TEE).header(name, value);
                let reply = shop.server.send(&request);
                assert_eq!(reply.status, 403, "{rest} {name}: {value}");
                assert!(reply.header("set-cookie").is_none());
            }
        }
        let status = shop.get(&path, "");
        assert!(!status.text().contains("Return canceled"), "{}", status.text());
        let own = shop.form("/review", &pass, ONE_TEE).header("Origin", "http://homeward");
        assert_eq!(shop.server.send(&own).status, 200);
        let own = shop.form("/review", &pass, ONE_TEE).header("Sec-Fetch-Site", "same-origin");
        assert_eq!(shop.server.send(&own).status, 200);
    }
}

/// Adds markup to every text that a shopper may read.
fn inject_markup(value: &mut Value, kept: &[&str]) {
    match value {
        Value::Object(fields) => {
            for (_, field) in fields.iter_mut().filter(|(key, _)| !kept.contains(&key.as_str())) {
                inject_markup(field, kept);
            }
        }
        Value::Array(list) => {
            for element in list {
                inject_markup(element, kept);
            }
        }
        Value::String(text) => text.push_str("\"'><script>alert(1)</script>"),
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

#[test]
fn markup_in_an_order_or_in_a_merchants_texts_is_escaped() {
    // These have a fixed format, or are needed to find the order.
    let kept = [
        "status",
        "currency",
        "created_at",
        "updated_at",
        "shipped_date",
        "delivered_date",
        "zip_code",
        "email",
        "return_policy_end_date",
        "country_code",
        "identifier",
    ];
    for server in servers() {
        let shop = Shop::on(server, |order| {
            inject_markup(order, &kept);
            order["identifier"] = json!("<script>alert(1)</script>");
            order["items"][0]["tags"] = json!([]);
            order["items"][1]["tags"] = json!(["final_sale"]);
        });
        let markup = "</p><script>alert(1)</script>";
        shop.set_portal(&json!({ "texts": { "en": {
            "welcome": markup, "help": markup, "footer": markup
        } } }));
        shop.set_policy(&json!({ "reasons": [
            { "code": "too_small", "label": markup, "labels": { "en": markup },
              "offers_exchange": true }
        ] }));
        let pass = shop.pass(
            "order_number=%3Cscript%3Ealert(1)%3C%2Fscript%3E&secret=dana.whitfield%40example.com",
        );
        let form = format!("{ONE_TEE}&giftee_email=%3Cscript%3E&variant.0.0=%22%3E%3Cscript%3E");
        let path = shop.start_return(&pass, ONE_TEE);
        let status = shop.get(&path, &pass);
        let (_, label) = status.text().split_once("href=\"/labels/").unwrap();
        let label = format!("/labels/{}", label.split_once('"').unwrap().0);
        for page in [
            shop.get("", ""),
            shop.post("", "", "order_number=%22%3E%3Cscript%3E&secret=x"),
            shop.get("/return", &pass),
            shop.post("/review", &pass, &form),
            shop.post(
                "/review",
                &pass,
                &format!("{form}&reason.0.0=%3Cscript%3E&get.0.0=exchange"),
            ),
            shop.post("/return", &pass, &form),
            status,
            shop.server.send(&Request::get(&label)),
        ] {
            assert!(page.text().contains("&#60;script&#62;"), "{}", page.text());
            assert!(!page.text().contains("<script"), "{}", page.text());
        }
    }
}

#[test]
fn a_form_that_is_too_large_is_refused_with_a_page() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let form = format!("{ONE_TEE}&note={}", "x".repeat(1100 << 10));
        let reply = shop.server.connect().send_large(&shop.form("/review", &pass, &form).bytes());
        let reply = reply.unwrap();
        assert_eq!(reply.status, 413);
        assert!(reply.text().contains("<h1>Your entry is too long</h1>"), "{}", reply.text());
        for form in ["%ff=1", "quantity.0.0=%f0%28&method=mail-back"] {
            assert_eq!(shop.post("/review", &pass, form).status, 400, "{form}");
        }
    }
}

#[test]
fn no_page_contains_the_host_that_a_request_names() {
    for shop in shops() {
        let pass = shop.pass(DANA);
        let evil = [("X-Forwarded-Host", "evil.example"), ("Forwarded", "host=evil.example")];
        for target in [shop.path(""), shop.path("/return")] {
            let mut request = Request::get(&target).header("Cookie", &pass);
            for (name, value) in evil {
                request = request.header(name, value);
            }
            let bytes = String::from_utf8(request.bytes()).unwrap();
            let bytes = bytes.replace("Host: homeward", "Host: evil.example");
            let mut connection = shop.server.connect();
            connection.write(bytes.as_bytes()).unwrap();
            let page = connection.reply().unwrap();
            assert_eq!(page.status, 200);
            assert!(!page.text().contains("evil.example"), "{}", page.text());
        }
        let admitted = shop.server.send(&shop.form("", "", DANA).header(evil[0].0, evil[0].1));
        assert_eq!(admitted.header("location"), Some(shop.path("/return").as_str()));
    }
}
