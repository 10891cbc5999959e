// How a field of a form gets a value: what to click, or where to write. Nothing when it has the value.
const [name, value] = arguments;
const named = [...document.getElementsByName(name)];
const select = named.find((element) => element.matches("select"));
if (select) {
  const option = [...select.options].find((option) => option.value === value);
  return option ? { click: option.selected ? null : option } : null;
}
const choice = named.find(
  (element) => element.matches("[type=radio], [type=checkbox]") && element.value === value,
);
// What is drawn is often the label, and the input itself is hidden from sight.
if (choice) return { click: choice.checked ? null : (choice.labels[0] ?? choice) };
const text = named.find(
  (element) => element.matches("input:not([type=hidden]), textarea") && element.getClientRects().length,
);
return text ? { write: text } : null;
