// The kubectl commands beside a form follow its ticks and fields: they do what its button does (kube/kubectl.py).

// One word for a shell, as Python's shlex.quote.
const quoted = (value) => (/^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'"'"'`)}'`);

function follow(form) {
  const blocks = form.querySelectorAll("[data-follows]");
  if (!blocks.length) return;
  const ticked = new Set([...form.querySelectorAll("input:checked")].map((input) => input.value));
  for (const block of blocks) {
    const commands = [...block.querySelectorAll("[data-command]")];
    for (const typed of block.querySelectorAll("[data-field]")) {
      const value = form.querySelector(`[name="${typed.dataset.field}"]`)?.value.trim() ?? "";
      typed.textContent = value ? typed.dataset.before + quoted(value) : typed.dataset.otherwise;
    }
    for (const command of commands) {
      const ticks = JSON.parse(command.dataset.ticks ?? "[]");
      const unless = JSON.parse(command.dataset.unless ?? "[]");
      const counts = ticks.every((values) => values.some((value) => ticked.has(value)));
      command.hidden = !counts || unless.some((value) => ticked.has(value));
    }
    const shown = commands.filter((command) => !command.hidden).map((command) => command.textContent.trim());
    block.querySelector("[data-copy]").dataset.copy = shown.join("\n");
  }
}

for (const name of ["input", "change"]) {
  document.addEventListener(name, (event) => {
    if (event.target.form) follow(event.target.form);
  });
}
for (const form of document.forms) follow(form); // a browser may have kept ticks of before
