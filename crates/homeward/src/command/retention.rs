//! `homeward retention`: how long the data of a merchant's shoppers is kept.

use clap::Subcommand;
use domain::{identifier::MerchantId, merchants::retention::RetentionPeriods};

use crate::{
    output::Output,
    session::{Remote, RemoteCommand, Session},
};

const EXAMPLES: &str = "Examples:
  homeward retention set acme --orders-days 730 --returns-days 1095
  homeward retention set acme    # keeps everything";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub(crate) enum Retention {
    /// Show after how many days the data of shoppers is erased
    Show {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        #[command(flatten)]
        remote: Remote,
    },
    /// Set all periods of a merchant; what has none is kept
    Set {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// Orders of which nothing was returned, after their last change
        #[arg(long, value_name = "DAYS")]
        orders_days: Option<i64>,
        /// Finished returns with their orders, after their last change
        #[arg(long, value_name = "DAYS")]
        returns_days: Option<i64>,
        /// Mails to shoppers, after they were written
        #[arg(long, value_name = "DAYS")]
        mails_days: Option<i64>,
        /// Audit records about the merchant
        #[arg(long, value_name = "DAYS")]
        audit_days: Option<i64>,
        #[command(flatten)]
        remote: Remote,
    },
}

impl RemoteCommand for Retention {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Show { remote, .. } | Self::Set { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        let (Self::Show { merchant, .. } | Self::Set { merchant, .. }) = &self;
        let path = format!("/admin/merchants/{merchant}/retention");
        let periods: RetentionPeriods = match self {
            Self::Show { .. } => session.get(&path).await?,
            Self::Set { orders_days, returns_days, mails_days, audit_days, .. } => {
                let periods =
                    RetentionPeriods { orders_days, returns_days, mails_days, audit_days };
                session.put(&path, &periods).await?
            }
        };
        output.print(&periods, || describe(&periods));
        Ok(())
    }
}

fn describe(periods: &RetentionPeriods) -> String {
    let line = |what: &str, days: Option<i64>| match days {
        Some(1) => format!("{what:24}  erased after 1 day"),
        Some(days) => format!("{what:24}  erased after {days} days"),
        None => format!("{what:24}  kept"),
    };
    [
        line("orders without returns", periods.orders_days),
        line("finished returns", periods.returns_days),
        line("mails", periods.mails_days),
        line("audit records", periods.audit_days),
    ]
    .join("\n")
}
