// What nothing that is laid over a page may do, whoever lays it: show a row older than it was, bring back what is gone, or touch text that
// somebody is selecting.
import { note, staleInList } from "./versions.js";

const isRow = (node) => node instanceof HTMLTableRowElement && node.id.startsWith("row-");
export const uidOf = (row) => row.id.slice(4);
export const isLeaving = (node) => node instanceof HTMLElement && (node.hasAttribute("data-live-leaving") || node.hasAttribute("data-live-gone"));

// Both ends, asked for once in a task: to ask makes the browser lay the page out.
let ends = null;
function selected() {
  if (ends) return ends;
  const selection = getSelection();
  ends = selection && !selection.isCollapsed ? [selection.anchorNode, selection.focusNode] : [];
  setTimeout(() => { ends = null; });
  return ends;
}
document.addEventListener("selectionchange", () => { ends = null; });

// Where a selection begins or ends, not all that it goes over: "select all" is nobody's work with one row.
export const selecting = (node) => selected().some((end) => node.contains(end));

// What was left as it is: [element, why]; why: "stale" or "selected".
const left = [];
export const takeLeft = () => left.splice(0);

export function mayMorph(old, fresh) {
  if (isLeaving(old)) return false;
  if (isRow(old) && isRow(fresh)) {
    // A row of other columns is another question's answer.
    if (staleInList(uidOf(fresh), fresh.dataset.version, old.dataset.version) && old.cells.length === fresh.cells.length) { left.push([old, "stale"]); return false; }
    if (selecting(old) && !old.isEqualNode(fresh)) { left.push([old, "selected"]); return false; }
    note(uidOf(fresh), fresh.dataset.version);
  } else if (old.nodeType === Node.TEXT_NODE && old.nodeValue !== fresh.nodeValue && selecting(old)) {
    left.push([old.parentElement, "selected"]);
    return false;
  }
  return true;
}

export function mayAdd(fresh, target) {
  if (!isRow(fresh)) return true;
  if (staleInList(uidOf(fresh), fresh.dataset.version)) { left.push([target, "stale"]); return false; }
  note(uidOf(fresh), fresh.dataset.version);
  return true;
}

// A row that leaves the list was shown up to now: an answer that was made before does not bring it back as it was.
export function noteRemoved(node) {
  if (isRow(node)) note(uidOf(node), node.dataset.version);
}
