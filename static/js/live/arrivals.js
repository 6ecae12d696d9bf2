// While the pointer or the focus is in a list its rows don't move: new objects wait behind a button that says how many
// they are (<button data-live-new="rows" data-text="{n} new">), the order stays, deleted objects keep their place.
// A list without that button holds nothing back.
import { leave } from "./marks.js";
import { onRows, refetch } from "./refetch.js";

const SOON = 300; // milliseconds after the pointer or the focus has left
const points = matchMedia("(hover: hover)");
const waiting = new Set(); // lists that show less than there is
let now = null; // the list that shows everything next, whoever is in it

const buttonOf = (list) => document.querySelector(`[data-live-new="${CSS.escape(list.id)}"]`);
const rowsOf = (list) => [...list.children].filter((row) => row.id.startsWith("row-"));
export const pointed = (list) => points.matches && list.matches(":hover");
const busy = (list) => list.contains(document.activeElement) || pointed(list);

function tell(button, count) {
  const text = count ? button.dataset.text.replace("{n}", count) : "";
  if (button.textContent.trim() !== text) button.textContent = text;
  button.hidden = !count;
}

// `fresh`: the list as the server has it; afterwards it holds only what may be laid over `list` now.
function holdBack(list, fresh) {
  const button = buttonOf(list);
  if (!button) return;
  const [shown, coming] = [rowsOf(list), rowsOf(fresh)];
  const held = now !== list && shown.length > 0 && busy(list);
  now = now === list ? null : now;
  const known = new Set(shown.map(({ id }) => id));
  const arrived = held ? coming.filter(({ id }) => !known.has(id)) : [];
  tell(button, arrived.length);
  const buried = list.querySelectorAll(":scope > [data-live-gone]");
  if (!held) {
    waiting.delete(list);
    for (const row of buried) leave(row);
    return;
  }
  const byId = new Map(coming.map((row) => [row.id, row]));
  const same = coming.length === shown.length && coming.every(({ id }, at) => id === shown[at].id);
  if (same && !buried.length) waiting.delete(list); else waiting.add(list);
  if (!same) fresh.replaceChildren(...shown.map((row) => byId.get(row.id) ?? row.cloneNode(true)));
}

onRows(holdBack);

// A deleted row keeps its place until the list is left.
export function bury(row) {
  row.setAttribute("data-live-gone", "");
  row.inert = true;
  for (const control of row.querySelectorAll("input, [popover]")) control.remove();
  for (const named of row.querySelectorAll("[id]")) named.removeAttribute("id");
  waiting.add(row.parentElement);
  row.removeAttribute("id");
}
export const buries = (list) => Boolean(buttonOf(list)) && pointed(list);

export function showAll(list) {
  now = list;
  refetch(list, 0, 0);
}

let timer;
function left() {
  clearTimeout(timer);
  timer = setTimeout(() => { for (const list of waiting) if (!busy(list)) refetch(list, 0, 0); }, SOON);
}
document.addEventListener("focusout", left);
document.addEventListener("pointerout", ({ target, relatedTarget }) => {
  const list = target.closest?.("[data-live-rows]");
  if (list && !list.contains(relatedTarget)) left();
});
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-live-new]");
  const list = button && document.getElementById(button.dataset.liveNew);
  if (!list) return;
  // The button goes, and must not take the focus with it.
  list.closest("[tabindex]")?.focus({ preventScroll: true });
  showAll(list);
});
