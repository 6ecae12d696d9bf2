// The kubectl commands beside a form follow what is ticked in it: they do what its button does (kube/kubectl.py).
function follow(form) {
  const ticked = new Set([...form.querySelectorAll("input:checked")].map((input) => input.value));
  for (const block of form.querySelectorAll("[data-follows]")) {
    const commands = [...block.querySelectorAll("[data-command]")];
    for (const command of commands) {
      const ticks = JSON.parse(command.dataset.ticks ?? "[]");
      command.hidden = !ticks.every((values) => values.some((value) => ticked.has(value)));
    }
    const shown = commands.filter((command) => !command.hidden).map((command) => command.textContent.trim());
    block.querySelector("[data-copy]").dataset.copy = shown.join("\n");
  }
}

document.addEventListener("change", (event) => {
  if (event.target.form) follow(event.target.form);
});
for (const form of document.forms) follow(form); // a browser may have kept ticks of before
