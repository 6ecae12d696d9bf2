// What is ticked in a list: all of a page at once, a range with Shift, how many they are, their names.
// Without this module the boxes and the buttons of the form still work.
const form = document.getElementById("bulk");
export const boxes = () => [...document.querySelectorAll("input[form=bulk][name=chosen]")];
const everything = () => document.querySelector("input[form=bulk][name=all]");

function count() {
  if (!form) return;
  const ticked = boxes().filter((box) => box.checked).length;
  const all = everything()?.checked;
  const words = form.querySelector("[data-ticked]");
  const text = all ? words.dataset.all : ticked ? words.dataset.text.replace("{n}", ticked) : "";
  if (words.textContent !== text) words.textContent = text;
  for (const button of form.querySelectorAll("button[name=action]")) button.disabled = !ticked && !all;
  const head = document.querySelector("[data-tick-all]");
  if (!head) return;
  head.checked = ticked > 0 && ticked === boxes().length;
  head.indeterminate = ticked > 0 && !head.checked;
}

export const selected = () => Boolean(everything()?.checked) || boxes().some((box) => box.checked);

export function clear() {
  for (const box of boxes()) box.checked = false;
  if (everything()) everything().checked = false;
  count();
}

let last = null; // the box from which a range goes
// Ticks the box as it is now, or with `range` all between the last one and this.
export function choose(box, checked, range) {
  const all = boxes();
  const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
  if (range && from >= 0) for (const one of all.slice(from, to + 1)) one.checked = checked;
  box.checked = checked;
  last = box;
  count();
}

document.addEventListener("click", ({ target, shiftKey }) => {
  if (target.matches("input[form=bulk][name=chosen]")) choose(target, target.checked, shiftKey);
  if (target.closest("[data-copy-names]")) copyNames();
});
document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-tick-all]")) for (const box of boxes()) box.checked = target.checked;
  if (target.matches("[data-tick-all], input[form=bulk]")) count();
});

const nameOf = (box) => box.value.split("/").at(-1);
const copyNames = () => navigator.clipboard.writeText(boxes().filter((box) => box.checked).map(nameOf).join("\n"));

// The boxes are outside the form in the document, so a reset's own work is done here too.
form?.addEventListener("reset", (event) => {
  event.preventDefault();
  document.querySelector(".list-scroll")?.focus({ preventScroll: true });
  clear();
});
for (const button of form?.querySelectorAll("[data-copy-names], [data-clear]") ?? []) button.hidden = false;
// Rows come and go; what htmx brings, too.
new MutationObserver(count).observe(document.getElementById("main"), { childList: true, subtree: true });
addEventListener("pageshow", count);
count();
