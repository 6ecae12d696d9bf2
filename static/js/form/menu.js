// The small menu of a field: copy its path, take its default, undo, clear. The page holds its words once.
import { announce, dirty, form, words } from "./parts.js";
import { controlOf } from "./pointers.js";

const controls = (box) => [...box.querySelectorAll("input:not([type=hidden]):not([type=file]), select, textarea")].filter((one) => one.name && !one.closest("[data-menu]"));
const own = (box) => controls(box).filter((one) => one.closest("[data-pointer]") === box);

function put(box, text) {
  const control = controlOf(form(), box.dataset.pointer);
  if (!control) return;
  if (control.type === "radio") for (const one of own(box)) one.checked = one.value === text;
  else control.value = text;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
  (own(box).find((one) => one.checked) ?? control).focus();
}

function drawn(control) {
  if (control.matches("select")) return [...control.options].find((option) => option.defaultSelected)?.value ?? control.options[0]?.value ?? "";
  return control.defaultValue;
}

function reset(box) {
  const state = box.querySelector("[data-menu] select[name^='e:']");
  if (state) state.value = drawn(state);
  const [first] = own(box);
  if (first?.type === "radio") put(box, own(box).find((one) => one.defaultChecked)?.value ?? "");
  else if (first) put(box, drawn(first));
}

function clear(box) {
  const state = box.querySelector("[data-menu] select[name^='e:']");
  if (state) state.value = "";
  put(box, "");
}

const deeds = {
  copy: (box, menu) => navigator.clipboard.writeText(menu.querySelector("code").textContent).then(() => announce(words("copied"))),
  default: (box, menu) => put(box, menu.dataset.default),
  reset,
  clear,
};

document.addEventListener("toggle", (event) => {
  const menu = event.target;
  if (!menu.open || !menu.matches?.("#form [data-menu]")) return;
  for (const other of form().querySelectorAll("[data-menu][open]")) if (other !== menu) other.open = false;
  const box = menu.closest("[data-pointer]");
  const panel = menu.querySelector(".console-menu-panel");
  if (!panel.querySelector("[data-do]")) panel.querySelector("code").after(...form().querySelector("template[data-part=menu]").content.cloneNode(true).children);
  const [first] = own(box);
  const scalar = controlOf(form(), box.dataset.pointer);
  const locked = first?.disabled || first?.readOnly;
  panel.querySelector("[data-do=default]").hidden = locked || !("default" in menu.dataset);
  panel.querySelector("[data-do=reset]").hidden = locked || !scalar;
  panel.querySelector("[data-do=clear]").hidden = locked || !scalar;
}, true);

document.addEventListener("click", (event) => {
  const item = event.target.closest("#form [data-menu] [data-do]");
  if (!item) return;
  const menu = item.closest("[data-menu]");
  menu.open = false;
  menu.querySelector("summary").focus();
  deeds[item.dataset.do](menu.closest("[data-pointer]"), menu);
  if (item.dataset.do !== "copy") dirty();
});

// An empty text and null are said in the control itself.
document.addEventListener("change", (event) => {
  if (!event.target.matches("#form [data-menu] select[name^='e:']")) return;
  const box = event.target.closest("[data-pointer]");
  const control = controlOf(form(), box.dataset.pointer);
  if (!control || !("placeholder" in control)) return;
  control.dataset.hint ??= control.placeholder;
  const said = { null: "null", empty: words("empty") };
  control.placeholder = said[event.target.value] ?? box.querySelector("[data-menu]").dataset.default ?? control.dataset.hint;
  if (event.target.value) control.value = "";
});
