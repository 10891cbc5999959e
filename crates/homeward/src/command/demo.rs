//! `homeward demo`: a server with a sample merchant and its orders, to look around.

use std::path::{Path, PathBuf};

use anyhow::Context;
use app::add_merchant::AddedMerchant;
use hyper::Method;
use serde_json::{Value, json};

use crate::{
    command::serve,
    config::{Config, Options},
    directory::{read_json, write_secretly},
    output::Output,
    session::{Remote, Session},
};

const MERCHANT: &str = "acme";
const ORDERS: usize = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Forget what earlier demos left behind
    #[arg(long)]
    reset: bool,
}

impl Demo {
    /// The demo's data is apart from a real installation's.
    pub(crate) fn options(mut options: Options) -> Options {
        options.data_dir.get_or_insert_with(|| PathBuf::from("./homeward-demo"));
        options
    }

    pub(crate) async fn run(&self, config: &Config, output: Output) -> anyhow::Result<()> {
        if self.reset && config.data_dir.exists() {
            // Only what a demo made is removed, never a directory somebody named by mistake.
            anyhow::ensure!(
                credentials_file(&config.data_dir).exists(),
                "{} holds no demo; not removed",
                config.data_dir.display()
            );
            std::fs::remove_dir_all(&config.data_dir)?;
        }
        let signals = serve::Signals::listen()?;
        let credentials = prepare(config).await?;
        let node = serve::start(config).await?;
        let address = node.address.address.clone();
        let shown = json!({
            "address": address,
            "merchant": credentials.merchant,
            "client_id": credentials.client_id,
            "client_secret": credentials.client_secret,
            "signing_secret": credentials.signing_secret,
        });
        output.data(&shown, || words(&address, &credentials));
        serve::run_until_told(node, signals).await
    }
}

fn words(address: &str, credentials: &AddedMerchant) -> String {
    let AddedMerchant { merchant, client_id, client_secret, signing_secret } = credentials;
    format!(
        "
  Homeward runs at {address}
  API reference    {address}/docs

  Merchant         {merchant} ({ORDERS} orders, DEMO-1001 to DEMO-{})
  client_id        {client_id}
  client_secret    {client_secret}
  signing_secret   {signing_secret}

  Get a token and read an order:

    TOKEN=$(curl -s {address}/oauth/token -d grant_type=client_credentials \\
      -u {client_id}:{client_secret} | sed 's/.*\"access_token\":\"\\([^\"]*\\).*/\\1/')
    curl -s {address}/orders/DEMO-1001 -H \"Authorization: bearer $TOKEN\"

  Stop with Ctrl-C. The demo's data is kept; --reset begins anew.
",
        1000 + ORDERS
    )
}

fn credentials_file(data_dir: &Path) -> PathBuf {
    data_dir.join("demo.json")
}

/// The sample merchant's credentials; at the first start the merchant and its orders are made.
async fn prepare(config: &Config) -> anyhow::Result<AddedMerchant> {
    let file = credentials_file(&config.data_dir);
    if let Some(known) = read_json(&file)? {
        return Ok(known);
    }
    let mut session = Session::open(config, &Remote::none()).await?;
    let made = make(&mut session).await;
    session.close().await;
    let added = made?;
    write_secretly(&file, serde_json::to_string_pretty(&added)?.as_bytes())?;
    Ok(added)
}

async fn make(session: &mut Session) -> anyhow::Result<AddedMerchant> {
    let body = json!({ "merchant": MERCHANT, "name": "Acme Outfitters" });
    let added: AddedMerchant = session.post("/admin/merchants", &body).await?;
    let lines: Vec<String> = sample_orders()?.iter().map(Value::to_string).collect();
    let path = format!("/admin/merchants/{MERCHANT}/orders/import");
    let lines = lines.join("\n").into_bytes().into();
    let answer = session.send_bytes(Method::POST, &path, "application/x-ndjson", lines).await?;
    answer.json::<Value>()?;
    Ok(added)
}

/// Orders like the one in the API reference, under identifiers of their own, without its refund, and
/// to be returned for as long as anybody looks around.
fn sample_orders() -> anyhow::Result<Vec<Value>> {
    let message: Value = serde_json::from_str(domain::samples::order_message())?;
    let order = message.pointer("/returns_portal_order/orders/0");
    let order = order.context("the sample has an order")?;
    let numbered = |number: usize| {
        let mut order = order.clone();
        if let Some(fields) = order.as_object_mut() {
            fields.insert("identifier".to_owned(), json!(format!("DEMO-{}", 1000 + number)));
            fields.insert("refunds".to_owned(), json!([]));
        }
        let lines = order.pointer_mut("/items").and_then(Value::as_array_mut).into_iter().flatten();
        for line in lines.filter_map(Value::as_object_mut) {
            line.insert("return_policy_end_date".to_owned(), json!("2126-04-30"));
            line.shift_remove("quantity_refunded");
        }
        order
    };
    Ok((1..=ORDERS).map(numbered).collect())
}
