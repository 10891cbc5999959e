//! `homeward sim carrier`: a simulated carrier with the routes of EasyPost's API.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;
use sim::{CarrierSettings, RunningCarrier};

use crate::{
    command::{argument, serve::Signals},
    output::{Output, format_count, print_note},
};

#[derive(Debug, Args)]
pub(crate) struct Carrier {
    /// A file with the API key that calls must have. Without it, every key is accepted
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Where webhooks are sent: http://ADDRESS:PORT/carriers/easypost/MERCHANT/webhooks
    #[arg(long, value_name = "URL")]
    webhook_url: Option<String>,
    /// A file with the secret that signs webhooks [default: the word "simulated"]
    #[arg(long, value_name = "FILE")]
    webhook_secret_file: Option<PathBuf>,
    /// Seed of the random numbers for faults
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

impl Carrier {
    pub(super) async fn run(self, listen: SocketAddr, output: Output) -> anyhow::Result<ExitCode> {
        let mut signals = Signals::listen()?;
        let usual = CarrierSettings::default();
        let read = |file: &Option<PathBuf>| file.as_deref().map(argument::read_first_line);
        let secret = read(&self.webhook_secret_file).transpose()?;
        let settings = CarrierSettings {
            listen,
            api_key: read(&self.key_file).transpose()?,
            webhook_url: self.webhook_url,
            webhook_secret: secret.unwrap_or(usual.webhook_secret),
            seed: self.seed,
            clock: usual.clock,
        };
        let running = RunningCarrier::start(settings).await?;
        show(&running, output);
        signals.wait().await;
        let count = running.purchase_count();
        running.stop().await;
        print_note(&format!("{} sold.", format_count(count, "label")));
        Ok(ExitCode::SUCCESS)
    }
}

fn show(running: &RunningCarrier, output: Output) {
    let (url, api_url) = (running.url(), running.api_url());
    let shown = json!({ "url": url, "api_url": api_url });
    output.print(&shown, || {
        format!(
            "
  A simulated carrier runs at {url}. Its labels cost nothing, and no carrier accepts them.

  Buy labels from it (the server needs --allow-network 'acme@127.0.0.1:*', or the like):

    echo test > key
    homeward carrier set acme --easypost-key-file key --url {api_url}

  Show what was bought, move a parcel, and lose the answer to the next purchase:

    curl {url}/sim/purchases
    curl -X POST {url}/sim/parcels/TRACKING_CODE/move -d '{{\"status\": \"in_transit\"}}'
    curl -X PUT {url}/sim/faults -d '[{{\"at\": \"buy\", \"fault\": \"lost_answer\", \"count\": 1}}]'

  Stop with Ctrl-C.
"
        )
    });
}
