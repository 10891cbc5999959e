//! `homeward audit`: the changes that operators made.

use app::core::audit_trail::{AuditEntry, AuditPage};
use domain::identifier::MerchantId;

use crate::{
    config::Config,
    output::{Output, format_table},
    session::{Remote, Session},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Audit {
    /// Only changes that concern this merchant
    #[arg(long, value_parser = MerchantId::parse)]
    merchant: Option<MerchantId>,
    /// Number of changes to show
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    remote: Remote,
}

impl Audit {
    pub(crate) async fn run(self, config: &Config, output: Output) -> anyhow::Result<()> {
        let merchant = self.merchant.map(|it| format!("&merchant={it}")).unwrap_or_default();
        let path = format!("/admin/audit?limit={}{merchant}", self.limit);
        let get = async |session: &mut Session| session.get::<AuditPage>(&path).await;
        let changes = Session::run(config, &self.remote, get).await?;
        output.print(&changes, || {
            let row = |change: &AuditEntry| {
                vec![
                    change.at.to_string(),
                    change.merchant.clone(),
                    change.action.clone(),
                    change.actor.clone(),
                    change.address.clone().unwrap_or_default(),
                    change.detail.to_string(),
                ]
            };
            let rows: Vec<_> = changes.changes.iter().map(row).collect();
            format_table(&["AT", "MERCHANT", "ACTION", "ACTOR", "ADDRESS", "DETAIL"], &rows)
        });
        Ok(())
    }
}
