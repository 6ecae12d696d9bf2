// Laying the server's new HTML over what is on the page, without taking anything from the person who uses it:
// focus, scroll, what was typed, what was ticked and which details are open stay as they are.
import { Idiomorph } from "idiomorph/dist/idiomorph.esm.js";

const touched = (node) => {
  if (node instanceof HTMLInputElement && ["checkbox", "radio"].includes(node.type)) return node.checked !== node.defaultChecked;
  if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) return node.value !== node.defaultValue;
  if (node instanceof HTMLSelectElement) return [...node.options].some((option) => option.selected !== option.defaultSelected);
  return false;
};

const OPTIONS = {
  ignoreActiveValue: true,
  restoreFocus: true,
  callbacks: {
    beforeNodeMorphed: (node) => !(node === document.activeElement && node.isContentEditable) && !touched(node) && !node.hasAttribute?.("data-live-keep"),
    beforeAttributeUpdated: (name, node) => !(name === "open" && (node instanceof HTMLDetailsElement || node instanceof HTMLDialogElement)),
  },
};

// One row as an element; a <template> is the one place where a <tr> may stand alone.
export function rowFrom(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// `fresh`: an element that takes the place of `element`, or HTML that holds one with its id, or HTML of its inside.
export function morph(element, fresh) {
  if (typeof fresh !== "string") return done(Idiomorph.morph(element, fresh, { ...OPTIONS, morphStyle: "outerHTML" }));
  const template = document.createElement("template");
  template.innerHTML = fresh;
  const same = element.id && template.content.querySelector(`#${CSS.escape(element.id)}`);
  if (same) return done(Idiomorph.morph(element, same, { ...OPTIONS, morphStyle: "outerHTML" }));
  return done(Idiomorph.morph(element, template.content.childNodes, { ...OPTIONS, morphStyle: "innerHTML" }), element);
}

function done(nodes, element) {
  for (const node of element ? [element] : (nodes ?? [])) if (node instanceof Element) window.htmx?.process(node);
}
