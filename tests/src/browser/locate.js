// Finds what a person would find: by what it is and by its name, the whole of it or its beginning. Of what has the
// focus it only tells whether it has that name, or is the field of a form with it.
const [kind, name] = arguments;
const kinds = {
  button: "button, input[type=submit], [role=button]",
  field: "input:not([type=hidden]), select, textarea",
  link: "a[href]",
};
const words = (text) => (text ?? "").replace(/\s+/g, " ").trim();
const textOf = (elements) => [...elements].map((element) => element?.textContent).join(" ");
const nameOf = (element) => {
  const ids = element.getAttribute("aria-labelledby");
  if (ids) return textOf(ids.split(" ").map((id) => document.getElementById(id)));
  if (element.ariaLabel) return element.ariaLabel;
  if (element.labels?.length) return textOf(element.labels);
  return element.matches("input") ? element.value : element.textContent;
};
if (kind === "focus") {
  const focus = document.activeElement;
  return focus.name === name || words(nameOf(focus)).startsWith(name);
}
const shown = [...document.querySelectorAll(kinds[kind])].filter((it) => it.getClientRects().length);
const exact = shown.find((element) => words(nameOf(element)) === name);
return exact ?? shown.find((element) => words(nameOf(element)).startsWith(name)) ?? null;
