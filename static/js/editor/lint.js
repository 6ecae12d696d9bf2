// Errors in the margin: of the YAML, of the schema, and those that the cluster named when the page was made.
import { forceLinting, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { StateField } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { faults, read } from "./check.js";

// Larger texts are checked by the server alone: a parse takes longer than a keystroke may.
const LARGE = 400_000;

// What the server said, until its line is changed.
const said = (marks) => StateField.define({
  create: (state) => marks.filter(([line]) => line >= 1 && line <= state.doc.lines).map(([number, column, message]) => {
    const line = state.doc.line(number);
    const from = Math.min(line.from + Math.max(0, column - 1), line.to);
    return { from, to: line.to, severity: "error", message };
  }),
  update: (value, change) => {
    if (!change.docChanged) return value;
    const touched = (mark) => { let hit = false; change.changes.iterChangedRanges((from, to) => { if (from <= mark.to && to >= mark.from) hit = true; }); return hit; };
    return value.filter((mark) => !touched(mark)).map((mark) => ({ ...mark, from: change.changes.mapPos(mark.from), to: change.changes.mapPos(mark.to) }));
  },
});

export function linting(schemas, marks, words, report) {
  const field = said(marks);
  const source = async (view) => {
    const text = view.state.doc.toString();
    const server = view.state.field(field);
    if (text.length > LARGE) { report(server.length, "long"); return server; }
    const documents = read(text);
    const found = [...server];
    let unchecked = "";
    for (const one of documents) {
      found.push(...one.errors);
      const root = await schemas.get(one.kind);
      if (!root && one.kind.kind) unchecked = "none";
      if (!one.errors.length) found.push(...faults(one.contents, root, words));
    }
    if (view.state.doc.toString() !== text) return [];
    const end = view.state.doc.length;
    // One mark for one fault: the server's own words for it come first.
    const taken = new Set(server.map((one) => view.state.doc.lineAt(one.from).number));
    const kept = found.filter((one) => server.includes(one) || !taken.has(view.state.doc.lineAt(Math.min(one.from, end)).number));
    const placed = kept.map((one) => ({ ...one, from: Math.min(one.from, end), to: Math.min(one.to, end) }));
    report(placed.length, unchecked);
    return placed;
  };
  return [field, linter(source, { delay: 350 }), lintGutter(), keymap.of(lintKeymap)];
}
export { forceLinting };
