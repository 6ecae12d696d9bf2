// "Find a field" as it is typed: the server looks through the whole schema, the keyboard walks what it found.
import { form } from "./parts.js";
import { reveal } from "./find.js";

const WAIT = 120;
let timer = 0;
let asked = 0;

const box = () => form()?.querySelector("[data-filter]");
const list = () => form()?.querySelector("[data-found]");
const options = () => [...(list()?.querySelectorAll("[role=option]") ?? [])];
const current = () => options().find((option) => option.getAttribute("aria-selected") === "true");

function close() {
  const [input, found] = [box(), list()];
  if (!found) return;
  found.hidden = true;
  found.replaceChildren();
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
}

function select(option) {
  for (const one of options()) one.setAttribute("aria-selected", String(one === option));
  box().setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

async function search() {
  const input = box();
  const words = input?.value.trim() ?? "";
  asked += 1;
  if (!words) { close(); return; }
  const number = asked;
  const data = new FormData();
  data.append("q", words);
  const base = form().querySelector("#form-state input[name='~base']");
  if (base) data.append("~base", base.value);
  const headers = { "X-CSRFToken": document.querySelector("meta[name=csrf-token]").content, "HX-Request": "true" };
  try {
    const answer = await fetch(input.dataset.findUrl, { method: "POST", body: data, headers });
    if (!answer.ok) throw new Error(String(answer.status));
    const html = await answer.text();
    if (number !== asked) return;
    list().innerHTML = html;
    list().hidden = false;
    input.setAttribute("aria-expanded", "true");
    form().querySelector("[data-found-status]").textContent = options().length ? "" : list().textContent;
    if (options().length) select(options()[0]);
  } catch { document.dispatchEvent(new CustomEvent("htmx:sendError")); }
}

function choose(option) {
  const pointer = option.dataset.revealPointer;
  box().value = "";
  close();
  reveal(pointer);
}

document.addEventListener("input", (event) => {
  if (!event.target.matches?.("#form [data-filter]")) return;
  clearTimeout(timer);
  timer = setTimeout(search, WAIT);
});

document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.("#form [data-filter]")) return;
  const all = options();
  const at = all.indexOf(current());
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps && all.length) {
    event.preventDefault();
    select(all[(at + steps[event.key] + all.length) % all.length]);
  } else if (event.key === "Enter") {
    event.preventDefault(); // never sends the form
    if (current()) choose(current());
  } else if (event.key === "Escape" && !list().hidden) {
    event.preventDefault();
    close();
  }
});

// Before the click that would take the focus away; find.js opens what other links name.
document.addEventListener("mousedown", (event) => { if (event.target.closest?.("#form [data-found]")) event.preventDefault(); });
document.addEventListener("click", (event) => {
  const option = event.target.closest?.("#form [data-found] [role=option]");
  if (option) { event.preventDefault(); event.stopImmediatePropagation(); choose(option); }
  else if (!event.target.matches?.("#form [data-filter]")) close();
}, true);
document.addEventListener("focusout", (event) => { if (event.target.matches?.("#form [data-filter]")) close(); });
