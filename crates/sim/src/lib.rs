//! A simulated merchant.
