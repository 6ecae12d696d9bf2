// What stands beside and below the fields: the outline of sections with their state, and the bar that says how much
// is set and wrong.
import { firstControl, form } from "./parts.js";
import { show } from "./find.js";
import { missing } from "./validate.js";

const ASIDE = "[hidden], [data-menu], [data-unmet], [data-other]";
// So far below the top of the page a section counts as in view; so long a chosen one stays marked, while it scrolls.
const BELOW_TOP = 120;
const HELD_MS = 500;
const MARKS = /^[sinbqjydr]:/;

const pointerOf = (element) => element.closest("[data-pointer]")?.dataset.pointer ?? "";
const within = (pointers, pointer) => pointers.some((around) => pointer === around || pointer.startsWith(`${around}/`));

/** Whether a control says something: a text or a choice. */
function says(control) {
  if (control.type === "radio" || control.type === "checkbox") return control.checked && control.value !== "";
  return control.value.trim() !== "";
}

/** What is set, what is wrong, and what must be there and is not: each with its pointer. One look at the whole form. */
export function survey(root) {
  const set = [];
  for (const control of root.querySelectorAll("input[name], select[name], textarea[name]")) {
    const mark = control.name.slice(0, 2);
    // An empty control may say null or an empty text; its menu, or a hidden state, has the word.
    const empty = mark === "e:" && control.value !== "";
    if (empty || (MARKS.test(mark) && says(control) && !control.closest(ASIDE))) set.push([control.name.slice(2), 1]);
  }
  for (const box of root.querySelectorAll("[data-values]")) {
    if (!box.closest(ASIDE)) set.push([box.dataset.pointer, Number(box.dataset.values)]);
  }
  const marked = [...root.querySelectorAll("[aria-invalid=true]")].filter((element) => !element.closest(ASIDE));
  const wrong = marked.map((element) => [pointerOf(element), element]);
  const unsaid = (box) => !set.some(([pointer]) => within([box.dataset.pointer], pointer));
  const required = [...root.querySelectorAll("[data-required]")].filter((box) => unsaid(box) && missing(box));
  return { set, wrong, required: required.map((box) => box.dataset.pointer) };
}

const total = (set) => set.reduce((sum, [, number]) => sum + number, 0);
const counted = (data, number) => (number === 1 ? data.error : data.errors).replace(/\d+/, number);
const boxOf = (pointer) => form().querySelector(`[data-pointer="${CSS.escape(pointer)}"]`);
const pointersOf = (item) => item.dataset.pointers.split(" ");

/** What a section is to be marked with: "error" before "required" before "set", and the words for it. */
export function stateOf(pointers, found, data) {
  const wrong = found.wrong.filter(([pointer]) => within(pointers, pointer)).length;
  if (wrong) return ["error", counted(data, wrong)];
  if (found.required.some((pointer) => within(pointers, pointer))) return ["required", data.textRequired];
  const set = total(found.set.filter(([pointer]) => within(pointers, pointer)));
  return set ? ["set", String(set)] : ["", ""];
}

function put(element, text) { if (element.textContent !== text) element.textContent = text; }

/** The outline and the bar as the form is now. */
export function redraw() {
  const bar = form()?.querySelector("[data-bar]");
  if (!bar) return;
  const found = survey(form());
  const outline = form().querySelector("[data-outline]");
  for (const item of outline?.querySelectorAll("[data-pointers]") ?? []) {
    const [state, words] = stateOf(pointersOf(item), found, outline.dataset);
    item.querySelector("[data-dot]").dataset.state = state;
    put(item.querySelector("[data-said]"), words);
  }
  put(bar.querySelector("[data-set-count]"), bar.dataset.set.replace("%n", total(found.set)));
  const button = bar.querySelector("[data-show-errors]");
  button.hidden = !found.wrong.length;
  put(button, found.wrong.length ? counted(bar.dataset, found.wrong.length) : "");
}

let waiting = 0;
function later() {
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 120);
}

