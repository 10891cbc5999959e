//! The merchant's theme and texts, and the shopper's language.

use serde_json::json;

use super::shop::{DANA, ONE_TEE, shops};
use crate::harness::http::Request;

/// The start of a PNG file, which is enough to be accepted.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

#[test]
fn a_portal_has_the_merchants_colors_texts_and_languages() {
    for shop in shops() {
        shop.set_portal(&json!({
            "accent": "#ffcc00", "languages": ["de", "en"],
            "texts": {
                "de": { "welcome": "Schön, dass Sie da sind.", "help": "Hilfe: 0800 1" },
                "en": { "footer": "Acme Ltd" }
            }
        }));

        let german = shop.get("", "");
        for text in ["<html lang=\"de\">", "Schön, dass Sie da sind.", "Hilfe: 0800 1", "/look.css"]
        {
            assert!(german.text().contains(text), "{text}: {}", german.text());
        }
        assert!(!german.text().contains("lang=fr"), "{}", german.text());
        let english = shop.get("?lang=en", "");
        assert!(english.text().contains("Acme Ltd"), "{}", english.text());
        let theme = shop.get("/look.css", "");
        assert_eq!(theme.header("content-type"), Some("text/css; charset=utf-8"));
        let style = theme.text();
        // On light pages the color is darkened to stay readable; on dark pages it is unchanged.
        assert_eq!(style.matches("--accent: #").count(), 2, "{style}");
        assert_eq!(style.matches("--accent: #ffcc00;").count(), 1, "{style}");
    }
}

#[test]
fn the_requested_language_comes_before_the_remembered_and_the_preferred_one() {
    for shop in shops() {
        let requested = shop.get("?lang=fr", "");
        let cookie = requested.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        assert_eq!(cookie, "homeward_language=fr");
        assert!(requested.text().contains("Créer un retour"), "{}", requested.text());
        assert!(shop.get("", &cookie).text().contains("<html lang=\"fr\">"));
        assert!(shop.get("?lang=es", &cookie).text().contains("<html lang=\"es\">"));
        let preferred = Request::get(&shop.path("")).header("Accept-Language", "de-AT, en;q=0.5");
        assert!(shop.server.send(&preferred).text().contains("<html lang=\"de\">"));
        for invalid in ["?lang=", "?lang=xx", "?lang=%00", "?lang=%3Cscript%3E"] {
            let page = shop.get(invalid, "");
            assert_eq!(page.status, 200, "{invalid}");
            assert!(page.header("set-cookie").is_none(), "{invalid}");
        }
    }
}

#[test]
fn every_page_has_amounts_dates_and_rules_in_its_language() {
    for shop in shops() {
        let pass = format!("{}; homeward_language=de", shop.pass(DANA));
        let choose = shop.get("/return", &pass);
        for text in ["Was möchten Sie zurückgeben?", "46,10\u{a0}$", "1. Januar 2126", "Zu klein"]
        {
            assert!(choose.text().contains(text), "{text}: {}", choose.text());
        }
        let wrong = shop.post("/review", &pass, "quantity.0.0=1&method=mail-back");
        assert!(wrong.text().contains("Bitte wählen Sie einen Grund"), "{}", wrong.text());
        // A change of the language on a page that a form led to submits the form again.
        assert!(wrong.text().contains("formaction=\""), "{}", wrong.text());
        let review = shop.post("/review?lang=es", &pass, ONE_TEE);
        assert!(review.text().contains("Revise su devolución"), "{}", review.text());
        assert!(review.text().contains("name=\"quantity.0.0\" value=\"1\""), "{}", review.text());
        let path = shop.start_return(&pass, ONE_TEE);
        let status = shop.get(&path, &pass);
        assert!(status.text().contains("Rücksendung angemeldet"), "{}", status.text());
        let (_, label) = status.text().split_once("href=\"/labels/").unwrap();
        let label = format!("/labels/{}?lang=fr", label.split_once('"').unwrap().0);
        let label = shop.server.send(&Request::get(&label));
        assert!(label.text().contains("<html lang=\"fr\">"), "{}", label.text());
    }
}

