// A table as a tree: rows fold, and arrow keys walk (https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/). Without it all rows are there.
//   <table data-tree> rows: id, aria-level, data-parent="id of the row above", data-branch, data-fold (folded at first)
const choice = new Map(); // row's id → folded, as chosen by the person; live updates keep it
let current = "";

const rows = (tree) => [...tree.querySelectorAll("tbody > tr")];
const isFolded = (row) => choice.get(row.id) ?? row.hasAttribute("data-fold");
const attribute = (node, name, value) => { if (node.getAttribute(name) !== value) node.setAttribute(name, value); };

function arrange(tree) {
  const all = rows(tree);
  const shut = new Set();
  for (const row of all) {
    const hidden = shut.has(row.dataset.parent);
    const branch = row.hasAttribute("data-branch");
    if (row.hidden !== hidden) row.hidden = hidden;
    if (branch) attribute(row, "aria-expanded", String(!isFolded(row)));
    if (hidden || (branch && isFolded(row))) shut.add(row.id);
  }
  const seen = all.filter((row) => !row.hidden);
  const stop = seen.find((row) => row.id === current) ?? seen[0];
  for (const row of all) attribute(row, "tabindex", row === stop ? "0" : "-1");
  attribute(tree, "data-tree-ready", "");
}

function fold(row, folded) {
  choice.set(row.id, folded);
  arrange(row.closest("[data-tree]"));
}

function go(row) {
  if (!row) return;
  current = row.id;
  arrange(row.closest("[data-tree]"));
  row.focus();
}

document.addEventListener("click", ({ target }) => {
  const row = target.closest?.("[data-toggle]")?.closest("[data-tree] tr");
  if (row) fold(row, !isFolded(row));
});

document.addEventListener("focusin", ({ target }) => {
  const row = target.closest?.("[data-tree] tbody > tr");
  if (row && row.id !== current) { current = row.id; arrange(row.closest("[data-tree]")); }
});

document.addEventListener("keydown", (event) => {
  const row = event.target;
  if (!(row instanceof HTMLTableRowElement) || !row.closest("[data-tree]") || event.ctrlKey || event.altKey || event.metaKey) return;
  const seen = rows(row.closest("[data-tree]")).filter((one) => !one.hidden);
  const at = seen.indexOf(row);
  const branch = row.hasAttribute("data-branch");
  const steps = {
    ArrowDown: () => go(seen[at + 1]),
    ArrowUp: () => go(seen[at - 1]),
    Home: () => go(seen[0]),
    End: () => go(seen.at(-1)),
    ArrowRight: () => (branch && isFolded(row) ? fold(row, false) : branch && go(seen[at + 1])),
    ArrowLeft: () => (branch && !isFolded(row) ? fold(row, true) : go(document.getElementById(row.dataset.parent))),
    Enter: () => (row.querySelector("a[href]") ? row.querySelector("a[href]").click() : branch && fold(row, !isFolded(row))),
    " ": () => branch && fold(row, !isFolded(row)),
  };
  if (!steps[event.key]) return;
  event.preventDefault();
  steps[event.key]();
});

// A live update brings rows as the server knows them.
const watch = new MutationObserver((changes) => {
  const trees = new Set(changes.flatMap(({ target }) => [target.closest?.("[data-tree]"), ...(target.querySelectorAll?.("[data-tree]") ?? [])]));
  for (const tree of trees) if (tree) arrange(tree);
});
for (const tree of document.querySelectorAll("[data-tree]")) arrange(tree);
watch.observe(document.getElementById("main") ?? document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["aria-expanded", "hidden", "tabindex", "data-tree-ready", "id"] });
