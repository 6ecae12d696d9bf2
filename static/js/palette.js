// Ctrl-K: go anywhere by typing. "?" lists the keys, "/" goes to the page's own search field. What was opened lately comes first.
import { read, write } from "./frame/storage.js";

const dialog = document.getElementById("palette");
const field = document.getElementById("palette-q");
const list = document.getElementById("palette-list");
const PREFIX = document.documentElement.dataset.prefix ?? ""; // of this cluster's addresses
const RECENT = `console-recent${PREFIX}`;
const MOST = 8;

const recent = () => read(RECENT, []);
function remember() {
  const title = document.title.split(" · ").slice(0, -1).join(" · ");
  // Objects, operators and packages; lists and forms are a few letters away anyway.
  if (!title || !/^\/(resources\/([^/]+\/){5}|operators\/[^/]+\/[^/]+\/|operatorhub\/([^/]+\/){3})$/.test(location.pathname.slice(PREFIX.length))) return;
  const rest = recent().filter((one) => one.url !== location.pathname);
  write(RECENT, [{ url: location.pathname, title }, ...rest].slice(0, MOST));
}

const options = () => [...list.querySelectorAll("[role=option]")];
function choose(index) {
  const all = options();
  for (const [number, one] of all.entries()) {
    one.id = `palette-option-${number}`;
    one.tabIndex = -1;
    one.setAttribute("aria-selected", String(number === index));
  }
  const chosen = all[index];
  field.setAttribute("aria-activedescendant", chosen?.id ?? "");
  chosen?.scrollIntoView({ block: "nearest" });
}
const chosen = () => options().findIndex((one) => one.getAttribute("aria-selected") === "true");

function withRecent(html) {
  list.innerHTML = html;
  const pages = recent();
  if (field.value.trim() || !pages.length) return;
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", dialog.dataset.recent);
  const title = document.createElement("p");
  title.className = "pf-v6-c-simple-list__title";
  title.textContent = dialog.dataset.recent;
  group.append(title, ...pages.map(({ url, title: text }) => {
    const link = document.createElement("a");
    link.setAttribute("role", "option");
    link.className = "pf-v6-c-simple-list__item-link";
    link.href = url;
    link.textContent = text;
    return link;
  }));
  list.prepend(group);
}

let asked = 0;
async function ask() {
  const mine = ++asked;
  const address = `${dialog.dataset.url}?q=${encodeURIComponent(field.value)}&at=${encodeURIComponent(location.pathname)}`;
  const answer = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (mine !== asked || !answer?.ok) return;
  withRecent(await answer.text());
  choose(0);
}
let timer;
field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 80); });
field.addEventListener("keydown", (event) => {
  const all = options();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && all.length) { event.preventDefault(); choose((chosen() + step + all.length) % all.length); }
  if (event.key === "Enter") {
    event.preventDefault();
    const link = all[chosen()];
    if (!link) return;
    if (event.ctrlKey || event.metaKey) window.open(link.href); else location.assign(link.href);
  }
});
list.addEventListener("mousemove", (event) => { const at = options().indexOf(event.target.closest("[role=option]")); if (at >= 0 && at !== chosen()) choose(at); });
for (const one of document.querySelectorAll("dialog.console-palette")) one.addEventListener("click", (event) => { if (event.target === one) one.close(); });

function open() {
  if (dialog.open) return;
  field.value = "";
  dialog.showModal();
  field.focus();
  ask();
}
const typing = (node) => node.isContentEditable || node.matches?.("input, textarea, select");
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    // A shell has its own use for it; the YAML editor has none.
    if (event.target.closest?.(".xterm")) return;
    event.preventDefault();
    open();
  } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target) && !document.querySelector("dialog[open]")) {
    if (event.key === "?") { event.preventDefault(); document.getElementById("keys").showModal(); }
    const search = document.querySelector("#main [role=search] input:not([type=hidden])");
    if (event.key === "/" && search) { event.preventDefault(); search.focus(); search.select(); }
  }
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) document.getElementById("keys").showModal();
  if (event.target.closest("[data-palette-open]") && !event.ctrlKey && !event.metaKey) { event.preventDefault(); open(); }
});
remember();
