//! `homeward money`: the books of a merchant.

use std::io::Write;

use app::money::{
    books::{BalanceAnswer, CurrencyBalance, MoneyEntries, MoneyEntry, OpenAmount},
    export::format_page,
};
use clap::{Args, Subcommand};
use domain::{currency::format_amount, identifier::MerchantId};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use jiff::Timestamp;

use super::{
    argument::{self, PathAndQuery},
    message::PAGE_MAX,
};
use crate::{
    output::{Output, format_table},
    session::{Remote, RemoteCommand, Session},
};

const ENTRIES_EXAMPLES: &str = "Examples:
  homeward money entries acme --from 2026-02-01T00:00:00Z --to 2026-03-01T00:00:00Z
  homeward money entries acme --csv > entries.csv
  homeward money entries acme --json | jq '.entries[] | select(.account == \"refunds\")'";

const BALANCE_EXAMPLES: &str = "Examples:
  homeward money balance acme
  homeward money balance acme --as-of 2026-03-01T00:00:00Z";

#[derive(Debug, Subcommand)]
pub(crate) enum Money {
    /// List what the events of returns posted to each account, oldest first
    ///
    /// Debits are positive, and the entries of an event sum to zero.
    #[command(after_help = ENTRIES_EXAMPLES)]
    Entries(Entries),
    /// Show the balance of every account, and what is still promised by the age of the returns
    ///
    /// The accounts of a currency sum to zero.
    #[command(after_help = BALANCE_EXAMPLES)]
    Balance {
        /// The merchant, such as acme
        #[arg(value_parser = MerchantId::parse)]
        merchant: MerchantId,
        /// The balance before this time, such as 2026-03-01T00:00:00Z [default: now]
        #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
        as_of: Option<Timestamp>,
        #[command(flatten)]
        remote: Remote,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Entries {
    /// The merchant, such as acme
    #[arg(value_parser = MerchantId::parse)]
    merchant: MerchantId,
    /// Entries from this time, such as 2026-02-01T00:00:00Z
    #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
    from: Option<Timestamp>,
    /// Entries before this time
    #[arg(long, value_name = "TIME", value_parser = argument::parse_time)]
    to: Option<Timestamp>,
    /// Print comma-separated values, with amounts in minor units
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    remote: Remote,
}

impl RemoteCommand for Money {
    type Done = ();

    fn remote(&self) -> &Remote {
        match self {
            Self::Entries(Entries { remote, .. }) | Self::Balance { remote, .. } => remote,
        }
    }

    async fn execute(self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        match self {
            Self::Entries(entries) if entries.csv => entries.print_csv(session).await,
            Self::Entries(entries) => entries.print(session, output).await,
            Self::Balance { merchant, as_of, .. } => {
                let path = format!("/admin/merchants/{merchant}/money/balance");
                let path = PathAndQuery::new(&path).with("as_of", as_of);
                let balance: BalanceAnswer = session.get(path.as_str()).await?;
                output.print(&balance, || describe_balance(&balance));
                Ok(())
            }
        }
    }
}

impl Entries {
    async fn print(&self, session: &mut Session, output: Output) -> anyhow::Result<()> {
        let mut all = MoneyEntries { entries: Vec::new(), next: None };
        self.read_pages(session, |page| {
            all.entries.extend(page.entries);
            true
        })
        .await?;
        output.print(&all, || describe_entries(&all.entries));
        Ok(())
    }

    /// Prints each page when it is there, so that only one is in memory.
    async fn print_csv(&self, session: &mut Session) -> anyhow::Result<()> {
        let (mut stdout, mut is_first) = (std::io::stdout(), true);
        self.read_pages(session, |page| {
            let rows = format_page(&page, is_first);
            is_first = false;
            // A reader that has closed its end, as `| head` does, is not an error.
            stdout.write_all(&rows).is_ok()
        })
        .await
    }

    /// Passes on one page after another, until the end or until a page is not wanted.
    async fn read_pages(
        &self,
        session: &mut Session,
        mut add: impl FnMut(MoneyEntries) -> bool,
    ) -> anyhow::Result<()> {
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}")?);
        let path = format!("/admin/merchants/{}/money/entries", self.merchant);
        let request = PathAndQuery::new(&path)
            .with("from", self.from)
            .with("to", self.to)
            .with("limit", Some(PAGE_MAX));
        let mut count = 0;
        let mut request_page = request.clone();
        loop {
            let mut page: MoneyEntries = session.get(request_page.as_str()).await?;
            count += u64::try_from(page.entries.len())?;
            bar.set_message(format!("{} entries", HumanCount(count)));
            bar.tick();
            let next = page.next.take();
            if !add(page) || next.is_none() {
                break;
            }
            request_page = request.clone().with("after", next);
        }
        bar.finish_and_clear();
        Ok(())
    }
}

fn describe_entries(entries: &[MoneyEntry]) -> String {
    if entries.is_empty() {
        return "No entries in this period.".to_owned();
    }
    let amount = |entry: &MoneyEntry| format_amount(entry.amount_cents, &entry.currency);
    let amounts = align_right(entries.iter().map(amount).collect());
    let row = |(entry, amount): (&MoneyEntry, String)| {
        vec![
            entry.at.to_string(),
            entry.rma_identifier.clone(),
            entry.event.to_string(),
            entry.account.name().to_owned(),
            amount,
        ]
    };
    let rows: Vec<_> = entries.iter().zip(amounts).map(row).collect();
    format_table(&["AT", "RETURN", "EVENT", "ACCOUNT", "AMOUNT"], &rows)
}

fn describe_balance(answer: &BalanceAnswer) -> String {
    if answer.balance.currencies.is_empty() {
        return format!("Nothing was posted before {}.", answer.balance.as_of);
    }
    let mut parts = vec![format!("Balances before {}", answer.balance.as_of)];
    parts.extend(answer.balance.currencies.iter().map(describe_currency));
    if !answer.open.is_empty() {
        parts.push(format!("Still promised now\n{}", describe_open(&answer.open)));
    }
    parts.join("\n\n")
}

fn describe_currency(balance: &CurrencyBalance) -> String {
    let shown = |cents: i64| format_amount(cents, &balance.currency);
    let mut names: Vec<String> =
        balance.accounts.iter().map(|it| it.account.name().to_owned()).collect();
    names.push("sum".to_owned());
    let amounts = balance.accounts.iter().map(|it| it.amount_cents).chain([balance.sum_cents]);
    let amounts = align_right(amounts.map(shown).collect());
    let rows: Vec<_> =
        names.into_iter().zip(amounts).map(|(name, amount)| vec![name, amount]).collect();
    format_table(&["ACCOUNT", "BALANCE"], &rows)
}

fn describe_open(open: &[OpenAmount]) -> String {
    let amount = |it: &OpenAmount| format_amount(it.open_cents, &it.currency);
    let amounts = align_right(open.iter().map(amount).collect());
    let row = |(it, amount): (&OpenAmount, String)| {
        let age = match it.to_days {
            Some(to_days) => format!("{} to {} days", it.from_days, to_days - 1),
            None => format!("{} days or more", it.from_days),
        };
        vec![age, it.returns.to_string(), amount]
    };
    let rows: Vec<_> = open.iter().zip(amounts).map(row).collect();
    format_table(&["AGE", "RETURNS", "OPEN"], &rows)
}

/// Amounts as wide as the widest, so that their decimals are below each other.
fn align_right(amounts: Vec<String>) -> Vec<String> {
    let width = amounts.iter().map(|amount| amount.chars().count()).max().unwrap_or(0);
    amounts.into_iter().map(|amount| format!("{amount:>width$}")).collect()
}

#[cfg(test)]
mod tests {
    use domain::money::books::Account;

    use super::*;

    #[test]
    fn entries_have_the_decimals_of_their_currency() {
        let entry = |currency: &str, amount_cents: i64| MoneyEntry {
            at: Timestamp::UNIX_EPOCH,
            rma_identifier: "RMA-7K3Q-9XWD-2M4T".to_owned(),
            event: 1,
            account: Account::Goods,
            currency: currency.to_owned(),
            amount_cents,
        };
        let entries = [entry("USD", 123_450), entry("JPY", -1_200), entry("KWD", 1_250)];

        let table = describe_entries(&entries);

        let amounts: Vec<&str> =
            table.lines().skip(1).map(|line| line.split_once("goods").unwrap().1.trim()).collect();
        assert_eq!(amounts, ["1,234.50 USD", "−1,200 JPY", "1.250 KWD"]);
    }
}
