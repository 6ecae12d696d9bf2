// Mistakes are said where they are made: when a field is left, and before the form is sent. Once they have been said, the form can be sent
// nevertheless: the API server decides, and a check that is wrong must not be a trap.
import { form } from "./parts.js";
import { controlOf } from "./pointers.js";
import { show } from "./find.js";
import { wrong } from "./limits.js";

const CONTROLS = "input[name], select[name], textarea[name]";
const words = () => form()?.querySelector("[data-checks]")?.dataset ?? {};
const pointerOf = (control) => control.name.slice(2);
const named = (name) => form().querySelector(`[name="${CSS.escape(name)}"]`);

/** spec.users[1].name: items counted as they stand on the page now. */
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

function missed(control) {
  if (!control.required || control.value !== "" || control.validity?.badInput) return false;
  if (named(`e:${pointerOf(control)}`)?.value) return false;
  return there(control.closest("[data-pointer]")?.parentElement.closest("[data-pointer]"));
}

/** What is wrong with one control; nothing for what can't be changed, or is not asked for now. */
function complaints(control) {
  if (control.disabled || control.readOnly || control.closest("[hidden], [data-menu], [data-unmet]") || !/^[sinq]:/.test(control.name)) return [];
  if (missed(control)) return ["Required value"];
  const mark = control.name[0];
  if (control.validity?.badInput) return [mark === "i" ? words().integer : words().number];
  if (control.value === "" || control.matches("select, [type=radio]")) return [];
  return wrong(mark, control.value, JSON.parse(control.dataset.check ?? "{}"), where(pointerOf(control)), words());
}

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
    const help = document.getElementById(`${control.id}-h`);
    if (help?.matches("div")) help.prepend(text); else (control.closest(".console-beside") ?? frame ?? control).after(text);
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
    const link = Object.assign(document.createElement("a"), { href: `#${control.id}`, textContent: where(pointerOf(control)) });
    link.dataset.goto = control.id;
    line.append(link, `: ${said.join("; ")}`);
    made.querySelector("ul").append(line);
  }
  document.getElementById("form-errors")?.remove();
  form().querySelector(".pf-m-action").before(made);
}

function all() {
  const found = [...form().querySelectorAll(CONTROLS)].map((control) => [control, complaints(control)]);
  for (const [control, said] of found) if (control.id) say(control, said);
  return found.filter(([, said]) => said.length);
}

document.addEventListener("focusout", (event) => {
  const control = event.target;
  if (!control.matches?.(`#form :is(${CONTROLS})`) || !control.id) return;
  const said = complaints(control);
  // A field that was only passed by is not missed yet.
  if (said[0] !== "Required value" || document.getElementById(`${control.id}-v`)) say(control, said);
});
document.addEventListener("input", (event) => {
  const control = event.target;
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
  show(controlOf(sent, pointerOf(first)) ?? first);
}, true);
