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

async function upload(view, input, state) {
  const file = input.files[0];
  input.value = "";
  if (!file) return;
  if (file.size > LIMIT) { state.textContent = state.dataset.textLarge; return; }
  const text = await file.text();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "input.paste" });
  view.focus();
}

function wide(frame, button) {
  const on = frame.classList.toggle("console-editor-wide");
  button.setAttribute("aria-pressed", String(on));
  document.documentElement.classList.toggle("console-no-scroll", on);
}

export function tools(frame, view) {
  const bar = frame.querySelector("[data-editor-tools]");
  if (!bar) return;
  bar.hidden = false;
  const input = bar.querySelector("[data-editor-file]");
  input?.addEventListener("change", () => upload(view, input, bar.querySelector("[data-editor-state]")));
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-editor-do]");
    if (!button) return;
    const text = view.state.doc.toString();
    if (button.dataset.editorDo === "search") openSearchPanel(view);
    else if (button.dataset.editorDo === "copy") navigator.clipboard.writeText(text).then(() => { button.dataset.copied = ""; setTimeout(() => delete button.dataset.copied, 1500); });
    else if (button.dataset.editorDo === "download") download(text);
    else if (button.dataset.editorDo === "upload") input?.click();
    else if (button.dataset.editorDo === "wide") wide(frame, button);
  });
  frame.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && frame.classList.contains("console-editor-wide") && !event.defaultPrevented) wide(frame, bar.querySelector("[data-editor-do=wide]"));
  });
}
