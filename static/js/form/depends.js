// What matters only under a condition: fields that depend on another's value, branches of a choice. What is hidden keeps its text on
// the page and is not sent; a value that an object came with stays visible, with the condition in words (data-held).
import { controlOf } from "./pointers.js";

const form = () => document.getElementById("form");

function valueOf(control) {
  return control.value || control.closest("[data-field]")?.querySelector(":scope > .console-label > [data-menu]")?.dataset.default || "";
}

/** Every pointer that is named must hold one of the values that are named with it. What is not on the page is as it was drawn. */
function met(needs) {
  const by = new Map();
  for (const [pointer, value, drawn] of needs) by.set(pointer, [...(by.get(pointer) ?? []), { value, drawn }]);
  return [...by].every(([pointer, options]) => {
    const control = controlOf(form(), pointer);
    if (!control) return options.some(({ drawn }) => drawn);
    return !control.closest("[data-unmet]") && options.some(({ value }) => value === valueOf(control));
  });
}

/** Fields that depend on hidden fields are hidden too, in whatever order they stand: until nothing changes any more. */
function showWhatIsMet() {
  const fields = [...form().querySelectorAll("[data-depends]:not([data-held])")];
  for (let round = 0; round <= fields.length; round += 1) {
    const changed = fields.filter((field) => {
      const unmet = !met(JSON.parse(field.dataset.depends));
      const differs = unmet !== field.hasAttribute("data-unmet");
      field.toggleAttribute("data-unmet", unmet);
      return differs;
    });
    if (!changed.length) return;
  }
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
  showWhatIsMet();
  for (const group of root.querySelectorAll("[data-choices]")) choose(group);
}

// While typing, too: a field that first appeared when the text is left would move what is about to be clicked.
document.addEventListener("input", (event) => { if (form()?.contains(event.target)) showWhatIsMet(); });
document.addEventListener("change", (event) => {
  if (!form()?.contains(event.target)) return;
  const group = event.target.closest("[data-choices]");
  if (group) choose(group);
  showWhatIsMet();
});

// Whatever reads the form - htmx, the browser itself, the copy in this tab - gets what is to be seen.
document.addEventListener("formdata", (event) => {
  if (event.target !== form()) return;
  for (const field of form().querySelectorAll("[data-unmet]")) {
    if (field.parentElement.closest("[data-unmet]")) continue;
    for (const control of field.querySelectorAll("[name]")) event.formData.delete(control.name);
    event.formData.append(`x:${field.dataset.pointer}`, "1");
  }
});
