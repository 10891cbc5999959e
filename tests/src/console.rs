//! The console, as a browser without scripts sees it.

mod login;
mod merchants;
mod overview;
mod receive;
mod stuck;
