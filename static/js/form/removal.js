// A section that was there is removed as a whole, and can be brought back until the form is sent.
import { announce, dirty, words } from "./parts.js";

const removed = new WeakMap();

export function clear(button) {
  const box = button.closest("[data-pointer]");
  const menu = button.closest("details");
  menu.open = false;
  const name = box.querySelector(".console-section-title, .pf-v6-c-form__label-text")?.textContent.trim() ?? "";
  const note = document.createElement("div");
  note.className = "console-gone console-muted pf-v6-u-py-sm";
  const mark = Object.assign(document.createElement("input"), { type: "hidden", name: `x:${box.dataset.pointer}`, value: "1" });
  const back = Object.assign(document.createElement("button"), { type: "button", className: "pf-v6-c-button pf-m-link pf-m-inline", textContent: words("undo") });
  back.dataset.undo = "";
  note.append(`${words("removed")}: ${name} `, back, mark);
  note.dataset.field = "";
  note.dataset.pointer = box.dataset.pointer;
  removed.set(back, box);
  box.replaceWith(note);
  back.focus();
  dirty();
  announce(`${words("removed")}: ${name}`);
}

export function undo(button) {
  const box = removed.get(button);
  button.closest(".console-gone").replaceWith(box);
  box.querySelector("summary, button")?.focus();
}
