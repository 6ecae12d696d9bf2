// Mistakes are said where they are made: when a field is left, and before the form is sent. Once they have been said, the form can be sent
// nevertheless: the API server decides, and a check that is wrong must not be a trap.
import { form } from "./parts.js";
import { controlOf, idOf } from "./pointers.js";
import { show } from "./find.js";
import { load, plain, properName, waits, wrong } from "./limits.js";

const CONTROLS = "input[name], select[name], textarea[name]";
const words = () => form()?.querySelector("[data-checks]")?.dataset ?? {};
const rules = () => JSON.parse(words().rules ?? "[]");
const pointerOf = (control) => control.name.slice(2);
const named = (name) => form().querySelector(`[name="${CSS.escape(name)}"]`);

/** The labels that lead to a field, "Users › Item 1 › Name": items counted as their cards are now, from 1. */
function trail(pointer) {
  const parts = [];
  let at = "";
  for (const step of pointer.split("/").slice(1)) {
    at += `/${step}`;
    const box = form().querySelector(`[data-pointer="${CSS.escape(at)}"]`);
    if (!box || at === "/spec") continue;
    const key = named(`k:${at}`);
    const label = box.querySelector(":scope > .console-label .pf-v6-c-form__label-text, :scope > .console-section > summary .console-section-title");
    const place = box.parentElement ? [...box.parentElement.children].filter((item) => item.dataset.pointer).indexOf(box) + 1 : 1;
    parts.push(key ? key.value : /^@n?\d+$/.test(step) ? `${words().item} ${place}` : (label?.textContent ?? step).trim());
  }
  return parts.join(" › ");
}

/** spec.users[0].name, as the API server writes it: items counted as they stand on the page now. */
function where(pointer) {
  let text = "";
  let at = "";
  for (const part of pointer.split("/").slice(1)) {
    at += `/${part}`;
    if (!/^@n?\d+$/.test(part)) { text += `${text ? "." : ""}${part.replace(/^~2/, "@").replaceAll("~1", "/").replaceAll("~0", "~")}`; continue; }
    const item = form().querySelector(`[data-pointer="${CSS.escape(at)}"]`);
    const key = named(`k:${at}`);
    text += key ? `.${key.value}` : `[${item ? [...item.parentElement.children].filter((one) => one.dataset.pointer).indexOf(item) : 0}]`;
  }
  return text;
}

/** Whether the section will be there at all when this is sent: only then are its required fields missed. */
function there(box) {
  if (!box) return true;
  for (const mark of "oam") {
    const own = [...form().querySelectorAll(`[name="${CSS.escape(`${mark}:${box.dataset.pointer}`)}"]`)];
    if (own.some((one) => (one.type === "checkbox" ? one.checked : one.value === "1"))) return true;
  }
  return [...box.querySelectorAll(CONTROLS)].some((one) => /^[sinbqjydk]:/.test(one.name) && one.value !== "" && (one.type !== "radio" || one.checked));
}

const HIDDEN = "[hidden], [data-menu], [data-unmet], [data-other]";

/** Whether a field that is required - a text, a list or a section - says nothing now, while what it stands in is there. */
export function missing(box) {
  const { pointer } = box.dataset;
  if (box.closest(HIDDEN) || named(`e:${pointer}`)?.value || !there(box.parentElement.closest("[data-pointer]"))) return false;
  const control = controlOf(form(), pointer);
  if (!control) return !there(box);
  return !control.disabled && !control.readOnly && !control.validity?.badInput && control.value === "";
}

/** What a complaint about a whole field is said at: its one control, else its group, list or section. */
const target = (box) => (controlOf(form(), box.dataset.pointer)?.matches(":not([type=radio])") && controlOf(form(), box.dataset.pointer)) || document.getElementById(idOf(box.dataset.pointer));
const required = () => plain("Required value", rules());

/** What is wrong with one control; nothing for what can't be changed, or is not asked for now. */
function complaints(control) {
  if (control.disabled || control.readOnly || control.closest(HIDDEN)) return [];
  const box = control.closest("[data-pointer]");
  if (box?.hasAttribute("data-required") && box.dataset.pointer === pointerOf(control) && missing(box)) return [required()];
  if (!/^[sinq]:/.test(control.name)) return [];
  const mark = control.name[0];
  if (control.validity?.badInput) return [mark === "i" ? words().integer : words().number];
  if (control.value === "" || control.matches("select, [type=radio]")) return [];
  return wrong(mark, control.value, JSON.parse(control.dataset.check ?? "{}"), where(pointerOf(control)), words()).map((sentence) => plain(sentence, rules()));
}

