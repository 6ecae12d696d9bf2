// Tables by keyboard: with the focus on something in a row, the arrow keys go to the same thing of the row above or below, Home and End to the first and last.
// Trees have keys of their own (tree.js). Without this, Tab goes through everything.
const FOCUSABLE = "a[href], button:not([disabled]), input:not([disabled]):not([type=hidden]), summary";
const KEYS = { ArrowDown: 1, ArrowUp: -1, Home: "first", End: "last" };

const ours = (node) => node.matches?.("a[href], button, summary, input[type=checkbox]") && !node.closest("[role=menu], .console-menu[open]");
const seen = (node) => node.getClientRects().length > 0;

/** What in `row` corresponds to the `at`th cell: that cell's first control, or else the row's first link. */
function counterpart(row, at) {
  return [...(row.cells[at]?.querySelectorAll(FOCUSABLE) ?? [])].find(seen) ?? [...row.querySelectorAll("a[href]")].find(seen);
}

document.addEventListener("keydown", (event) => {
  const step = KEYS[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.defaultPrevented || !ours(event.target)) return;
  const cell = event.target.closest("tbody > tr > :is(td, th)");
  const row = cell?.parentElement;
  if (!row || row.closest("[data-tree]")) return;
  const rows = [...row.closest("table").querySelectorAll("tbody > tr")].filter((one) => seen(one) && (one === row || counterpart(one, cell.cellIndex)) && !one.matches(".list-empty"));
  const next = step === "first" ? rows[0] : step === "last" ? rows.at(-1) : rows[rows.indexOf(row) + step];
  if (!next) return;
  event.preventDefault();
  if (next !== row) counterpart(next, cell.cellIndex)?.focus();
});
