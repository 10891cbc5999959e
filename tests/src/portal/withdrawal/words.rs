//! What the shopper entered, and the language of the withdrawal.

use super::*;

#[test]
fn an_error_keeps_what_the_shopper_entered() {
    for server in servers() {
        let shop = european_shop(server);
        let other = "order_number=ORD-7&secret=10115";
        for pass in [String::new(), begin(&shop)] {
            for form in [other.to_owned(), format!("{WHO}&{other}")] {
                let refused = shop.post("/withdraw", &pass, &form);
                for kept in ["name=\"order_number\" value=\"ORD-7\"", "value=\"10115\""] {
                    assert!(refused.text().contains(kept), "{kept}: {}", refused.text());
                }
            }
        }
        let find = shop.post("", "", other);
        assert!(find.text().contains("value=\"10115\""), "{}", find.text());
    }
}

#[test]
fn the_mails_of_its_return_are_in_the_language_of_the_withdrawal() {
    for server in servers() {
        let shop = european_shop(server);
        let mailbox = MailServer::start();
        let set = shop.admin("PUT", "mail", &json!({ "server": mailbox.settings() }));
        assert_eq!(set.status, 200, "{}", set.said());
        confirm(&shop, &format!("{}; homeward_language=fr", begin(&shop)), WHO);

        let mails = mailbox.wait_for(2);
        let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
        for french in ["rétractation", "retour"] {
            let found = subjects.iter().any(|subject| subject.contains(french));
            assert!(found, "{french}: {subjects:?}");
        }
    }
}
