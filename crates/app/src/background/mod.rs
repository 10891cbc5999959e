//! Work that no request asks for. The binary starts it.

pub mod cleanup;