/** A name that is wrong can be mended at once, where it is plain what was meant. */
function propose(control, button) {
  const name = /"name":true/.test(control.dataset.check ?? "") ? properName(control.value) : "";
  if (!name) { button.remove(); return; }
  button.textContent = button.textContent.trim().replace("%n", name);
  button.dataset.use = name;
  button.dataset.of = control.id;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("#form [data-use]");
  const control = button && document.getElementById(button.dataset.of);
  if (!control) return;
  control.value = button.dataset.use;
  control.focus();
  for (const kind of ["input", "change"]) control.dispatchEvent(new Event(kind, { bubbles: true }));
});

function say(control, said) {
  const id = `${control.id}-v`;
  const old = document.getElementById(id);
  const frame = control.closest(".pf-v6-c-form-control");
  if (!said.length && !old) return;
  old?.remove();
  frame?.classList.toggle("pf-m-error", said.length > 0);
  control.toggleAttribute("aria-invalid", said.length > 0);
  const described = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((one) => one && one !== id);
  if (said.length) {
    control.setAttribute("aria-invalid", "true");
    described.unshift(id);
    const text = form().querySelector("template[data-native-error]").content.firstElementChild.cloneNode(true);
    text.id = id;
    text.querySelector("span").textContent = said.join("; ");
    propose(control, text.querySelector("[data-use]"));
    const help = document.getElementById(`${control.id}-h`);
    const label = control.matches("[role=group]") ? control.querySelector(":scope > .console-label") : null;
    if (help?.matches("div") && !label) help.prepend(text); else (label ?? control.closest(".console-beside") ?? frame ?? control).after(text);
  }
  if (described.length) control.setAttribute("aria-describedby", described.join(" "));
}

/** What the server said about a field is past once the field is changed. */
function past(control) {
  const help = document.getElementById(`${control.id}-h`);
  const old = help?.matches(".console-error") ? help : help?.querySelector(":scope > .console-error:not([data-native-said])");
  if (!old || old.hidden) return;
  old.hidden = true;
  control.removeAttribute("aria-invalid");
  control.closest(".pf-v6-c-form-control")?.classList.remove("pf-m-error");
}

function summary(found) {
  const made = form().querySelector("template[data-native-summary]").content.firstElementChild.cloneNode(true);
  for (const [control, said] of found) {
    const line = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: `#${control.id}`, textContent: trail(control.closest("[data-pointer]").dataset.pointer) });
    link.dataset.goto = control.id;
    line.append(link, `: ${said.join("; ")}`);
    made.querySelector("ul").append(line);
  }
  document.getElementById("form-errors")?.remove();
  form().querySelector("[data-messages]").append(made);
  form().dispatchEvent(new CustomEvent("console:judged", { bubbles: true }));
}

/** Each control, list and section with what is wrong with it, in the page's order. */
function all() {
  const found = new Map([...form().querySelectorAll(CONTROLS)].map((control) => [control, complaints(control)]));
  for (const box of form().querySelectorAll("[data-required]")) {
    const element = target(box);
    if (element && !found.get(element)?.length) found.set(element, missing(box) ? [required()] : found.get(element) ?? []);
  }
  for (const [control, said] of found) if (control.id) say(control, said);
  const wrongs = [...found].filter(([, said]) => said.length);
  return wrongs.sort(([one], [other]) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
}

/** A list or section that was missed is so no longer once something is in it. */
function again(element) {
  for (let box = element.closest("[data-required]"); box; box = box.parentElement.closest("[data-required]")) {
    const said = target(box);
    if (said && document.getElementById(`${said.id}-v`) && !missing(box)) say(said, []);
  }
}

function left(control) {
  const said = complaints(control);
  // A field that was only passed by is not missed yet.
  if (said[0] !== required() || document.getElementById(`${control.id}-v`)) say(control, said);
}

document.addEventListener("focusin", (event) => {
  if (event.target.matches?.("#form [data-check]") && waits(event.target)) load();
});
document.addEventListener("focusout", (event) => {
  const control = event.target;
  if (!control.matches?.(`#form :is(${CONTROLS})`) || !control.id) return;
  left(control);
  if (waits(control)) load().then(() => left(control));
});
document.addEventListener("input", (event) => {
  const control = event.target;
  if (form()?.contains(control)) again(control);
  if (!control.matches?.(`#form :is(${CONTROLS})`) || !control.id) return;
  past(control);
  if (document.getElementById(`${control.id}-v`)) say(control, complaints(control));
});

// Before htmx hears of it, and whoever keeps what was sent.
window.addEventListener("submit", (event) => {
  const sent = event.target;
  if (sent !== form() || event.submitter?.name?.startsWith("~") || event.submitter?.formNoValidate) return;
  const found = all();
  if (!found.length) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  summary(found);
  const [[first]] = found;
  show(first);
}, true);
