// Files for the editor, chosen or dropped: their texts stand behind what is there already, divided by "---". Without it they are sent as files.
//   <form data-drop="id of the textarea" data-text-large="…">
const LIMIT = 4 * 1024 * 1024;

for (const form of document.querySelectorAll("form[data-drop]")) {
  const area = document.getElementById(form.dataset.drop);
  const input = form.querySelector("input[type=file][name=files]");

  async function take(files) {
    const state = form.querySelector("[data-editor-state]");
    if (files.reduce((sum, file) => sum + file.size, area.value.length) > LIMIT) { if (state) state.textContent = form.dataset.textLarge; return; }
    const texts = await Promise.all(files.map(async (file) => `# ${file.name}\n${(await file.text()).trimEnd()}`));
    const there = area.value.trim() ? [area.value.trimEnd()] : [];
    area.value = `${[...there, ...texts].join("\n---\n")}\n`;
    area.dispatchEvent(new Event("console:set"));
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  input?.addEventListener("change", () => { const files = [...input.files]; input.value = ""; take(files); });
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  form.addEventListener("dragover", (event) => { if (carries(event)) { event.preventDefault(); form.dataset.dropping = ""; } });
  form.addEventListener("dragleave", (event) => { if (!form.contains(event.relatedTarget)) delete form.dataset.dropping; });
  // Before the editor, which would put in one file's text as if it were typed.
  form.addEventListener("drop", (event) => {
    delete form.dataset.dropping;
    if (!carries(event)) return;
    event.preventDefault();
    event.stopPropagation();
    take([...event.dataTransfer.files]);
  }, true);
}
