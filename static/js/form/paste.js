// Many items at once: one a line, or key=value lines for a map. Items that are there stay; one fetched item is the pattern of all.
import { announce, fetched, form, words } from "./parts.js";
import { changed, listOf, newPointer, placeOf } from "./items.js";
import { rename } from "./pointers.js";
import { refresh } from "./depends.js";

export function paste(button) {
  const list = listOf(button);
  if (list.querySelector(":scope > .console-paste")) { list.querySelector(":scope > .console-paste textarea").focus(); return; }
  const box = form().querySelector("template[data-part=paste]").content.firstElementChild.cloneNode(true);
  if (list.dataset.map === undefined) box.querySelector("[data-pairs]").remove();
  list.append(box);
  const area = box.querySelector("textarea");
  const close = () => { box.remove(); button.focus(); };
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } });
  box.addEventListener("click", async (event) => {
    const what = event.target.closest("[data-do]")?.dataset.do;
    if (what === "cancel") close();
    if (what === "add" && await fill(list, lines(area.value))) close();
  });
  area.focus();
}

function lines(text) {
  return text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#")).slice(0, 5000);
}

function pair(line) {
  const found = line.match(/^("?)([^=:]+?)\1\s*[=:]\s*(.*)$/s);
  return found ? [found[2], found[3].replace(/^(["'])(.*)\1$/s, "$2")] : [line, ""];
}

async function fill(list, texts) {
  if (!texts.length) return true;
  const place = placeOf(list);
  const mapped = list.dataset.map !== undefined;
  const first = newPointer(list.dataset.pointer);
  const made = await fetched(list, first, place.children.length + 1);
  const pattern = made?.firstElementChild;
  if (!pattern) return false;
  const keys = new Map(mapped ? [...place.children].map((item) => [item.querySelector("[name^='k:']")?.value, item]) : []);
  const fragment = document.createDocumentFragment();
  for (const line of texts) {
    const [key, value] = mapped ? pair(line) : ["", line];
    const known = keys.get(key);
    const item = known ?? pattern.cloneNode(true);
    if (!known) { rename(item, first, newPointer(list.dataset.pointer)); fragment.append(item); }
    if (mapped) { item.querySelector("[name^='k:']").value = key; keys.set(key, item); }
    const control = item.querySelector(".console-row-value input:not([type=hidden]), .console-row-value select, .console-row-value textarea");
    if (control) control.value = value;
  }
  const added = fragment.children.length;
  place.append(fragment);
  refresh(place);
  changed(place, `${words("added")}: ${added}`, place.lastElementChild);
  announce(`${words("added")}: ${added}`);
  return true;
}
