// Comfort for the console. Every page is complete without it.

"use strict";

// Times are UTC; whoever points at one sees it in the time of its own place.
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) {
      time.title = at.toLocaleString();
    }
  }
}

// A form is sent once, however often its button is pressed. Coming back to the page frees it again.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) {
    delete form.dataset.sent;
  }
});

// Fields that only one choice needs are out of sight while another is made.
function followChoices() {
  for (const select of document.querySelectorAll("select")) {
    const fields = select.form ? select.form.querySelectorAll("[data-only-for]") : [];
    const follow = () => {
      for (const field of fields) {
        field.hidden = field.dataset.onlyFor !== select.value;
      }
    };
    if ([...select.options].some((it) => [...fields].some((field) => field.dataset.onlyFor === it.value))) {
      select.addEventListener("change", follow);
      follow();
    }
  }
}

localTimes(document);
followChoices();
