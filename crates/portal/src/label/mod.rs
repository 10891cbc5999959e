//! The page with a label to print or a code to show, and the drawing of barcodes and QR codes.

mod barcode;
mod carrier_page;
mod drawing;
mod frame;
mod page;
mod qr;
mod route;

pub use route::routes;
