// YAML with colours, folding, search and undo over a plain <textarea data-editor>, which goes on to carry the text when it is sent.
// Without script the textarea itself is the editor.
import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Colours are names of our own sheet, so that the theme may change under an open editor.
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "tok-key" },
  { tag: [tags.string, tags.content], class: "tok-text" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-value" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], class: "tok-mark" },
]);

const setMark = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update: (value, change) => change.effects.find((effect) => effect.is(setMark))?.value ?? value.map(change.changes),
  provide: (field) => EditorView.decorations.from(field),
});

function mark(view, number) {
  if (!number || number > view.state.doc.lines) return;
  const line = view.state.doc.line(number);
  const wrong = Decoration.set([Decoration.line({ class: "console-editor-wrong" }).range(line.from)]);
  view.dispatch({ effects: [setMark.of(wrong), EditorView.scrollIntoView(line.from, { y: "center" })], selection: { anchor: line.from } });
}

function enhance(area) {
  const nonce = document.querySelector("meta[name=csp-nonce]")?.content ?? "";
  const label = area.labels?.[0]?.textContent ?? "YAML";
  const view = new EditorView({
    parent: area.parentElement,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        EditorView.cspNonce.of(nonce), lineNumbers(), foldGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
        closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), indentUnit.of("  "), yaml(), syntaxHighlighting(colours), marks,
        EditorView.contentAttributes.of({ "aria-label": label }), EditorState.readOnly.of(area.readOnly),
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap, indentWithTab]),
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
  mark(view, Number(area.dataset.line));
  return view;
}

const editors = [...document.querySelectorAll("textarea[data-editor]")].map(enhance);
document.getElementById("refusal")?.focus();

// Leaving with unsaved changes asks first.
for (const form of document.querySelectorAll("form[data-guard]")) {
  let changed = document.getElementById("refusal") !== null;
  form.addEventListener("input", () => { changed = true; });
  form.addEventListener("submit", () => { changed = false; });
  addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
}
export { editors };
