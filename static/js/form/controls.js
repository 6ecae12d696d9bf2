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

// What the browser itself can judge is marked when a field is left; the words stand beside the label already.
document.addEventListener("focusout", (event) => {
  const control = event.target;
  if (!control.closest?.("#form") || !control.validity || control.closest("[data-menu]")) return;
  const wrong = !control.validity.valid && !control.validity.valueMissing;
  const frame = control.closest(".pf-v6-c-form-control");
  if (!frame || (!wrong && !("wrong" in frame.dataset))) return;
  frame.classList.toggle("pf-m-error", wrong);
  if (wrong) { frame.dataset.wrong = ""; control.setAttribute("aria-invalid", "true"); }
  else { delete frame.dataset.wrong; control.removeAttribute("aria-invalid"); }
  control.closest("[data-field]")?.toggleAttribute("data-wrong", wrong);
});
