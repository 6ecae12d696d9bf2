// What changed is marked for a moment: attributes that a CSS animation (static/css/live/marks.css) takes away again. Somebody who wants no motion gets
// none. A mark that stands is not begun anew, so that what changes all the time does not flash.

const MOST = 40; // at once: beyond, it is the page that changed
const PARTS = "td, dd, .pf-v6-c-label, .pf-v6-c-badge, .list-state-count, .list-pages > [role=status]";
const QUIET = "time[data-age], [data-live-keep], .list-usage, [data-live-again]:not(tbody), [contenteditable], textarea, pre, [popover]";
const LEAVES = 260; // milliseconds, as the animation's
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const marked = new Set();
let leaving = 0;

export const motion = () => !calm.matches && !document.hidden;

// The part of the page that shows a text, if it is one that is marked.
export function partOf(node) {
  const element = node instanceof Element ? node : node.parentElement;
  return !element || element.closest(QUIET) ? null : element.closest(PARTS);
}

export function mark(element, kind = "changed") {
  if (!motion() || marked.size >= MOST || marked.has(element) || !element.isConnected) return;
  marked.add(element);
  element.setAttribute("data-live-mark", kind);
}
function unmark(element) {
  marked.delete(element);
  element.removeAttribute("data-live-mark");
}
document.addEventListener("animationend", ({ target, animationName }) => { if (animationName.startsWith("live-mark")) unmark(target); });
// What was taken out of the page while it was marked ends without an event.
setInterval(() => { for (const element of marked) if (!element.isConnected || !element.getAnimations({ subtree: true }).length) unmark(element); }, 5000);

// A row goes: nobody can reach or count it any more, it only fades.
export function leave(row) {
  const focused = row.contains(document.activeElement);
  const beside = row.nextElementSibling?.id.startsWith("row-") ? row.nextElementSibling : row.previousElementSibling;
  const place = document.activeElement?.closest("td")?.cellIndex ?? -1;
  if (!motion() || row.parentElement?.querySelectorAll("[data-live-leaving]").length >= 20) row.remove();
  else {
    row.setAttribute("data-live-leaving", "");
    row.setAttribute("aria-hidden", "true");
    row.inert = true;
    for (const control of row.querySelectorAll("input, [popover]")) control.remove();
    for (const named of row.querySelectorAll("[id]")) named.removeAttribute("id");
    row.id = `leaving-${(leaving += 1)}`; // with none, the next new row would be laid over it
    setTimeout(() => row.remove(), LEAVES);
  }
  // Whoever was in it is beside it now, not at the beginning of the page.
  if (focused) (beside?.cells?.[place]?.querySelector("a, button, input") ?? beside?.querySelector("a, button"))?.focus({ preventScroll: true });
}
