// The form of an object: sections fetched when they are opened, items added, moved, copied and removed in place, a question before typed
// text is left. Without it the same buttons send the form, and the page comes back with the section or the item.
import { manyLines } from "./form/controls.js";
import { refresh } from "./form/depends.js";
import "./form/find.js";
import "./form/guard.js";
import { add, duplicate, move, remove } from "./form/items.js";
import "./form/menu.js";
import { paste } from "./form/paste.js";
import "./form/pickers.js";
import "./form/preview.js";
import { clear, undo } from "./form/removal.js";
import "./form/spine.js";
import "./form/validate.js";
import { form, open } from "./form/parts.js";

// What the server does just as well is left to it: YAML boxes come back with the whole form.
const deeds = { "~add": add, "~open": (button) => open(button.closest("[data-pointer]")), "~move-up": (button) => move(button, -1), "~move-down": (button) => move(button, 1) };

function lines(button) {
  const input = button.closest("[data-pointer]").querySelector(`input[name="${CSS.escape(`s:${button.value}`)}"]`);
  if (button.closest("details")) button.closest("details").open = false;
  if (input) manyLines(input);
}
deeds["~lines"] = lines;

document.addEventListener("click", (event) => {
  const button = event.target.closest("#form button");
  if (!button || !form()) return;
  const deed = button.name === "~remove" ? (button.hasAttribute("data-remove") ? remove : clear) : deeds[button.name];
  if (deed) { event.preventDefault(); deed(button); }
  else if (button.hasAttribute("data-duplicate")) duplicate(button);
  else if (button.hasAttribute("data-paste")) paste(button);
  else if (button.hasAttribute("data-undo")) undo(button);
});

// `toggle` does not bubble.
document.addEventListener("toggle", (event) => {
  if (event.target.open && event.target.matches?.("#form details[data-lazy]")) open(event.target.closest("[data-pointer]"));
}, true);

document.addEventListener("htmx:afterSettle", () => refresh());
refresh();
