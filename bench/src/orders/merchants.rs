//! The merchants of a load. With many of them, orders are spread over all indexes, as in the world.

use anyhow::Context;
use serde::Deserialize;
use serde_json::json;

use crate::{
    http::{Connection, post_head},
    server::{Credentials, MERCHANT, Server, parse},
};

/// The name of a merchant by its position. The only one has the usual name.
pub(crate) fn merchant_name(position: usize, merchants: usize) -> String {
    if merchants <= 1 { MERCHANT.to_owned() } else { format!("{MERCHANT}-{position:05}") }
}

/// Adds merchants over HTTP. Returns a token of each; they have the same length.
pub(crate) async fn add_merchants(
    server: &Server,
    admin: &Credentials,
    merchants: usize,
) -> anyhow::Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Added {
        #[serde(flatten)]
        credentials: Credentials,
    }
    let more = format!("authorization: Bearer {}\r\n", server.token(admin).await?);
    let mut connection = Connection::open(&server.address).await?;
    let mut tokens = Vec::with_capacity(merchants);
    for position in 0..merchants {
        let name = merchant_name(position, merchants);
        let body = json!({ "merchant": name, "name": "Benchmark" }).to_string();
        let head = post_head(&server.address, "/admin/merchants", &more, body.len());
        let response = connection.exchange(format!("{head}{body}").as_bytes()).await?;
        let added: Added = parse(response.body)?;
        tokens.push(server.token(&added.credentials).await?);
    }
    let length = tokens.first().context("there are no merchants")?.len();
    anyhow::ensure!(tokens.iter().all(|it| it.len() == length), "tokens differ in length");
    Ok(tokens)
}
