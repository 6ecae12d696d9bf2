// Laying the server's new HTML over what is on the page, without taking anything from the person who uses it:
// focus, scroll, what was typed, ticked or selected and which details are open stay as they are.
import { Idiomorph } from "idiomorph/dist/idiomorph.esm.js";
import { dress } from "./age.js";
import { isLeaving, mayAdd, mayMorph, noteRemoved, takeLeft } from "./guard.js";
import { leave, mark, motion, partOf } from "./marks.js";

const MARKS = ["data-live-mark", "data-live-leaving"];
const touched = (node) => {
  if (node instanceof HTMLInputElement && ["checkbox", "radio"].includes(node.type)) return node.checked !== node.defaultChecked;
  if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) return node.value !== node.defaultValue;
  if (node instanceof HTMLSelectElement) return [...node.options].some((option) => option.selected !== option.defaultSelected);
  return false;
};

// `changed`, `added`: what is marked afterwards. `live`: a row that was made for everybody.
function options(target, changed, added, live) {
  const isRow = (node) => node instanceof HTMLTableRowElement && Boolean(node.id);
  return {
    ignoreActiveValue: true,
    restoreFocus: true,
    callbacks: {
      beforeNodeMorphed(old, fresh) {
        if (old === document.activeElement && old.isContentEditable) return false;
        if (fresh.hasAttribute?.("data-live-leaves")) return false;
        // A region inside this one fetches itself, by its own topics.
        if (old !== target && old.hasAttribute?.("data-live") && old.id && old.id === fresh.id) return false;
        if (touched(old) || old.hasAttribute?.("data-live-keep") || !mayMorph(old, fresh)) return false;
        if (old.nodeType === Node.TEXT_NODE && old.nodeValue.trim() !== fresh.nodeValue.trim()) changed.add(partOf(old));
        return true;
      },
      beforeNodeAdded: (fresh) => mayAdd(fresh, target),
      afterNodeAdded(node) {
        if (isRow(node)) added.add(node);
        else if (node instanceof Element || node.nodeValue?.trim()) changed.add(partOf(node));
      },
      beforeNodeRemoved(node) {
        if (isLeaving(node) || node.hasAttribute?.("data-row-tools")) return false;
        noteRemoved(node);
        if (!isRow(node) || !motion()) return true;
        leave(node);
        return false;
      },
      // A row of everybody's says "Age" where this reader's headings say "Created".
      beforeAttributeUpdated: (name, node) =>
        !(live && name === "data-label") && !(name === "open" && (node instanceof HTMLDetailsElement || node instanceof HTMLDialogElement)) && !MARKS.includes(name),
    },
  };
}

// The space between rows and cells shows nothing, and would make every row behind a new one leave its place for a moment.
function tidy(root) {
  for (const parent of [root, ...root.querySelectorAll("tbody, tr")]) {
    if (!["TBODY", "TR"].includes(parent.nodeName)) continue;
    for (const node of [...parent.childNodes]) if (node.nodeType === Node.TEXT_NODE && !node.nodeValue.trim()) node.remove();
  }
  return root;
}

// One row as an element; a <template> is the one place where a <tr> may stand alone.
export function rowFrom(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

export function fragmentOf(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

// `fresh`: an element that takes the place of `element`, or HTML or a fragment that holds one with its id, or those of its inside.
// Returns what was left as it was: [[element, "stale" | "selected"]].
export function morph(element, fresh) {
  const [changed, added] = [new Set(), new Set()];
  const inside = typeof fresh === "string" ? fragmentOf(fresh) : fresh;
  const whole = !(inside instanceof DocumentFragment);
  const how = options(element, changed, added, whole);
  takeLeft();
  tidy(element);
  dress(inside);
  let nodes = [element];
  const same = whole ? inside : element.id && inside.querySelector(`#${CSS.escape(element.id)}`);
  if (same) nodes = Idiomorph.morph(element, tidy(same), { ...how, morphStyle: "outerHTML" });
  else Idiomorph.morph(element, inside.childNodes, { ...how, morphStyle: "innerHTML" });
  for (const node of nodes ?? []) if (node instanceof Element) window.htmx?.process(node);
  changed.delete(null);
  // The smallest part that shows it all is enough.
  for (const part of changed) if (element.contains(part) && !changed.has(partOf(part.parentElement))) mark(part);
  for (const row of added) mark(row, "new");
  return takeLeft();
}
