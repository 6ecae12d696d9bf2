// YAML over a plain <textarea data-editor>, which goes on to carry the text when it is sent; without script it is the editor itself.
// Colours, folding, search and undo; completion, hover and errors in the margin from the cluster's schema of the kind, fetched after paint.
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { colours } from "./editor/colours.js";
import { completer } from "./editor/complete.js";
import { hovering } from "./editor/hover.js";
import { forceLinting, linting } from "./editor/lint.js";
import { Schemas } from "./editor/schema.js";
import { settings } from "./editor/settings.js";
import { tools } from "./editor/tools.js";
import { indentation, over } from "./editor/typing.js";

function wordsOf({ dataset: data }) {
  return {
    required: data.wordRequired, default: data.wordDefault, unknown: data.wordUnknown, missing: data.wordMissing, type: data.wordType,
    oneOf: data.wordOneOf, twice: data.wordTwice, immutable: data.wordImmutable,
  };
}

function reporter(frame) {
  const place = frame.querySelector("[data-editor-state]");
  // `unchecked`: "none" (the cluster has no such schema), "long" (left to the server), "" when all was looked at.
  return (errors, unchecked) => {
    if (!place) return;
    const { textErrors, textGood, textNone, textLong } = place.dataset;
    const text = errors ? `${textErrors} ${errors}` : { none: textNone, long: textLong }[unchecked] ?? textGood;
    if (place.textContent !== text) place.textContent = text;
  };
}

export function goto(view, number, column = 1) {
  if (!(number >= 1) || number > view.state.doc.lines) return;
  const line = view.state.doc.line(number);
  const place = Math.min(line.from + Math.max(0, column - 1), line.to);
  view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
}

function save(area) {
  const button = area.form?.querySelector("button[type=submit].pf-m-primary");
  if (button) area.form.requestSubmit(button);
  return true;
}

function enhance(area) {
  const frame = area.closest("[data-editor-frame]") ?? area.parentElement;
  const words = wordsOf(frame);
  const schemas = new Schemas(frame.dataset.schemas);
  let kinds = null;
  const kindsOf = () => (kinds ??= fetch(frame.dataset.kinds).then((answer) => (answer.ok ? answer.json() : [])).catch(() => []));
  const marks = JSON.parse(area.dataset.marks || "[]");
  const preferences = settings(frame, (typing) => completer(schemas, kindsOf, words, typing));
  const view = new EditorView({
    parent: area.parentElement,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        EditorView.cspNonce.of(document.querySelector("meta[name=csp-nonce]")?.content ?? ""), lineNumbers(), foldGutter(), history(), drawSelection(), indentOnInput(),
        bracketMatching(), closeBrackets(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }), indentUnit.of("  "), indentation, over, yaml(), colours,
        tooltips({ position: "absolute" }), EditorView.contentAttributes.of({ tabindex: "0", "aria-label": area.labels?.[0]?.textContent.trim() ?? "YAML" }), EditorState.readOnly.of(area.readOnly),
        preferences.extension, hovering(schemas, words), linting(schemas, marks, words, reporter(frame)),
        keymap.of([{ key: "Mod-s", preventDefault: true, run: () => save(area) }, ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          area.value = update.state.doc.toString();
          area.dispatchEvent(new Event("input", { bubbles: true }));
        }),
      ],
    }),
  });
  area.after(view.dom);
  area.hidden = true;
  area.addEventListener("console:set", () => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: area.value } }));
  if (marks.length && !document.getElementById("results")) goto(view, marks[0][0], marks[0][1]);
  tools(frame, view);
  preferences.follow(view);
  frame.dataset.ready = "";
  return view;
}

const editors = [...document.querySelectorAll("textarea[data-editor]")].map(enhance);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-line]");
  if (!link || !editors[0]) return;
  event.preventDefault();
  goto(editors[0], Number(link.dataset.line), Number(link.dataset.column || 1));
  editors[0].focus();
});
// What is to be read first is in view, once the editor has scrolled to what is marked.
setTimeout(() => (document.getElementById("refusal") ?? document.getElementById("results"))?.focus(), 100);
export { editors, forceLinting };
