// "Add field": the server searches the whole schema; what is chosen is opened step by step, brought out of its fold, and focused.
import { firstControl, form, open } from "./parts.js";
import { lift } from "./more.js";

const within = (place, pointer) => pointer === place || pointer.startsWith(`${place}/`);

function nearest(pointer) {
  const found = [...form().querySelectorAll("[data-pointer]")].filter((element) => within(element.dataset.pointer, pointer));
  return found.sort((one, other) => other.dataset.pointer.length - one.dataset.pointer.length)[0];
}

const opens = (place) => Boolean(place && (place.matches(":has(> details[data-lazy])") || place.querySelector(":scope > button[name='~open']")));

/** The further fields of a large object, or items of a long list, among which `pointer` may be. */
function closedParts(pointer) {
  const around = (part) => part.dataset.pointer.slice(0, part.dataset.pointer.lastIndexOf("/"));
  const found = [...form().querySelectorAll("[data-rest]")].filter((part) => within(around(part), pointer));
  return found.sort((one, other) => around(other).length - around(one).length)[0];
}

/** Opens what is around the element; of a fold of many fields only the one that is wanted comes out. */
function unfold(element) {
  for (let place = element; place; place = place.parentElement?.closest("details, [data-field]")) {
    if (place.matches("details:not([data-more])")) place.open = true;
    lift(place);
  }
}

/** Of a list without items; the buttons of its menu, which come first, can't be seen. */
const addButton = (element) => [...element.querySelectorAll("button")].find((one) => !one.closest("[data-menu]"));

export function show(element) {
  unfold(element);
  element.scrollIntoView({ block: "center" });
  const heading = element.querySelector(":scope > .console-section > summary");
  const own = element.matches("input, select, textarea") ? element : null;
  const control = own ?? heading ?? firstControl(element) ?? addButton(element);
  (control ?? element).focus({ preventScroll: true });
  const box = element.closest("[data-field]") ?? element;
  box.classList.add("console-found");
  setTimeout(() => box.classList.remove("console-found"), 2500);
}

/** Opens what holds `pointer`, fetching section by section, and focuses what shows it, or the nearest thing around it. */
export async function reveal(pointer) {
  for (let step = 0; step < 60; step += 1) {
    const place = nearest(pointer);
    if (place?.dataset.pointer !== pointer && !opens(place)) {
      const further = closedParts(pointer);
      if (further && (await open(further))) continue;
    }
    if (!place) return;
    const lazy = opens(place);
    if (place.dataset.pointer === pointer && !lazy) { show(place); return; }
    if (!lazy || !(await open(place))) { show(place); return; }
  }
}

const found = () => form()?.querySelector("[data-found]");
let waiting = 0;
let latest = 0;
// What the list answers, and whether Enter was pressed before it did.
let answered = "";
let hurried = false;

async function search(input) {
  const text = input.value.trim();
  latest += 1;
  const mine = latest;
  if (text.length < 2) { answered = ""; found().replaceChildren(); return; }
  const data = new FormData();
  for (const control of form().querySelectorAll("#form-state input")) data.append(control.name, control.value);
  data.append("q", text);
  const headers = { "X-CSRFToken": document.querySelector("meta[name=csrf-token]").content, "HX-Request": "true" };
  const answer = await fetch(form().dataset.sectionUrl.replace("/section/", "/find/"), { method: "POST", body: data, headers }).catch(() => null);
  const list = answer?.ok ? await answer.text() : null;
  if (mine !== latest || list === null) return;
  found().innerHTML = list;
  answered = text;
  if (hurried) takeFirst();
}

function takeFirst() {
  hurried = false;
  found().querySelector("a")?.click();
}

/** The first of the list, which may still be on its way. */
function enter(input) {
  if (input.value.trim() === answered && found().hasChildNodes()) { takeFirst(); return; }
  hurried = true;
  clearTimeout(waiting);
  search(input);
}

document.addEventListener("input", (event) => {
  if (!event.target.matches("#form [data-filter]")) return;
  hurried = false;
  clearTimeout(waiting);
  waiting = setTimeout(() => search(event.target), 150);
});

// "/" leads to the search from wherever nothing is typed.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, [contenteditable=true], dialog");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing || event.defaultPrevented) return;
  const input = form()?.querySelector("[data-filter]");
  if (!input) return;
  event.preventDefault();
  input.focus();
});

// Up and down go through what was found, Enter takes the first, Escape ends the search.
document.addEventListener("keydown", (event) => {
  const input = event.target.closest?.("#form [data-filter]");
  const list = event.target.closest?.("#form [data-found]");
  if (!input && !list) return;
  const links = [...found().querySelectorAll("a")];
  const at = links.indexOf(event.target);
  if (event.key === "Enter" && input) { event.preventDefault(); enter(input); }
  else if (event.key === "Escape") { hurried = false; answered = ""; found().replaceChildren(); form().querySelector("[data-filter]").focus(); }
  else if (event.key === "ArrowDown") { event.preventDefault(); links[at + 1]?.focus(); }
  else if (event.key === "ArrowUp" && list) { event.preventDefault(); (links[at - 1] ?? form().querySelector("[data-filter]")).focus(); }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-goto], [data-reveal-pointer]");
  if (!link || !form()) return;
  event.preventDefault();
  if (link.dataset.revealPointer) { answered = ""; found().replaceChildren(); reveal(link.dataset.revealPointer); return; }
  const target = document.getElementById(link.dataset.goto);
  if (target) show(target.closest("[data-field]") && !target.matches("input, select, textarea") ? target.closest("[data-field]") : target);
});
