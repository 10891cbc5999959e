//! A merchant's people at the console: they look after what is theirs, and nothing else exists for
//! them.

use std::collections::BTreeSet;

use super::{CONSOLE, Neighbours, neighbours};
use crate::harness::console::Visitor;

/// Pages that a merchant's people must be able to open.
const OWN_PAGES: [&str; 10] = [
    "/console/merchants/{merchant}",
    "/console/merchants/{merchant}/endpoints",
    "/console/merchants/{merchant}/mail",
    "/console/merchants/{merchant}/policy",
    "/console/merchants/{merchant}/portal",
    "/console/merchants/{merchant}/certify",
    "/console/messages",
    "/console/returns",
    "/console/refunds",
    "/console/finance",
];

impl Neighbours {
    /// The address of a page with the victim's values in it.
    fn aimed_page(&self, route: &str) -> String {
        let client = format!("/{}/", self.victim.client_id);
        let route = route
            .replace("/{client}/", &client)
            .replace("{message}", &self.message_id)
            .replace("{job}", "6p1cy4mmxq")
            .replace("/mail/{kind}", "/mail/canceled")
            .replace("{language}", "en")
            .replace("{action}", "resume")
            .replace("{version}", "1")
            .replace("{token}", "nothing")
            .replace("{*rest}", "nothing");
        self.aimed(&route)
    }

    /// Every form that the console has, as if it were the victim's.
    fn forms(&self) -> Vec<(&str, &str)> {
        vec![
            ("merchant", &self.victim.id),
            ("filter", &self.victim.id),
            ("id", &self.message_id),
            ("which", "ticked"),
            ("action", "retry"),
            ("name", "x"),
            ("refund", "RF-1"),
            ("rma", &self.rma),
            ("note", "malice"),
            ("reason", "malice"),
            ("answer", "accept"),
            ("disabled", "true"),
            ("revoke_old", "true"),
            ("read", "yes"),
            ("policy", "{}"),
            ("save", "yes"),
            ("base_url", "https://else.example.com"),
            ("url", "https://else.example.com"),
            ("auth.type", "none"),
            ("default_language", "en"),
            ("language", "en"),
            ("en.help", "malice"),
        ]
    }
}

#[test]
fn a_merchants_people_reach_nothing_of_another() {
    for neighbours in neighbours() {
        let person = neighbours.server.member(&neighbours.other.id);
        let before = neighbours.state();
        for route in CONSOLE.iter().filter(|route| !route.ends_with("/logout")) {
            let address = neighbours.aimed_page(route);
            let names_victim = address != *route;
            let lists = format!("{address}?merchant={}&q={}", neighbours.victim.id, neighbours.rma);
            let address = if names_victim { address } else { lists };
            let forms = neighbours.forms();
            for reply in [person.get(&address), person.post_confirmed(&address, &forms)] {
                let said = reply.said().replace(&address, "");
                // The page of a search repeats what was searched for, and finds nothing.
                let found = format!("/returns/{}", neighbours.rma);
                let client = &neighbours.victim.client_id;
                for secret in [client, &found, "kept to ourselves", "secret-"] {
                    assert!(!said.contains(secret), "{address}: {said}");
                }
                if names_victim {
                    let refused = [403, 404, 405].contains(&reply.status);
                    assert!(refused, "{address}: {said}");
                }
            }
        }
        neighbours.assert_unchanged(&before, "a form of the console");
    }
}

#[test]
fn a_merchants_people_see_their_own_and_every_link_opens() {
    for neighbours in neighbours() {
        let victim = &neighbours.victim;
        let person = neighbours.server.member(&victim.id);
        let seen = follow_links(&person, "/console/merchant");
        for page in OWN_PAGES.map(|page| page.replace("{merchant}", &victim.id)) {
            assert!(seen.contains(&page), "{page} was not reached: {seen:?}");
        }
        let order = format!("/console/orders/{}/secret-order", victim.id);
        let own = [order, format!("/console/returns/{}", neighbours.rma)];
        for page in own {
            assert!(seen.contains(&page), "{page} was not reached: {seen:?}");
        }
        let found = person.get("/console/search?q=secret-order");
        assert_eq!(found.status, 303, "{}", found.said());
    }
}

/// Opens every page that pages link to, without its query, and asserts that each is there.
fn follow_links(person: &Visitor<'_>, start: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::from([start.to_owned()]);
    let mut waiting = vec![start.to_owned()];
    while let Some(target) = waiting.pop() {
        let reply = person.get(&target);
        let opens = [200, 303].contains(&reply.status);
        assert!(opens, "{target}: {}", reply.said());
        let found = match reply.header("location") {
            Some(place) => vec![place.to_owned()],
            None => read_links(reply.text()),
        };
        for link in found {
            let page = link.split('?').next().unwrap_or_default().to_owned();
            if seen.insert(page) {
                waiting.push(link);
            }
        }
    }
    seen
}

/// The pages of the console that a page links to.
fn read_links(page: &str) -> Vec<String> {
    let targets = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let console = targets.filter(|target| target.starts_with("/console"));
    console.map(|target| target.replace("&#38;", "&").replace("&amp;", "&")).collect()
}

#[test]
fn a_merchants_people_change_their_own_settings_and_no_others() {
    for neighbours in neighbours() {
        let victim = &neighbours.victim;
        let person = neighbours.server.member(&victim.id);
        let place = format!("/console/merchants/{}", victim.id);
        let words = [
            ("accent", "#0b5cad"),
            ("language", "en"),
            ("default_language", "en"),
            ("en.help", "Write to help@victim.example."),
        ];
        let saved = person.submit(&format!("{place}/portal"), &words);
        assert!(saved.contains("The portal is saved."), "{saved}");
        let portal = person.page(&format!("/portal/{}", victim.id));
        assert!(portal.contains("Write to help@victim.example."), "{portal}");
        let secret = person.post_confirmed(&format!("{place}/signing-secret"), &[]);
        assert!(secret.text().contains("whsec_"), "{}", secret.said());
        let resumed = person.submit(&format!("{place}/endpoints/rma/pause"), &[]);
        assert!(resumed.contains("is paused"), "{resumed}");
        let refused = person.post(&format!("{place}/portal"), &[("accent", "blue")]);
        assert_eq!(refused.status, 422, "{}", refused.said());

        // What operators decide.
        let discard = format!("/console/messages/{}/discard", neighbours.message_id);
        for (address, fields) in [
            (place.clone(), &[("name", "renamed")][..]),
            (format!("{place}/disabled"), &[("disabled", "true")]),
            (discard, &[("reason", "x")]),
            ("/console/failures".to_owned(), &[("action", "discard"), ("which", "all")]),
            ("/console/add-merchant".to_owned(), &[("merchant", "mine"), ("name", "Mine")]),
        ] {
            let reply = person.post(&address, fields);
            assert_eq!(reply.status, 403, "{address}: {}", reply.said());
        }
        for page in ["/console", "/console/merchants", "/console/audit", "/console/receive"] {
            assert_eq!(person.get(page).status, 403, "{page}");
        }
    }
}
