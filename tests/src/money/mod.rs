//! Money: statements, books, and refunds that are not what was promised.

mod books;
mod differences;
mod extensions;
