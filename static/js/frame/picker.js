// The namespace picker: names are found by typing, and those picked lately come first.
import { read, write } from "./storage.js";

const MOST = 5;
const KEY = `console-namespaces${document.documentElement.dataset.prefix ?? ""}`;

export const matches = (name, typed) => name.toLowerCase().includes(typed.trim().toLowerCase());
export const withPicked = (names, picked) => [picked, ...names.filter((name) => name !== picked)].slice(0, MOST);

const recent = () => read(KEY, []);
const remember = (name) => write(KEY, withPicked(recent(), name));

function drawRecent(form) {
  const there = new Map([...form.querySelectorAll("[data-picker-names] button")].map((button) => [button.value, button]));
  const names = there.size > MOST * 2 ? recent().filter((name) => there.has(name) && name !== "-") : [];
  const list = form.querySelector("[data-picker-recent]");
  list.replaceChildren(...names.map((name) => {
    const item = document.createElement("li");
    const button = there.get(name).cloneNode(true);
    item.append(button);
    return item;
  }));
  list.hidden = !names.length;
}

function filter(form, typed) {
  let found = 0;
  for (const button of form.querySelectorAll("[data-picker-names] button")) {
    const shown = !typed.trim() || (button.value !== "-" && matches(button.value, typed));
    button.parentElement.hidden = !shown;
    found += shown;
  }
  const list = form.querySelector("[data-picker-recent]");
  list.hidden = Boolean(typed.trim()) || !list.children.length;
  form.querySelector("[data-picker-none]").hidden = found > 0;
}

const menu = document.getElementById("namespace-menu");
const form = menu?.querySelector("[data-picker]");
const field = form?.querySelector("[type=search]");
menu?.addEventListener("toggle", () => {
  if (!menu.open) return;
  drawRecent(form);
  field.value = "";
  filter(form, "");
  field.focus();
});
field?.addEventListener("input", () => filter(form, field.value));
menu?.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const buttons = [...form.querySelectorAll(".console-picker-name")].filter((button) => button.offsetParent);
  const at = buttons.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  (buttons[at] ?? field).focus();
});
// Enter takes the first name that matches; a name that is not in the list is sent as it is typed.
field?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  const exact = form.querySelector(`[data-picker-names] [value="${CSS.escape(field.value.trim())}"]`);
  const first = [...form.querySelectorAll("[data-picker-names] button")].find((button) => button.offsetParent);
  const chosen = exact ?? (field.value.trim() && first);
  if (!chosen) return;
  event.preventDefault();
  form.requestSubmit(chosen);
});
form?.addEventListener("submit", (event) => {
  const name = event.submitter?.value || field.value.trim();
  if (name) remember(name);
});
