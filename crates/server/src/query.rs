//! The query of an address. Errors name the parameter and have our own messages.

use axum::{extract::FromRequestParts, http::request::Parts};
use serde::de::{DeserializeOwned, value::MapDeserializer};

use super::{
    error::ApiError,
    form::parse_form,
    requests::query_value::{ParameterFault, ParameterValue},
};
use crate::Web;

pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Web> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        parse_query(query).map(Self).map_err(ApiError::BadRequest)
    }
}

/// Reads the parameters of a query. Unknown ones are ignored.
fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T, String> {
    let pairs = parse_form(query.as_bytes());
    let pairs = pairs.map_err(|_| "the query of the address is not UTF-8".to_owned())?;
    let values = pairs.into_iter().map(|(name, text)| {
        let value = ParameterValue { name: name.clone(), text };
        (name, value)
    });
    let parameters = MapDeserializer::<_, ParameterFault>::new(values);
    T::deserialize(parameters).map_err(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, civil::Date};
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    enum Format {
        #[default]
        Json,
        Csv,
    }

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    struct Sample {
        merchant: String,
        #[serde(default)]
        force: bool,
        #[serde(default)]
        format: Format,
        limit: Option<usize>,
        before: Option<i64>,
        since: Option<Timestamp>,
        day: Option<Date>,
    }

    fn read(query: &str) -> Result<Sample, String> {
        parse_query(query)
    }

    #[test]
    fn parameters_are_read_and_unknown_ones_ignored() {
        let query = "merchant=a%2Bb+c&force=true&format=csv&limit=5&before=-7&other=1\
                     &since=2026-02-23T07:41:12Z&day=2026-02-23";
        let expected = Sample {
            merchant: "a+b c".to_owned(),
            force: true,
            format: Format::Csv,
            limit: Some(5),
            before: Some(-7),
            since: Some("2026-02-23T07:41:12Z".parse().unwrap()),
            day: Some("2026-02-23".parse().unwrap()),
        };
        assert_eq!(read(query), Ok(expected));
        let fewest = read("merchant=").unwrap();
        assert_eq!((fewest.force, fewest.format, fewest.limit), (false, Format::Json, None));
    }

    #[test]
    fn every_error_names_its_parameter_in_our_words() {
        let errors = [
            ("", "merchant is missing"),
            ("merchant=a&merchant=b", "merchant appears twice"),
            ("merchant=a&force=maybe", "force must be true or false"),
            ("merchant=a&force=", "force must be true or false"),
            ("merchant=a&format=xml", "format must be one of json, csv"),
            ("merchant=a&limit=many", "limit must be a whole number that is not negative"),
            ("merchant=a&limit=-1", "limit must be a whole number that is not negative"),
            ("merchant=a&before=x", "before must be a whole number"),
            ("merchant=a&since=now", "since must be a time such as 2026-02-23T07:41:12Z"),
            ("merchant=a&day=now", "day must be a day such as 2026-02-23"),
            ("merchant=%ff", "the query of the address is not UTF-8"),
        ];
        for (query, expected) in errors {
            assert_eq!(read(query), Err(expected.to_owned()), "{query}");
        }
    }
}
