//! Queries over the connections of a pool.

use std::{sync::Arc, time::Instant};

use deadpool_postgres::Pool;

#[cfg(test)]
use super::plans;
use super::{contains_nul, get_client, read_row, statements::Statements};
use crate::{
    EngineError, StoreMetrics,
    core::value::{Row, Value},
};

#[derive(Clone)]
pub(super) struct Reads {
    pub(super) pool: Pool,
    pub(super) statements: Arc<Statements>,
    pub(super) metrics: StoreMetrics,
}

impl Reads {
    pub(super) async fn query_each(
        &self,
        sql: &'static str,
        rows: Vec<&[Value]>,
    ) -> Result<Vec<Row>, EngineError> {
        if rows.iter().copied().flatten().any(contains_nul) {
            return Ok(Vec::new());
        }
        let started = Instant::now();
        let client = get_client(&self.pool).await?;
        self.metrics.record_wait(started.elapsed());
        let mut found = Vec::new();
        for execution in self.statements.executions(sql, rows) {
            #[cfg(test)]
            plans::check_query(&client, self.statements.layout, sql, &execution).await;
            let statement = client.prepare_cached(execution.text.sql()).await?;
            let rows = client.query(&statement, &execution.parameters()).await?;
            found.reserve(rows.len());
            for row in &rows {
                found.push(read_row(row)?);
            }
        }
        Ok(found)
    }
}
