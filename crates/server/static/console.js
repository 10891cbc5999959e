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

// Figures are asked for again when the server says that something changed.
function live(place) {
  const events = new EventSource("/console/events");
  let asking = false;
  events.addEventListener("changed", async () => {
    if (asking || document.hidden || place.contains(document.activeElement)) {
      return;
    }
    asking = true;
    try {
      const answer = await fetch(place.dataset.live);
      if (answer.redirected) {
        window.location.reload();
      } else if (answer.ok) {
        const open = [...place.querySelectorAll("details")].map((it) => it.open);
        place.innerHTML = await answer.text();
        place.querySelectorAll("details").forEach((it, position) => {
          it.open = open[position] || false;
        });
        localTimes(place);
      }
    } finally {
      asking = false;
    }
  });
}

localTimes(document);
followChoices();
document.querySelectorAll("[data-live]").forEach(live);
