// Conveniences for the console. Every page works without this script.

"use strict";

// Times are UTC. The tooltip shows the local time.
function addLocalTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) {
      time.title = at.toLocaleString();
    }
  }
}

// A form is sent only once, even if its button is pressed again. Going back to the page resets it.
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

// Hides the fields that the selected option does not need.
function hideUnusedFields() {
  for (const select of document.querySelectorAll("select")) {
    const fields = select.form ? [...select.form.querySelectorAll("[data-only-for]")] : [];
    const update = () => {
      for (const field of fields) {
        field.hidden = field.dataset.onlyFor !== select.value;
      }
    };
    const values = [...select.options].map((option) => option.value);
    if (fields.some((field) => values.includes(field.dataset.onlyFor))) {
      select.addEventListener("change", update);
      update();
    }
  }
}

// Reloads the figures when the server reports a change, unless they are hidden or have the focus.
function reloadOnChange(part) {
  const events = new EventSource("/console/events");
  let loading = false;
  events.addEventListener("changed", async () => {
    if (loading || document.hidden || part.contains(document.activeElement)) {
      return;
    }
    loading = true;
    try {
      const response = await fetch(part.dataset.live);
      if (response.redirected) {
        window.location.reload();
      } else if (response.ok) {
        const open = [...part.querySelectorAll("details")].map((it) => it.open);
        part.innerHTML = await response.text();
        part.querySelectorAll("details").forEach((it, position) => {
          it.open = open[position] || false;
        });
        addLocalTimes(part);
      }
    } finally {
      loading = false;
    }
  });
}

addLocalTimes(document);
hideUnusedFields();
document.querySelectorAll("[data-live]").forEach(reloadOnChange);
