//! What a session at the console cannot get: credentials of the platform, or a secret without the
//! operator's password.

use super::merchants::{add_merchant, read_secrets};
use crate::{
    access::tenants,
    harness::{console::Visitor, home::text, http::Reply, server::Server, shared},
};

/// A platform client that may do everything.
fn add_platform_client(server: &Server) -> String {
    let added = server.home.json(&["client", "add", "--name", "root", "--scope", "admin"]);
    text(&added["client_id"])
}

/// The routes with a parameter, each with `merchant`, `client` and `message` in its place.
fn aimed_routes(merchant: &str, client: &str, message: &str) -> Vec<String> {
    let part = |part: &str| match part {
        "{merchant}" => merchant.to_owned(),
        "{client}" => client.to_owned(),
        "{message}" | "{id}" | "{job}" => message.to_owned(),
        "{kind}" => "rma".to_owned(),
        "{mail}" => "canceled".to_owned(),
        "{language}" => "en".to_owned(),
        "{action}" => "pause".to_owned(),
        "{version}" => "1".to_owned(),
        "{rma}" => "RMA-7K3Q-9XWD-2M4T".to_owned(),
        "{identifier}" | "{unit}" | "{token}" | "{asn_number}" | "{*rest}" => "nothing".to_owned(),
        literal => {
            assert!(!literal.starts_with('{'), "which value is the parameter {literal}?");
            literal.to_owned()
        }
    };
    // A plate is drawn from its address alone, also for units that belong to no merchant yet.
    let drawn = |route: &str| route.starts_with("/console/plates/");
    let with_parameter =
        tenants::CONSOLE.iter().filter(|route| route.contains('{') && !drawn(route));
    let aim = |route: &str| route.split('/').map(part).collect::<Vec<_>>().join("/");
    with_parameter.map(|route| aim(&route.replace("/mail/{kind}", "/mail/{mail}"))).collect()
}

/// Everything that a form of the console could contain, with the password.
fn send_everything(visitor: &Visitor<'_>, address: &str) -> [Reply; 2] {
    let fields = [
        ("name", "x"),
        ("revoke_old", "true"),
        ("disabled", "true"),
        ("admin", "yes"),
        ("read", "yes"),
        ("reason", "x"),
        ("policy", "{}"),
        ("save", "yes"),
        ("base_url", "https://hooks.example.com"),
        ("url", "https://hooks.example.com"),
        ("auth.type", "none"),
        ("carrier", "simulated"),
    ];
    [visitor.get(address), visitor.post_confirmed(address, &fields)]
}

#[test]
fn no_route_of_the_console_reaches_the_platform_or_an_unknown_identifier() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let platforms = add_platform_client(server);
        for (merchant, client, message) in [
            ("platform", platforms.as_str(), "msg_platform_1"),
            ("no-such-shop", "no-such-shop.k7w2mq9d", "msg_no-such-shop_1"),
            ("..", "platform", "platform"),
        ] {
            for address in aimed_routes(merchant, client, message) {
                for reply in send_everything(&visitor, &address) {
                    let refused = [404, 405].contains(&reply.status);
                    assert!(refused, "{address}: {}", reply.said());
                    assert!(read_secrets(reply.text()).is_empty(), "{address}");
                }
            }
        }
        let clients = server.home.json(&["client", "list"]);
        let kept = clients["clients"].as_array().unwrap();
        let kept = kept.iter().find(|it| it["client_id"] == platforms.as_str()).unwrap();
        assert!(kept["disabled_at"].is_null(), "{kept}");
        let trail = server.home.json(&["audit", "--limit", "200"]);
        let trail = trail["changes"].as_array().unwrap();
        let theirs = trail.iter().filter(|change| change["actor"] == visitor.name.as_str());
        let actions: Vec<_> = theirs.map(|change| text(&change["action"])).collect();
        assert_eq!(actions, ["operator.login"], "nothing else happened");
    }
}

#[test]
fn a_secret_is_shown_only_after_the_operators_password() {
    for server in shared::on_every_engine() {
        let visitor = server.visitor("operator");
        let merchant = add_merchant(&visitor);
        let place = format!("/console/merchants/{}", merchant.id);
        let new_name = format!("{}-other", merchant.id);
        let new_merchant =
            [("merchant", new_name.as_str()), ("name", "x"), ("carrier", "simulated")];
        for (address, fields) in [
            (format!("{place}/clients"), &[("name", "till"), ("read", "yes")][..]),
            (format!("{place}/signing-secret"), &[]),
            (format!("/console/clients/{}/secret", merchant.client_id), &[("revoke_old", "true")]),
            ("/console/add-merchant".to_owned(), &new_merchant),
        ] {
            let asked = visitor.post(&address, fields);
            assert_eq!(asked.status, 200, "{address}: {}", asked.said());
            assert!(asked.text().contains("Enter your password"), "{}", asked.text());
            for (name, value) in fields {
                let kept = format!("name=\"{name}\" value=\"{value}\"");
                assert!(asked.text().contains(&kept), "{kept}: {}", asked.text());
            }
            let wrong = [fields, &[("current_password", "not the password")]].concat();
            let refused = visitor.post(&address, &wrong);
            assert_eq!(refused.status, 422, "{address}: {}", refused.said());
            assert!(refused.text().contains("The current password is wrong."));
            for reply in [asked, refused] {
                assert!(read_secrets(reply.text()).is_empty(), "{address}");
            }
        }
        server.token(&merchant);
        assert_eq!(visitor.get(&format!("/console/merchants/{new_name}")).status, 404);
    }
}
