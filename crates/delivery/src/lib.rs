//! Outbound messages: the only room that opens outbound connections.
