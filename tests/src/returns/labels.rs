//! The page that a shopper prints.

use std::time::Duration;

use super::scene::{Scene, request, sample_order, scenes};
use crate::harness::{
    eventually,
    home::Home,
    http::{Reply, Request},
    stage::{QUICK, Stage},
};

fn fetch_page(scene: &Scene<'_>, rma: &str) -> Reply {
    let address = scene.show(rma)["links"]["label"].as_str().unwrap().to_owned();
    scene.stage.server.send(&Request::get(&address))
}

#[test]
fn a_label_shows_the_number_and_loads_nothing_from_elsewhere() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let number = scene.label(&rma);

        let page = fetch_page(&scene, &rma);

        assert_eq!(page.status, 200);
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(page.header("content-type").unwrap().starts_with("text/html"));
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("http"), "{policy}");
        let html = page.text();
        assert!(html.contains(&number) && html.contains(&rma), "{html}");
        // Names of vocabularies are no addresses that anything is loaded from.
        let addresses = html.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http://", "https://", "src=\"//", "href=\"//", "<script"] {
            assert!(!addresses.contains(outside), "{outside}: {html}");
        }
    }
}

#[test]
fn a_label_that_is_not_there_yet_says_so_and_an_unknown_one_is_not_found() {
    for scene in scenes() {
        scene.set(&serde_json::json!({ "carrier": "external" }));
        let rma = scene.start(&request("mail-back", &[("A", "tee", 1)]));
        let early = fetch_page(&scene, &rma);
        assert_eq!(early.status, 200, "{}", early.said());
        assert!(early.text().contains(&rma));
        for unknown in ["RMA-7K3Q-9XWD-2M4T", "A", "..%2F..%2Fhomeward.db"] {
            let reply = scene.stage.server.send(&Request::get(&format!("/labels/{unknown}")));
            assert_eq!(reply.said(), r#"404 {"message":"label not found"}"#, "{unknown}");
        }
    }
}

#[test]
fn a_label_needs_its_own_key_and_not_the_identifier_on_the_parcel() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let address = scene.show(&rma)["links"]["label"].as_str().unwrap().to_owned();
        assert!(address.len() > format!("/labels/{rma}").len() + 20, "{address}");

        let last = if address.ends_with('0') { '1' } else { '0' };
        let wrong = format!("{}{last}", &address[..address.len() - 1]);
        for guess in [format!("/labels/{rma}"), format!("/labels/{rma}-"), wrong] {
            let reply = scene.stage.server.send(&Request::get(&guess));
            assert_eq!(reply.status, 404, "{guess}: {}", reply.said());
        }
        assert_eq!(scene.stage.server.send(&Request::get(&address)).status, 200);
    }
}

#[test]
fn a_label_is_no_longer_shown_when_the_carrier_has_the_parcel() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let number = scene.label(&rma);
        assert!(fetch_page(&scene, &rma).text().contains(&number));
        scene.stage.server.home.json(&["carrier", "move", &rma, "in_transit"]);

        let page = fetch_page(&scene, &rma);

        let html = page.text();
        assert!(html.contains("This label has been used") && !html.contains(&number), "{html}");
    }
}

#[test]
fn a_label_is_gone_when_its_return_was_cancelled() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let number = scene.label(&rma);
        assert_eq!(scene.cancel(&rma).status, 200);

        let page = fetch_page(&scene, &rma);

        let html = page.text();
        assert!(html.contains("This return was canceled") && !html.contains(&number), "{html}");
    }
}

#[test]
fn a_return_that_is_unreadable_does_not_keep_others_from_their_labels() {
    let server = Home::sqlite().serve(&QUICK);
    let (stage, running) = Stage::with_receiver(&server);
    let scene = Scene { stage, running };
    scene.publish(&sample_order("A"));
    scene.set(&serde_json::json!({ "carrier": "external" }));
    let unreadable = scene.start_tee();
    let database = rusqlite::Connection::open(server.home.data_dir().join("homeward.db")).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    for sql in [
        "UPDATE returns SET body = '{}' WHERE rma_id = ?1",
        "UPDATE label_requests SET carrier = 'simulated' WHERE rma_id = ?1",
    ] {
        assert_eq!(database.execute(sql, [&unreadable]).unwrap(), 1, "{sql}");
    }

    scene.set(&serde_json::json!({ "carrier": "simulated" }));
    let other = scene.start_tee();

    assert!(!scene.label(&other).is_empty());
    let said = format!("issuing the labels of {unreadable} of {} failed", scene.stage.merchant.id);
    eventually("the log names the unreadable one", || server.log().contains(&said).then_some(()));
}
