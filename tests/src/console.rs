//! The console, as a browser without scripts sees it.

mod desk;
mod login;
mod merchants;
mod orders;
mod overview;
mod receive;
mod stuck;
