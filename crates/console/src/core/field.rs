//! The fields of a form on a page, each with its value and its error.
//!
//! A form is read by the same code as the bodies of the API: it becomes a JSON document, and an
//! error at `$.auth.token` is shown at the field `auth.token`.

use app::AppError;
use domain::faults::FieldError;
use serde_json::{Map, Value};

use super::{form::Form, format::to_sentence};
use server::error::ApiError;

/// A field with its label. See `templates/core/field.html`.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) value: String,
    pub(crate) fault: Option<String>,
    /// Whether it must be filled in: always, or if the option that needs it is chosen.
    pub(crate) required: bool,
    /// The option of an earlier field that needs this one. A script hides the field otherwise.
    pub(crate) only_for: &'static str,
    pub(crate) input: Input,
}

/// The kind of input.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Text,
    /// Shown as dots, and not remembered by browsers.
    Secret,
    /// One of several options, each with its value and label.
    Choice(Vec<(&'static str, &'static str)>),
    /// A checkbox, `true` when it is checked.
    Flag,
    /// A whole number, where empty means zero.
    Number,
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

    pub(crate) fn number(name: &'static str, label: &'static str, number: i64) -> Self {
        let value = number.to_string();
        Self { value, required: false, input: Input::Number, ..Self::text(name, label) }
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

    /// Whether a browser refuses to send the form without it.
    pub(crate) fn is_always_required(&self) -> bool {
        self.required && self.only_for.is_empty()
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

    pub(crate) fn is_number(&self) -> bool {
        matches!(self.input, Input::Number)
    }

    pub(crate) fn choices(&self) -> &[(&'static str, &'static str)] {
        match &self.input {
            Input::Choice(choices) => choices,
            Input::Text | Input::Secret | Input::Flag | Input::Number => &[],
        }
    }
}

/// A form on a page.
#[derive(Clone, Debug)]
pub(crate) struct FormState {
    pub(crate) fields: Vec<Field>,
    /// What is wrong with the form and belongs to no field.
    pub(crate) problems: Vec<String>,
}

impl FormState {
    pub(crate) fn new(fields: Vec<Field>) -> Self {
        Self { fields, problems: Vec::new() }
    }

    /// The fields with the values that were sent, except for secrets, which must be entered again.
    pub(crate) fn filled(mut fields: Vec<Field>, form: &Form) -> Self {
        for field in &mut fields {
            match field.input {
                Input::Secret => (),
                Input::Flag => field.value = form.is_set(field.name).to_string(),
                Input::Text | Input::Choice(_) | Input::Number => {
                    form.text(field.name).clone_into(&mut field.value);
                }
            }
        }
        Self::new(fields)
    }

    pub(crate) fn is_refused(&self) -> bool {
        !self.problems.is_empty() || self.fields.iter().any(|field| field.fault.is_some())
    }

    /// Puts each fault at its field. An error that the form did not cause is returned unchanged.
    pub(crate) fn assign_faults(&mut self, error: ApiError) -> Result<(), ApiError> {
        if let ApiError::App(AppError::Conflict(why)) = &error {
            self.problems.push(to_sentence(why));
            return Ok(());
        }
        let ApiError::App(AppError::Invalid(faults)) = error else { return Err(error) };
        for FieldError { field: path, reason, .. } in faults.errors {
            let name = path.trim_start_matches("$.");
            match self.fields.iter_mut().find(|field| field.name == name) {
                Some(field) => field.fault = Some(describe_fault(&reason)),
                None => self.problems.push(to_sentence(&format!("{path} {reason}"))),
            }
        }
        Ok(())
    }
}

/// What is wrong with a field, below the field.
fn describe_fault(reason: &str) -> String {
    match reason {
        "is missing" | "must not be empty" => "Fill in this field.".to_owned(),
        reason => to_sentence(reason),
    }
}

/// What is wrong with a field, elsewhere on the page.
pub(crate) fn describe_fault_of(label: &str, reason: &str) -> String {
    to_sentence(&format!("“{label}” {reason}"))
}

/// The form as a JSON document, as the API would get it, without empty optional fields.
pub(crate) fn to_document(fields: &[Field], form: &Form) -> Value {
    let mut root = Map::new();
    for field in fields {
        let value = match field.input {
            Input::Flag => Value::Bool(form.is_set(field.name)),
            Input::Secret => Value::String(form.raw(field.name).to_owned()),
            Input::Number => to_number(form.text(field.name)),
            Input::Text | Input::Choice(_) => Value::String(form.text(field.name).to_owned()),
        };
        if !field.is_always_required() && value == Value::String(String::new()) {
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

/// A text that is not a number stays a text, so that it is refused like any other value.
fn to_number(text: &str) -> Value {
    match text {
        "" => Value::from(0),
        text => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use domain::faults::{FaultCode, Faults};
    use serde_json::json;

    use super::*;

    fn sample_fields() -> Vec<Field> {
        vec![
            Field::text("name", "Name"),
            Field::flag("strict", "Strict", true),
            Field::secret("auth.token", "Token"),
        ]
    }

    #[test]
    fn a_form_becomes_the_document_that_the_api_would_get() {
        let form = Form::of(&[("name", " Acme "), ("auth.token", "t")]);
        let expected = json!({ "name": "Acme", "strict": false, "auth": { "token": "t" } });
        assert_eq!(to_document(&sample_fields(), &form), expected);

        let fields: Vec<Field> = sample_fields().into_iter().map(Field::optional).collect();
        let form = Form::of(&[("name", ""), ("strict", "true")]);
        assert_eq!(to_document(&fields, &form), json!({ "strict": true }));
    }

    #[test]
    fn a_field_of_an_option_is_needed_but_not_demanded_by_browsers() {
        let token = Field { only_for: "bearer", ..Field::secret("token", "Token") };
        assert!(token.required && !token.is_always_required());
        let fields = [token, Field { only_for: "basic", ..Field::text("name", "Name") }];
        assert_eq!(to_document(&fields, &Form::of(&[("token", "t")])), json!({ "token": "t" }));
        assert!(sample_fields()[0].is_always_required());
    }

    #[test]
    fn a_number_is_sent_as_a_number_and_empty_is_zero() {
        let fields = [Field::number("tolerance", "Tolerance", 5)];
        let sent = |text: &str| to_document(&fields, &Form::of(&[("tolerance", text)]));
        assert_eq!(sent(" 12 "), json!({ "tolerance": 12 }));
        assert_eq!(sent(""), json!({ "tolerance": 0 }));
        assert_eq!(sent("many"), json!({ "tolerance": "many" }));
        let kept = FormState::filled(fields.to_vec(), &Form::of(&[("tolerance", "many")]));
        assert_eq!(kept.fields[0].value, "many");
    }

    #[test]
    fn a_fault_is_shown_at_its_field_and_a_secret_is_left_empty() {
        let sent = Form::of(&[("name", "Acme"), ("auth.token", "t")]);
        let mut form = FormState::filled(sample_fields(), &sent);
        let error = |field: &str| FieldError {
            field: field.to_owned(),
            code: FaultCode::Invalid,
            reason: "is odd".to_owned(),
        };
        let faults = Faults { errors: vec![error("$.auth.token"), error("$.paths")], total: 2 };

        form.assign_faults(ApiError::from(faults)).unwrap();

        assert_eq!(form.problems, ["$.paths is odd."]);
        let fields = &form.fields;
        assert_eq!(fields[2].fault.as_deref(), Some("Is odd."));
        assert_eq!(describe_fault("is missing"), "Fill in this field.");
        assert_eq!((fields[0].value.as_str(), fields[2].value.as_str()), ("Acme", ""));
    }
}
