//! The parameters of statements and the cells of rows.
//!
//! Three kinds of value suffice for both engines: text, 64-bit integers and bytes. A NULL has a
//! kind, because PostgreSQL needs the type of every column of a batch.

use std::sync::Arc;

use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::core::error::EngineError;

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Int,
    Bytes,
}

/// One value, bound to a statement or read from a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    /// The same text in many rows.
    Shared(Arc<str>),
    Fixed(&'static str),
    Int(i64),
    Bytes(Bytes),
    Null(Kind),
}

impl Value {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Text(_) | Self::Shared(_) | Self::Fixed(_) => Kind::Text,
            Self::Int(_) => Kind::Int,
            Self::Bytes(_) => Kind::Bytes,
            Self::Null(kind) => *kind,
        }
    }

    /// About how much memory the value holds, for the limit of a commit group.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Shared(text) => text.len(),
            Self::Int(_) | Self::Null(_) | Self::Fixed(_) => 8,
        }
    }

    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Shared(text) => Some(text),
            Self::Fixed(text) => Some(text),
            Self::Int(_) | Self::Bytes(_) | Self::Null(_) => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&MerchantId> for Value {
    fn from(merchant: &MerchantId) -> Self {
        Self::Shared(merchant.into())
    }
}

impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Self {
        Self::Shared(text)
    }
}

impl From<MessageKind> for Value {
    fn from(kind: MessageKind) -> Self {
        Self::Fixed(kind.name())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

/// A limit; one beyond what a database can count is as good as none.
impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<Bytes> for Value {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(Bytes::copy_from_slice(bytes))
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::Null(Kind::Int), Self::Int)
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null(Kind::Text), Self::Text)
    }
}

impl From<Option<Bytes>> for Value {
    fn from(bytes: Option<Bytes>) -> Self {
        bytes.map_or(Self::Null(Kind::Bytes), Self::Bytes)
    }
}

/// The values of one statement or one row of a batch.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::core::value::Value::from($value)),*] };
}
pub(crate) use params;

/// One row of a result, read by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    pub(crate) fn text(&self, column: usize) -> Result<&str, EngineError> {
        let found = self.0.get(column);
        found.and_then(Value::as_text).ok_or_else(|| wrong_shape(column, "text", found))
    }

    pub(crate) fn message_kind(&self, column: usize) -> Result<MessageKind, EngineError> {
        let unknown = || EngineError::Shape { column, wanted: "a message kind", found: "a text" };
        MessageKind::parse(self.text(column)?).ok_or_else(unknown)
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<&str>, EngineError> {
        match self.0.get(column) {
            Some(Value::Null(_)) => Ok(None),
            _ => self.text(column).map(Some),
        }
    }

    pub(crate) fn int(&self, column: usize) -> Result<i64, EngineError> {
        match self.0.get(column) {
            Some(Value::Int(number)) => Ok(*number),
            other => Err(wrong_shape(column, "a number", other)),
        }
    }

    pub(crate) fn optional_int(&self, column: usize) -> Result<Option<i64>, EngineError> {
        match self.0.get(column) {
            Some(Value::Null(_)) => Ok(None),
            _ => self.int(column).map(Some),
        }
    }

    pub(crate) fn optional_bytes(&self, column: usize) -> Result<Option<Bytes>, EngineError> {
        match self.0.get(column) {
            Some(Value::Null(_)) => Ok(None),
            _ => self.bytes(column).map(Some),
        }
    }

    pub(crate) fn bytes(&self, column: usize) -> Result<Bytes, EngineError> {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => Ok(bytes.clone()),
            other => Err(wrong_shape(column, "bytes", other)),
        }
    }
}

fn wrong_shape(column: usize, wanted: &'static str, found: Option<&Value>) -> EngineError {
    let found = match found {
        None => "no such column",
        Some(Value::Text(_) | Value::Shared(_) | Value::Fixed(_)) => "text",
        Some(Value::Int(_)) => "a number",
        Some(Value::Bytes(_)) => "bytes",
        Some(Value::Null(_)) => "NULL",
    };
    EngineError::Shape { column, wanted, found }
}