/** The section that is in view: the last that begins in the upper part of what is seen. */
function current() {
  const items = [...(form()?.querySelectorAll("[data-outline] [data-pointers]") ?? [])];
  const line = (document.getElementById("main")?.getBoundingClientRect().top ?? 0) + BELOW_TOP;
  let found = items[0];
  let nearest = -Infinity;
  for (const item of items) {
    const begin = document.getElementById(item.querySelector("a").hash.slice(1));
    for (const box of [begin, ...pointersOf(item).map(boxOf)]) {
      if (!box || box.checkVisibility?.() === false) continue;
      const { top } = box.getBoundingClientRect();
      if (top <= line && top > nearest) { nearest = top; found = item; }
    }
  }
  return found;
}

function follow(item = current()) {
  if (!item) return;
  for (const other of item.parentElement.children) {
    const link = other.querySelector("a");
    other.classList.toggle("pf-m-current", other === item);
    if (other === item) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    if (!item.parentElement.contains(document.activeElement)) link.tabIndex = other === item ? 0 : -1;
  }
  const jump = form().querySelector("[data-jump]");
  if (jump && document.activeElement !== jump) jump.value = item.querySelector("a").hash.slice(1);
}

let framed = false;
let chosen = 0;
document.addEventListener("scroll", () => {
  if (framed || !form() || Date.now() - chosen < HELD_MS) return;
  framed = true;
  requestAnimationFrame(() => { framed = false; follow(); });
}, { passive: true, capture: true });

/** To the first error of a section, else to its first field. */
function enter(id) {
  const item = [...form().querySelectorAll("[data-pointers]")].find((one) => one.querySelector("a").hash === `#${id}`);
  const boxes = item ? pointersOf(item).map(boxOf).filter(Boolean) : [];
  const [, wrong] = (item && survey(form()).wrong.find(([pointer]) => within(pointersOf(item), pointer))) ?? [];
  const element = wrong ?? boxes[0];
  if (!element) return;
  const section = element.querySelector(":scope > .console-section");
  if (section) section.open = true;
  show(element);
  if (!wrong && section && !section.hasAttribute("data-lazy")) firstControl(section)?.focus({ preventScroll: true });
  if (!wrong) element.scrollIntoView({ block: "start" });
  // A section at the end of the form does not come to the top: what was chosen is marked until somebody scrolls.
  chosen = Date.now();
  follow(item);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#form [data-outline] a");
  if (link) { event.preventDefault(); enter(link.hash.slice(1)); return; }
  if (!event.target.closest("#form [data-show-errors]")) return;
  const all = document.getElementById("form-errors");
  const [[, first] = []] = survey(form()).wrong;
  if (all) { all.scrollIntoView({ block: "start" }); all.focus({ preventScroll: true }); } else if (first) show(first);
});

// The outline is one stop of the Tab key; the arrows go through it.
document.addEventListener("keydown", (event) => {
  const link = event.target.closest?.("#form [data-outline] a");
  if (!link) return;
  const links = [...link.closest("[data-outline]").querySelectorAll("a")];
  const at = links.indexOf(link);
  const to = { ArrowDown: links[at + 1], ArrowUp: links[at - 1], Home: links[0], End: links.at(-1) }[event.key];
  if (!to) return;
  event.preventDefault();
  for (const other of links) other.tabIndex = other === to ? 0 : -1;
  to.focus();
});

document.addEventListener("change", (event) => {
  if (event.target.matches("#form [data-jump]")) enter(event.target.value);
  else if (event.target.closest("#form")) later();
});
for (const kind of ["input", "focusout", "console:judged"]) {
  document.addEventListener(kind, (event) => { if (event.target.closest?.("#form")) later(); });
}
document.addEventListener("click", (event) => { if (event.target.closest("#form button")) later(); });
// After another start was declined, the menu says again what the form began with.
function restart() {
  const menu = document.getElementById("start");
  const begun = form()?.querySelector('[name="~start"]');
  if (menu && begun && !document.getElementById("start-asks")) menu.value = begun.value || "empty";
}
document.addEventListener("htmx:afterSettle", () => { redraw(); follow(); restart(); });
redraw();
follow();
