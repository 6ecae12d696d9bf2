// What matters only under a condition: fields that depend on another's value, branches of a choice. Hidden, never emptied.
import { controlOf } from "./pointers.js";

const form = () => document.getElementById("form");

function valueOf(pointer) {
  const control = controlOf(form(), pointer);
  if (!control) return null;
  return control.value || control.closest("[data-field]")?.querySelector(":scope > .console-label > [data-menu]")?.dataset.default || "";
}

/** Every pointer that is named must have one of the values that are named with it; one that is not on the page decides nothing. */
function met(needs) {
  const by = new Map();
  for (const [pointer, value] of needs) by.set(pointer, [...(by.get(pointer) ?? []), value]);
  return [...by].every(([pointer, values]) => { const value = valueOf(pointer); return value === null || values.includes(value); });
}

function choose(group) {
  const chosen = group.querySelector("input:checked, select")?.value ?? "";
  for (const child of group.parentElement.querySelectorAll("[data-branches]")) {
    if (child.parentElement.closest("[data-pointer]") !== group.closest("[data-pointer]")) continue;
    child.toggleAttribute("data-other", !child.dataset.branches.split(" ").includes(chosen));
  }
}

export function refresh(root = form()) {
  if (!root || !form()) return;
  for (const field of [root, ...root.querySelectorAll("[data-depends]")]) {
    if (field.dataset?.depends) field.toggleAttribute("data-unmet", !met(JSON.parse(field.dataset.depends)));
  }
  for (const group of root.querySelectorAll("[data-choices]")) choose(group);
}

document.addEventListener("change", (event) => {
  if (!form()?.contains(event.target)) return;
  const group = event.target.closest("[data-choices]");
  if (group) choose(group);
  for (const field of form().querySelectorAll("[data-depends]")) field.toggleAttribute("data-unmet", !met(JSON.parse(field.dataset.depends)));
});
