//! The fields of a form that a page shows, each with what was typed and what is wrong with it.
//!
//! What a form says is read by the same readers as the API's bodies: the form becomes a JSON document, and a
//! fault at `$.auth.token` is shown at the field `auth.token`.

use app::AppError;
use domain::faults::FieldError;
use serde_json::{Map, Value};

use super::form::Form;
use server::error::ApiError;

/// A field with its label. See `templates/core/field.html`.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) value: String,
    pub(crate) fault: Option<String>,
    pub(crate) required: bool,
    /// The choice, of a field before, that needs this one; a script hides it while another is made.
    pub(crate) only_for: &'static str,
    pub(crate) input: Input,
}

/// What one types into it.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Text,
    /// Nobody reads it over a shoulder, and no browser remembers it.
    Secret,
    /// One of several, by value and words.
    Choice(Vec<(&'static str, &'static str)>),
    /// Yes or no: `true` when it is checked.
    Flag,
}

impl Field {
    pub(crate) fn text(name: &'static str, label: &'static str) -> Self {
        let (hint, value, only_for, input) = ("", String::new(), "", Input::Text);
        Self { name, label, hint, value, fault: None, required: true, only_for, input }
    }

    pub(crate) fn flag(name: &'static str, label: &'static str, on: bool) -> Self {
        let value = on.to_string();
        Self { value, required: false, input: Input::Flag, ..Self::text(name, label) }
    }

    pub(crate) fn choice(
        name: &'static str,
        label: &'static str,
        choices: &[(&'static str, &'static str)],
    ) -> Self {
        Self { input: Input::Choice(choices.to_vec()), ..Self::text(name, label) }
    }

    pub(crate) fn secret(name: &'static str, label: &'static str) -> Self {
        Self { input: Input::Secret, ..Self::text(name, label) }
    }

    pub(crate) fn optional(self) -> Self {
        Self { required: false, ..self }
    }

    pub(crate) fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    pub(crate) fn value(self, value: impl Into<String>) -> Self {
        Self { value: value.into(), ..self }
    }

    /// The name without dots, for `id`.
    pub(crate) fn id(&self) -> String {
        self.name.replace('.', "-")
    }

    pub(crate) fn is(&self, value: &str) -> bool {
        self.value == value
    }

    pub(crate) fn is_secret(&self) -> bool {
        matches!(self.input, Input::Secret)
    }

    pub(crate) fn is_flag(&self) -> bool {
        matches!(self.input, Input::Flag)
    }

    pub(crate) fn choices(&self) -> &[(&'static str, &'static str)] {
        match &self.input {
            Input::Choice(choices) => choices,
            Input::Text | Input::Secret | Input::Flag => &[],
        }
    }
}

/// Fills what was typed into the fields; secrets have to be typed again.
pub(crate) fn fill(fields: &mut [Field], form: &Form) {
    for field in fields {
        match field.input {
            Input::Secret => (),
            Input::Flag => field.value = (!form.raw(field.name).is_empty()).to_string(),
            Input::Text | Input::Choice(_) => form.text(field.name).clone_into(&mut field.value),
        }
    }
}

/// The form as the JSON document that the API would get. Optional fields that are empty are absent.
pub(crate) fn document(fields: &[Field], form: &Form) -> Value {
    let mut root = Map::new();
    for field in fields {
        let value = match field.input {
            Input::Flag => Value::Bool(!form.raw(field.name).is_empty()),
            Input::Secret => Value::String(form.raw(field.name).to_owned()),
            Input::Text | Input::Choice(_) => Value::String(form.text(field.name).to_owned()),
        };
        if !field.required && value == Value::String(String::new()) {
            continue;
        }
        match field.name.split_once('.') {
            None => drop(root.insert(field.name.to_owned(), value)),
            Some((parent, name)) => {
                let inner = root.entry(parent).or_insert_with(|| Value::Object(Map::new()));
                if let Some(inner) = inner.as_object_mut() {
                    inner.insert(name.to_owned(), value);
                }
            }
        }
    }
    Value::Object(root)
}

/// Shows each fault at its field, and gives back the words for those that belong to none. What is no fault of the
/// form is given back as it was.
pub(crate) fn put_faults(fields: &mut [Field], error: ApiError) -> Result<Vec<String>, ApiError> {
    if let ApiError::App(AppError::Conflict(why)) = &error {
        return Ok(vec![super::problem::sentence(why)]);
    }
    let ApiError::App(AppError::Invalid(faults)) = error else { return Err(error) };
    let mut elsewhere = Vec::new();
    for FieldError { field: path, reason, .. } in faults.errors {
        let name = path.trim_start_matches("$.");
        match fields.iter_mut().find(|field| field.name == name) {
            Some(field) => field.fault = Some(super::problem::sentence(&reason)),
            None => elsewhere.push(super::problem::sentence(&format!("{path} {reason}"))),
        }
    }
    Ok(elsewhere)
}

#[cfg(test)]
mod tests {
    use domain::faults::{FaultCode, Faults};
    use serde_json::json;

    use super::*;

    fn fields() -> [Field; 3] {
        [
            Field::text("name", "Name"),
            Field::flag("strict", "Strict", true),
            Field::secret("auth.token", "Token"),
        ]
    }

    #[test]
    fn a_form_becomes_the_document_that_the_api_would_get() {
        let form = Form::of(&[("name", " Acme "), ("auth.token", "t")]);
        let expected = json!({ "name": "Acme", "strict": false, "auth": { "token": "t" } });
        assert_eq!(document(&fields(), &form), expected);

        let fields = fields().map(Field::optional);
        let form = Form::of(&[("name", ""), ("strict", "true")]);
        assert_eq!(document(&fields, &form), json!({ "strict": true }));
    }

    #[test]
    fn a_fault_is_shown_at_its_field_and_a_secret_is_not_shown_again() {
        let mut fields = fields();
        fill(&mut fields, &Form::of(&[("name", "Acme"), ("auth.token", "t")]));
        let error = |field: &str| FieldError {
            field: field.to_owned(),
            code: FaultCode::Invalid,
            reason: "is odd".to_owned(),
        };
        let faults = Faults { errors: vec![error("$.auth.token"), error("$.paths")], total: 2 };

        let elsewhere = put_faults(&mut fields, ApiError::from(faults)).unwrap();

        assert_eq!(elsewhere, ["$.paths is odd."]);
        assert_eq!(fields[2].fault.as_deref(), Some("Is odd."));
        assert_eq!((fields[0].value.as_str(), fields[2].value.as_str()), ("Acme", ""));
    }
}
