// The YAML beside the form: what the form says, tried on the API server after a second's rest. Asked for only while it is open.
import { read, write } from "../frame/storage.js";
import { form } from "./parts.js";

const KEY = "form-preview";
export const REST_MS = 1000;
const panel = () => document.getElementById("form-preview");
const button = () => form()?.querySelector("[data-preview]");

const wanted = () => read(KEY) === 1;
const want = (open) => write(KEY, open ? 1 : 0);

let asking = null;

async function ask() {
  const place = panel();
  if (!place || place.hidden) return;
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  const body = new URLSearchParams([...new FormData(form())].filter(([, value]) => typeof value === "string"));
  body.set("~preview", "1");
  const headers = { "X-CSRFToken": document.querySelector("meta[name=csrf-token]").content, "HX-Request": "true" };
  place.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form().getAttribute("action"), { method: "POST", body, headers, signal });
    const text = await answer.text();
    // What came meanwhile is newer; a page that is no part of the form says what is wrong in its own place.
    if (!signal.aborted && answer.ok) place.querySelector("[data-content]").innerHTML = text;
    else if (!signal.aborted) document.dispatchEvent(new CustomEvent("htmx:responseError"));
  } catch (error) {
    if (error.name !== "AbortError") document.dispatchEvent(new CustomEvent("htmx:sendError"));
  } finally {
    if (!signal.aborted) place.removeAttribute("aria-busy");
  }
}

let waiting = 0;
function later() {
  clearTimeout(waiting);
  if (panel() && !panel().hidden) waiting = setTimeout(ask, REST_MS);
}

function show(open) {
  if (!button()) return;
  button().hidden = false;
  button().setAttribute("aria-expanded", String(open));
  panel().hidden = !open;
  if (open) ask();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#form [data-preview]")) { want(panel().hidden); show(panel().hidden); }
  else if (event.target.closest("#form button")) later();
});
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => { if (event.target.closest?.("#form")) later(); });
}
document.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "form") show(wanted()); });
show(wanted());
