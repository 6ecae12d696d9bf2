// settings.js: what a person sets for the editor holds at once in every editor, in every tab, and after a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState, Facet } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { page } from "../page.js";

const FRAME = `<div class="frame">
  <select data-editor-set="size"><option value="">Default</option><option>14</option><option>20</option></select>
  <input type="checkbox" data-editor-set="wrap"><input type="checkbox" data-editor-set="hints">
</div>`;
const typing = Facet.define();

// An editor as far as settings reach it: its element, and its state.
function open(module, frame) {
  const own = module.settings(frame, (on) => typing.of(on));
  const view = {
    dom: frame.ownerDocument.createElement("div"),
    state: EditorState.create({ extensions: [own.extension] }),
    dispatch(change) { view.state = view.state.update(change).state; },
    requestMeasure() {},
  };
  own.follow(view);
  const control = (name) => frame.querySelector(`[data-editor-set="${name}"]`);
  return {
    control,
    set(name, value) {
      if (typeof value === "boolean") control(name).checked = value; else control(name).value = value;
      control(name).dispatchEvent(new Event("change", { bubbles: true }));
    },
    get is() {
      const wraps = view.state.facet(EditorView.contentAttributes).some((one) => one.class === "cm-lineWrapping");
      return [view.dom.style.fontSize, wraps, view.state.facet(typing)[0]];
    },
    get shown() { return [control("size").value, control("wrap").checked, control("hints").checked]; },
  };
}

async function editors(kept) {
  const { module, document } = await page(FRAME.repeat(2), "editor/settings.js");
  if (kept !== undefined) localStorage.setItem("console-editor", kept);
  return [...document.querySelectorAll(".frame")].map((frame) => open(module, frame));
}

test("without settings the editor is as it always was", async () => {
  const [one] = await editors();
  assert.deepEqual(one.is, ["", false, true]);
  assert.deepEqual(one.shown, ["", false, true]);
});

test("a setting holds in every editor of the page, and its control shows it there too", async () => {
  const [one, other] = await editors();
  one.set("size", "20");
  other.set("wrap", true);
  one.set("hints", false);
  for (const editor of [one, other]) {
    assert.deepEqual(editor.is, ["20px", true, false]);
    assert.deepEqual(editor.shown, ["20", true, false]);
  }
  assert.deepEqual(JSON.parse(localStorage.getItem("console-editor")), { size: "20", wrap: true, hints: false });
  one.set("size", "");
  assert.deepEqual(other.is, ["", true, false]);
});

test("it is kept, and what another tab sets holds here", async () => {
  const [one] = await editors('{"size":"14","wrap":true}');
  assert.deepEqual(one.is, ["14px", true, true]);
  localStorage.setItem("console-editor", '{"hints":false}');
  window.dispatchEvent(Object.assign(new Event("storage"), { key: "console-editor" }));
  assert.deepEqual(one.is, ["", false, false]);
  assert.deepEqual(one.shown, ["", false, false]);
});

test("what is kept and makes no sense is passed over", async () => {
  for (const kept of ["{", "null", "3", '{"size":"9999","wrap":"yes","hints":0}', '{"size":{"a":1}}']) {
    const [one] = await editors(kept);
    assert.deepEqual(one.is, ["", false, true], kept);
  }
});

test("where nothing can be kept, a setting holds as long as the page", async () => {
  const [one] = await editors();
  localStorage.setItem = () => { throw new Error("full"); };
  one.set("wrap", true);
  assert.deepEqual(one.is, ["", true, true]);
});
