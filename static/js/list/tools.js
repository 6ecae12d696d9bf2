// The tools of a row (Logs, Port-forward, peek) are made once, and stand in the row that the pointer or the focus is in.
const template = document.getElementById("row-tools");
const tools = template?.content.firstElementChild;
const rowOf = (node) => node.closest?.("#rows > tr[id^='row-']");
export const linkOf = (row) => row?.querySelector(".list-link");
// Not asked of the template: what it held has moved into a row.
export const hasTool = (to) => Boolean(tools?.querySelector(`[data-to="${to}"]`));

export function show(row) {
  const cell = row?.querySelector(".list-actions");
  if (!tools || !cell || tools.parentElement === cell) return;
  const address = linkOf(row).getAttribute("href");
  for (const link of tools.querySelectorAll("[data-to]")) link.href = address + link.dataset.to;
  cell.prepend(tools);
}

document.addEventListener("pointerover", ({ target }) => show(rowOf(target)));
document.addEventListener("focusin", ({ target }) => show(rowOf(target)));
