// What Enter does in YAML, and typing over a selection.
import { indentService } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { indentOf, parts } from "./place.js";

const OPENS = /(:|[|>][+\-0-9]*)\s*(\s#.*)?$/;

// The column of a new line behind `line`: below a key that has no value yet, beside the keys of an item, else as before.
export function columnAfter(line, unit = 2) {
  if (!line.trim() || line.trim().startsWith("#")) return indentOf(line);
  const { column, key, rest } = parts(line);
  if (OPENS.test(line)) return column + unit;
  return key === null && rest ? indentOf(line) : column;
}

export const indentation = indentService.of((context, pos) => {
  const { text, from } = context.lineAt(pos, -1);
  // A line that is indented anew (pasted, moved) stays where it is.
  return context.simulatedBreak === null || context.simulatedBreak === undefined ? null : columnAfter(text.slice(0, Math.max(0, pos - from)), context.unit);
});

// A browser that types over selected lines itself gives what it joins a style of its own, which the content policy refuses.
export const over = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    if (event.inputType !== "insertText" || event.isComposing || main.empty || view.state.readOnly || !event.data) return false;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    for (const handler of view.state.facet(EditorView.inputHandler)) if (handler(view, main.from, main.to, event.data, insert)) return true;
    view.dispatch(insert());
    return true;
  },
});
