// The peek: what a row's object is doing, beside the list (?part=peek of its page). It is a live region like any other.
import { linkOf } from "./tools.js";

const side = document.getElementById("peek");
let asked = 0;
let origin = null; // the row's id
export const isOpen = () => Boolean(side) && !side.hidden;

const peeked = () => document.querySelector("#rows > tr[data-peeked]");
function mark(row) {
  peeked()?.removeAttribute("data-peeked");
  row?.setAttribute("data-peeked", "");
}

// live.js asks for the topics that the page has now.
function follow(since = "") {
  side.dispatchEvent(new CustomEvent("live:laid", { bubbles: true, detail: { since, left: [] } }));
}

export async function peek(row, { toggle = false } = {}) {
  const link = linkOf(row);
  // An operator that isn't installed yet has no page of its own.
  if (!side || !link || !row.querySelector(".list-actions")) return;
  if (toggle && isOpen() && origin === row.id) { close(); return; }
  const mine = (asked += 1);
  origin = row.id;
  mark(row);
  const url = new URL(link.href);
  url.searchParams.set("part", "peek");
  const headers = { "HX-Request": "true", "X-Console-Who": document.body.dataset.who ?? "" };
  const answer = await fetch(url, { headers }).catch(() => null);
  if (mine !== asked) return;
  const text = await answer?.text();
  if (mine !== asked) return;
  if (answer?.ok && !answer.redirected) side.innerHTML = text;
  else side.textContent = answer ? `${answer.status} ${answer.statusText}` : document.body.dataset.textUnreachable;
  side.hidden = false;
  const log = side.querySelector("pre");
  if (log) log.scrollTop = log.scrollHeight;
  follow(answer?.headers.get("X-Live-Since") ?? "");
}

export function close() {
  const row = origin && document.getElementById(origin);
  asked += 1;
  const inside = side.contains(document.activeElement);
  side.hidden = true;
  side.replaceChildren();
  mark(null);
  if (inside) linkOf(row)?.focus();
  origin = null;
  follow();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-peek]")) peek(event.target.closest("tr"), { toggle: true });
  if (event.target.closest("[data-peek-close]")) close();
});
// The row's own mark is not in what the server sends of it.
if (side) {
  new MutationObserver(() => {
    const row = origin && document.getElementById(origin);
    if (row && isOpen() && !row.hasAttribute("data-peeked")) mark(row);
  }).observe(document.getElementById("main"), { subtree: true, childList: true, attributeFilter: ["data-peeked"] });
}
