//! Orders: publishing and importing them, and the rules that hold for any order.

mod import;
mod properties;
mod publishing;
mod shoppers;
