//! What a shopper does in the portal, step by step. Elements are found by the texts that a shopper
//! reads and by the names of fields, so the layout of a page can change without a change here.

use serde_json::json;

use super::{
    page::Page,
    shop::Shop,
    window::{Browser, ENTER, Scripts},
};
use crate::harness::home::text;

/// The texts of the pages.
const ORDER_NUMBER: &str = "Order number";
const EMAIL_OR_POSTAL_CODE: &str = "Email address or postal code";
const GIFT: &str = "I received this as a gift";
pub(super) const FIND: &str = "Find my order";
pub(super) const REVIEW: &str = "Review refund";
const REVIEW_GIFT: &str = "Review gift card";
pub(super) const CONFIRM: &str = "Confirm return";
const LABEL: &str = "Show label";
const CANCEL: &str = "Cancel return";
const CONFIRM_CANCEL: &str = "Yes, cancel the return";

/// Finds the suffix of a line's field names: those of the fields nearest to its title.
const LINE_OF: &str = "
  const distance = (field) => {
    let steps = 0;
    for (let around = field; !around.textContent.includes(arguments[0]); steps += 1) {
      around = around.parentElement;
      if (!around) return Infinity;
    }
    return steps;
  };
  const fields = [...document.querySelectorAll('[name^=\"quantity.\"]')];
  const near = fields.sort((one, other) => distance(one) - distance(other))[0];
  return near && distance(near) !== Infinity ? near.name.slice('quantity.'.length) : null;";

/// Finds the text beside a title: that of the smallest part of a list that contains the title.
const BESIDE: &str = "
  const parts = [...document.querySelectorAll('li, article, fieldset, tr')];
  const around = parts.filter((part) => part.innerText.includes(arguments[0]));
  return around.sort((one, other) => one.innerText.length - other.innerText.length)[0]?.innerText ?? '';";

/// What a shopper wants for a unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    Refund,
    GiftCard,
    /// The variant with this SKU.
    Exchange(&'static str),
}

pub(super) struct Shopper {
    pub(super) browser: Browser,
    pub(super) shop: Shop,
}

impl Shopper {
    /// A shopper with a browser at the portal of a new shop; none without a browser.
    pub(super) fn arrive(scripts: Scripts) -> Option<Self> {
        super::driver::start_driver()?;
        let shop = Shop::open();
        let browser = Browser::open(shop.server, scripts)?;
        browser.visit(&shop.portal());
        Some(Self { browser, shop })
    }

    /// Finds an order with the email address or postal code of its buyer.
    pub(super) fn find_order(&self, number: &str, secret: &str) -> Page {
        self.browser.fill(ORDER_NUMBER, number);
        self.browser.fill(EMAIL_OR_POSTAL_CODE, secret);
        self.browser.press(FIND)
    }

    /// Opens the order with the link in a mail of the store.
    pub(super) fn follow_mail(&self) -> Page {
        self.browser.visit(&self.shop.sign_link())
    }

    /// Finds an order as the recipient of a gift.
    pub(super) fn find_gift(&self, number: &str, postal_code: &str) -> Page {
        self.browser.tick(GIFT);
        self.find_order(number, postal_code)
    }

    /// Chooses units of a line, and what to get for them.
    pub(super) fn choose(&self, title: &str, quantity: u32, wanted: Wanted) {
        let line = text(&self.browser.script(LINE_OF, &[json!(title)]));
        self.browser.set(&format!("quantity.{line}"), &quantity.to_string());
        self.browser.set(&format!("reason.{line}"), "too_small");
        let get = match wanted {
            Wanted::Refund => "refund",
            Wanted::GiftCard => "gift_card",
            Wanted::Exchange(_) => "exchange",
        };
        self.browser.set(&format!("get.{line}"), get);
        if let Wanted::Exchange(sku) = wanted {
            // The variants follow once the reason is known.
            self.review();
            self.browser.set(&format!("variant.{line}"), sku);
        }
    }

    /// Finds the order, chooses a unit of its first line and confirms, with the keyboard only.
    /// Gives the page of the return.
    pub(super) fn return_by_keyboard(&self, number: &str, secret: &str) -> Page {
        let browser = &self.browser;
        browser.tab_to("order_number");
        browser.keys(number);
        browser.tab_to("secret");
        browser.keys(secret);
        browser.key(ENTER);
        browser.tab_to("quantity.0.0");
        browser.keys("1");
        browser.tab_to("reason.0.0");
        browser.keys("Too s");
        browser.tab_to(REVIEW);
        browser.key(ENTER);
        browser.tab_to(CONFIRM);
        browser.key(ENTER)
    }

    pub(super) fn choose_method(&self, method: &str) {
        self.browser.set("method", method);
    }

    /// Enters the email address for the gift card.
    pub(super) fn enter_email(&self, email: &str) {
        self.browser.set("giftee_email", email);
    }

    pub(super) fn review(&self) -> Page {
        self.browser.press(REVIEW)
    }

    /// The same, as the recipient of a gift.
    pub(super) fn review_gift(&self) -> Page {
        self.browser.press(REVIEW_GIFT)
    }

    /// Confirms, and reads the identifier of the return from the address of the page that follows.
    pub(super) fn confirm(&self) -> String {
        let status = self.browser.press(CONFIRM);
        let (_, rma) = status.address.rsplit_once('/').unwrap();
        assert!(rma.starts_with("RMA-"), "{}", status.address);
        rma.to_owned()
    }

    /// Opens the label, once the carrier has created it.
    pub(super) fn show_label(&self, rma: &str) -> Page {
        self.shop.await_label(rma);
        self.browser.follow(LABEL)
    }

    pub(super) fn cancel(&self) -> Page {
        self.browser.tab_to(CANCEL);
        self.browser.keys(ENTER);
        self.browser.press(CONFIRM_CANCEL)
    }

    /// Asks for a new label, because the old one is lost.
    pub(super) fn renew_label(&self) -> Page {
        self.browser.tab_to("I need a new label");
        self.browser.keys(ENTER);
        self.browser.tab_to("I no longer have it");
        self.browser.keys(" ");
        self.browser.press("Request a new label")
    }

    /// The text beside the title of a line.
    pub(super) fn text_beside(&self, title: &str) -> String {
        text(&self.browser.script(BESIDE, &[json!(title)]))
    }

    /// Whether any unit of a line can be chosen.
    pub(super) fn can_choose(&self, title: &str) -> bool {
        let beside = "const parts = [...document.querySelectorAll('li, article, fieldset, tr')];
          const around = parts.filter((part) => part.innerText.includes(arguments[0]));
          return around.some((part) => part.querySelector('[name^=\"quantity.\"]:enabled'));";
        self.browser.script(beside, &[json!(title)]) == true
    }
}
