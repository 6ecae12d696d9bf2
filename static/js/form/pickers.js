// Names to choose from, of Secrets, storage classes and the like: asked for when the field is entered, filtered as one types.
// Any text may still be typed; where the names may not be listed, that is said once.
import { form, words } from "./parts.js";
import { controlOf } from "./pointers.js";

let number = 0;
const asked = new WeakMap();

function address(input) {
  const url = new URL(words("namesUrl"), location.href);
  const [group, kind] = input.dataset.picker.split("/");
  const namespace = controlOf(form(), "/metadata/namespace");
  url.searchParams.set("group", group);
  url.searchParams.set("kind", kind);
  if (input.dataset.selector) url.searchParams.set("selector", input.dataset.selector);
  if (namespace?.value) url.searchParams.set("namespace", namespace.value);
  if (input.dataset.keys !== undefined) {
    const pointer = input.closest("[data-pointer]").dataset.pointer.replace(/\/[^/]*$/, "/name");
    const name = controlOf(form(), pointer)?.value;
    if (!name) return "";
    url.searchParams.set("keys", name);
  } else url.searchParams.set("q", input.value);
  return url.href;
}

async function offer(input) {
  const url = address(input);
  const before = asked.get(input);
  // All names at once were few: the browser filters them itself.
  if (!url || before?.url === url || (before?.whole && input.dataset.keys === undefined)) return;
  asked.set(input, { url });
  const answer = await fetch(url, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (asked.get(input)?.url !== url) return;
  if (!answer?.ok) { return; }
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  const list = template.content.querySelector("datalist");
  asked.set(input, { url, whole: list.dataset.whole !== undefined && !new URL(url).searchParams.get("q") });
  let mine = input.list;
  if (!mine) {
    number += 1;
    mine = Object.assign(document.createElement("datalist"), { id: `names-${number}` });
    input.closest(".pf-v6-c-form-control").after(mine);
    input.setAttribute("list", mine.id);
  }
  mine.replaceChildren(...list.children);
  note(input, list.dataset.note ?? "", template.content.querySelector("a"));
}

function note(input, text, link = null) {
  const box = input.closest("[data-field]");
  box.querySelector(":scope > .console-picker-note")?.remove();
  if (!text && !link) return;
  const line = Object.assign(document.createElement("p"), { className: "console-help console-picker-note" });
  if (text) line.append(`${text} `);
  if (link) line.append(link);
  (input.list ?? input.closest(".pf-v6-c-form-control")).after(line);
}

let waiting = 0;
document.addEventListener("focusin", (event) => { if (event.target.matches("#form [data-picker]")) offer(event.target); });
document.addEventListener("input", (event) => {
  if (!event.target.matches("#form [data-picker]")) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => offer(event.target), 250);
});
