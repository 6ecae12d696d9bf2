// What a field means, where the pointer rests on it, or at the cursor by Ctrl-I.
import { StateEffect, StateField } from "@codemirror/state";
import { hoverTooltip, keymap, showTooltip } from "@codemirror/view";
import { describe } from "./describe.js";
import { fieldAt, kindAt } from "./place.js";
import { nodeAt } from "./schema.js";

const pathWords = (path) => path.map((step, at) => (typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? (at ? `.${step}` : step) : `[${step}]`)).join("");

async function about(view, pos, schemas, words) {
  const line = view.state.doc.lineAt(pos);
  const lines = view.state.doc.toString().split("\n");
  const field = fieldAt(lines, line.number - 1);
  if (!field || pos - line.from < field.from) return null;
  const root = await schemas.get(kindAt(lines, line.number - 1));
  if (!root) return null;
  const node = nodeAt(root, field.path);
  if (!node.type && !node.description && !node.properties) return null;
  const parent = nodeAt(root, field.path.slice(0, -1));
  return {
    pos: line.from + field.from, end: line.from + field.to, above: true,
    create: () => ({ dom: describe(root, node, pathWords(field.path), words, parent.required?.includes(field.path.at(-1))) }),
  };
}

const show = StateEffect.define();
const shown = StateField.define({
  create: () => null,
  update: (value, change) => {
    const asked = change.effects.find((effect) => effect.is(show));
    return asked ? asked.value : change.docChanged || change.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

export function hovering(schemas, words) {
  return [
    hoverTooltip((view, pos) => about(view, pos, schemas, words), { hoverTime: 350 }),
    shown,
    keymap.of([
      { key: "Mod-i", preventDefault: true, run: (view) => { about(view, view.state.selection.main.head, schemas, words).then((tip) => tip && view.dispatch({ effects: show.of(tip) })); return true; } },
      { key: "Escape", run: (view) => { if (!view.state.field(shown)) return false; view.dispatch({ effects: show.of(null) }); return true; } },
    ]),
  ];
}
