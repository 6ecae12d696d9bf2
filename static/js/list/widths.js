// Widths of a list's columns: drag the end of a head, or press Shift and an arrow key on it. This browser keeps them
// for each list; "Reset to default" in the menu of columns, or a double click on an end, forgets them.
import { read, write } from "../frame/storage.js";

const [EDGE, LEAST, MOST, STEP] = [8, 48, 1600, 16];
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

const key = () => `console-widths:${location.pathname}`;
const isShown = (head) => head.getClientRects().length > 0;
const heads = () => [...document.querySelectorAll("#list .list-table > thead th")].filter(isShown);
const columns = () => heads().filter((head) => head.dataset.column);
const wide = (head) => head.getBoundingClientRect().width;

const kept = () => read(key(), {});
const keep = (widths) => write(key(), widths);

// The last column takes what is left. A column that was chosen later has no width of its own yet.
function draw(widths = kept()) {
  if (!Object.keys(widths).length) { sheet.replaceSync(""); return; }
  const all = columns();
  const width = (head) => Number(widths[head.dataset.column]) || 160;
  const total = heads().reduce((sum, head) => sum + (head.dataset.column ? width(head) : wide(head)), 0);
  const rules = all.slice(0, -1).map(
    (head) => `#list .list-table > thead > tr > :nth-child(${head.cellIndex + 1}) { inline-size: ${width(head)}px }`,
  );
  sheet.replaceSync(`@container list (width >= 35rem) {
    #list .list-table { table-layout: fixed; inline-size: max(100%, ${total}px) }
    #list .list-table > * > tr > :is(th, td)[class] { min-inline-size: 0; max-inline-size: none }
    #list .list-table > thead > tr > [data-column] { inline-size: auto; overflow: hidden; text-overflow: ellipsis }
    ${rules.join("\n    ")}
  }`);
}

const measured = () => Object.fromEntries(columns().map((head) => [head.dataset.column, Math.round(wide(head))]));
const bounded = (width) => Math.round(Math.min(MOST, Math.max(LEAST, width)));

// The head whose end is under the pointer. The last one ends where the table does.
function ended({ target, clientX }) {
  const head = target.closest?.("#list th[data-column]");
  return head && head !== columns().at(-1) && head.getBoundingClientRect().right - clientX <= EDGE ? head : null;
}

document.addEventListener("pointerdown", (event) => {
  const head = event.button || event.pointerType === "touch" ? null : ended(event);
  if (!head) return;
  event.preventDefault();
  const [widths, begin, from] = [measured(), event.clientX, wide(head)];
  const move = ({ clientX }) => {
    widths[head.dataset.column] = bounded(from + clientX - begin);
    draw(widths);
  };
  const done = () => {
    head.removeEventListener("pointermove", move);
    if (wide(head) !== from) keep(widths);
  };
  head.setPointerCapture(event.pointerId);
  head.addEventListener("pointermove", move);
  head.addEventListener("lostpointercapture", done, { once: true });
});
document.addEventListener("dblclick", (event) => {
  if (!ended(event)) return;
  keep(null);
  draw();
});
document.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
  const head = event.shiftKey && step && event.target.closest?.("#list th[data-column]");
  if (!head || event.ctrlKey || event.altKey || event.metaKey || head === columns().at(-1)) return;
  event.preventDefault();
  const widths = measured();
  widths[head.dataset.column] = bounded(widths[head.dataset.column] + step);
  keep(widths);
  draw(widths);
});
document.addEventListener("click", ({ target }) => {
  if (target.closest?.("#list-columns [name=reset]")) keep(null);
});
for (const name of ["htmx:afterSettle", "htmx:historyRestore"]) document.addEventListener(name, () => draw());
window.addEventListener("resize", () => draw());
draw();
