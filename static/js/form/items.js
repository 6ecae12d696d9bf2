// Items of lists and entries of maps: add, remove, move, duplicate. What a person looks at keeps the focus.
import { announce, dirty, fetched, focusIn, form, words } from "./parts.js";
import { refresh } from "./depends.js";
import { rename } from "./pointers.js";

let count = Date.now() % 1e6;
export const newPointer = (list) => { count += 1; return `${list}/@n${count}`; };
export const itemOf = (button) => button.closest(".console-item");
export const listOf = (element) => element.closest("[role=group][data-pointer]");
export const placeOf = (list) => [...list.querySelectorAll(".console-items")].find((items) => listOf(items) === list);

/** Numbers in titles and names follow the order; numbers of a list inside an item are that list's own. */
export function renumber(place) {
  const items = [...place.children].filter((item) => item.matches(".console-item:not(.console-rest)"));
  for (const [index, item] of items.entries()) {
    const own = (selector) => [...item.querySelectorAll(selector)].filter((element) => itemOf(element) === item);
    for (const element of own(".console-tools-of-item [aria-label], .console-row-value [aria-label], .console-row-key [aria-label]")) {
      const label = element.getAttribute("aria-label");
      element.setAttribute("aria-label", label.replace(/\d+/, index + 1));
    }
    for (const adder of item.querySelectorAll(":scope > .console-add > [data-add]")) {
      const text = adder.lastChild;
      text.textContent = text.textContent.replace(/\d+/, index + 1);
    }
    for (const title of own("[data-number]")) title.textContent = title.textContent.replace(/\d+/, index + 1);
  }
  const list = listOf(place);
  const button = list?.querySelector(`:scope > .console-add > [data-add]`);
  if (!button) return;
  button.dataset.add = items.length;
  button.disabled = "max" in button.dataset && items.length >= Number(button.dataset.max);
}

export function changed(place, text, near) {
  renumber(place);
  dirty();
  place.dispatchEvent(new Event("input", { bubbles: true }));
  announce(text);
  if (near) focusIn(near);
}

export async function add(button) {
  const list = listOf(button);
  const place = placeOf(list);
  const made = await fetched(button, newPointer(button.value), place.children.length + 1);
  const item = made?.firstElementChild;
  if (!item) return;
  const section = item.querySelector(":scope > .console-section");
  if (section) section.open = true;
  place.append(item);
  refresh(item);
  changed(place, `${words("added")}: ${words("item")} ${place.children.length}`, item);
}

export function remove(button) {
  const item = itemOf(button);
  const near = item.nextElementSibling ?? item.previousElementSibling;
  const place = item.parentElement;
  const gone = button.getAttribute("aria-label");
  item.remove();
  changed(place, `${words("removed")}: ${gone}`, near);
  if (!near) listOf(place).querySelector("[data-add]")?.focus();
}

export function move(button, by) {
  const item = itemOf(button);
  const place = item.parentElement;
  const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
  if (!other || other.matches(".console-rest")) return;
  if (by < 0) other.before(item); else other.after(item);
  changed(place, `${words("moved")} ${[...place.children].indexOf(item) + 1}`);
  item.querySelector(`:scope > .console-tools-of-item > [name="${button.name}"], :scope > .console-label [name="${button.name}"]`)?.focus();
}

/** A copy names what it was copied from (`c:`), so that what nobody opened in it is copied too. */
export function duplicate(button) {
  const item = itemOf(button);
  const from = item.dataset.pointer;
  const list = from.slice(0, from.lastIndexOf("/"));
  const to = newPointer(list);
  const copy = item.cloneNode(true);
  for (const [was, is] of zip(item, copy, "input, select, textarea")) if (!is.matches("[type=file]")) { is.value = was.value; is.checked = was.checked; }
  rename(copy, from, to);
  const base = item.dataset.from ?? from;
  const number = base.slice(base.lastIndexOf("/") + 1).match(/^@(\d+)$/)?.[1];
  if (number && !copy.querySelector(":scope > input[name^='c:']")) {
    copy.append(Object.assign(document.createElement("input"), { type: "hidden", name: `c:${to}`, value: number }));
  }
  if (number) copy.dataset.from = base;
  for (const closed of copy.querySelectorAll(`:scope > details > .console-section-body > input[name^="t:"]`)) closed.value = "1";
  const card = copy.querySelector(":scope > .console-section:not([data-lazy])");
  if (card) card.open = true;
  item.after(copy);
  changed(item.parentElement, `${words("added")}: ${words("item")} ${[...item.parentElement.children].indexOf(copy) + 1}`, copy);
}

function zip(one, other, selector) {
  const others = other.querySelectorAll(selector);
  return [...one.querySelectorAll(selector)].map((element, index) => [element, others[index]]);
}

// A card is titled by what tells it from the others.
document.addEventListener("input", (event) => {
  const item = event.target.name && form()?.contains(event.target) ? itemOf(event.target) : null;
  const title = item?.querySelector(":scope > .console-section > summary > .console-section-title");
  if (!title) return;
  if (event.target.name === `k:${item.dataset.pointer}`) title.textContent = event.target.value || "“”";
  const caption = title.querySelector("[data-caption]");
  const names = ["name", "key", "type", "host"].map((name) => `s:${item.dataset.pointer}/${name}`);
  const telling = names.map((name) => item.querySelector(`[name="${CSS.escape(name)}"]`)).find((control) => control?.value);
  if (caption && names.includes(event.target.name)) caption.textContent = telling?.value ? `: ${telling.value.slice(0, 80)}` : "";
});
