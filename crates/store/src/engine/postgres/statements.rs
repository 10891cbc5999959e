//! The statements of the store as texts for the server, each written once.
//!
//! To translate a statement takes longer than to send it, so its texts are kept. They are as many
//! as the program has statements, times the few forms that one has: for rows of other kinds and,
//! on a distributed database, for other numbers of rows.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use crate::{
    core::{
        transaction::Guard,
        value::{Kind, Value},
    },
    engine::dialect::{
        self, Address, CHANGE_NUMBER,
        certain::{failing_unless_each, is_certain},
        distributed::{self, Binding},
    },
};

/// Where the tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    OneServer,
    /// Tables with a merchant are distributed by merchant (Citus).
    Distributed,
}

/// A text for the server.
pub(super) struct Text {
    sql: Cow<'static, str>,
    has_change_number: bool,
    checked: OnceLock<Arc<Self>>,
    numbered: OnceLock<Arc<Self>>,
}

impl Text {
    fn new(sql: Cow<'static, str>) -> Arc<Self> {
        let has_change_number = sql.contains(CHANGE_NUMBER);
        let (checked, numbered) = (OnceLock::new(), OnceLock::new());
        Arc::new(Self { sql, has_change_number, checked, numbered })
    }

    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// The same, but the server fails unless each row is touched.
    pub(super) fn checked(&self) -> Arc<Self> {
        let write = || Self::new(failing_unless_each(&self.sql).into());
        Arc::clone(self.checked.get_or_init(write))
    }

    pub(super) fn has_change_number(&self) -> bool {
        self.has_change_number
    }

    /// The same, with `number` as the number of the change, which is always the same text.
    pub(super) fn numbered(&self, number: &str) -> Arc<Self> {
        let write = || Self::new(self.sql.replace(CHANGE_NUMBER, number).into());
        Arc::clone(self.numbered.get_or_init(write))
    }
}

/// All statements that ran so far.
pub(super) struct Statements {
    pub(super) layout: Layout,
    known: RwLock<HashMap<Address, Arc<Known>>>,
}

/// What is known of a statement.
pub(super) struct Known {
    /// The text, but for `ROWS(..)`.
    pub(super) text: Arc<Text>,
    /// None if it is no batch.
    pub(super) binding: Option<Binding>,
    /// Whether it inserts each of its rows, or fails.
    pub(super) inserts_each_row: bool,
    batches: RwLock<Vec<Arc<Batch>>>,
}

/// How the parameters of a text are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// All values, row by row.
    Values,
    /// One array for each column, but the first columns are plain values.
    ArraysFrom(usize),
}

/// A batch for rows of these kinds, and for so many if that matters.
pub(super) struct Batch {
    pub(super) kinds: Vec<Kind>,
    rows: usize,
    pub(super) text: Arc<Text>,
    pub(super) bound: Bound,
}

impl Statements {
    pub(super) fn new(layout: Layout) -> Arc<Self> {
        Arc::new(Self { layout, known: RwLock::default() })
    }

    pub(super) fn known(&self, sql: &'static str) -> Arc<Known> {
        let address = dialect::address(sql);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(&address).cloned();
        drop(known);
        found.unwrap_or_else(|| {
            let new = Arc::new(Known::new(self.layout, sql));
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(address).or_insert(new))
        })
    }
}

impl Known {
    fn new(layout: Layout, sql: &'static str) -> Self {
        let text = match layout {
            Layout::OneServer => dialect::query_for_one_server(sql).into(),
            Layout::Distributed => {
                distributed::with_time_as_change_number(distributed::query_for_citus(sql))
            }
        };
        let binding = text.contains("ROWS(").then(|| distributed::binding(&text));
        let inserts_each_row = is_certain(sql, Guard::OneEach);
        Self { text: Text::new(text), binding, inserts_each_row, batches: RwLock::default() }
    }

    /// A batch for rows of the kinds of these, and for so many of them if that matters.
    pub(super) fn batch(
        &self,
        layout: Layout,
        binding: Binding,
        rows: &[&[Value]],
        counted: usize,
    ) -> Arc<Batch> {
        let kinds = || rows.first().copied().unwrap_or_default().iter().map(Value::kind);
        let is_wanted =
            |batch: &&Arc<Batch>| batch.rows == counted && batch.kinds.iter().copied().eq(kinds());
        let batches = self.batches.read().unwrap_or_else(PoisonError::into_inner);
        let found = batches.iter().find(is_wanted).cloned();
        drop(batches);
        found.unwrap_or_else(|| {
            let kinds: Vec<Kind> = kinds().collect();
            let (bound, text) = write_batch(layout, binding, self.text.sql(), &kinds, counted);
            let text = Text::new(text.into());
            let new = Arc::new(Batch { kinds, rows: counted, text, bound });
            let mut batches = self.batches.write().unwrap_or_else(PoisonError::into_inner);
            batches.push(Arc::clone(&new));
            new
        })
    }
}

fn write_batch(
    layout: Layout,
    binding: Binding,
    sql: &str,
    kinds: &[Kind],
    rows: usize,
) -> (Bound, String) {
    match (layout, binding) {
        (Layout::OneServer, _) | (_, Binding::Arrays) => {
            (Bound::ArraysFrom(0), dialect::statement_for_postgres(sql, kinds.iter().copied()))
        }
        (Layout::Distributed, Binding::Values) => {
            (Bound::Values, distributed::batch_for_citus(sql, kinds, rows))
        }
        (Layout::Distributed, Binding::MerchantAndArrays) => {
            let single = (rows == 1).then(|| distributed::one_row_for_citus(sql, kinds)).flatten();
            match single {
                Some(text) => (Bound::Values, text),
                None => (Bound::ArraysFrom(1), distributed::batch_for_citus(sql, kinds, rows)),
            }
        }
    }
}
