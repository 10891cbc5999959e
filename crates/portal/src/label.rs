//! The page with which a shopper sends goods back: a label to print, or a code to show.

mod barcode;
mod drawing;
mod page;
mod qr;
mod route;

pub(crate) use route::routes;
