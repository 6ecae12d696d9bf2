// The kubectl commands of an uninstall follow the ticks: the same objects go as by the button.
const block = document.getElementById("uninstall-kubectl");
const form = block?.closest("form");

function show() {
  const ticked = new Set([...form.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value));
  const commands = [...block.querySelectorAll("[data-command]")];
  for (const command of commands) {
    const ticks = command.dataset.ticks;
    command.hidden = ticks !== undefined && !JSON.parse(ticks).some((value) => ticked.has(value));
  }
  const shown = commands.filter((command) => !command.hidden).map((command) => command.textContent.trim());
  block.querySelector("[data-copy]").dataset.copy = shown.join("\n");
}

if (form) {
  form.addEventListener("change", show);
  show(); // a browser may have kept ticks of before
}
