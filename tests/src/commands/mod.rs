//! The command line: merchants, clients, the audit trail, and the care of an installation.
//!
//! A command does the same whether a server runs or not, and on either engine, so most tests run
//! in all of these places.

mod alerts;
mod backup;
mod installation;
mod keys;
mod merchant_settings;
mod monitoring;
mod operators;
mod packages;
mod people;
mod settings;

use crate::harness::{
    home::{Home, Ran},
    postgres,
    server::Server,
};

/// Data directories without a server, with one, and with one on PostgreSQL.
fn make_places(name: &str) -> Vec<(Home, Option<Server>)> {
    let (alone, server) = (Home::sqlite(), Home::sqlite().serve(&[]));
    alone.install();
    let mut places = vec![(alone, None), (server.home.clone(), Some(server))];
    for schema in postgres::schemas(name) {
        let home = Home::on(&schema.address);
        let server = home.serve(&[]);
        places.push((home, Some(server)));
    }
    places
}

/// Asserts that a command failed with these words and printed no data.
fn assert_refused(ran: &Ran, why: &str) {
    assert_eq!(ran.err, format!("homeward: {why}\n"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
}
