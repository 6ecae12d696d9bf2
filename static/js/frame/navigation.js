// The navigation: what is left open or folded is known to the server by cookies, so that the next page is drawn that way.
const YEAR = 365 * 24 * 3600;
const OPEN = "console_navigation", FOLDED = "console_navigation_folded";

export const cookie = (name, value, secure = location.protocol === "https:") =>
  `${name}=${value}; path=/; max-age=${YEAR}; samesite=lax${secure ? "; secure" : ""}`;

// Groups that somebody opened or closed; one that is open only because its page is stays as it was left.
export function opened(groups, name, open) {
  const names = new Set(groups.split(".").filter((group) => /^[a-z]+$/.test(group)));
  if (open) names.add(name); else names.delete(name);
  return [...names].sort().join(".");
}

const read = (name) => document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";

function fold(folded) {
  document.documentElement.classList.toggle("console-folded", folded);
  document.querySelector("[data-nav-fold]")?.setAttribute("aria-pressed", String(folded));
  document.cookie = cookie(FOLDED, folded ? "1" : "0");
}

export const isFolded = () => document.documentElement.classList.contains("console-folded");

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-nav-fold]")) fold(!isFolded());
  const summary = event.target.closest("[data-nav-group] > summary");
  if (!summary) return;
  const group = summary.parentElement;
  // Only icons are there to be seen: the group opens together with the navigation.
  const rail = getComputedStyle(summary.querySelector(".pf-v6-c-nav__link-text")).display === "none";
  if (rail) {
    event.preventDefault();
    group.open = true;
    if (isFolded()) fold(false); else document.getElementById("navigation").classList.add("pf-m-expanded");
  }
  document.cookie = cookie(OPEN, opened(read(OPEN), group.dataset.navGroup, rail || !group.open));
});

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "b" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  if (event.target.closest?.("[contenteditable=true], .cm-editor, .xterm")) return;
  event.preventDefault();
  fold(!isFolded());
});

// g, then a letter: as the letters stand at the links.
let asked = -Infinity;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, [contenteditable=true], dialog[open], .xterm")) return;
  const now = performance.now();
  if (event.key === "g") { asked = now; return; }
  if (now - asked > 1500) return;
  asked = -Infinity;
  const link = document.querySelector(`#navigation [data-go-key="${CSS.escape(event.key)}"]`);
  if (!link) return;
  event.preventDefault();
  event.stopPropagation();
  link.click();
}, true);
