//! Money: statements, books, and refunds that are not what was promised.

mod books;
mod check;
mod commands;
mod differences;
mod export;
mod extensions;