#[test]
fn a_logo_is_shown_as_the_picture_that_it_is_and_can_be_taken_away() {
    for shop in shops() {
        let path = format!("/admin/merchants/{}/portal/logo", shop.merchant);
        let put = |kind: &str, body: &[u8]| {
            let request = Request::new("PUT", &path).bearer(&shop.server.admin_token());
            shop.server.send(&request.header("Content-Type", kind).body(body))
        };
        assert_eq!(shop.get("/logo", "").status, 404);
        for (kind, body, status) in [
            ("image/png", &b"<svg onload=alert(1)>"[..], 400),
            ("image/png", b"GIF89a", 400),
            ("image/svg+xml", PNG, 415),
            ("image/png", &[PNG, &vec![0; 256 << 10]].concat(), 413),
            ("image/png", PNG, 200),
        ] {
            assert_eq!(put(kind, body).status, status, "{kind}");
        }

        let logo = shop.get("/logo", "");
        assert_eq!((logo.status, logo.body.as_slice()), (200, PNG));
        assert_eq!(logo.header("content-type"), Some("image/png"));
        assert_eq!(logo.header("x-content-type-options"), Some("nosniff"));
        assert!(shop.get("", "").text().contains("/logo\" alt=\"A merchant\""));
        assert_eq!(shop.admin("DELETE", "portal/logo", &json!({})).status, 200);
        assert!(!shop.get("", "").text().contains("/logo\""));
    }
}

#[test]
fn all_errors_of_a_portal_are_reported_at_once_and_changes_are_audited() {
    for shop in shops() {
        let portal = json!({ "accent": "red", "languages": ["en", "xx"], "texts": { "en": 1 } });
        let refused = shop.admin("PUT", "portal", &portal);
        assert_eq!(refused.status, 422, "{}", refused.said());
        let errors = refused.json()["errors"].clone();
        let fields: Vec<&str> =
            errors.as_array().unwrap().iter().map(|it| it["field"].as_str().unwrap()).collect();
        assert_eq!(fields, ["$.accent", "$.languages[1]", "$.texts.en"]);

        shop.set_portal(&json!({ "default_language": "es" }));
        let audit = format!("/admin/audit?merchant={}", shop.merchant);
        let audit = Request::get(&audit).bearer(&shop.server.admin_token());
        let changes = shop.server.send(&audit).json();
        assert_eq!(changes["changes"][0]["action"], "portal.set");
        let shown = shop.admin("GET", "portal", &json!({})).json();
        assert_eq!(shown["portal"]["default_language"], "es");
        assert_eq!(shown["has_logo"], false);
    }
}

#[test]
fn the_command_sets_and_shows_the_portal() {
    for shop in shops() {
        let home = &shop.server.home;
        let name = |ending: &str| format!("{}.{ending}", shop.merchant);
        let file = home.file(&name("json"), r##"{"accent":"#0b5cad"}"##);
        let logo = home.file(&name("png"), PNG);
        let (file, logo) = (file.to_str().unwrap(), logo.to_str().unwrap());

        let set = home.json(&["portal", "set", &shop.merchant, "--file", file, "--logo", logo]);

        assert_eq!((&set["portal"]["accent"], &set["has_logo"]), (&json!("#0b5cad"), &json!(true)));
        assert_eq!(home.json(&["portal", "show", &shop.merchant]), set);
        let none = home.json(&["portal", "set", &shop.merchant, "--no-logo"]);
        assert_eq!(none["has_logo"], false);
        assert_eq!(home.run(&["portal", "set", &shop.merchant]).code, Some(2));
        let wrong = home.run(&["portal", "set", &shop.merchant, "--logo", file]);
        assert!(wrong.err.contains("PNG, JPEG, or WebP"), "{}", wrong.err);
    }
}

#[test]
fn the_address_of_a_form_leads_to_the_page_that_it_starts_at() {
    for shop in shops() {
        let rma = "/returns/RMA-7K3Q-9XWD-2M4T";
        let (cancel, label) = (format!("{rma}/cancel"), format!("{rma}/label"));
        for (form, page) in [
            ("/review", "/return"),
            ("/confirm?lang=de", "/return"),
            ("/proof", "/return"),
            ("/proof/code", "/return"),
            ("/withdraw/items", "/withdraw"),
            ("/withdraw/review", "/withdraw"),
            ("/withdraw/confirm", "/withdraw"),
            (&cancel, rma),
            (&label, rma),
            ("/returns/%2F%2Fevil.example/cancel", ""),
        ] {
            let reply = shop.get(form, "");
            let page = shop.path(page);
            assert_eq!((reply.status, reply.header("location")), (303, Some(page.as_str())));
        }
        let language = shop.get("/confirm?lang=de", "");
        assert!(language.header("set-cookie").unwrap().starts_with("homeward_language=de"));
        let unknown = shop.server.send(&Request::get("/portal/no-such-shop/review"));
        assert_eq!(unknown.status, 404);
    }
}
