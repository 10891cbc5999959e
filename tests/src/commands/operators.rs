//! `homeward operator`.

use serde_json::{Value, json};

use super::{assert_refused, make_places};
use crate::harness::home::{Ran, text};

#[test]
fn operators_are_added_listed_disabled_and_enabled() {
    for (home, _server) in make_places("operators") {
        let mut added = home.json(&["operator", "add", "mara", "--role", "warehouse"]);
        let password = added.as_object_mut().unwrap().shift_remove("password").unwrap();
        assert_eq!(text(&password).len(), 24, "made up");
        assert_eq!(added, json!({ "operator": "mara", "role": "warehouse" }));
        let file = home.file("password", "a stapler on the moon\nand more\n");
        let file = file.to_str().unwrap();
        let said =
            home.run(&["operator", "add", "lena", "--role", "operator", "--password-file", file]);
        assert_eq!(said.out, "lena can log in to /console with the role operator.\n");

        let taken = home.run(&["operator", "add", "lena", "--role", "operator"]);
        assert_refused(&taken, "operator lena already exists");
        let said = home.run(&["operator", "disable", "mara"]);
        assert_eq!(said.out, "mara is disabled.\n");
        let list = home.json(&["operator", "list"]);
        let row = |it: &Value| {
            (text(&it["operator"]), text(&it["role"]), it.get("disabled_at").is_some())
        };
        let rows: Vec<_> = list["operators"].as_array().unwrap().iter().map(row).collect();
        let expected = [("lena", "operator", false), ("mara", "warehouse", true)];
        assert_eq!(rows, expected.map(|(name, role, off)| (name.to_owned(), role.to_owned(), off)));
        let said = home.run(&["operator", "enable", "mara"]);
        assert_eq!(said.out, "mara is enabled.\n");
        let table = home.run(&["operator", "list"]).out;
        let lena = format!("lena  operator   {:10}enabled  ", "");
        let start = format!("NAME  ROLE       MERCHANT  STATE    SINCE\n{lena}");
        assert!(table.starts_with(&start), "{table}");
    }
}

#[test]
fn a_merchants_person_belongs_to_a_merchant_that_exists_and_nobody_else_does() {
    for (home, _server) in make_places("operator_merchants") {
        home.json(&["merchant", "add", "members", "--name", "Members"]);
        let add = |role: &str, merchant: &str| {
            home.run(&["operator", "add", "mila", "--role", role, "--merchant", merchant])
        };
        let nowhere = home.run(&["operator", "add", "mila", "--role", "merchant"]);
        assert_eq!(nowhere.code, Some(2), "{}", nowhere.err);
        assert!(nowhere.err.contains("--merchant"), "{}", nowhere.err);
        assert_refused(&add("merchant", "no-such-shop"), "merchant not found");
        let words = "1 field is invalid: $.merchant only a person with the role `merchant` belongs \
                     to one";
        assert_refused(&add("operator", "members"), words);
        assert_eq!(add("merchant", "members").code, Some(0));
        let list = home.json(&["operator", "list"]);
        let mila = list["operators"].as_array().unwrap().iter().find(|it| it["operator"] == "mila");
        assert_eq!(mila.unwrap()["merchant"], "members", "{list}");
    }
}

#[test]
fn a_password_is_given_made_up_or_refused_and_never_noted() {
    for (home, _server) in make_places("operator_passwords") {
        home.json(&["operator", "add", "lena", "--role", "operator"]);
        let short = home.file("short", "short\n");
        let short = ["operator", "password", "lena", "--password-file", short.to_str().unwrap()];
        let words = "1 field is invalid: $.password must have 10 to 200 characters";
        assert_refused(&home.run(&short), words);
        let empty = home.file("empty", "");
        let empty = empty.to_str().unwrap();
        let refused = home.run(&["operator", "password", "lena", "--password-file", empty]);
        assert_refused(&refused, &format!("{empty} is empty"));
        let unknown = home.run(&["operator", "password", "nobody"]);
        assert_refused(&unknown, "operator not found");

        let password = text(&home.json(&["operator", "password", "lena"])["password"]);
        let mut command = home.command(&["operator", "password", "lena", "--password-file", "-"]);
        let given = Ran::of(
            command.stdin(std::fs::File::open(home.file("given", "otter-kettle-52")).unwrap()),
        );
        assert_eq!(given.code, Some(0), "{}", given.err);

        let trail = home.run(&["audit"]).out;
        assert!(trail.contains("operator.add"), "{trail}");
        assert!(!trail.contains(&password) && !trail.contains("otter-kettle-52"), "{trail}");
    }
}
