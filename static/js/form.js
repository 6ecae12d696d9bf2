// The form of an object: sections fetched when they are opened, items added and removed in place, a question before typed text is left.
// Without it the same buttons send the form, and the page comes back with the section or the item.
const form = () => document.getElementById("form");
let count = Date.now() % 1e6;
let fetching = 0;

async function part(pointer, number = "") {
  const data = new FormData();
  for (const control of form().querySelectorAll("#form-state input")) data.append(control.name, control.value);
  data.append("~pointer", pointer);
  data.append("~number", number);
  const headers = { "X-CSRFToken": document.querySelector("meta[name=csrf-token]").content, "HX-Request": "true" };
  const answer = await fetch(form().dataset.sectionUrl, { method: "POST", body: data, headers });
  if (!answer.ok) throw new Error(await answer.text());
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  return template.content.firstElementChild;
}

async function during(place, work) {
  place.setAttribute("aria-busy", "true");
  fetching += 1;
  try { return await work(); }
  catch { document.dispatchEvent(new CustomEvent("htmx:sendError")); return null; }
  finally { fetching -= 1; place.removeAttribute("aria-busy"); }
}

function dirty() { if (form()) form().dataset.dirty = ""; }

function focusIn(place) { (place?.querySelector("input:not([type=hidden]), select, textarea") ?? place?.querySelector("summary, button"))?.focus(); }

async function open(section) {
  if (section.hasAttribute("aria-busy")) return;
  const made = await during(section, () => part(section.dataset.pointer));
  if (!made) { section.open = false; return; }
  const focused = section.contains(document.activeElement);
  if (made.matches("details")) made.open = true;
  section.replaceWith(made);
  if (focused) (made.querySelector("summary") ?? made).focus();
}

async function add(button) {
  const list = button.closest("[data-pointer]");
  const place = [...list.querySelectorAll(".console-items")].find((items) => items.closest("[data-pointer]") === list);
  count += 1;
  const item = await during(button, () => part(`${button.value}/@n${count}`, place.children.length + 1));
  if (!item) return;
  place.append(item);
  focusIn(item);
  dirty();
}

function remove(button) {
  const item = button.closest(".console-item");
  const near = item.nextElementSibling ?? item.previousElementSibling;
  const list = item.parentElement.closest("[data-pointer]");
  item.remove();
  if (near) focusIn(near); else list.querySelector("[data-add]")?.focus();
  dirty();
}

async function clear(button) {
  const section = button.closest("[data-pointer]");
  const body = section.querySelector(".console-section-body");
  const mark = Object.assign(document.createElement("input"), { type: "hidden", name: `x:${section.dataset.pointer}`, value: "1" });
  body.replaceChildren(mark);
  section.open = false;
  section.classList.add("console-removed");
  section.querySelector("summary").focus();
  dirty();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("#form button[name^='~']");
  if (!button || !form()) return;
  if (button.name === "~remove" && !button.hasAttribute("data-remove")) { event.preventDefault(); clear(button); return; }
  event.preventDefault();
  if (button.name === "~add") add(button);
  else if (button.name === "~remove") remove(button);
  else open(button.closest("[data-pointer]"));
});

// `toggle` does not bubble.
document.addEventListener("toggle", (event) => { if (event.target.open && event.target.matches?.("#form details[data-lazy]")) open(event.target); }, true);
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter]")) filter(event.target);
  else if (event.target.closest("#form")) dirty();
});

function filter(input) {
  const wanted = input.value.trim().toLowerCase();
  const fields = [...form().querySelectorAll(".console-fields [data-field]")];
  for (const field of fields) field.removeAttribute("data-hidden");
  if (wanted) {
    const names = (field) => [...field.querySelectorAll(".pf-v6-c-form__label, summary, .console-help")].map((element) => `${element.textContent} ${element.title}`).join(" ").toLowerCase();
    for (const field of fields) {
      const found = names(field).includes(wanted) || field.parentElement.closest("[data-field]:not(.console-advanced)")?.querySelector(":scope > summary, :scope > div > .pf-v6-c-form__label")?.textContent.toLowerCase().includes(wanted);
      if (!found) field.dataset.hidden = "";
      else if (field.matches(".console-advanced")) field.open = true;
    }
  }
  document.querySelector("[data-filter-none]").hidden = !wanted || fields.some((field) => !("hidden" in field.dataset));
}

function reveal(id) {
  const target = document.getElementById(id);
  for (let place = target; place; place = place.parentElement?.closest("details")) if (place.matches?.("details")) place.open = true;
  if (!target) return;
  target.scrollIntoView({ block: "center" });
  (target.matches("input, select, textarea") ? target : target.querySelector("summary, input:not([type=hidden]), select, textarea, button") ?? target).focus({ preventScroll: true });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-goto]");
  if (link) { event.preventDefault(); reveal(link.dataset.goto); }
});

// Every answer to a sent form is the form again, or a redirect: it is shown whatever its status is.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.id === "form" && event.detail.xhr.responseText.includes('id="form"')) Object.assign(event.detail, { shouldSwap: true, isError: false });
});
document.addEventListener("htmx:afterSettle", () => { ready(); document.getElementById("form-errors")?.focus(); });
document.addEventListener("htmx:beforeRequest", (event) => { if (event.target.id === "form" && fetching) event.preventDefault(); });
document.addEventListener("htmx:beforeOnLoad", (event) => { if (event.detail.xhr.getResponseHeader("HX-Redirect")) delete form()?.dataset.dirty; });
window.addEventListener("beforeunload", (event) => { if (form() && "dirty" in form().dataset) event.preventDefault(); });

function ready() { const box = document.querySelector(".console-form-filter"); if (box) box.hidden = false; }
ready();
