//! Several servers on one PostgreSQL database are one service.

use crate::harness::{
    eventually,
    home::{Home, Ran, SHARED_KEY},
    http::Request,
    postgres,
    samples::{message, sample_order, taken_in},
    server::{Server, publication},
};

/// Two nodes with one key, on each database.
fn nodes(name: &str) -> impl Iterator<Item = [Server; 2]> {
    postgres::schemas(name).map(|schema| {
        let (first, second) = (Home::on(&schema.address), Home::on(&schema.address));
        let key = first.file("shared.key", SHARED_KEY);
        let key = key.to_str().unwrap();
        [&first, &second].map(|home| home.serve(&["--secret-key-file", key]))
    })
}

#[test]
fn what_one_node_takes_in_the_other_gives_back() {
    for [first, second] in nodes("nodes") {
        let merchant = first.merchant("shared");
        let token = first.token(&merchant);
        let request =
            publication(&token, message(&[sample_order("A")])).header("Idempotency-Key", "once");

        assert_eq!(first.send(&request).said(), taken_in(&[("A", "created")]));

        assert_eq!(second.send(&request).said(), taken_in(&[("A", "created")]), "the first answer");
        assert_eq!(second.order(&token, "A").json(), sample_order("A"));
        assert_eq!(
            second.publish(&token, &message(&[sample_order("A")])).json()["orders"][0]["result"],
            "unchanged"
        );
    }
}

#[test]
fn what_an_operator_changes_at_one_node_the_other_sees_within_seconds() {
    for [first, second] in nodes("nodes_change") {
        let merchant = first.merchant("shared");
        let token = first.token(&merchant);
        assert_eq!(second.order(&token, "A").status, 404, "seen, and remembered for a while");

        first.home.json(&["merchant", "disable", &merchant.id]);

        assert_eq!(first.order(&token, "A").status, 401, "at once");
        let begun = std::time::Instant::now();
        eventually("the other node sees it", || {
            (second.order(&token, "A").status == 401).then_some(())
        });
        assert!(begun.elapsed().as_secs() < 7, "{:?}", begun.elapsed());
    }
}

#[test]
fn orders_that_race_through_two_nodes_are_stored_once() {
    for nodes in nodes("nodes_race") {
        let [first, _] = &nodes;
        let token = first.token(&first.merchant("shared"));
        let created: usize = std::thread::scope(|scope| {
            let working: Vec<_> = nodes
                .iter()
                .map(|node| {
                    let token = &token;
                    scope.spawn(move || {
                        let created = |number: usize| {
                            let sent = message(&[
                                sample_order(&format!("o{number}")),
                                sample_order(&format!("p{number}")),
                            ]);
                            let reply = node.publish(token, &sent);
                            assert_eq!(reply.status, 200, "{}", reply.said());
                            reply.text().matches("\"created\"").count()
                        };
                        (0..25).map(created).sum::<usize>()
                    })
                })
                .collect();
            working.into_iter().map(|it| it.join().unwrap()).sum()
        });
        assert_eq!(created, 50, "each by one of the two");
    }
}

#[test]
fn nodes_that_start_together_on_an_empty_database_share_the_migration() {
    let names = ["nodes_start0", "nodes_start1", "nodes_start2"];
    for schema in names.into_iter().flat_map(postgres::schemas) {
        let homes: Vec<_> = (0..4).map(|_| Home::on(&schema.address)).collect();
        let key = homes[0].file("shared.key", SHARED_KEY);
        let list = ["merchant", "list", "--secret-key-file", key.to_str().unwrap()];
        let ran: Vec<Ran> = std::thread::scope(|scope| {
            let running: Vec<_> =
                homes.iter().map(|home| scope.spawn(|| home.run(&list))).collect();
            running.into_iter().map(|it| it.join().unwrap()).collect()
        });
        for ran in ran {
            assert_eq!(ran.code, Some(0), "{}", ran.err);
        }
    }
}

#[test]
fn a_node_is_not_ready_while_its_database_is_away() {
    for schema in postgres::schemas("nodes_away") {
        let server = Home::on(&schema.address).serve(&[]);
        assert_eq!(server.send(&Request::get("/readyz")).status, 200);
        schema.drop();

        let reply = server.send(&Request::get("/readyz"));

        let parts = r#""database":"does not respond","traffic":"ready"}"#;
        let said = format!(r#"503 {{"message":"the database does not respond",{parts}"#);
        assert_eq!(reply.said(), said);
        assert_eq!(server.send(&Request::get("/healthz")).status, 200, "alive, though");
        let reply = server.send(&Request::get("/orders/A").bearer("hwt.acme.x"));
        assert_eq!(reply.said(), r#"500 {"message":"internal error; it has been logged"}"#);
        let request = reply.header("x-request-id").unwrap();
        let named = format!("request failed: GET /orders/{{identifier}} ({request}): ");
        assert!(server.log().contains(&named), "{}", server.log());
        let ran = server.home.run(&["merchant", "list"]);
        assert!(ran.err.contains("the server cannot give a token: internal error"), "{}", ran.err);
    }
}

#[test]
fn another_node_takes_over_within_a_second_of_a_planned_stop() {
    let Some(schema) = postgres::POSTGRES.schema("takeover") else { return };
    let (home, other) = (Home::on(&schema.address), Home::on(&schema.address));
    let key = home.file("shared.key", SHARED_KEY);
    let arguments = ["--secret-key-file", key.to_str().unwrap()];
    let owners = || {
        let sql = "SELECT string_agg(DISTINCT owner, ' ') FROM shard_leases";
        postgres::read_text(&schema.address, sql)
    };
    let count_nodes = || postgres::read_text(&schema.address, "SELECT count(*)::text FROM nodes");
    let mut first = home.serve(&arguments);
    let before = eventually("the first node sends", || Some(owners()).filter(|it| it.len() > 1));
    let second = other.serve(&arguments);
    eventually("the second node is known", || (count_nodes() == "2").then_some(()));

    first.stop();
    let stopped = std::time::Instant::now();

    let after = eventually("the second node sends everything", || {
        Some(owners()).filter(|it| it.len() > 1 && !it.contains(' ') && *it != before)
    });
    assert!(stopped.elapsed().as_secs_f64() < 1.0, "{:?}: {after}", stopped.elapsed());
    drop(second);
}
