// A list by keys: j and k go down and up, x selects (with Shift a range), o opens, Space peeks, e edits, l shows the logs,
// b goes to the bulk bar, n shows new rows, Escape closes the peek, then clears the selection.
// "/" is in palette.js, the arrow keys in keyboard/rows.js.
import { showAll } from "../live/arrivals.js";
import { close, isOpen, peek } from "./peek.js";
import { choose, clear, selected } from "./selection.js";
import { hasTool, linkOf } from "./tools.js";

const list = () => document.getElementById("rows");
const rows = () => [...(list()?.querySelectorAll(":scope > tr[id^='row-']") ?? [])];
const rowOf = (node) => node.closest?.("#rows > tr[id^='row-']");
const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select";
const busy = (node) => node.isContentEditable || node.matches?.(FIELDS)
  || node.closest?.("[popover]:popover-open, dialog[open], .console-menu[open]");

function move(row, step) {
  const all = rows();
  const next = all[row ? Math.min(all.length - 1, Math.max(0, all.indexOf(row) + step)) : 0];
  linkOf(next)?.focus();
  if (next && isOpen()) peek(next);
}
function select(row, range) {
  const box = row.querySelector("input[name=chosen]");
  if (box) choose(box, range || !box.checked, range);
}
const go = (row, to) => location.assign(new URL(to, linkOf(row).href));
// Operators have pages of another kind.
const areObjects = () => document.getElementById("row-tools")?.matches("[data-objects]");

const ACTS = {
  j: (row) => move(row, 1),
  k: (row) => move(row, -1),
  x: (row) => row && select(row, false),
  X: (row) => row && select(row, true),
  o: (row) => row && linkOf(row).click(),
  e: (row) => row && areObjects() && go(row, "edit/"),
  l: (row) => row && hasTool("logs/") && go(row, "logs/"),
  n: () => document.querySelector("[data-live-new='rows']:not([hidden])") && showAll(list()),
  b: () => selected() && document.querySelector("#bulk button[name=action]")?.focus(),
};

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || !list() || busy(target)) return;
  const row = rowOf(target);
  if (key === "Escape") {
    if (isOpen()) close();
    else if (selected()) clear();
    return;
  }
  // On a box or a button the space bar is theirs.
  if (key === " " && row && target.matches("a[href]")) { event.preventDefault(); peek(row, { toggle: true }); return; }
  const act = ACTS[key] ?? ACTS[key.toLowerCase()];
  if (!act || document.querySelector("dialog[open]")) return;
  if (key !== "n" && act !== ACTS.j && act !== ACTS.k && act !== ACTS.b && !row) return;
  event.preventDefault();
  act(row);
});
