//! What a shopper does in the portal, step by step. Things are found by the words that a shopper
//! reads and by the names of fields, so that a page can be laid out anew without a change here.

use serde_json::json;

use super::{
    page::Page,
    shop::Shop,
    window::{Browser, ENTER, Scripts},
};
use crate::harness::home::text;

/// The words of the pages.
const ORDER_NUMBER: &str = "Order number";
const SECRET: &str = "Email address or postal code";
const GIFT: &str = "I received this as a gift";
pub(super) const FIND: &str = "Find my order";
pub(super) const REVIEW: &str = "Review refund";
pub(super) const CONFIRM: &str = "Confirm return";
const LABEL: &str = "Show label";
const CANCEL: &str = "Cancel return";
const REALLY_CANCEL: &str = "Yes, cancel the return";

/// What the fields of a line have behind their names: those that are nearest to where its title is
/// to be read.
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

/// What stands beside a title: the text of the smallest part of a list that has it.
const BESIDE: &str = "
  const parts = [...document.querySelectorAll('li, article, fieldset, tr')];
  const around = parts.filter((part) => part.innerText.includes(arguments[0]));
  return around.sort((one, other) => one.innerText.length - other.innerText.length)[0]?.innerText ?? '';";

/// What a shopper would like for a unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    Money,
    GiftCard,
    /// The variant with this SKU.
    Exchange(&'static str),
}

pub(super) struct Shopper {
    pub(super) browser: Browser,
    pub(super) shop: Shop,
}

impl Shopper {
    /// Somebody with a browser at the door of a new shop, or nobody where there is no browser.
    pub(super) fn arrive(scripts: Scripts) -> Option<Self> {
        super::driver::start_driver()?;
        let shop = Shop::open();
        let browser = Browser::open(shop.server, scripts)?;
        browser.visit(&shop.portal());
        Some(Self { browser, shop })
    }

    /// Names an order and something that only its buyer knows.
    pub(super) fn find_order(&self, number: &str, secret: &str) -> Page {
        self.browser.fill(ORDER_NUMBER, number);
        self.browser.fill(SECRET, secret);
        self.browser.press(FIND)
    }

    /// The same with what somebody knows who got the order as a gift.
    pub(super) fn find_gift(&self, number: &str, postal_code: &str) -> Page {
        self.browser.tick(GIFT);
        self.find_order(number, postal_code)
    }

    /// Chooses units of a line, and what to have for them.
    pub(super) fn choose(&self, title: &str, quantity: u32, wanted: Wanted) {
        let line = text(&self.browser.script(LINE_OF, &[json!(title)]));
        self.browser.set(&format!("quantity.{line}"), &quantity.to_string());
        self.browser.set(&format!("reason.{line}"), "too_small");
        let get = match wanted {
            Wanted::Money => "refund",
            Wanted::GiftCard => "gift_card",
            Wanted::Exchange(_) => "exchange",
        };
        self.browser.set(&format!("get.{line}"), get);
        if let Wanted::Exchange(sku) = wanted {
            self.browser.set(&format!("variant.{line}"), sku);
        }
    }

    /// Finds the order, chooses a unit of its first line and confirms without touching anything but
    /// keys, and gives the page that says so.
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

    /// Says how the goods come back.
    pub(super) fn send_by(&self, method: &str) {
        self.browser.set("method", method);
    }

    /// Says where the gift card goes.
    pub(super) fn tell_email(&self, email: &str) {
        self.browser.set("giftee_email", email);
    }

    pub(super) fn review(&self) -> Page {
        self.browser.press(REVIEW)
    }

    /// Confirms, and reads the identifier of the return from the address of the page that follows.
    pub(super) fn confirm(&self) -> String {
        let status = self.browser.press(CONFIRM);
        let (_, rma) = status.address.rsplit_once('/').unwrap();
        assert!(rma.starts_with("RMA-"), "{}", status.address);
        rma.to_owned()
    }

    /// Opens the label, once the carrier has made it.
    pub(super) fn show_label(&self, rma: &str) -> Page {
        self.shop.await_label(rma);
        self.browser.follow(LABEL)
    }

    pub(super) fn cancel(&self) -> Page {
        self.browser.tab_to(CANCEL);
        self.browser.keys(ENTER);
        self.browser.press(REALLY_CANCEL)
    }

    /// What is to be read beside the title of a line.
    pub(super) fn said_of(&self, title: &str) -> String {
        text(&self.browser.script(BESIDE, &[json!(title)]))
    }

    /// Whether anything of a line can be chosen.
    pub(super) fn can_choose(&self, title: &str) -> bool {
        let beside = "const parts = [...document.querySelectorAll('li, article, fieldset, tr')];
          const around = parts.filter((part) => part.innerText.includes(arguments[0]));
          return around.some((part) => part.querySelector('[name^=\"quantity.\"]:enabled'));";
        self.browser.script(beside, &[json!(title)]) == true
    }
}
