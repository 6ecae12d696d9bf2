// The buttons above an editor: search, copy, download, upload, full screen.
import { openSearchPanel } from "@codemirror/search";

const LIMIT = 4 * 1024 * 1024;

function download(text) {
  const link = document.createElement("a");
  const name = /^\s+name:\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? "object";
  link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  link.download = `${name}.yaml`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function take(view, file, state) {
  if (!file) return;
  if (file.size > LIMIT) { state.textContent = state.dataset.textLarge; return; }
  const text = await file.text();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "input.paste" });
  view.focus();
}

export function tools(frame, view) {
  const bar = frame.querySelector("[data-editor-tools]");
  if (!bar) return;
  bar.hidden = false;
  const input = bar.querySelector("[data-editor-file]");
  const state = bar.querySelector("[data-editor-state]");
  input?.addEventListener("change", () => { const [file] = input.files; input.value = ""; take(view, file, state); });
  // Before the editor's own answer, which puts the file into the text. Several files are the form's (apply.js).
  frame.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file || !input || frame.closest("form[data-drop]")) return;
    event.preventDefault();
    event.stopPropagation();
    take(view, file, state);
  }, true);
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-editor-do]");
    if (!button) return;
    const text = view.state.doc.toString();
    if (button.dataset.editorDo === "search") openSearchPanel(view);
    else if (button.dataset.editorDo === "copy") navigator.clipboard.writeText(text).then(() => { button.dataset.copied = ""; setTimeout(() => delete button.dataset.copied, 1500); });
    else if (button.dataset.editorDo === "download") download(text);
    else if (button.dataset.editorDo === "upload") input?.click();
    else if (document.fullscreenElement) document.exitFullscreen();
    else frame.requestFullscreen().then(() => view.focus());
  });
  // As of logs and terminals: the browser's own, which nothing of the page lies over, and Esc ends.
  const full = bar.querySelector("[data-editor-do=full]");
  full.hidden = !document.fullscreenEnabled;
  document.addEventListener("fullscreenchange", () => full.setAttribute("aria-pressed", String(document.fullscreenElement === frame)));
}
