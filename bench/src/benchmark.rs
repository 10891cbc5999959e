//! What all benchmarks have in common: they measure one engine after another and print the results.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    options::Options,
    report::print,
    server,
    storage::{Engine, durability},
};

pub(crate) trait Benchmark {
    type Results: Serialize;

    /// Measures one engine.
    async fn measure(&self, run: Run<'_>) -> anyhow::Result<Self::Results>;

    /// The results of all engines, for people.
    fn describe(all: &[Self::Results]) -> String;
}

/// One run of a benchmark.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) options: &'a Options,
    binary: &'a Binary,
}

impl<'a> Run<'a> {
    /// The binary to measure.
    pub(crate) fn binary(self) -> anyhow::Result<&'a Path> {
        self.binary.path()
    }
}

/// The binary, which is built when a benchmark first needs it.
#[derive(Default)]
struct Binary(OnceCell<PathBuf>);

impl Binary {
    fn path(&self) -> anyhow::Result<&Path> {
        if let Some(path) = self.0.get() {
            return Ok(path);
        }
        let path = server::build_binary()?;
        Ok(self.0.get_or_init(|| path))
    }
}

pub(crate) async fn run<B: Benchmark>(benchmark: &B, options: &Options) -> anyhow::Result<()> {
    let binary = Binary::default();
    let mut all = Vec::new();
    for engine in &options.engines()? {
        durability::check(engine).await?;
        all.push(benchmark.measure(Run { engine, options, binary: &binary }).await?);
    }
    print(&all, &B::describe(&all), options.json)
}
