//! Pages in a real browser: Chromium without a window, driven through `chromedriver`.
//!
//! [`window::Browser`] is all that a test needs: it opens pages and finds things by their names.
//! Every page that any test opens is checked for soundness ([`html`]), for requests to other hosts
//! and for complaints of the browser ([`page`]); `examine` also lets axe-core look at it in light
//! and dark, on a phone and on a desk, and with `SCREENSHOTS` leaves pictures in
//! `target/screenshots`.
//!
//! What people do is told once: shoppers in [`shopper`], operators in [`operator`].

mod axe;
mod bench;
mod console;
mod content;
mod driver;
mod element;
mod html;
mod instruments;
mod mail;
mod merchant;
mod operator;
mod page;
mod pictures;
mod session;
mod shop;
mod shopper;
mod walker;
mod walks;
mod window;
mod withdrawal;
