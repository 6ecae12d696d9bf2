// What a person sets for all editors of this browser: the size of the letters, whether long lines wrap, and hints
// while typing.
import { Compartment } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { read, write } from "../frame/storage.js";

const KEY = "console-editor";
const DEFAULTS = { size: "", wrap: false, hints: true };

function stored() {
  const { size, wrap, hints } = { ...DEFAULTS, ...read(KEY) };
  return { size: /^[1-9]\d$/.test(size) ? size : "", wrap: wrap === true, hints: hints !== false };
}

/** `hints(on)`: the extension that offers what fits, while typing or only when it is asked for. */
export function settings(frame, hints) {
  const [wrapping, hinting] = [new Compartment(), new Compartment()];
  let now = stored();

  function show(view) {
    for (const control of frame.querySelectorAll("[data-editor-set]")) {
      const value = now[control.dataset.editorSet];
      if (typeof value === "boolean") control.checked = value; else control.value = value;
    }
    view.dom.style.fontSize = now.size && `${now.size}px`;
    const wrap = wrapping.reconfigure(now.wrap ? EditorView.lineWrapping : []);
    view.dispatch({ effects: [wrap, hinting.reconfigure(hints(now.hints))] });
    view.requestMeasure();
  }

  function follow(view) {
    show(view);
    frame.addEventListener("change", ({ target }) => {
      const name = target.dataset.editorSet;
      if (!name) return;
      now = { ...now, [name]: target.type === "checkbox" ? target.checked : target.value };
      write(KEY, now);
      document.dispatchEvent(new CustomEvent("console:editor", { detail: now }));
    });
    document.addEventListener("console:editor", ({ detail }) => { now = detail; show(view); });
    // Another tab of this browser.
    addEventListener("storage", ({ key }) => { if (key === KEY) { now = stored(); show(view); } });
  }
  return { extension: [wrapping.of([]), hinting.of(hints(now.hints))], follow };
}
