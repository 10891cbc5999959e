//! The value of a parameter of a query, as serde reads it. An error names the parameter and says
//! what its value must be.

use std::fmt;

use serde::{
    Deserializer,
    de::{Error, Expected, IntoDeserializer, Visitor, value::StringDeserializer},
    forward_to_deserialize_any,
};

/// What is wrong with a query, in words.
#[derive(Debug)]
pub(crate) struct ParameterFault(String);

impl fmt::Display for ParameterFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ParameterFault {}

impl Error for ParameterFault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self(format!("must be one of {}", expected.join(", ")))
    }

    fn missing_field(name: &'static str) -> Self {
        Self(format!("{name} is missing"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self(format!("{name} appears twice"))
    }
}

/// The value of the parameter `name`.
pub(crate) struct ParameterValue {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl ParameterValue {
    fn refuse(&self, expected: &str) -> ParameterFault {
        ParameterFault(format!("{} must be {expected}", self.name))
    }
}

impl IntoDeserializer<'_, ParameterFault> for ParameterValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What a text must be that `visitor` did not accept, if it is known: the libraries say it in
/// words of their own.
fn describe_text<'de>(visitor: &impl Visitor<'de>) -> Option<&'static str> {
    let expected: &dyn Expected = visitor;
    match expected.to_string().as_str() {
        "a timestamp string" => Some("a time such as 2026-02-23T07:41:12Z"),
        "a date string" => Some("a day such as 2026-02-23"),
        _ => None,
    }
}

impl<'de> Deserializer<'de> for ParameterValue {
    type Error = ParameterFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParameterFault> {
        let known = describe_text(&visitor).map(|expected| self.refuse(expected));
        visitor.visit_string(self.text).map_err(|fault: ParameterFault| {
            known.unwrap_or_else(|| ParameterFault(format!("{} {}", self.name, fault.0)))
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParameterFault> {
        match self.text.as_str() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.refuse("true or false")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParameterFault> {
        match self.text.parse() {
            Ok(number) => visitor.visit_i64(number),
            Err(_) => Err(self.refuse("a whole number")),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParameterFault> {
        match self.text.parse() {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => Err(self.refuse("a whole number that is not negative")),
        }
    }

    /// A parameter that is there has a value.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParameterFault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ParameterFault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParameterFault> {
        let variant: StringDeserializer<ParameterFault> = self.text.into_deserializer();
        let chosen = visitor.visit_enum(variant);
        chosen.map_err(|fault| ParameterFault(format!("{} {}", self.name, fault.0)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 u8 u16 u32 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
