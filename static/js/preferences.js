// What is preferred takes effect where it is chosen: theme and times at once, a language by loading the page anew where it was scrolled to.
// Without this the forms post, and lead back to the page.
import { tick } from "./live/age.js";

const root = document.documentElement;
const changed = (select) => Boolean(select) && !select.selectedOptions[0]?.defaultSelected;

function apply(form) {
  const { theme, times, language } = form.elements;
  if (theme) {
    root.dataset.theme = theme.value;
    document.dispatchEvent(new Event("console:theme"));
  }
  if (times) {
    root.dataset.times = times.value;
    tick();
  }
  for (const [name, from] of Object.entries({ theme, times })) {
    if (from) for (const other of document.querySelectorAll(`form[data-preferences] select[name=${name}]`)) settle(other, from.value);
  }
  if (changed(language)) location.reload();
}

// What is saved is what the form begins from now on.
function settle(select, value) {
  for (const option of select.options) option.defaultSelected = option.value === value;
  select.value = value;
}

function complain(form, errors) {
  for (const place of form.querySelectorAll("[id$='-error']")) {
    const text = errors[place.id.slice(0, -6)] ?? "";
    place.textContent = text;
    place.hidden = !text;
    const field = form.elements[place.id.slice(0, -6)];
    field?.toggleAttribute("aria-invalid", Boolean(text));
    field?.parentElement.classList.toggle("pf-m-error", Boolean(text) && field.matches("input"));
  }
  const first = Object.keys(errors)[0];
  if (first) form.elements[first]?.focus();
}

async function save(form) {
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { Accept: "application/json" } });
  if (!(answer.headers.get("Content-Type") ?? "").includes("json") || (!answer.ok && answer.status !== 422)) throw new Error(answer.statusText);
  const { errors } = await answer.json();
  complain(form, errors);
  const said = form.querySelector("[data-saved]");
  if (said) said.textContent = Object.keys(errors).length ? "" : said.dataset.text;
  if (!Object.keys(errors).length) apply(form);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("form[data-save-search]")) form.elements.query.value = location.search.slice(1);
  if (!form.matches("form[data-preferences]")) return;
  event.preventDefault();
  // Whatever can't be answered here is said by a page of its own.
  save(form).catch(() => form.submit());
});
