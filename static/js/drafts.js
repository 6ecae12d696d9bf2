// The safety net of pages where somebody writes an object: a copy of what is typed for as long as this tab lives, offered again when the page
// was left without saving; a question before that; a form's token renewed when it was too old; nothing sent that is too large to arrive.
import * as storage from "./frame/storage.js";

const LIMIT = 15.5 * 1024 * 1024; // console/settings.py: DATA_UPLOAD_MAX_MEMORY_SIZE
const FIELDS = 199_000; // DATA_UPLOAD_MAX_NUMBER_FIELDS
const COPY = 1024 * 1024;
const form = () => document.getElementById("form");
const native = () => form() && !form().hasAttribute("hx-post");
const address = () => (form()?.getAttribute("action") || location.pathname + location.search).replace(/[?&]view=\w+/, "");
const key = () => `draft:${address()}`;

const read = () => storage.read(key(), null, "sessionStorage");
const write = (value) => storage.write(key(), value, "sessionStorage");

function pairs() { return [...new FormData(form())].filter(([name, value]) => name !== "csrfmiddlewaretoken" && typeof value === "string"); }

let timer = 0;
function keep() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (!form() || "secret" in form().dataset) return;
    const found = pairs();
    if (found.reduce((size, [name, value]) => size + name.length + value.length, 0) < COPY) write({ pairs: found });
  }, 400);
}

// A page that was answered to something typed is not saved; one that was asked for may have been left by mistake.
function look() {
  if (document.querySelector("[data-kept]")) { const found = read(); if (found) write({ ...found, sent: false }); return; }
  if (!form()) return;
  if ("dirty" in form().dataset) { keep(); return; }
  const found = read();
  if (!found) return;
  if (found.sent) write(null); else offer(found);
}

function offer(found) {
  const template = document.getElementById("restore-template");
  const place = document.querySelector("#main > section");
  if (!template || !place) return;
  const box = template.content.firstElementChild.cloneNode(true);
  place.after(box);
  box.querySelector("[data-forget]").addEventListener("click", () => { write(null); box.remove(); });
  box.querySelector("[data-restore]").addEventListener("click", () => { box.remove(); restore(found); });
}

function restore(found) {
  const area = form().querySelector("textarea[data-editor]");
  const said = (name) => found.pairs.find(([other]) => other === name);
  const text = said("text");
  // Of an object that has changed since, the text belongs to what it was when it was opened: the server has to merge it.
  if (area && text && (said("~original")?.[1] ?? "") === (form().querySelector("[name='~original']")?.value ?? "")) {
    area.value = text[1].replaceAll("\r\n", "\n");
    area.dispatchEvent(new Event("console:set"));
    form().dataset.dirty = "";
    return;
  }
  // A form is drawn by the server, from what its controls said; the object as it was opened is part of that.
  const sending = Object.assign(document.createElement("form"), { method: "post", action: form().getAttribute("action"), hidden: true });
  const token = form().querySelector("[name=csrfmiddlewaretoken]").value;
  for (const [name, value] of [["csrfmiddlewaretoken", token], ...found.pairs, ["~back", "1"]]) {
    const control = document.createElement("textarea");
    control.name = name;
    control.value = value;
    sending.append(control);
  }
  document.body.append(sending);
  delete form().dataset.dirty;
  sending.submit();
}

function tooLarge() {
  let size = 0, count = 0;
  for (const [name, value] of new FormData(form())) { count += 1; size += name.length + (typeof value === "string" ? new Blob([value]).size : value.size) + 8; }
  return size > LIMIT || count > FIELDS;
}

// Before htmx hears of it: what goes to another page is sent by the browser itself.
document.addEventListener("submit", (event) => {
  if (event.target.id !== "form") return;
  if (tooLarge()) {
    event.preventDefault();
    event.stopPropagation();
    const box = document.getElementById("toobig-template").content.firstElementChild.cloneNode(true);
    event.target.prepend(box);
    box.focus();
    return;
  }
  const leaves = event.submitter?.hasAttribute("data-native") || !event.target.hasAttribute("hx-post");
  clearTimeout(timer);
  const found = read();
  if (found) write({ ...found, sent: true });
  if (!leaves) return;
  event.stopPropagation();
  delete event.target.dataset.dirty;
}, true);

document.addEventListener("input", (event) => {
  if (!event.target.closest("#form") || event.target.matches("[data-filter]")) return;
  if (native()) form().dataset.dirty = "";
  keep();
});
addEventListener("beforeunload", (event) => { if (native() && "dirty" in form().dataset) event.preventDefault(); });

// The console could not make the page: its words are put above what was typed, which stays. A token that was too old is renewed.
let again = false;
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  const token = xhr.getResponseHeader("X-Console-Kept");
  if (!token) { again = false; return; }
  for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = token;
  document.querySelector("meta[name=csrf-token]").content = token;
  if (xhr.getResponseHeader("X-Console-Again") && !again) {
    again = true;
    event.detail.shouldSwap = false;
    event.detail.isError = false;
    const button = requestConfig.triggeringEvent?.submitter;
    setTimeout(() => form().requestSubmit(button?.isConnected ? button : undefined));
    return;
  }
  const place = document.getElementById("form-kept");
  if (place) Object.assign(event.detail, { shouldSwap: true, isError: false, target: place, swapOverride: "innerHTML show:top" });
  const found = read();
  if (found) write({ ...found, sent: false });
});
document.addEventListener("htmx:beforeOnLoad", (event) => { if (event.detail.xhr.getResponseHeader("HX-Redirect")) write(null); });
document.addEventListener("htmx:sendError", () => { const found = read(); if (found) write({ ...found, sent: false }); });
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target?.id !== "form" && event.detail.elt?.id !== "form") return;
  document.querySelector("#review-title, #start-asks")?.focus();
  if (form() && "dirty" in form().dataset) keep();
});
look();
