// Small helps at single controls: one more or less, a password shown, a time from the calendar, bytes from a file.
import { announce, dirty, words } from "./parts.js";

function changed(control) {
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
  dirty();
}

document.addEventListener("click", (event) => {
  const step = event.target.closest("#form [data-step]");
  if (step) {
    const input = step.parentElement.querySelector("input");
    if (input.readOnly || input.disabled) return;
    const now = input.value === "" ? Number(input.placeholder || 0) : Number(input.value);
    const next = now + Number(step.dataset.step);
    if (next < Number(input.min || 0) || (input.max !== "" && next > Number(input.max))) return;
    input.value = next;
    changed(input);
    announce(String(next));
  }
  const reveal = event.target.closest("#form [data-reveal]");
  if (reveal) {
    const input = document.getElementById(reveal.getAttribute("aria-controls"));
    const shown = input.type === "text";
    input.type = shown ? "password" : "text";
    reveal.textContent = words(shown ? "show" : "hide");
    reveal.setAttribute("aria-pressed", String(!shown));
  }
});

// A line that is to hold many becomes a text area of the same name.
export function manyLines(input, text = input.value) {
  const area = document.createElement("textarea");
  for (const attribute of input.attributes) if (!["type", "value", "list", "pattern", "data-picker"].includes(attribute.name)) area.setAttribute(attribute.name, attribute.value);
  Object.assign(area, { rows: Math.min(12, text.split("\n").length + 2), defaultValue: input.defaultValue, value: text });
  input.closest(".pf-v6-c-form-control").classList.add("pf-m-textarea", "pf-m-resize-vertical");
  input.replaceWith(area);
  area.focus();
  changed(area);
}
const plain = (input) => input.matches?.("#form input[name^='s:']:not([readonly])");
document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text") ?? "";
  if (!plain(event.target) || !/\n./.test(text)) return;
  event.preventDefault();
  const { selectionStart: from, selectionEnd: to, value } = event.target;
  manyLines(event.target, value.slice(0, from) + text.replaceAll("\r\n", "\n") + value.slice(to));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.shiftKey || !plain(event.target)) return;
  event.preventDefault();
  manyLines(event.target, `${event.target.value}\n`);
});

async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

document.addEventListener("change", async (event) => {
  const input = event.target;
  if (!input.closest("#form")) return;
  if (input.matches("[data-file]") && input.files.length) {
    const area = document.getElementById(input.dataset.file);
    area.value = await base64(input.files[0]);
    input.value = "";
    changed(area);
  }
  // The calendar only ever writes: the text stays as it was until somebody picks a time, with its own precision and zone.
  if (input.matches("[data-calendar]") && input.value) {
    const line = input.parentElement.querySelector("input:not([data-calendar])");
    line.value = new Date(input.value).toISOString().replace(".000", "");
    changed(line);
  }
});
