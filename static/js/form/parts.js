// Parts of the form that the server draws: a section that is opened, a new item of a list.
import { rename } from "./pointers.js";
import { refresh } from "./depends.js";

let fetching = 0;
export const form = () => document.getElementById("form");
export const busy = () => fetching > 0;
export const words = (name) => form()?.querySelector("[data-words]")?.dataset[name] ?? "";
export function dirty() { if (form()) form().dataset.dirty = ""; }

/** Said to who can't see what moved. */
export function announce(text) {
  const place = form()?.querySelector("[data-announce]");
  if (place) { place.textContent = ""; setTimeout(() => { place.textContent = text; }, 50); }
}

/** A copy of an item is fetched as what it was copied from, and renamed. */
function original(pointer, near) {
  const copy = near?.closest("[data-from]");
  if (!copy || !pointer.startsWith(copy.dataset.pointer)) return null;
  return { from: copy.dataset.from, to: copy.dataset.pointer, pointer: copy.dataset.from + pointer.slice(copy.dataset.pointer.length) };
}

async function part(pointer, number, near) {
  const copied = original(pointer, near);
  const data = new FormData();
  for (const control of form().querySelectorAll("#form-state input")) data.append(control.name, control.value);
  data.append("~pointer", copied?.pointer ?? pointer);
  data.append("~number", number);
  const headers = { "X-CSRFToken": document.querySelector("meta[name=csrf-token]").content, "HX-Request": "true" };
  const answer = await fetch(form().dataset.sectionUrl, { method: "POST", body: data, headers });
  if (!answer.ok) throw new Error(await answer.text());
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  if (copied) for (const root of template.content.children) rename(root, copied.from, copied.to);
  return template.content;
}

/** The elements that show `pointer`, null when the server could not be asked (which is said). */
export async function fetched(place, pointer, number = "") {
  place.setAttribute("aria-busy", "true");
  fetching += 1;
  try { return await part(pointer, number, place); }
  catch { document.dispatchEvent(new CustomEvent("htmx:sendError")); return null; }
  finally { fetching -= 1; place.removeAttribute("aria-busy"); }
}

/** The first thing to type or choose in there: not the menu beside its label. */
export function firstControl(place) {
  const controls = [...(place?.querySelectorAll("input:not([type=hidden], [type=file]), select, textarea") ?? [])].filter((one) => !one.closest("[data-menu], [data-unmet], [data-other]"));
  return controls.find((one) => one.type !== "radio" || one.checked) ?? controls[0];
}

export function focusIn(place) { (firstControl(place) ?? place?.querySelector("summary, button"))?.focus(); }

/** Opens what was left closed: a section, a long list, the further items of one. The promise is of the element that then shows it. */
export async function open(closed) {
  if (closed.hasAttribute("aria-busy")) return null;
  const made = await fetched(closed, closed.dataset.pointer);
  const section = closed.querySelector(":scope > .console-section");
  if (!made?.firstElementChild) { if (section) section.open = false; return null; }
  const focused = closed.contains(document.activeElement);
  const first = made.firstElementChild;
  const details = first.querySelector(":scope > .console-section");
  if (details) details.open = true;
  if (closed.dataset.from) first.dataset.from = closed.dataset.from;
  const copied = closed.querySelector(":scope > input[name^='c:']");
  if (copied) first.append(copied);
  if (closed.dataset.branches) first.dataset.branches = closed.dataset.branches;
  closed.replaceWith(made);
  refresh(first);
  if (focused) (first.querySelector(":scope > .console-section > summary") ?? firstControl(first) ?? first).focus();
  return first;
}
