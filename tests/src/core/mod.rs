//! What holds for every request and every node: limits, TLS, bad input, crashes, shutdown.

mod audit;
mod bad_input;
mod benchmarks;
mod compression;
mod crash;
mod failing_store;
mod flood;
mod graceful;
mod idle;
mod limits;
mod nodes;
mod operation;
mod tls;
mod traces;
mod turns;
mod upgrade;
mod work_lists;
